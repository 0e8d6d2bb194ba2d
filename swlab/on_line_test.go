package swlab

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

// inSpace are the losses but those whose slices package solve solves, which are for other clouds or
// compare not all of their points.
func inSpace() []string {
	return slices.DeleteFunc(loss.Names(), func(name string) bool {
		s, ok := must.M1(loss.New(name, loss.Defaults())).(loss.Sliced)
		return ok && s.Cost.Own()
	})
}

// numbersOn is a set of one cloud on a line.
func numbersOn(values ...float64) *datasets.Set {
	s := must.M1(datasets.New(values, 1, len(values), 1))
	s.Name = "numbers"
	return s
}

// unitVectors is a set of clouds on the sphere.
func unitVectors(seed uint64, clouds, points, dim int) *datasets.Set {
	r := rand.New(rand.NewPCG(seed, 1))
	values := make([]float64, clouds*points*dim)
	for i := 0; i < len(values); i += dim {
		square := 0.0
		for j := range dim {
			values[i+j] = r.NormFloat64()
			square += values[i+j] * values[i+j]
		}
		for j := range dim {
			values[i+j] /= math.Sqrt(square)
		}
	}
	s := must.M1(datasets.New(values, clouds, points, dim))
	s.Name = "sphere"
	return s
}

// with is a configuration with changed settings.
func with(change func(*DistanceConfig)) DistanceConfig {
	o := DistanceConfig{Config: loss.Defaults(), Seed: 1}
	change(&o)
	return o
}

func value(t *testing.T, name string, x, y *datasets.Set, change func(*DistanceConfig)) *Result {
	t.Helper()
	return must.M1(Distance(name, x, y, with(change)))
}

func TestOnLine(t *testing.T) {
	as := func(*DistanceConfig) {}
	root := func(o *DistanceConfig) { o.Root = true }
	uniform := func(o *DistanceConfig) { o.Root, o.Uniform = true, true }
	a, b := []float64{.1, .11, .4, .6}, []float64{.21, .15, .7, .95}
	north, south := must.M1(datasets.New([]float64{0, 0, 1}, 1, 1, 3)), must.M1(datasets.New([]float64{0, 0, -1}, 1, 1, 3))
	for _, c := range []struct {
		what string
		got  *Result
		want float64
	}{
		{"W1", value(t, "circle", numbersOn(a...), numbersOn(b...), func(o *DistanceConfig) { o.P = 1 }), .12},
		{"W2^2", value(t, "circle", numbersOn(a...), numbersOn(b...), as), .01755},
		{"sum", value(t, "circle", numbersOn(a...), numbersOn(b...), func(o *DistanceConfig) { o.Reduce = loss.Sum }), .0702},
		{"far from 0", value(t, "circle", numbersOn(7e8+.25, 7e8+.75), numbersOn(7e8+.5, 7e8+.5), as), .0625},
		{"point to uniform", value(t, "circle", numbersOn(.3), numbersOn(.3), uniform), 1 / math.Sqrt(12)},
		{"antipodes", value(t, "ssw", north, south, root), .5},
		{"point to uniform on the sphere", value(t, "ssw", north, north, uniform), 1 / math.Sqrt(12)},
		{"two points", value(t, "usw", numbersOn(0), numbersOn(2), as), 2 * (1 - math.Exp(-2))},
		{"two masses", value(t, "usw", numbersOn(0), numbersOn(2), func(o *DistanceConfig) {
			o.MassX, o.MassY, o.KL = []float64{3}, []float64{.2}, 1.7
		}), 1.7 * (3.2 - 2*math.Sqrt(.6)*math.Exp(-4/3.4))},
		{"masses divided by their sum", value(t, "usw", numbersOn(0), numbersOn(2), func(o *DistanceConfig) {
			o.MassX, o.MassY, o.Reduce = []float64{3}, []float64{.2}, loss.Mean
		}), 2 * (1 - math.Exp(-2))},
		{"three pairs", value(t, "partial-sw", numbersOn(0, 1, 2, 10), numbersOn(.5, 1.5, 30, 2.5), func(o *DistanceConfig) {
			o.P, o.Mass, o.Reduce = 1, 3, loss.Mean
		}), 1.5},
	} {
		if !(math.Abs(c.got.Value-c.want) < 1e-7) {
			t.Errorf("%s: %.10g, expected %.10g", c.what, c.got.Value, c.want)
		}
	}
	d := value(t, "partial-sw", numbersOn(0, 1, 2, 10), numbersOn(.5, 1.5, 30, 2.5), func(o *DistanceConfig) { o.P = 1 })
	if fmt.Sprint(d.MarginalCosts) != "[[0.5 0.5 0.5 20]]" || d.StdErr != 0 {
		t.Errorf("marginal costs %v +- %v", d.MarginalCosts, d.StdErr)
	}
	if d := value(t, "usw", numbersOn(0), numbersOn(2), root); !(d.DualityGap[0] >= 0 && d.DualityGap[0] < 1e-14) {
		t.Errorf("gap %v", d.DualityGap)
	}
}

// TestOnLineLimits: all points, any price of masses, and equal clouds.
func TestOnLineLimits(t *testing.T) {
	x, y := gaussian(1, 2, 20, 3, 1), gaussian(2, 2, 20, 3, 1.5)
	sw := value(t, "sw", x, y, func(*DistanceConfig) {})
	for name, change := range map[string]func(*DistanceConfig){
		"partial-sw": func(o *DistanceConfig) { o.Mass = 20 },
		"usw":        func(o *DistanceConfig) { o.KL = 1e9 },
	} {
		d := value(t, name, x, y, change)
		for b, v := range d.PerPair {
			if !(math.Abs(v/sw.PerPair[b]-1) < 1e-6) || !(math.Abs(d.PairErrs[b]/sw.PairErrs[b]-1) < 1e-4) {
				t.Errorf("%s, pair %d: %v +- %v, expected %v +- %v", name, b, v, d.PairErrs[b], sw.PerPair[b], sw.PairErrs[b])
			}
		}
	}
	u := unitVectors(3, 2, 20, 3)
	line := numbersOn(1, 2.5, 2.5, -3.1)
	for name, s := range map[string]*datasets.Set{"partial-sw": x, "usw": x, "ssw": u, "circle": line} {
		if d := value(t, name, s, s, func(o *DistanceConfig) { o.Root = true }); !(math.Abs(d.Value) < 1e-7) {
			t.Errorf("%s of equal clouds: %v", name, d.Value)
		}
	}
	d := value(t, "partial-sw", x, y, func(o *DistanceConfig) { o.Mass = 7 })
	for b, v := range d.PerPair {
		sum := 0.0
		for _, c := range d.MarginalCosts[b][:7] {
			sum += c
		}
		if !(math.Abs(sum/v-1) < 1e-12) || !slices.IsSorted(d.MarginalCosts[b]) || len(d.MarginalCosts[b]) != 20 {
			t.Errorf("pair %d: %v, marginal costs %v", b, v, d.MarginalCosts[b])
		}
	}
}

// TestOnLineGradient compares with differences along random moves of both clouds.
func TestOnLineGradient(t *testing.T) {
	x, y, smaller := gaussian(12, 2, 12, 3, 1), gaussian(2, 2, 12, 3, 1.2), gaussian(32, 2, 9, 3, 1)
	u, v, w := unitVectors(4, 2, 12, 3), unitVectors(5, 2, 9, 3), unitVectors(6, 2, 12, 5)
	for _, c := range []struct {
		name   string
		x, y   *datasets.Set
		change func(*DistanceConfig)
	}{
		{"partial-sw", x, smaller, func(o *DistanceConfig) { o.Mass = 5 }},
		{"usw", x, smaller, func(o *DistanceConfig) { o.KL, o.Reduce = .7, loss.Mean }},
		{"usw", x, y, func(o *DistanceConfig) { o.Root = true }},
		{"ssw", u, v, func(*DistanceConfig) {}},
		{"ssw", w, unitVectors(7, 2, 8, 5), func(o *DistanceConfig) { o.Root = true }},
		{"ssw", u, v, func(o *DistanceConfig) { o.Uniform = true }},
		{"circle", gaussian(1, 2, 9, 1, 1), gaussian(2, 2, 6, 1, 1), func(*DistanceConfig) {}},
	} {
		o := with(c.change)
		o.Slices, o.P = 20, 2
		both := o
		both.Gradient, both.GradientX = true, true
		at := must.M1(Distance(c.name, c.x, c.y, both))
		r := rand.New(rand.NewPCG(8, 9))
		for side := range 2 {
			const h = 2e-4
			shift := func(by float64) (sets [2]*datasets.Set, along []float64) {
				sets = [2]*datasets.Set{c.x, c.y}
				s := *sets[side]
				s.Coords = slices.Clone(s.Coords)
				r = rand.New(rand.NewPCG(8, uint64(side)))
				for range s.Coords {
					along = append(along, r.NormFloat64())
				}
				if c.name == "ssw" { // stay on the sphere to first order
					for i := 0; i < len(along); i += s.Dim {
						dot := 0.0
						for j := i; j < i+s.Dim; j++ {
							dot += along[j] * float64(s.Coords[j])
						}
						for j := i; j < i+s.Dim; j++ {
							along[j] -= dot * float64(s.Coords[j])
						}
					}
				}
				for i := range s.Coords {
					s.Coords[i] += float32(by * along[i])
				}
				sets[side] = &s
				return sets, along
			}
			up, along := shift(h / 2)
			down, _ := shift(-h / 2)
			want := (must.M1(Distance(c.name, up[0], up[1], o)).Value - must.M1(Distance(c.name, down[0], down[1], o)).Value) / h
			got := 0.0
			for i, g := range [2][]float32{at.GradientX, at.Gradient}[side] {
				got += float64(g) * along[i]
			}
			if !(math.Abs(got-want) < 1e-2*(math.Abs(want)+.1)) {
				t.Errorf("%s, side %d: %v along the gradient, %v by differences", c.name, side, got, want)
			}
		}
	}
}

// TestSphere: planes are spanned by any of their vectors, a rotation changes no distribution, and
// the plane has one circle.
func TestSphere(t *testing.T) {
	x, y := unitVectors(1, 2, 15, 3), unitVectors(2, 2, 15, 3)
	for _, normal := range [][]float32{{0, 0, 1}, {.3, -2, .1}} {
		given := func(by float32) float64 {
			return value(t, "ssw", x, y, func(o *DistanceConfig) {
				o.Directions = &Directions{[]float32{by * normal[0], by * normal[1], by * normal[2]}, []int{1, 3}}
			}).Value
		}
		if a, b := given(1), given(-2); !(math.Abs(a/b-1) < 1e-6) {
			t.Errorf("normal %v: %v and %v", normal, a, b)
		}
	}
	five := unitVectors(3, 2, 15, 5)
	d := value(t, "ssw", five, unitVectors(4, 2, 9, 5), func(o *DistanceConfig) { o.Slices = 7 })
	if len(d.Directions) != 2*7*10 || len(d.Costs) != 14 || d.Slices != 7 {
		t.Errorf("%d numbers of directions, %d costs of %d slices", len(d.Directions), len(d.Costs), d.Slices)
	}
	again := value(t, "ssw", five, unitVectors(4, 2, 9, 5), func(o *DistanceConfig) {
		o.Directions = &Directions{d.Directions, []int{2, 7, 10}}
	})
	if again.Value != d.Value {
		t.Errorf("%v with the directions of %v", again.Value, d.Value)
	}
	flat := value(t, "ssw", unitVectors(5, 1, 15, 2), unitVectors(6, 1, 9, 2), func(*DistanceConfig) {})
	if flat.StdErr != 0 || flat.Slices != 1 {
		t.Errorf("in the plane: +- %v from %d slices", flat.StdErr, flat.Slices)
	}
	for _, slicing := range []string{"orthogonal", "qmc", "common"} {
		one := value(t, "ssw", x, y, func(o *DistanceConfig) { o.Slicing, o.Slices = slicing, 300 })
		two := value(t, "ssw", x, y, func(o *DistanceConfig) { o.Slices = 3000 })
		if !(math.Abs(one.Value-two.Value) < 5*(one.StdErr+two.StdErr)) {
			t.Errorf("%s: %v +- %v, expected %v", slicing, one.Value, one.StdErr, two.Value)
		}
	}
}

func TestWrongOnLine(t *testing.T) {
	x, on := gaussian(1, 1, 6, 3, 1), unitVectors(1, 1, 6, 3)
	x.Name = "x.npy"
	o := with(func(*DistanceConfig) {})
	refused(t, "x.npy: cloud 0, point 0: expected a unit vector, found length")(Distance("ssw", x, on, o))
	refused(t, "the circle has one dimension, found clouds of dimension 3")(Distance("circle", on, on, o))
	refused(t, "a sphere needs clouds of dimension 2 or more, found 1")(Distance("ssw", numbersOn(1), numbersOn(-1), o))
	refused(t, "mass = 2 would do nothing: loss \"sw\" has no use for it, only partial-sw")(
		Distance("sw", x, x, with(func(o *DistanceConfig) { o.Mass = 2 })))
	refused(t, "kl = 2 would do nothing")(Distance("ssw", on, on, with(func(o *DistanceConfig) { o.KL = 2 })))
	refused(t, "uniform = true would do nothing")(
		Distance("usw", x, x, with(func(o *DistanceConfig) { o.Uniform = true })))
	refused(t, "kl: expected a number > 0")(Distance("usw", x, x, with(func(o *DistanceConfig) { o.KL = -1 })))
	refused(t, "at most 6 points to match, as many as the smaller cloud has, found 7")(
		Distance("partial-sw", x, gaussian(1, 1, 9, 3, 1), with(func(o *DistanceConfig) { o.Mass = 7 })))
	masses := func(o *DistanceConfig) { o.MassX, o.Reduce = []float64{1, 2, 3, 4, 5, 6}, loss.Mean }
	refused(t, "the points of a partial matching have mass 1")(Distance("partial-sw", x, x, with(masses)))
	refused(t, "its planes do not depend on the clouds")(
		Distance("ssw", on, on, with(func(o *DistanceConfig) { o.Slicing = "random-path" })))
	refused(t, "path: the cost sphere of a direction is found on the host")(
		Distance("ssw", on, on, with(func(o *DistanceConfig) { o.Path = GraphPath })))
	refused(t, "bracket: expected cost wasserstein, found unbalanced")(
		Distance("usw", x, x, with(func(o *DistanceConfig) { o.Bracket = true })))
	refused(t, `directions: loss "circle" takes none`)(Distance("circle", numbersOn(1), numbersOn(2),
		with(func(o *DistanceConfig) { o.Directions = &Directions{[]float32{2}, []int{1, 1}} })))
	refused(t, "expected shape [L, 3]")(Distance("ssw", on, on,
		with(func(o *DistanceConfig) { o.Directions = &Directions{make([]float32, 6), []int{1, 6}} })))
	axis := must.M1(datasets.New([]float64{0, 0, 1}, 1, 1, 3))
	refused(t, "it has no nearest point on the great circle of slice 0, to whose plane it is orthogonal")(
		Distance("ssw", axis, axis,
			with(func(o *DistanceConfig) { o.Directions = &Directions{[]float32{0, 0, 2}, []int{1, 3}} })))
	if _, err := loss.NewGraph("usw", loss.Defaults()); err == nil {
		t.Error("a network can be trained on usw, expected an error")
	}
}
