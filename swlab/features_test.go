package swlab

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

// TestPolynomials: the monomials in their order, and the distance of one pair of points by hand.
func TestPolynomials(t *testing.T) {
	for _, c := range []struct {
		degree      int
		point, want []float64
	}{{3, []float64{2, 3}, []float64{8, 12, 18, 27}}, {1, []float64{4, 5, 6}, []float64{4, 5, 6}},
		{3, []float64{-2}, []float64{-8}},
		{3, []float64{2, 3, 5}, []float64{8, 12, 20, 18, 30, 50, 27, 45, 75, 125}},
		{5, []float64{1, 2}, []float64{1, 2, 4, 8, 16, 32}}} {
		if got := must.M1(Polynomials(c.degree))(c.point); !slices.Equal(got, c.want) || cap(got) != len(got) {
			t.Errorf("degree %d of %v: %v, want %v", c.degree, c.point, got, c.want)
		}
	}
	for _, degree := range []int{-1, 0, 2} {
		if _, err := Polynomials(degree); err == nil {
			t.Errorf("degree %d is taken", degree)
		}
	}
	x, y := must.M1(datasets.New([]float64{1, 1}, 1, 2)), must.M1(datasets.New([]float64{2, 1}, 1, 2))
	o := DistanceConfig{Features: must.M1(Polynomials(3)), Directions: &Directions{[]float32{1, 0, 0, 0}, []int{1, 4}}}
	if d := must.M1(Distance("sw", x, y, o)); d.Value != 49 || len(d.Directions) != 4 {
		t.Errorf("%v along %v, want 49", d.Value, d.Directions)
	}
	// float64 far from 0, and a single feature, whose distance is exact
	far := must.M1(datasets.New([]float64{1e8 + 0.5, 7}, 1, 2))
	o = DistanceConfig{Features: func(p []float64) []float64 { return []float64{p[0] - 1e8} }}
	if d := must.M1(Distance("sw", far, x, o)); math.Abs(d.Value/((1e8-0.5)*(1e8-0.5))-1) > 1e-6 || d.StdErr != 0 {
		t.Errorf("%v +- %v", d.Value, d.StdErr)
	}
}

// TestScale: the distance does not depend on the units of the coordinates, is that of the points divided by
// hand, and a hint says when one coordinate hides the others.
func TestScale(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	x, y := gaussians(r, 50, 3), gaussians(r, 60, 3, 1)
	units := []float64{1e5, 1, 1e-3}
	times := func(s *datasets.Set, by []float64) *datasets.Set {
		out := s.Positions(0)
		for i := range out {
			out[i] *= by[i%3]
		}
		return must.M1(datasets.New(out, s.Points, 3))
	}
	o := DistanceConfig{Seed: 4}
	o.Reduce = loss.Mean
	wide := must.M1(Distance("sw", times(x, units), times(y, units), o))
	if w := strings.Join(wide.Warnings, "; "); !strings.HasPrefix(w, "coordinate 0 of memory and memory has 100 %") ||
		len(wide.Warnings) != 1 || wide.Scale != nil {
		t.Errorf("warnings %q", wide.Warnings)
	}
	o.Scale = true
	a, b := must.M1(Distance("sw", x, y, o)), must.M1(Distance("sw", times(x, units), times(y, units), o))
	if math.Abs(a.Value/b.Value-1) > 1e-5 || a.Warnings != nil || b.Warnings != nil {
		t.Errorf("%v in one unit, %v in others; warnings %q and %q", a.Value, b.Value, a.Warnings, b.Warnings)
	}
	inverse := make([]float64, 3)
	for j, s := range b.Scale {
		inverse[j] = 1 / s
		if in := s / units[j]; math.Abs(in/a.Scale[j]-1) > 1e-5 || in < 0.8 || in > 1.2 {
			t.Errorf("coordinate %d was divided by %v", j, s)
		}
	}
	o.Scale = false
	x, y = times(times(x, units), inverse), times(times(y, units), inverse)
	if by := must.M1(Distance("sw", x, y, o)); math.Abs(by.Value/b.Value-1) > 1e-5 {
		t.Errorf("%v, divided by hand %v", b.Value, by.Value)
	}
	o.Scale = true
	constant := must.M1(datasets.New([]float64{1e9 + 0.1, 1, 1e9 + 0.1, 2}, 2, 2))
	if d := must.M1(Distance("sw", constant, constant, o)); !slices.Equal(d.Scale, []float64{1, 0.5}) || d.Value != 0 {
		t.Errorf("a constant coordinate was divided by %v, value %v", d.Scale, d.Value)
	}
}

// TestFeaturesRefuse: what has no meaning of mapped points is an error.
func TestFeaturesRefuse(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	x := gaussians(r, 5, 2)
	cube := must.M1(Polynomials(3))
	for want, c := range map[string]struct {
		loss   string
		change func(*DistanceConfig)
	}{
		"gradient (--out-grad)":     {"sw", func(o *DistanceConfig) { o.Gradient = true }},
		"takes no slices":           {"chamfer", func(*DistanceConfig) {}},
		"population: the interval":  {"sw", func(o *DistanceConfig) { o.Scale, o.Population = true, true }},
		"expected 1 of every point": {"sw", func(o *DistanceConfig) { o.Features = varied() }},
		"found none":                {"sw", func(o *DistanceConfig) { o.Features = only() }},
		"point 0, coordinate 0":     {"sw", func(o *DistanceConfig) { o.Features = only(math.NaN()) }},
		"expected shape [L, 4]": {"sw", func(o *DistanceConfig) {
			o.Directions = &Directions{[]float32{1, 0}, []int{1, 2}}
		}},
	} {
		o := DistanceConfig{Features: cube}
		c.change(&o)
		if err := CheckDistance(c.loss, x, x, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if err := CheckDistance("sw", x, nil, DistanceConfig{Scale: true}); err == nil || !strings.Contains(err.Error(), "found nil") {
		t.Errorf("no clouds: %v", err)
	}
}

// only returns the same features of every point.
func only(features ...float64) func([]float64) []float64 {
	return func([]float64) []float64 { return features }
}

// varied returns features whose number grows.
func varied() func([]float64) []float64 {
	n := 0
	return func([]float64) []float64 {
		n++
		return make([]float64, n)
	}
}

func ExamplePolynomials() {
	cubic, err := Polynomials(3)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(cubic([]float64{2, 1}))
	// Output: [8 4 2 1]
}
