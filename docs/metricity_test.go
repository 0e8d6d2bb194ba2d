package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/conformance"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/vmf"
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
	set := must.M1(datasets.Load(datasets.Builtin, datasets.Options{Points: 64, Seed: 1, Classes: []string{"chair"}}))
	return set.Select([]int{0})
}

// TestProposition1: for every map there is a translation that its predicted slice does not see, and
// that v-DSW around the prediction does.
func TestProposition1(t *testing.T) {
	e := must.M1(engine.Open("go"))
	x := chair(t)
	const r = 0.1
	nodes := must.M1(conformance.Sphere(3, 24))
	for _, name := range amortizer.Names() {
		if name == "la-sorted" { // sorting makes it discontinuous
			continue
		}
		predict := func(y *datasets.Set) (a [3]float64) {
			p := must.M1(swlab.Direction(name, x, y, swlab.DirectionConfig{Seed: 1, Engine: e}))
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
		mean := loss.Config{Reduce: loss.Mean}
		d := must.M1(swlab.Distance("sw", x, y, swlab.DistanceConfig{Config: mean, Directions: one}))
		if d.Value > 1e-9 {
			t.Errorf("%s: the predicted slice costs %v, expected 0", name, d.Value)
		}
		// E (theta'v)^2 of vMF around a orthogonal to v is r^2 A_3(kappa)/kappa.
		kappa := 1.0
		resultant := 1/math.Tanh(kappa) - 1/kappa
		if want := 0.313; math.Abs(resultant/kappa-want) > 5e-4 {
			t.Errorf("A_3(1) is %v, the page says %v", resultant, want)
		}
		if q, want := full(t, nodes, x, y, a, kappa), r*r*resultant/kappa; math.Abs(q/want-1) > 1e-4 {
			t.Errorf("%s: by quadrature v-DSW is %v, expected %v", name, q, want)
		}
		o := swlab.DistanceConfig{Config: loss.Config{Reduce: loss.Mean, Slices: 20000, Kappa: kappa, Amortizer: name}, Seed: 1, Engine: e}
		s := must.M1(swlab.Distance("v-dsw", x, y, o))
		if want := r * r * resultant / kappa; math.Abs(s.Value-want) > 5*s.StdErr+1e-5 {
			t.Errorf("%s: v-DSW is %v +- %v, expected %v", name, s.Value, s.StdErr, want)
		}
	}
}

// full is the integral of F, mean over points, under vMF(e, kappa). F is even, so the even part of
// the density counts.
func full(t *testing.T, nodes conformance.Nodes, x, y *datasets.Set, e [3]float64, kappa float64) float64 {
	t.Helper()
	clouds := func(s *datasets.Set) ot1d.Clouds {
		return ot1d.Clouds{Coords: s.Coords, Batch: 1, Points: s.Points, Dim: 3}
	}
	return expectation(nodes, meanCosts(clouds(x), clouds(y), nodes), e[:], kappa)
}

// meanCosts are the costs F, mean over points, of all pairs on the nodes.
func meanCosts(x, y ot1d.Clouds, nodes conformance.Nodes) []float64 {
	return must.M1(ot1d.HostCosts(x, y, nodes.Directions, len(nodes.Weights), ot1d.Config{Reduce: ot1d.Mean}))
}

// expectation is that of even costs under vMF(e, kappa).
func expectation[T float32 | float64](nodes conformance.Nodes, costs []float64, e []T, kappa float64) float64 {
	sum := 0.0
	for l, f := range costs {
		along := 0.0
		for k, v := range e {
			along += float64(v) * float64(nodes.Directions[3*l+k])
		}
		sum += nodes.Weights[l] * f * kappa / math.Sinh(kappa) * math.Cosh(kappa*along)
	}
	return sum
}

// TestBlindAscent: the ascent of Max-SW stays on a direction on which two different clouds agree.
func TestBlindAscent(t *testing.T) {
	cloud := func(points ...[3]float32) *datasets.Set {
		return must.M1(datasets.New(slices.Concat(points[0][:], points[1][:]), 2, 3))
	}
	o := swlab.DistanceConfig{Config: loss.Config{Reduce: loss.Mean, AscentSteps: 50, AscentLearningRate: 1e-4}, Seed: 1}
	distance := func(name string, x, y *datasets.Set) *swlab.Result {
		return must.M1(swlab.Distance(name, x, y, o))
	}
	// Equal clouds have no gradient, so the ascent ends where it starts.
	origin := cloud([3]float32{}, [3]float32{})
	start := distance("max-sw", origin, origin).Location
	v := [3]float32{start[1], -start[0], 0} // start'v is 0, also in float32
	x, y := cloud(v, [3]float32{-v[0], -v[1], 0}), cloud([3]float32{}, [3]float32{})
	r := distance("max-sw", x, y)
	o.Slices = 20000
	sw := distance("sw", x, y)
	if r.Value != 0 || sw.Value < 0.1 {
		t.Errorf("Max-SW by ascent is %v at %v from %v, SW %v; expected 0 and more than 0.1", r.Value, r.Location, start, sw.Value)
	}
}

// TestAscentTriangle: five plain gradient steps of Max-SW from the same starts violate the triangle
// inequality, because they turn the direction further where the clouds are further apart.
func TestAscentTriangle(t *testing.T) {
	s := newStudy(t)
	o := swlab.DistanceConfig{Config: loss.Config{Reduce: loss.Mean, Root: true, AscentSteps: 5, AscentLearningRate: 0.1, AscentSGD: true}, Seed: 1}
	var d [3][]float64 // sides of the triples
	for side := range d {
		var rows []int
		for i := range triples {
			rows = append(rows, 3*i+side)
		}
		d[side] = must.M1(swlab.Distance("max-sw", s.x.Select(rows), s.y.Select(rows), o)).PerPair
	}
	failed, excess := 0, 0.0
	for i := range triples {
		over := d[2][i]/(d[0][i]+d[1][i]) - 1
		if excess = max(excess, over); over > 1e-4 {
			failed++
		}
	}
	if failed == 0 || excess < 0.05 {
		t.Errorf("%d of 20 triples, by up to %.0f %%", failed, 100*excess)
	}
}

// theory is the page.
func theory(t *testing.T) string {
	t.Helper()
	return string(must.M1(os.ReadFile("theory.md")))
}

// TestViolations: the first table of theory.md names what the losses declare.
func TestViolations(t *testing.T) {
	words := map[loss.Property]string{loss.ZeroOnItself: "zero", loss.ZeroOnlyIfEqual: "equality", loss.NonNegative: "sign", loss.Symmetry: "symmetry",
		loss.Triangle: "triangle", loss.Translation: "translation", loss.Scaling: "scaling", loss.Rotation: "rotation", loss.BatchIndependent: "batch"}
	for _, name := range loss.Names() {
		l := must.M1(loss.New(name, loss.Defaults()))
		var list []string
		for _, p := range loss.Violates(l) {
			list = append(list, words[p])
		}
		if list == nil {
			list = []string{"-"}
		}
		slices.Sort(list)
		found := false
		for line := range strings.Lines(theory(t)) {
			if cells := strings.Split(line, " | "); len(cells) == 5 && strings.Contains(cells[0], "`"+name+"`") {
				said := strings.Split(strings.TrimRight(cells[4], " |¹\n"), ", ")
				slices.Sort(said)
				found = found || slices.Equal(said, list)
			}
		}
		if !found {
			t.Errorf("theory.md has no row of %s that ends with %s", name, strings.Join(list, ", "))
		}
	}
}

// TestLocationBounds: whatever the location, v-DSW lies between two multiples of SW, and the
// triangle inequality holds up to (cosh kappa)^(1/p).
func TestLocationBounds(t *testing.T) {
	nodes := must.M1(conformance.Sphere(3, 48))
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
			sums := meanCosts(x, y, nodes)
			for range 10 {
				e := [3]float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
				norm := math.Sqrt(e[0]*e[0] + e[1]*e[1] + e[2]*e[2])
				for i := range e {
					e[i] /= norm
				}
				sw, dsw := 0.0, expectation(nodes, sums, e[:], c.kappa)
				for l, f := range sums {
					sw += nodes.Weights[l] * f
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
		clouds[odd] = must.M1(datasets.New(coords, len(coords)/3, 3))
	}
	o := swlab.DistanceConfig{Config: loss.Config{Reduce: loss.Sum}, Directions: &swlab.Directions{Values: directions, Shape: []int{slices, 3}}}
	fixed := must.M1(swlab.Distance("sw", clouds[0], clouds[1], o))
	o = swlab.DistanceConfig{Config: loss.Config{Reduce: loss.Sum, Slices: 20000}, Seed: 1}
	all := must.M1(swlab.Distance("sw", clouds[0], clouds[1], o))
	if clouds[0].Points != 64 || fixed.Value > 1e-9 || math.Abs(all.Value-0.30) > 0.005+5*all.StdErr {
		t.Errorf("%d points, %v on the fixed slices, SW %v +- %v; the page says 64, 0 and 0.30", clouds[0].Points, fixed.Value, all.Value, all.StdErr)
	}
}

// study holds pairs of clouds, and their costs F on the nodes of a quadrature. The first 60 pairs are
// the sides (x, x+v), (x+v, x+2v), (x, x+2v) of twenty triples with vectors v of length 1/2. The
// others are six clouds of six classes with each other, both ways round.
type study struct {
	x, y  *datasets.Set
	nodes conformance.Nodes
	costs [][]float64
}

const triples = 20

func newStudy(t *testing.T) study {
	t.Helper()
	classes := []string{"aeroplane", "car", "chair", "floor-lamp", "guitar", "mug"}
	set := must.M1(datasets.Shapes{Test: 1, Points: 64, Classes: classes}.Generate())
	nodes := must.M1(conformance.Sphere(3, 24))
	s := study{nodes: nodes}
	var x, y []float32
	add := func(a, b *datasets.Set) { x, y = append(x, a.Coords...), append(y, b.Coords...) }
	for i, v := range slices.Collect(slices.Chunk(vmf.Uniform(rand.New(rand.NewPCG(3, 1)), 3, triples), 3)) {
		a := set.Select([]int{i % 6})
		b, c := translated(a, [3]float64{v[0] / 2, v[1] / 2, v[2] / 2}), translated(a, [3]float64(v))
		add(a, b)
		add(b, c)
		add(a, c)
	}
	for i := range 6 {
		for j := range i {
			a, b := set.Select([]int{i}), set.Select([]int{j})
			add(a, b)
			add(b, a)
		}
	}
	clouds := func(coords []float32) (*datasets.Set, ot1d.Clouds) {
		batch := len(coords) / (64 * 3)
		set := must.M1(datasets.New(coords, batch, 64, 3))
		return set, ot1d.Clouds{Coords: coords, Batch: batch, Points: 64, Dim: 3}
	}
	var hx, hy ot1d.Clouds
	s.x, hx = clouds(x)
	s.y, hy = clouds(y)
	s.costs = slices.Collect(slices.Chunk(meanCosts(hx, hy, nodes), len(nodes.Weights)))
	return s
}

// vdsw is v-DSW of a pair, with the root.
func (s study) vdsw(pair int, e []float32, kappa float64) float64 {
	return math.Sqrt(expectation(s.nodes, s.costs[pair], e, kappa))
}

// TestMetricTable: v-DSW around a fixed, the best and a predicted location by quadrature. The rows
// of theory.md are those that this test computes.
func TestMetricTable(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make check")
	}
	e := must.M1(engine.Open("go"))
	page, s := theory(t), newStudy(t)
	row := func(label string, locations ...func(pair int, kappa float64) []float32) {
		text := "| " + label + " |"
		for _, kappa := range []float64{1, 10} {
			failed, excess, skew := 0, 0.0, 0.0
			for _, at := range locations {
				d := func(pair int) float64 { return s.vdsw(pair, at(pair, kappa), kappa) }
				for i := range triples {
					over := d(3*i+2)/(d(3*i)+d(3*i+1)) - 1
					if excess = max(excess, over); over > 1e-4 {
						failed++
					}
				}
				for pair := 3 * triples; pair < len(s.costs); pair += 2 {
					skew = max(skew, math.Abs(math.Log(d(pair)/d(pair+1))))
				}
			}
			text += fmt.Sprintf(" %d of %d, %.1f %% | %.1f %% |", failed, triples*len(locations), 100*excess, 100*math.Expm1(skew))
		}
		if !strings.Contains(page, text) {
			t.Errorf("theory.md has no row %q", text)
		}
	}
	row("fixed", func(int, float64) []float32 { return []float32{0, 0, 1} })
	row("best", func(pair int, kappa float64) (best []float32) { // of 128
		top := 0.0
		for at := range slices.Chunk(s.nodes.Directions, 3*9) {
			if d := s.vdsw(pair, at[:3], kappa); d > top {
				best, top = at[:3], d
			}
		}
		return best
	})
	for _, name := range amortizer.Names() {
		var locations []func(int, float64) []float32
		for seed := range uint64(5) {
			p := must.M1(swlab.Direction(name, s.x, s.y, swlab.DirectionConfig{Seed: seed + 1, Engine: e}))
			locations = append(locations, func(pair int, _ float64) []float32 { return p.Directions[3*pair : 3*pair+3] })
		}
		row("`"+name+"`", locations...)
	}
}
