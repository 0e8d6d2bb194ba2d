package solve

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*math.Max(1, math.Abs(want))) {
		t.Errorf("%s: %.15g, expected %.15g", what, got, want)
	}
}

func normal(r *rand.Rand, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = r.NormFloat64()
	}
	return out
}

func masses(r *rand.Rand, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = r.ExpFloat64()
	}
	return out
}

func moved(v []float64, by float64) []float64 {
	out := slices.Clone(v)
	for i := range out {
		out[i] += by
	}
	return out
}

// matching is the least cost of k pairs, by trying all.
func matching(m, n, k int, cost func(i, j int) float64) float64 {
	var try func(i, left int, taken uint) float64
	try = func(i, left int, taken uint) float64 {
		if left == 0 {
			return 0
		}
		if m-i < left {
			return math.Inf(1)
		}
		best := try(i+1, left, taken)
		for j := range n {
			if taken>>j&1 == 0 {
				best = min(best, cost(i, j)+try(i+1, left-1, taken|1<<j))
			}
		}
		return best
	}
	return try(0, k, 0)
}

// slopes compares derivatives with central differences.
func slopes(t *testing.T, what string, x, y []float64, f func(x, y []float64) Result) {
	t.Helper()
	const h = 1e-6
	at := f(x, y)
	for side, v := range [][]float64{x, y} {
		for i, g := range [2][]float64{at.DX, at.DY}[side] {
			keep := v[i]
			v[i] = keep + h
			up := f(x, y).Cost
			v[i] = keep - h
			down := f(x, y).Cost
			v[i] = keep
			near(t, what, g, (up-down)/(2*h), 1e-4)
		}
	}
}

func TestCircle(t *testing.T) {
	x, y := []float64{.1, .11, .4, .6}, []float64{.21, .15, .7, .95}
	for _, by := range []float64{0, .25, .7, -3.3, 12.5} {
		a, b := Points{At: moved(x, by)}, Points{At: moved(y, by)}
		near(t, "W1", must.M1(Circle(a, b, 1)).Cost, .12, 1e-13)
		near(t, "W2^2", must.M1(Circle(a, b, 2)).Cost, .01755, 1e-13)
		near(t, "W2^2 the other way", must.M1(Circle(b, a, 2)).Cost, .01755, 1e-13)
	}
	if r := must.M1(Circle(Points{At: []float64{.9}}, Points{At: []float64{.1}}, 1)); r.DX[0] != -1 || r.DY[0] != 1 {
		t.Errorf("across 0: slopes %v and %v", r.DX, r.DY)
	}
}

// TestCircleOfAll compares with all matchings, also of repeated points for unequal sizes and
// masses.
func TestCircleOfAll(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for turn := range 200 {
		m := 1 + r.IntN(3)
		n := m
		times := [2]int{1, 1} // copies of every point
		if turn%2 == 0 {
			n = 1 + r.IntN(3)
			times = [2]int{n, m}
		}
		p := []float64{1, 1.5, 2, 3}[turn%4]
		x, y := normal(r, m), normal(r, n)
		all := m * times[0]
		power := func(d float64) float64 {
			d -= math.Round(d)
			return math.Pow(math.Abs(d), p)
		}
		want := matching(all, all, all, func(i, j int) float64 { return power(x[i/times[0]] - y[j/times[1]]) }) / float64(all)
		got := must.M1(Circle(Points{At: x}, Points{At: y}, p))
		near(t, "circle", got.Cost, want, 1e-12)
		// the same with masses, split into copies
		a, b := Points{}, Points{Mass: make([]float64, n), At: y}
		for _, v := range x {
			part := r.Float64()
			a.At, a.Mass = append(a.At, v, v+2), append(a.Mass, part, 1-part)
		}
		for j := range b.Mass {
			b.Mass[j] = 7
		}
		near(t, "masses", must.M1(Circle(a, b, p)).Cost, want, 1e-12)
		if m == n && p > 1 {
			slopes(t, "slope on the circle", x, y, func(x, y []float64) Result {
				return must.M1(Circle(Points{At: x}, Points{At: y}, p))
			})
		}
	}
}

// TestCircleMedian: W1 is the integral of |F - G - c| with c its median over the circle.
func TestCircleMedian(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		m, n := 1+r.IntN(60), 1+r.IntN(60)
		x, y := normal(r, m), normal(r, n)
		a, b := masses(r, m), masses(r, n)
		type jump struct{ at, by float64 }
		var jumps []jump
		for side, c := range []Points{{x, a}, {y, b}} {
			sum := 0.0
			for _, w := range c.Mass {
				sum += w
			}
			for i, v := range c.At {
				jumps = append(jumps, jump{v - math.Floor(v), c.Mass[i] / sum * float64(1-2*side)})
			}
		}
		slices.SortFunc(jumps, func(a, b jump) int {
			if a.at < b.at {
				return -1
			}
			return 1
		})
		var levels []jump // by: width
		level := 0.0
		for i, j := range jumps {
			level += j.by
			next := jumps[0].at + 1
			if i+1 < len(jumps) {
				next = jumps[i+1].at
			}
			levels = append(levels, jump{level, next - j.at})
		}
		want := math.Inf(1)
		for _, c := range levels {
			sum := 0.0
			for _, l := range levels {
				sum += l.by * math.Abs(l.at-c.at)
			}
			want = min(want, sum)
		}
		near(t, "median", must.M1(Circle(Points{x, a}, Points{y, b}, 1)).Cost, want, 1e-12)
	}
}

// TestCircleOfMany: equal clouds cost 0, and turned ones at most their turn; a symmetric cost.
func TestCircleOfMany(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	x, y := normal(r, 2000), normal(r, 1500)
	if got := must.M1(Circle(Points{At: x}, Points{At: x}, 2)); got.Cost != 0 {
		t.Errorf("equal clouds: %v", got.Cost)
	}
	for _, p := range []float64{1, 2, 2.5} {
		if got := must.M1(Circle(Points{At: x}, Points{At: moved(x, .01)}, p)).Cost; !(got > 0 && got < math.Pow(.01, p)) {
			t.Errorf("turned by .01: %v", got)
		}
		ab, ba := must.M1(Circle(Points{At: x}, Points{At: y}, p)), must.M1(Circle(Points{At: y}, Points{At: x}, p))
		near(t, "symmetry", ab.Cost, ba.Cost, 1e-13)
		near(t, "rotation", must.M1(Circle(Points{At: moved(x, .3)}, Points{At: moved(y, .3)}, p)).Cost, ab.Cost, 1e-12)
	}
}

func TestUniform(t *testing.T) {
	for _, at := range []float64{0, .3, -7.9} {
		for _, p := range []float64{1, 2, 3} {
			want := math.Pow(.5, p) / (p + 1)
			near(t, "a point", must.M1(Uniform(Points{At: []float64{at}}, p)).Cost, want, 1e-13)
		}
	}
	r := rand.New(rand.NewPCG(7, 8))
	x, mass := normal(r, 9), masses(r, 9)
	fine := make([]float64, 20000)
	for i := range fine {
		fine[i] = float64(i) / float64(len(fine))
	}
	for _, p := range []float64{1, 1.5, 2} {
		got := must.M1(Uniform(Points{x, mass}, p))
		near(t, "points in equal distances", got.Cost, must.M1(Circle(Points{x, mass}, Points{At: fine}, p)).Cost, 1e-4)
		slopes(t, "slope to the uniform distribution", x, nil, func(x, _ []float64) Result {
			return must.M1(Uniform(Points{x, mass}, p))
		})
	}
}

func TestPartial(t *testing.T) {
	x, y := []float64{0, 1, 2, 10}, []float64{.5, 1.5, 30, 2.5}
	if got := must.M1(Partial(x, y, 3, 1)); !slices.Equal(got.Marginal, []float64{.5, .5, .5, 20}) || got.Cost != 1.5 {
		t.Errorf("%v, expected 1.5 of .5, .5, .5, 20", got)
	}
	r := rand.New(rand.NewPCG(9, 10))
	for turn := range 200 {
		p := []float64{1, 1.5, 2, 3}[turn%4]
		x, y := normal(r, 1+r.IntN(6)), moved(normal(r, 1+r.IntN(6)), 2*r.Float64())
		if turn%5 == 0 { // ties
			for _, v := range [][]float64{x, y} {
				for i := range v {
					v[i] = math.Round(v[i])
				}
			}
		}
		sum := 0.0
		all := must.M1(Partial(x, y, 0, p)).Marginal
		for k, c := range all {
			sum += c
			want := matching(len(x), len(y), k+1, func(i, j int) float64 { return math.Pow(math.Abs(x[i]-y[j]), p) })
			got := must.M1(Partial(x, y, k+1, p))
			near(t, "partial", got.Cost, want, 1e-12)
			near(t, "sum of marginal costs", sum, want, 1e-12)
			near(t, "the other way", must.M1(Partial(y, x, k+1, p)).Cost, want, 1e-12)
			if p > 1 && turn%5 != 0 {
				slopes(t, "slope of a matching", x, y, func(x, y []float64) Result { return must.M1(Partial(x, y, k+1, p)) })
			}
		}
		if !slices.IsSorted(all) {
			t.Errorf("marginal costs do not ascend: %v", all)
		}
	}
	a, b := normal(r, 3000), moved(normal(r, 3000), 1)
	whole := must.M1(Partial(a, b, 3000, 2))
	slices.Sort(a)
	slices.Sort(b)
	want := 0.0
	for i, v := range a {
		want += (v - b[i]) * (v - b[i])
	}
	near(t, "all points", whole.Cost, want, 1e-12)
}

// TestUnbalanced: closed form of two points, limits, and symmetry.
func TestUnbalanced(t *testing.T) {
	one, two := Points{At: []float64{0}}, Points{At: []float64{2}}
	near(t, "two points", must.M1(Unbalanced(one, two, 2, 1)).Cost, 2*(1-math.Exp(-2)), 1e-14)
	one.Mass, two.Mass = []float64{3}, []float64{.2}
	near(t, "two masses", must.M1(Unbalanced(one, two, 2, 1.7)).Cost, 1.7*(3.2-2*math.Sqrt(.6)*math.Exp(-4/3.4)), 1e-14)
	r := rand.New(rand.NewPCG(11, 12))
	x, y := normal(r, 40), normal(r, 40)
	w := must.M1(Partial(x, y, 40, 2)).Cost // of all points
	near(t, "W in the limit", must.M1(Unbalanced(Points{At: x}, Points{At: y}, 2, 1e9)).Cost, w, 1e-6)
	if got := must.M1(Unbalanced(Points{At: x}, Points{At: x}, 2, 1)).Cost; math.Abs(got) > 1e-13 {
		t.Errorf("equal clouds: %v", got)
	}
	near(t, "nothing moves", must.M1(Unbalanced(Points{At: x}, Points{At: moved(y, 1e6)}, 2, 1)).Cost, 80, 1e-12)
}

// TestUnbalancedOptimal: the gap is that of a feasible dual solution, over all sizes and weights.
func TestUnbalancedOptimal(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for turn := range 400 {
		m, n := 1+r.IntN(40), 1+r.IntN(40)
		p := []float64{1, 1.5, 2, 3}[turn%4]
		kl := math.Pow(10, 6*r.Float64()-3)
		x, y := Points{At: normal(r, m)}, Points{At: moved(normal(r, n), 4*r.Float64())}
		if turn%3 == 0 {
			x.Mass, y.Mass = masses(r, m), masses(r, n)
		}
		if turn%7 == 0 {
			x.At[0] = 1e4 // an outlier
		}
		if turn%11 == 0 {
			for i := range x.At { // ties
				x.At[i] = math.Round(x.At[i])
			}
			copy(y.At, x.At)
		}
		got := must.M1(Unbalanced(x, y, p, kl))
		if !(got.Gap <= 1e-10*got.Cost+1e-10*kl) {
			t.Errorf("turn %d, %d and %d points, p = %g, kl = %g: %.12g, gap %g", turn, m, n, p, kl, got.Cost, got.Gap)
		}
		near(t, "symmetry", must.M1(Unbalanced(y, x, p, kl)).Cost, got.Cost, 1e-9)
		if p > 1 && turn%7 != 0 && turn%11 != 0 && m < 10 {
			slopes(t, "slope of unbalanced transport", x.At, y.At, func(a, b []float64) Result {
				return must.M1(Unbalanced(Points{a, x.Mass}, Points{b, y.Mass}, p, kl))
			})
		}
		// by definition, for the solution itself
		u := solved(x.sort(1), y.sort(1), exponent(p), kl)
		dual, primal := 0.0, 0.0
		worst := 0.0
		for i, f := range u.f {
			for j, g := range u.g {
				worst = max(worst, (f+g-u.cost(cell{i, j}))/(1e-9+math.Abs(f)+math.Abs(g)))
			}
			dual += kl * u.x.mass[i] * (1 - math.Exp(-f/kl))
		}
		for j, g := range u.g {
			dual += kl * u.y.mass[j] * (1 - math.Exp(-g/kl))
		}
		sums := [2][]float64{make([]float64, len(u.f)), make([]float64, len(u.g))}
		u.flows(func(c cell, mass float64) {
			primal += mass * u.cost(c)
			sums[0][c.i] += mass
			sums[1][c.j] += mass
		})
		for side, given := range [][]float64{u.x.mass, u.y.mass} {
			for i, a := range given {
				primal += kl * divergence(sums[side][i], a)
			}
		}
		if worst > 1e-9 {
			t.Errorf("turn %d: the dual solution violates a constraint by %g of it", turn, worst)
		}
		near(t, "cost of the plan", primal, got.Cost, 1e-10)
		near(t, "dual value", dual, got.Cost, 1e-9)
	}
}

func TestUnbalancedOfMany(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	x, y := Points{At: normal(r, 1200)}, Points{At: moved(normal(r, 1000), 1)}
	for _, kl := range []float64{1e-3, .1, 1, 100} {
		if got := must.M1(Unbalanced(x, y, 2, kl)); !(got.Gap <= 1e-11*got.Cost) {
			t.Errorf("kl = %g: %v, gap %g", kl, got.Cost, got.Gap)
		}
	}
}

func TestWrong(t *testing.T) {
	one := Points{At: []float64{1}}
	for _, c := range []struct {
		says string
		err  error
	}{
		{"x: expected at least one number", last(Circle(Points{}, one, 2))},
		{"y: number 1 is NaN", last(Circle(one, Points{At: []float64{0, math.NaN()}}, 2))},
		{"p = 0.5", last(Circle(one, one, .5))},
		{"p = NaN", last(Uniform(one, math.NaN()))},
		{"x: mass 0 is -1", last(Uniform(Points{[]float64{1}, []float64{-1}}, 2))},
		{"y: expected 1 masses, found 2", last(Unbalanced(one, Points{one.At, []float64{1, 2}}, 2, 1))},
		{"x: expected a positive mass", last(Unbalanced(Points{one.At, []float64{0}}, one, 2, 1))},
		{"expected a finite number > 0, found 0", last(Unbalanced(one, one, 2, 0))},
		{"between 0 and 1, found 2", last(Partial(one.At, []float64{1, 2}, 2, 1))},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.says) {
			t.Errorf("%v, expected %q", c.err, c.says)
		}
	}
}

func last(_ Result, err error) error { return err }
