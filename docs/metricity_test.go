package docs

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/loss/losstest"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
)

// The tests of this file compute the statements of theory.md, "Which of these is a metric".

// translated is a cloud moved by v.
func translated(x *datasets.Set, v [3]float64) *datasets.Set {
	y := x.Select([]int{0})
	for i := range y.Coords {
		y.Coords[i] += float32(v[i%3])
	}
	return y
}

// chair is a cloud of 64 points.
func chair(t *testing.T) *datasets.Set {
	t.Helper()
	set, err := datasets.Load(datasets.Builtin, datasets.Options{Points: 64, Seed: 1, Classes: []string{"chair"}})
	if err != nil {
		t.Fatal(err)
	}
	return set.Select([]int{0})
}

// TestProposition1: for every map there is a translation that its predicted slice does not see, and
// that v-DSW around the prediction does.
func TestProposition1(t *testing.T) {
	e, err := engine.Open("go")
	if err != nil {
		t.Fatal(err)
	}
	x := chair(t)
	const r = 0.1
	for _, name := range amortizer.Names() {
		if name == "la-sorted" { // sorting makes it discontinuous
			continue
		}
		predict := func(y *datasets.Set) (a [3]float64) {
			p, err := swlab.Direction(name, x, y, swlab.DirectionConfig{Seed: 1, Engine: e})
			if err != nil {
				t.Fatal(err)
			}
			for i := range a {
				a[i] = float64(p.Directions[i])
			}
			return a
		}
		v := func(angle float64) [3]float64 { return [3]float64{r * math.Cos(angle), r * math.Sin(angle), 0} }
		seen := func(angle float64) float64 {
			a, w := predict(translated(x, v(angle))), v(angle)
			return a[0]*w[0] + a[1]*w[1] + a[2]*w[2]
		}
		low, high := 0.0, math.Pi
		sign := seen(low)
		if sign*seen(high) > 0 {
			t.Fatalf("%s: the prediction turns too much between v and -v", name)
		}
		for range 30 {
			if middle := (low + high) / 2; sign*seen(middle) > 0 {
				low = middle
			} else {
				high = middle
			}
		}
		y := translated(x, v(low))
		a := predict(y)
		one := &swlab.Directions{Values: []float32{float32(a[0]), float32(a[1]), float32(a[2])}, Shape: []int{1, 3}}
		d, err := swlab.Distance("sw", x, y, swlab.DistanceConfig{Config: loss.Config{Reduce: loss.Mean}, Directions: one})
		if err != nil {
			t.Fatal(err)
		}
		if d.Value > 1e-9 {
			t.Errorf("%s: the predicted slice costs %v, expected 0", name, d.Value)
		}
		// E (theta'v)^2 of vMF around a orthogonal to v is r^2 A_3(kappa)/kappa.
		kappa := 1.0
		resultant := 1/math.Tanh(kappa) - 1/kappa
		if want := 0.313; math.Abs(resultant/kappa-want) > 5e-4 {
			t.Errorf("A_3(1) is %v, the page says %v", resultant, want)
		}
		o := swlab.DistanceConfig{Config: loss.Config{Reduce: loss.Mean, Slices: 20000, Kappa: kappa, Amortizer: name}, Seed: 1, Engine: e}
		s, err := swlab.Distance("v-dsw", x, y, o)
		if err != nil {
			t.Fatal(err)
		}
		if want := r * r * resultant / kappa; math.Abs(s.Value-want) > 5*s.StdErr+1e-5 {
			t.Errorf("%s: v-DSW is %v +- %v, expected %v", name, s.Value, s.StdErr, want)
		}
	}
}

// TestLocationBounds: whatever the location, v-DSW lies between two multiples of SW, and the
// triangle inequality holds up to (cosh kappa)^(1/p).
func TestLocationBounds(t *testing.T) {
	nodes, err := losstest.Sphere(3, 48)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	cloud := func(scale float64) ot1d.Clouds {
		c := ot1d.Clouds{Batch: 1, Points: 5, Dim: 3, Coords: make([]float32, 15)}
		for i := range c.Coords {
			c.Coords[i] = float32(scale * r.NormFloat64())
		}
		return c
	}
	for _, c := range []struct{ kappa, low, high float64 }{{1, 0.851, 1.313}, {10, 9.08e-4, 10}} {
		low, high := c.kappa/math.Sinh(c.kappa), c.kappa/math.Tanh(c.kappa)
		if math.Abs(low/c.low-1) > 1e-3 || math.Abs(high/c.high-1) > 1e-3 {
			t.Errorf("kappa %v: factors %v and %v, the page says %v and %v", c.kappa, low, high, c.low, c.high)
		}
		for range 20 {
			x, y := cloud(1), cloud(2)
			sums, err := ot1d.HostCosts(x, y, nodes.Directions, len(nodes.Weights), ot1d.HostConfig{Reduce: ot1d.Mean})
			if err != nil {
				t.Fatal(err)
			}
			for range 10 {
				e := [3]float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
				norm := math.Sqrt(e[0]*e[0] + e[1]*e[1] + e[2]*e[2])
				sw, dsw := 0.0, 0.0
				for l, f := range sums {
					along := 0.0
					for i := range e {
						along += e[i] / norm * float64(nodes.Directions[3*l+i])
					}
					sw += nodes.Weights[l] * f
					dsw += nodes.Weights[l] * f * low * math.Cosh(c.kappa*along)
				}
				if dsw < low*sw*(1-1e-9) || dsw > high*sw*(1+1e-9) {
					t.Errorf("kappa %v: v-DSW is %v of SW, outside of [%v, %v]", c.kappa, dsw/sw, low, high)
				}
			}
		}
	}
	if f := math.Sqrt(math.Cosh(1)); math.Abs(f-1.242) > 5e-4 {
		t.Errorf("(cosh 1)^(1/2) is %v", f)
	}
}

// TestFixedSlices: different clouds that agree on all of seven fixed slices.
func TestFixedSlices(t *testing.T) {
	const slices = 7
	r := rand.New(rand.NewPCG(2, 1))
	var directions []float32
	var v [slices][3]float64
	for l := range slices {
		a := 2 * math.Pi * r.Float64()
		z := 2*r.Float64() - 1
		s := math.Sqrt(1 - z*z)
		// Few binary digits, so that sums of the orthogonal vectors are exact.
		d := [3]float64{math.Round(64*s*math.Cos(a)) / 64, math.Round(64*s*math.Sin(a)) / 64, math.Round(64*z) / 64}
		directions = append(directions, float32(d[0]), float32(d[1]), float32(d[2]))
		v[l] = [3]float64{d[1], -d[0], 0}
	}
	var clouds [2]*datasets.Set
	for odd := range clouds {
		var coords []float32
		for set := range 1 << slices {
			sum, count := [3]float64{}, 0
			for l := range slices {
				if set>>l&1 == 1 {
					count++
					for i := range sum {
						sum[i] += v[l][i]
					}
				}
			}
			if count%2 == odd {
				coords = append(coords, float32(sum[0]), float32(sum[1]), float32(sum[2]))
			}
		}
		var err error
		if clouds[odd], err = datasets.New(coords, len(coords)/3, 3); err != nil {
			t.Fatal(err)
		}
	}
	o := swlab.DistanceConfig{Config: loss.Config{Reduce: loss.Sum}, Directions: &swlab.Directions{Values: directions, Shape: []int{slices, 3}}}
	fixed, err := swlab.Distance("sw", clouds[0], clouds[1], o)
	if err != nil {
		t.Fatal(err)
	}
	all, err := swlab.Distance("sw", clouds[0], clouds[1], swlab.DistanceConfig{Config: loss.Config{Reduce: loss.Sum, Slices: 20000}, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if clouds[0].Points != 64 || fixed.Value > 1e-9 || math.Abs(all.Value-0.30) > 0.005+5*all.StdErr {
		t.Errorf("%d points, %v on the fixed slices, SW %v +- %v; the page says 64, 0 and 0.30", clouds[0].Points, fixed.Value, all.Value, all.StdErr)
	}
}
