package plan

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/ot"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: %.12g, expected %.12g", what, got, want)
	}
}

// rows compares a plan with expected rows.
func rows(t *testing.T, plan []Match, want ...float64) {
	t.Helper()
	if got := Rows(plan); !slices.Equal(got, want) {
		t.Errorf("plan %v, expected %v", got, want)
	}
}

// numpyX and numpyY are NumPy's RandomState(0): X = randn(8, 3), then Y = randn(8, 3) + (1, 0, 0).
var (
	numpyX = []float64{
		1.764052345967664, 0.4001572083672233, 0.9787379841057392, 2.240893199201458, 1.8675579901499675, -0.977277879876411,
		0.9500884175255894, -0.1513572082976979, -0.10321885179355784, 0.41059850193837233, 0.144043571160878, 1.454273506962975,
		0.7610377251469934, 0.12167501649282841, 0.44386323274542566, 0.33367432737426683, 1.4940790731576061, -0.20515826376580087,
		0.31306770165090136, -0.8540957393017248, -2.5529898158340787, 0.6536185954403606, 0.8644361988595057, -0.7421650204064419}
	numpyY = []float64{
		3.2697546239876076, -1.4543656745987648, 0.04575851730144607, 0.8128161499745389, 1.5327792143584575, 1.469358769900285,
		1.1549474256969164, 0.37816251960217356, -0.8877857476301128, -0.980796468223927, -0.3479121493261526, 0.15634896910398005,
		2.2302906807277207, 1.2023798487844113, -0.3873268174079523, 0.6976972494693982, -1.0485529650670926, -1.4200179371789752,
		-0.7062701906250126, 1.9507753952317897, -0.5096521817516535, 0.5619256985860453, -1.2527953600499262, 0.7774903558319101}
)

func axes(dim int) []float64 {
	out := make([]float64, dim*dim)
	for i := range dim {
		out[i*dim+i] = 1
	}
	return out
}

// TestKnown: numbers that were computed by hand and with NumPy and POT.
func TestKnown(t *testing.T) {
	s := must.M1(New([]float64{3, 3, 1, 1}, []float64{2, 2.5, 3, 2}, 2, Config{Directions: axes(2)}))
	if !slices.Equal(s.Costs, []float64{2.125, 3.125}) || s.Cost != 2.125 || s.Best != 0 || s.ExpectedCost != 2.625 {
		t.Errorf("costs %v, best %g, expected plan %g", s.Costs, s.Cost, s.ExpectedCost)
	}
	rows(t, s.Plan, 0, 1, 0.5, 1, 0, 0.5)
	rows(t, must.M1(s.Expected()), 0, 0, 0.25, 0, 1, 0.25, 1, 0, 0.25, 1, 1, 0.25)
	s = must.M1(New(numpyX, numpyY, 3, Config{Directions: axes(3)}))
	for i, want := range []float64{4.63218679, 5.65415921, 3.55254735} {
		near(t, "cost", s.Costs[i], want, 5e-9)
	}
	near(t, "expected plan", s.ExpectedCost, 4.612964451, 5e-10)
	near(t, "cost of the expected plan", ot1d.Lift(must.M1(s.Expected()), numpyX, numpyY, 3), s.ExpectedCost, 1e-14)
}

// TestTemperature: a direction weighs exp(-c/T); cold plans are the best, hot ones the mean.
func TestTemperature(t *testing.T) {
	at := func(temperature float64) float64 {
		return must.M1(New(numpyX, numpyY, 3, Config{Directions: axes(3), Temperature: temperature})).ExpectedCost
	}
	s := must.M1(New(numpyX, numpyY, 3, Config{Directions: axes(3)}))
	top, bottom := 0.0, 0.0
	for _, c := range s.Costs {
		w := math.Exp(-c / 0.7)
		top, bottom = top+w*c, bottom+w
	}
	near(t, "T = 0.7", at(0.7), top/bottom, 1e-14)
	near(t, "T = 1e-3", at(1e-3), s.Cost, 1e-14)
	near(t, "T = 1e9", at(1e9), s.ExpectedCost, 1e-8)
}

// TestProperties: of clouds with and without masses, of all sizes, far from 0, tiny and huge. The
// marginals are exact, no plan costs less than the optimal one, and the order of the rows does not count.
func TestProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for round := range 60 {
		m, n, dim := 1+r.IntN(20), 1+r.IntN(20), 1+r.IntN(6)
		scale := math.Ldexp(1, []int{0, 0, -200, 200}[round%4])
		offset := []float64{0, 1e6, 0}[round%3]
		if round%5 == 0 {
			n = m
		}
		draw := func(n int, scale, offset float64) []float64 {
			v := make([]float64, n)
			for i := range v {
				v[i] = scale * (offset + r.NormFloat64())
			}
			return v
		}
		x, y := draw(m*dim, scale, offset), draw(n*dim, scale, offset)
		c := Config{Directions: draw(7*dim, 3, 0), Temperature: scale * scale * float64(round%2)}
		masses := [2][]float64{slices.Repeat([]float64{1 / float64(m)}, m), slices.Repeat([]float64{1 / float64(n)}, n)}
		if round%2 == 1 {
			c.MassX, c.MassY = draw(m, 0.1, 10), draw(n, 0.1, 10)
			for i, mass := range [2][]float64{c.MassX, c.MassY} {
				sum := 0.0
				for _, v := range mass {
					sum += v
				}
				for j, v := range mass {
					masses[i][j] = v / sum
				}
			}
		}
		s := must.M1(New(x, y, dim, c))
		for _, plan := range [][]Match{s.Plan, must.M1(s.Expected())} {
			sums := [2][]float64{make([]float64, m), make([]float64, n)}
			for i, e := range plan {
				sums[0][e.X] += e.Mass
				sums[1][e.Y] += e.Mass
				if i > 0 && byRow(plan[i-1], e) >= 0 {
					t.Fatalf("matches %v and %v out of order", plan[i-1], e)
				}
			}
			for which := range sums {
				for i, sum := range sums[which] {
					near(t, "marginal", sum, masses[which][i], 1e-15)
				}
			}
		}
		size := scale * scale
		near(t, "cost of the plan", ot1d.Lift(s.Plan, x, y, dim)/size, s.Cost/size, 1e-13)
		near(t, "cost of the expected plan", ot1d.Lift(must.M1(s.Expected()), x, y, dim)/size, s.ExpectedCost/size, 1e-12)
		if round%5 == 0 && c.MassX == nil && scale == 1 && offset == 0 {
			x32, y32 := make([]float32, len(x)), make([]float32, len(y))
			for i := range x {
				x32[i], y32[i] = float32(x[i]), float32(y[i])
			}
			if w2 := must.M1(ot.EMD(x32, y32, dim, 2)).Cost / float64(m); s.Cost < w2*(1-1e-6) {
				t.Errorf("a plan costs %g, less than the optimal one, %g", s.Cost, w2)
			}
		}
		if round%2 == 0 { // without masses
			var shuffled []float64
			for _, i := range r.Perm(m) {
				shuffled = append(shuffled, x[i*dim:(i+1)*dim]...)
			}
			if other := must.M1(New(shuffled, y, dim, c)); !slices.Equal(other.Costs, s.Costs) {
				for i := range s.Costs {
					near(t, "cost after a permutation", other.Costs[i]/size, s.Costs[i]/size, 1e-13)
				}
			}
			near(t, "cost of a permutation", must.M1(New(x, shuffled, dim, c)).ExpectedCost/size, 0, 0)
		}
	}
}

// TestFloat64: neighbours closer than float32 can tell are matched as in float64.
func TestFloat64(t *testing.T) {
	x := []float64{0.5, 1, 0.5 + 1e-12, 2, 0.5 - 1e-12, 3}
	y := []float64{0.7 + 1e-12, 1, 0.7 - 1e-12, 3, 0.7, 2}
	s := must.M1(New(x, y, 2, Config{Directions: []float64{1, 0}}))
	rows(t, s.Plan, 0, 2, 1./3, 1, 0, 1./3, 2, 1, 1./3)
	near(t, "cost", s.Cost, 0.04+2./3, 1e-9)
}

// TestDraw: without directions, those of the seed; on a line there is one plan, the optimal one.
func TestDraw(t *testing.T) {
	a, b := must.M1(New(numpyX, numpyY, 3, Config{Seed: 1})), must.M1(New(numpyX, numpyY, 3, Config{Seed: 2, Slices: 1000}))
	if len(a.Costs) != 100 || len(b.Costs) != 1000 || b.Cost > a.Cost {
		t.Errorf("%d directions with best %g, %d with %g", len(a.Costs), a.Cost, len(b.Costs), b.Cost)
	}
	s := must.M1(New([]float64{0, 4, 1}, []float64{5, 0}, 1, Config{}))
	// quantiles 0, 1, 4 against 0, 5 with half the mass each
	near(t, "cost on a line", s.Cost, (0+0.5*1+0.5*16+1)/3, 1e-15)
}

func TestRejects(t *testing.T) {
	nan := math.NaN()
	for want, call := range map[string]func() (*Sliced, error){
		"y: point 1, coordinate 0: expected a finite number, found NaN": func() (*Sliced, error) { return New([]float64{1, 2}, []float64{1, 2, nan, 2}, 2, Config{}) },
		"x: expected points of 2 coordinates":                           func() (*Sliced, error) { return New([]float64{1}, []float64{1, 2}, 2, Config{}) },
		"x: expected points of 0 coordinates":                           func() (*Sliced, error) { return New(nil, nil, 0, Config{}) },
		"direction 1 is the zero vector": func() (*Sliced, error) {
			return New([]float64{1, 2}, []float64{1, 2}, 2, Config{Directions: []float64{1, 0, 0, 0}})
		},
		"directions: expected shape [L, 2], found 3": func() (*Sliced, error) {
			return New([]float64{1, 2}, []float64{1, 2}, 2, Config{Directions: []float64{1, 0, 0}})
		},
		"slices would do nothing": func() (*Sliced, error) {
			return New([]float64{1, 2}, []float64{1, 2}, 2, Config{Directions: axes(2), Slices: 3})
		},
		"temperature: expected a number > 0, found -1": func() (*Sliced, error) {
			return New([]float64{1, 2}, []float64{1, 2}, 2, Config{Temperature: -1})
		},
		"point 0: mass -1": func() (*Sliced, error) { return New([]float64{1, 2}, []float64{1, 2}, 2, Config{MassX: []float64{-1}}) },
		"expected 1 masses": func() (*Sliced, error) {
			return New([]float64{1, 2}, []float64{1, 2}, 2, Config{MassY: []float64{1, 1}})
		},
		"do not fit into float64": func() (*Sliced, error) { return New([]float64{1e200, 2}, []float64{1, 2}, 2, Config{}) },
	} {
		if _, err := call(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %q", err, want)
		}
	}
}
