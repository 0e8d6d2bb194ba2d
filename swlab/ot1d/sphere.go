package ot1d

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/sliced-wasserstein/lab/swlab/internal/parallel"
	"github.com/sliced-wasserstein/lab/swlab/ot1d/solve"
)

// sphere is the Coster of Sphere (spherical sliced Wasserstein, Bonet et al. 2023). A direction is
// a plane through 0. Every point moves to the nearest of the great circle in that plane, at angle a
// of its projection, and counts as a/(2 pi) on a circle of length 1.
type sphere struct {
	pairs *HostPairs
	width int // numbers of a direction
}

// PlaneWidth is how many numbers a direction of Sphere has for points of that dimension: 3 in
// space, where a plane is given by its normal, of any length; else two vectors that span it, one
// after the other.
func PlaneWidth(dim int) int {
	if dim == 3 {
		return 3
	}
	return 2 * dim
}

// unitTolerance is how far a length may be from 1, for coordinates of few digits.
const unitTolerance = 1e-3

// NotUnit returns the first point of clouds of that dimension that is no unit vector, and its
// length; -1 if all are.
func NotUnit(points []float32, dim int) (at int, length float64) {
	for i := 0; i < len(points); i += dim {
		square := 0.0
		for _, v := range points[i : i+dim] {
			square += float64(v) * float64(v)
		}
		if length := math.Sqrt(square); !(math.Abs(length-1) <= unitTolerance) {
			return i / dim, length
		}
	}
	return -1, 1
}

func newSphere(x, y Clouds, o Config) (*sphere, error) {
	pairs, err := NewHostPairs(x, y, o)
	if err != nil {
		return nil, err
	}
	if x.Dim < 2 {
		return nil, fmt.Errorf("ot1d: a sphere needs points of dimension 2 or more, found %d", x.Dim)
	}
	for i, c := range pairs.clouds() {
		if at, length := NotUnit(c.Coords, c.Dim); at >= 0 {
			return nil, fmt.Errorf("ot1d: cloud %s of pair %d, point %d: expected a unit vector, found length %.6g",
				clouds[i].name, at/c.Points, at%c.Points, length)
		}
	}
	return &sphere{pairs, PlaneWidth(x.Dim)}, nil
}

// Costs are those of HostCosts.
func (s *sphere) Costs(directions []float32, slices int) ([]float64, error) {
	costs, _, err := s.Gradients(directions, slices, nil, None)
	return costs, err
}

// Gradients are those of HostGradients; there are none in the directions.
func (s *sphere) Gradients(directions []float32, slices int, upstream []float64, wrt Wrt) (costs []float64, g Gradients,
	err error) {
	batch, dim := s.pairs.x.Batch, s.pairs.x.Dim
	tasks := batch * slices
	if slices < 1 || len(directions) != slices*s.width && len(directions) != tasks*s.width {
		return nil, g, fmt.Errorf("ot1d: expected planes [%d, %d] or [%d, %d, %d] with at least one slice, found %d numbers",
			slices, s.width, batch, slices, s.width, len(directions))
	}
	if wrt != None && len(upstream) != tasks {
		return nil, g, fmt.Errorf("ot1d: expected an upstream gradient [%d, %d], found %d numbers", batch, slices,
			len(upstream))
	}
	if wrt&Directions != 0 {
		return nil, g, errors.New("ot1d: the cost on great circles has no gradient in the directions")
	}
	planes := make([]plane, len(directions)/s.width)
	for i := range planes {
		if planes[i], err = planeOf(directions[i*s.width:(i+1)*s.width], dim); err != nil {
			return nil, g, fmt.Errorf("ot1d: direction %d: %w", i, err)
		}
	}
	var gradients [2][]float64
	for i, c := range s.pairs.clouds() {
		if wrt&clouds[i].wrt != 0 {
			gradients[i] = make([]float64, len(c.Coords))
		}
	}
	costs = make([]float64, tasks)
	// The slopes of a run of tasks at once are kept until they are added, in order.
	const run = 64
	solved, errs := make([]solve.Result, run), make([]error, run)
	for first := 0; first < tasks; first += run {
		n := min(run, tasks-first)
		parallel.Each(n, parallel.Alone(func(k int) {
			task := first + k
			solved[k], errs[k] = s.along(planes[task%len(planes)], task/slices, task%slices)
			costs[task] = solved[k].Cost
		}))
		if err := cmp.Or(errs[:n]...); err != nil {
			return nil, g, err
		}
		for i, c := range s.pairs.clouds() {
			if gradients[i] == nil {
				continue
			}
			parallel.Each(c.Points, parallel.Alone(func(point int) {
				for k := range n {
					task := first + k
					slopes := [2][]float64{solved[k].DX, solved[k].DY}[i]
					at := (task/slices*c.Points + point) * dim
					planes[task%len(planes)].addSlope(gradients[i][at:at+dim], c.Coords[at:at+dim], upstream[task]*slopes[point])
				}
			}))
		}
	}
	g.X, g.Y = gradients[0], gradients[1]
	return costs, g, nil
}

// along is the solution on the great circle of a plane.
func (s *sphere) along(p plane, pair, slice int) (solve.Result, error) {
	var on [2]solve.Points
	for i, c := range s.pairs.clouds() {
		on[i].Mass = c.mass(pair)
		points := c.cloud(pair)
		for k := range c.Points {
			a, b := p.project(points[k*c.Dim : (k+1)*c.Dim])
			if a*a+b*b < 1e-20 {
				return solve.Result{}, fmt.Errorf("ot1d: cloud %s of pair %d, point %d: it has no nearest point on the great "+
					"circle of slice %d, to whose plane it is orthogonal", clouds[i].name, pair, k, slice)
			}
			on[i].At = append(on[i].At, math.Atan2(b, a)/(2*math.Pi))
		}
	}
	r, err := s.pairs.o.around(on[0], on[1])
	if s.pairs.o.Report != nil {
		s.pairs.o.Report(pair, slice, r)
	}
	return r, err
}

// plane is two orthonormal vectors that span it.
type plane [2][]float64

// planeOf is the plane of a direction of PlaneWidth.
func planeOf(direction []float32, dim int) (p plane, err error) {
	d := make([]float64, len(direction))
	for i, v := range direction {
		d[i] = float64(v)
	}
	if dim != 3 {
		p = plane{d[:dim], d[dim:]}
		if !p.orthonormalise() {
			return p, fmt.Errorf("expected two vectors that span a plane, found %v", direction)
		}
		return p, nil
	}
	axis := []float64{0, 0, 0} // that lies farthest from the normal
	least := 0
	for i, v := range d {
		if math.Abs(v) < math.Abs(d[least]) {
			least = i
		}
	}
	axis[least] = 1
	n := plane{d, axis}
	if !n.orthonormalise() {
		return p, fmt.Errorf("expected the normal of a plane, found %v", direction)
	}
	cross := []float64{d[1]*axis[2] - d[2]*axis[1], d[2]*axis[0] - d[0]*axis[2], d[0]*axis[1] - d[1]*axis[0]}
	return plane{axis, cross}, nil
}

// orthonormalise makes both vectors orthonormal, or reports that they span no plane.
func (p plane) orthonormalise() bool {
	for i, v := range p {
		before := math.Sqrt(dot(v, v))
		for turn := 0; i == 1 && turn < 2; turn++ { // twice, for the digits
			along := dot(p[0], v)
			for k := range v {
				v[k] -= along * p[0][k]
			}
		}
		length := math.Sqrt(dot(v, v))
		if !(length > 1e-6*before) || math.IsInf(length, 1) {
			return false
		}
		scale(v, 1/length)
	}
	return true
}

func dot(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

// project is a point in the coordinates of the plane.
func (p plane) project(point []float32) (a, b float64) {
	for i, v := range point {
		a += float64(v) * p[0][i]
		b += float64(v) * p[1][i]
	}
	return a, b
}

// addSlope adds to g the gradient of slope times the place of a point on the circle.
func (p plane) addSlope(g []float64, point []float32, slope float64) {
	a, b := p.project(point)
	by := slope / (2 * math.Pi * (a*a + b*b))
	for i := range g {
		g[i] += by * (a*p[1][i] - b*p[0][i])
	}
}
