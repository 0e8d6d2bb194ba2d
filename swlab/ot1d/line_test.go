package ot1d

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

// onTheLine are the costs by their definitions, from all pairs of points.
var onTheLine = map[LineCost]func(a, b, wa, wb []float64) float64{
	Cramer: func(a, b, wa, wb []float64) float64 {
		mean := func(a, b, wa, wb []float64) (sum float64) {
			for i, x := range a {
				for j, y := range b {
					sum += wa[i] * wb[j] * math.Abs(x-y)
				}
			}
			return sum
		}
		return mean(a, b, wa, wb) - mean(a, a, wa, wa)/2 - mean(b, b, wb, wb)/2
	},
	Energy: func(a, b, wa, wb []float64) float64 {
		far := append(slices.Clone(a), b...)
		slices.Sort(far)
		level := func(a, w []float64, t float64) (sum float64) {
			for i, x := range a {
				if x <= t {
					sum += w[i]
				}
			}
			return sum
		}
		sum := 0.0
		for i := range len(far) - 1 {
			d := level(a, wa, far[i]) - level(b, wb, far[i])
			sum += 2 * d * d * (far[i+1] - far[i])
		}
		return sum
	},
	EppsPulley: func(a, b, wa, wb []float64) (sum float64) {
		for k := range 17 {
			t, phi := 3*float64(k)/16, complex128(0)
			for i, x := range a {
				phi += complex(wa[i], 0) * cmplx.Exp(complex(0, t*x))
			}
			for j, y := range b {
				phi -= complex(wb[j], 0) * cmplx.Exp(complex(0, t*y))
			}
			weight := 2 * 3.0 / 16
			if k == 0 || k == 16 {
				weight /= 2
			}
			sum += weight * math.Pow(cmplx.Abs(phi), 2) * math.Exp(-t*t/2)
		}
		return sum
	},
}

// lineClouds are pairs of clouds of m and n points, on a grid with many ties if it is > 0.
func lineClouds(rng *rand.Rand, pairs, m, n, dim int, grid float64, masses bool) (x, y Clouds) {
	draw := func(points int) Clouds {
		c := Clouds{Batch: pairs, Points: points, Dim: dim, Coords: make([]float32, pairs*points*dim)}
		for i := range c.Coords {
			c.Coords[i] = float32(rng.NormFloat64())
			if grid > 0 {
				c.Coords[i] = float32(math.Round(rng.NormFloat64()/grid) * grid)
			}
		}
		if masses {
			c.Mass = make([]float64, pairs*points)
			for i := range c.Mass {
				c.Mass[i] = float64(rng.IntN(4))
			}
			for p := range pairs {
				c.Mass[p*points] = 1
			}
		}
		return c
	}
	return draw(m), draw(n)
}

// along are the projections of a cloud and its masses, with sum 1.
func along(c Clouds, pair int, theta []float32) (at, mass []float64) {
	points, total := c.cloud(pair), 0.0
	for i := range c.Points {
		v, w := 0.0, 1.0
		for j, t := range theta {
			v += float64(points[i*c.Dim+j]) * float64(t)
		}
		if c.Mass != nil {
			w = c.mass(pair)[i]
		}
		at, mass = append(at, v), append(mass, w)
		total += w
	}
	scale(mass, 1/total)
	return at, mass
}

// TestLineCosts compares every cost with its definition: sizes, masses, ties, a far outlier, vectors of
// directions and single ones.
func TestLineCosts(t *testing.T) {
	for _, c := range []struct {
		m, n, dim, slices int
		grid              float64
		masses            bool
		outlier           float32
	}{
		{m: 9, n: 9, dim: 3, slices: 12}, {m: 9, n: 14, dim: 2, slices: 1}, {m: 14, n: 9, dim: 5, slices: 5, masses: true},
		{m: 20, n: 20, dim: 1, slices: 2, grid: 1}, {m: 20, n: 11, dim: 2, slices: 9, grid: 1, masses: true},
		{m: 1, n: 1, dim: 3, slices: 4}, {m: 1, n: 7, dim: 3, slices: 4}, {m: 12, n: 12, dim: 3, slices: 9, outlier: 1e8},
	} {
		for cost, definition := range onTheLine {
			t.Run(fmt.Sprintf("%s %+v", cost, c), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(1, 2))
				x, y := lineClouds(rng, 2, c.m, c.n, c.dim, c.grid, c.masses)
				x.Coords[0] += c.outlier
				theta := make([]float32, c.slices*c.dim)
				for i := range theta {
					theta[i] = float32(rng.NormFloat64())
				}
				if c.grid > 0 {
					clear(theta)
					for l := range c.slices {
						theta[l*c.dim+l%c.dim] = 1
					}
				}
				got := must.M1(HostCosts(x, y, theta, c.slices, Config{Cost: cost}))
				for i, v := range got {
					direction := theta[i%c.slices*c.dim:][:c.dim]
					a, wa := along(x, i/c.slices, direction)
					b, wb := along(y, i/c.slices, direction)
					want := definition(a, b, wa, wb)
					if tol := 1e-12*(1+math.Abs(want)) + 1e-15*float64(c.outlier); !(math.Abs(v-want) <= tol) {
						t.Errorf("direction %d: %.15g, expected %.15g", i, v, want)
					}
				}
			})
		}
	}
}

// TestLineCostGradients compares with differences of the costs: gradients in both clouds and in the
// directions.
func TestLineCostGradients(t *testing.T) {
	const slices, step = 5, 1.0 / (1 << 12)
	for cost := range onTheLine {
		for _, masses := range []bool{false, true} {
			rng := rand.New(rand.NewPCG(3, 4))
			x, y := lineClouds(rng, 2, 7, 10, 3, 0, masses)
			theta, upstream := make([]float32, 2*slices*3), make([]float64, 2*slices)
			for i := range theta {
				theta[i] = float32(rng.NormFloat64())
			}
			for i := range upstream {
				upstream[i] = rng.NormFloat64()
			}
			pairs := must.M1(NewCoster(x, y, Config{Cost: cost}))
			costs, grad := must.M2(pairs.Gradients(theta, slices, upstream, X|Y|Directions))
			loss := func() (sum float64) {
				for i, c := range must.M1(HostCosts(x, y, theta, slices, Config{Cost: cost})) {
					sum += upstream[i] * c
				}
				return sum
			}
			if again := must.M1(pairs.Costs(theta, slices)); fmt.Sprint(again) != fmt.Sprint(costs) {
				t.Errorf("%s: costs %v without the gradient, %v with it", cost, again, costs)
			}
			for _, of := range []struct {
				name  string
				at    []float32
				slope []float64
			}{{"x", x.Coords, grad.X}, {"y", y.Coords, grad.Y}, {"directions", theta, grad.Directions}} {
				off := 0
				for i, v := range of.at {
					of.at[i] = v + step
					after, up := loss(), of.at[i]
					of.at[i] = v - step
					before, down := loss(), of.at[i]
					of.at[i] = v
					want := (after - before) / (float64(up) - float64(down))
					if !(math.Abs(of.slope[i]-want) <= 1e-5+1e-4*math.Abs(want)) {
						off++ // a point may have passed another
					}
				}
				if off > len(of.at)/10 || cost == EppsPulley && off > 0 {
					t.Errorf("%s, masses %t: %d of %d derivatives in %s are off", cost, masses, off, len(of.at), of.name)
				}
			}
			only := must.M1(NewCoster(x, y, Config{Cost: cost}))
			if _, g := must.M2(only.Gradients(theta, slices, upstream, Directions)); g.X != nil || g.Y != nil ||
				fmt.Sprint(g.Directions) != fmt.Sprint(grad.Directions) {
				t.Errorf("%s: the gradient in the directions alone is another", cost)
			}
		}
	}
}

// TestLineCostZero: a cloud and its points in another order cost exactly 0, and so does the gradient.
func TestLineCostZero(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	x, _ := lineClouds(rng, 1, 101, 1, 3, 0, false)
	x.Coords = append(x.Coords[:3*50], x.Coords[:3*51]...) // most points twice
	y := x
	y.Coords = nil
	for _, i := range rng.Perm(x.Points) {
		y.Coords = append(y.Coords, x.Coords[3*i:3*i+3]...)
	}
	for cost := range onTheLine {
		theta := []float32{0.6, 0.8, 0, 0, 0.6, -0.8, 1, 0, 0}
		costs, grad, err := HostGradients(x, y, theta, 3, []float64{1, 1, 1}, X|Y, Config{Cost: cost})
		if err != nil || costs[0] != 0 || costs[1] != 0 || costs[2] != 0 {
			t.Errorf("%s: %v, %v", cost, costs, err)
		}
		for _, g := range append(grad.X, grad.Y...) {
			if g != 0 {
				t.Errorf("%s: a derivative of %v", cost, g)
			}
		}
		at := Clouds{Coords: []float32{1, 2, 3}, Batch: 1, Points: 1, Dim: 3}
		if one := must.M1(HostCosts(at, at, theta, 3, Config{Cost: cost})); one[0] != 0 || one[1] != 0 || one[2] != 0 {
			t.Errorf("%s of a point and itself: %v", cost, one)
		}
	}
}

// TestLineCostRefused: settings that only Wasserstein's cost reads, and names.
func TestLineCostRefused(t *testing.T) {
	x := Clouds{Coords: []float32{1}, Batch: 1, Points: 1, Dim: 1}
	for says, o := range map[string]Config{
		"cost cramer is a mean without an exponent": {Cost: Cramer, P: 2},
		"found P = 0 and Reduce = \"mean\"":         {Cost: EppsPulley, Reduce: Mean},
		"line cost 99, expected one of":             {Cost: 99},
	} {
		if _, err := NewCoster(x, x, o); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: %v, expected %q", o, err, says)
		}
	}
	var c LineCost
	if err := c.UnmarshalText([]byte("epps-pulley")); err != nil || c != EppsPulley {
		t.Errorf("%v, %v", c, err)
	}
	err := c.UnmarshalText([]byte("no"))
	if err == nil || c != EppsPulley || !strings.Contains(err.Error(), "cramer, energy or epps-pulley") {
		t.Errorf("%v, %v", c, err)
	}
}

// TestNormality: known numbers, and the mean of what independent normal values have.
func TestNormality(t *testing.T) {
	for n := 1; n < 60; n += 7 {
		if got := Normality(make([]float64, n)); math.Abs(got/float64(n)-0.40204758) > 5e-9 {
			t.Errorf("%d zeros: %.9g", n, got)
		}
	}
	if got := Normality([]float64{2, -1, 1, 0}); math.Abs(got-0.55819035) > 5e-9 {
		t.Errorf("-1, 0, 1, 2: %.9g", got)
	}
	rng := rand.New(rand.NewPCG(7, 8))
	const repeats, n = 4000, 20
	sum, squares := 0.0, 0.0
	for range repeats {
		values := make([]float64, n)
		for i := range values {
			values[i] = rng.NormFloat64()
		}
		v := Normality(values)
		sum, squares = sum+v/repeats, squares+v*v/repeats
	}
	want := 0.0 // of |phi(t) - exp(-t^2/2)|^2, n times: 1 - exp(-t^2)
	for k := range eppsKnots {
		step := float64(k) * eppsStep
		want += eppsWeight(k) * (1 - math.Exp(-step*step))
	}
	if se := math.Sqrt((squares - sum*sum) / repeats); !(math.Abs(sum-want) <= 4*se) || math.Abs(want-1.05) > 0.005 {
		t.Errorf("normal values have %v +- %v, expected %v", sum, se, want)
	}
}
