package experiments

import (
	"fmt"
	"math"
	"slices"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
)

// SliceCosts returns F(θ) = (1/m) Σ_i (a_(i) - b_(i))² for directions [L, d]. a and b are the sorted
// projections of the first clouds of x and y, with m points each.
func SliceCosts(x, y *datasets.Set, directions []float32) ([]float64, error) {
	if x.Dim != y.Dim || len(directions)%x.Dim != 0 {
		return nil, fmt.Errorf("expected clouds and directions of one dimension, found %d and %d, and %d numbers", x.Dim, y.Dim, len(directions))
	}
	first := func(s *datasets.Set) ot1d.Clouds {
		return ot1d.Clouds{Coords: s.Cloud(0), Batch: 1, Points: s.Points, Dim: s.Dim}
	}
	costs, err := ot1d.HostCosts(first(x), first(y), directions, len(directions)/x.Dim, ot1d.Config{Reduce: ot1d.Mean})
	for l, c := range costs {
		costs[l] = float64(float32(c)) // as those of swlab.Distance
	}
	return costs, err
}

// Landscape is F of a pair of clouds in the plane or in space for all directions, or its mean J around every
// direction: J(ε) = E F(θ) for θ of the von Mises-Fisher distribution of location ε and concentration κ.
type Landscape struct {
	Grid   []float32 // directions [n, d]: of the circle at angles 2πj/n, of the sphere vmfviz.SphereGrid
	Values []float64 // for them
	Mean   float64   // over all directions

	x, y    *datasets.Set
	costs   []float64 // F for the grid
	weights []float64 // of a mean over the grid
	kappa   float64   // +Inf for F itself
}

// The grids of the circle and of the sphere. The mean over them has about four digits.
const (
	circleSteps = 720
	sphereRows  = 64
	// LargestKappa is where the distribution is as narrow as the sphere's grid can tell.
	LargestKappa = 400
)

// NewLandscape computes F of the first clouds of x and y.
func NewLandscape(x, y *datasets.Set) (*Landscape, error) {
	l, err := gridOf(x, y)
	if err != nil {
		return nil, err
	}
	half, err := SliceCosts(l.x, l.y, l.Grid[:len(l.Grid)/2])
	if err != nil {
		return nil, err
	}
	l.costs = make([]float64, 2*len(half))
	for i, v := range half { // F(−θ) = F(θ)
		l.costs[i], l.costs[l.opposite(i)] = v, v
	}
	return l.withMean(), nil
}

// KnownLandscape is F of the first clouds of x and y, whose values for the grid are known.
func KnownLandscape(x, y *datasets.Set, values []float64) (*Landscape, error) {
	l, err := gridOf(x, y)
	if err != nil {
		return nil, err
	}
	if len(values) != len(l.weights) {
		return nil, fmt.Errorf("landscape: expected %d values, found %d", len(l.weights), len(values))
	}
	l.costs = values
	return l.withMean(), nil
}

func (l *Landscape) withMean() *Landscape {
	l.Values = l.costs
	for i, v := range l.costs {
		l.Mean += l.weights[i] * v
	}
	return l
}

// gridOf is a landscape without values.
func gridOf(x, y *datasets.Set) (*Landscape, error) {
	l := &Landscape{x: x.Select([]int{0}), y: y.Select([]int{0}), kappa: math.Inf(1)}
	switch {
	case x.Dim != y.Dim:
		return nil, fmt.Errorf("landscape: expected clouds of one dimension, found %d and %d", x.Dim, y.Dim)
	case x.Dim == 2:
		for i := range circleSteps {
			s, c := math.Sincos(2 * math.Pi * float64(i) / circleSteps)
			l.Grid, l.weights = append(l.Grid, float32(c), float32(s)), append(l.weights, 1.0/circleSteps)
		}
	case x.Dim == 3:
		for i, w := range Fejer(sphereRows) {
			s, z := math.Sincos(math.Pi * (float64(i) + 0.5) / sphereRows)
			for j := range 2 * sphereRows {
				y, x := math.Sincos(math.Pi * (float64(j) + 0.5) / sphereRows)
				l.Grid = append(l.Grid, float32(s*x), float32(s*y), float32(z))
				l.weights = append(l.weights, w/(2*sphereRows))
			}
		}
	default:
		return nil, fmt.Errorf("landscape: expected clouds of dimension 2 or 3, found %d", x.Dim)
	}
	return l, nil
}

// opposite is the number of minus direction i.
func (l *Landscape) opposite(i int) int {
	if l.x.Dim == 2 {
		return (i + circleSteps/2) % circleSteps
	}
	const columns = 2 * sphereRows
	return (sphereRows-1-i/columns)*columns + (i+sphereRows)%columns
}

// Blurred is J of that concentration, at most LargestKappa, without values for the grid.
func (l *Landscape) Blurred(kappa float64) (*Landscape, error) {
	if !(kappa >= 0 && kappa <= LargestKappa) {
		return nil, fmt.Errorf("kappa: expected a number from 0 to %d, found %g", LargestKappa, kappa)
	}
	j := *l
	j.kappa, j.Values = kappa, nil
	return &j, nil
}

// Around returns J of that concentration, at most LargestKappa.
func (l *Landscape) Around(kappa float64) (*Landscape, error) {
	j, err := l.Blurred(kappa)
	if err != nil {
		return nil, err
	}
	columns := 2 * sphereRows
	if l.x.Dim == 2 {
		columns = circleSteps
	}
	j.Values = make([]float64, len(l.costs))
	for start := 0; start < len(l.costs)/2; start += columns {
		// The density of the direction in one row and column c around that in another row and column j depends on the
		// rows and c - j alone.
		d := l.x.Dim
		density := j.density(l.Grid[start*d : (start+1)*d])
		for column := range min(columns, len(l.costs)/2-start) {
			sum := 0.0
			for row := 0; row < len(density); row += columns {
				ahead, behind := l.costs[row+column:row+columns], l.costs[row:row+column]
				for i, v := range ahead {
					sum += v * density[row+i]
				}
				for i, v := range behind {
					sum += v * density[row+len(ahead)+i]
				}
			}
			j.Values[start+column], j.Values[l.opposite(start+column)] = sum, sum
		}
	}
	return j, nil
}

// density returns the weights of the costs in J at a unit direction, with sum 1.
func (l *Landscape) density(at []float32) []float64 {
	d, total, out := l.x.Dim, 0.0, make([]float64, len(l.weights))
	for i, w := range l.weights {
		cos := -1.0
		for k, v := range at {
			cos += float64(v) * float64(l.Grid[i*d+k])
		}
		out[i] = w * math.Exp(l.kappa*cos)
		total += out[i]
	}
	for i := range out {
		out[i] /= total
	}
	return out
}

// At returns the values at unit directions [n, d].
func (l *Landscape) At(directions []float32) ([]float64, error) {
	if math.IsInf(l.kappa, 1) {
		return SliceCosts(l.x, l.y, directions)
	}
	d := l.x.Dim
	var out []float64
	for at := range slices.Chunk(directions, d) {
		sum := 0.0
		for i, w := range l.density(at) {
			sum += w * l.costs[i]
		}
		out = append(out, sum)
	}
	return out, nil
}

// Extreme returns the direction of the largest or smallest value: that of the grid, from which a search among
// ever nearer neighbours starts.
func (l *Landscape) Extreme(largest bool) (direction []float32, value float64, err error) {
	sign, d := 1.0, l.x.Dim
	if largest {
		sign = -1
	}
	better := func(v []float64) (best int) {
		for i := range v {
			if sign*v[i] < sign*v[best] {
				best = i
			}
		}
		return best
	}
	i := better(l.Values)
	direction, value = l.Grid[i*d:(i+1)*d], l.Values[i]
	for step := 0.03; step > 1e-5; {
		near := neighbours(direction, step)
		values, err := l.At(near)
		if err != nil {
			return nil, 0, err
		}
		if i := better(values); sign*values[i] < sign*value {
			direction, value = near[i*d:(i+1)*d], values[i]
			continue
		}
		step /= 3
	}
	return direction, value, nil
}

// neighbours are two directions beside one of the circle, eight around one of the sphere.
func neighbours(at []float32, step float64) (out []float32) {
	add := func(v ...float64) {
		n := 0.0
		for _, c := range v {
			n += c * c
		}
		for _, c := range v {
			out = append(out, float32(c/math.Sqrt(n)))
		}
	}
	if len(at) == 2 {
		x, y := float64(at[0]), float64(at[1])
		add(x-step*y, y+step*x)
		add(x+step*y, y-step*x)
		return out
	}
	a := [3]float64{float64(at[0]), float64(at[1]), float64(at[2])}
	u := [3]float64{-a[1], a[0], 0}
	if math.Hypot(a[0], a[1]) < 0.1 {
		u = [3]float64{0, -a[2], a[1]}
	}
	w := [3]float64{a[1]*u[2] - a[2]*u[1], a[2]*u[0] - a[0]*u[2], a[0]*u[1] - a[1]*u[0]}
	for k := range 8 {
		s, c := math.Sincos(math.Pi * float64(k) / 4)
		var v [3]float64
		for i := range v {
			v[i] = a[i] + step*(c*u[i]+s*w[i])
		}
		add(v[:]...)
	}
	return out
}

// Fejer returns the weights of Fejer's first quadrature rule, with sum 1: the mean of f(cos t) over
// [-1, 1] from its values at t = pi (i + 1/2) / n, exact for polynomials of degree below n.
func Fejer(n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		t := math.Pi * (float64(i) + 0.5) / float64(n)
		sum := 0.5
		for j := 1; j <= n/2; j++ {
			sum -= math.Cos(2*float64(j)*t) / float64(4*j*j-1)
		}
		w[i] = 2 * sum / float64(n)
	}
	return w
}
