package swlab

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

// rejections counts the tests at the level 5 % that reject, of draws of m points of N(0, I) and n of
// N(shift e_1, I).
func rejections(m, n, dim, draws int, shift, p float64) int {
	rejected := 0
	for seed := range uint64(draws) {
		r := rand.New(rand.NewPCG(seed, 5))
		x, y := gaussians(r, m, dim).Positions(0), gaussians(r, n, dim, shift).Positions(0)
		t := must.M1(TwoSampleTest(x, y, dim, TwoSampleConfig{Slices: 50, Permutations: 199, P: p, Seed: seed}))
		if t.PValue <= 0.05 {
			rejected++
		}
	}
	return rejected
}

// TestTwoSampleLevelAndPower: of equal distributions 5 % are rejected, of shifted ones the power that an
// independent program found.
func TestTwoSampleLevelAndPower(t *testing.T) {
	if testing.Short() {
		t.Skip("statistics of 400 tests")
	}
	const draws = 400
	for _, c := range []struct {
		m, n, dim int
		shift, p  float64
		want, off float64
	}{{50, 50, 3, 0, 2, 0.05, 0.03}, {50, 30, 10, 0, 1, 0.05, 0.03}, {50, 50, 3, 0.5, 2, 0.5, 0.08},
		{50, 50, 3, 0.7, 2, 0.81, 0.06}, {50, 50, 10, 0.7, 2, 0.55, 0.08}} {
		got := float64(rejections(c.m, c.n, c.dim, draws, c.shift, c.p)) / draws
		if math.Abs(got-c.want) > c.off {
			t.Errorf("%+v: %v are rejected, want %v +- %v", c, got, c.want, c.off)
		}
	}
}

// TestTwoSampleByHand: all 20 labels of three and three points are equally likely; the p-value is the
// share of those at least as far apart, up to its error. The statistic is that of Distance.
func TestTwoSampleByHand(t *testing.T) {
	x, y := []float64{0, 1, 2.5}, []float64{1.5, 4, 4.5}
	for _, p := range []float64{1, 2, 3} {
		cost := func(a, b []float64) (sum float64) {
			for i, v := range a {
				sum += math.Pow(math.Abs(v-b[i]), p) / 3
			}
			return sum
		}
		all, as := slices.Concat(x, y), 0
		slices.Sort(all)
		for mask := range 64 {
			var a, b []float64
			for i, v := range all {
				if mask>>i&1 == 1 {
					a = append(a, v)
				} else {
					b = append(b, v)
				}
			}
			if len(a) == 3 && cost(a, b) >= cost(x, y)-1e-12 {
				as++
			}
		}
		r := must.M1(TwoSampleTest(x, y, 1, TwoSampleConfig{P: p, Permutations: 4000}))
		off := math.Abs(r.Statistic - cost(x, y))
		if want := float64(as) / 20; math.Abs(r.PValue-want) > 5*r.PValueStdErr || off > 1e-12 || r.Slices != 1 {
			t.Errorf("p = %v: %+v, want the p-value %v and the statistic %v", p, r, want, cost(x, y))
		}
	}
	r := must.M1(TwoSampleTest([]float64{0, 3}, []float64{1, 1, 2}, 1, TwoSampleConfig{P: 1, Seed: 4}))
	if math.Abs(r.Statistic-7./6) > 1e-12 { // between the levels 0, 1/3, 1/2, 2/3, 1: 1/3 + 1/6 + 2/6 + 1/3
		t.Errorf("two points against three: %v, want 7/6", r.Statistic)
	}
	equal := must.M1(TwoSampleTest([]float64{1, 2, 1, 2}, []float64{1, 2}, 2, TwoSampleConfig{}))
	if equal.PValue != 1 || equal.PValueStdErr != 0 || equal.Permutations != 999 || equal.Slices != 100 {
		t.Errorf("equal points: %+v", equal)
	}
	near := must.M1(TwoSampleTest(x, y, 1, TwoSampleConfig{}))
	for i := range x {
		x[i], y[i] = x[i]+1e9, y[i]+1e9
	}
	far := must.M1(TwoSampleTest(x, y, 1, TwoSampleConfig{}))
	if math.Abs(far.Statistic-near.Statistic) > 1e-5 || far.PValue != near.PValue {
		t.Errorf("far from 0 %+v, near it %+v", far, near)
	}
}

// TestTwoSampleRefuses: errors name what is wrong.
func TestTwoSampleRefuses(t *testing.T) {
	one := []float64{1}
	for want, c := range map[string]struct {
		x, y []float64
		dim  int
		c    TwoSampleConfig
	}{
		"x: expected points of 2 coordinates": {nil, []float64{1, 2}, 2, TwoSampleConfig{}},
		"y: point 0, coordinate 1":            {[]float64{1, 2}, []float64{1, math.NaN()}, 2, TwoSampleConfig{}},
		"p: expected":                         {one, one, 1, TwoSampleConfig{P: 0.5}},
		"permutations: expected":              {one, one, 1, TwoSampleConfig{Permutations: -1}},
		"unknown slicing distribution":        {one, one, 1, TwoSampleConfig{Slicing: "other"}},
		"do not fit into float64":             {[]float64{1e300}, one, 1, TwoSampleConfig{}},
	} {
		if _, err := TwoSampleTest(c.x, c.y, c.dim, c.c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func ExampleTwoSampleTest() {
	r := rand.New(rand.NewPCG(1, 1))
	x, y := make([]float64, 100), make([]float64, 100) // 50 points of the plane
	for i := range x {
		x[i], y[i] = r.NormFloat64(), r.NormFloat64()+0.8
	}
	t, err := TwoSampleTest(x, y, 2, TwoSampleConfig{Slices: 50, Permutations: 199, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("p-value %.3f +- %.3f\n", t.PValue, t.PValueStdErr)
	// Output: p-value 0.005 +- 0.005
}
