package ot

import (
	"fmt"
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
)

func solve(t *testing.T, name string, s Sinkhorn, x, y []float32, dim int) *Plan {
	t.Helper()
	p := must.M1(s.Solve(x, y, dim))
	if s.Iterations == 0 && s.MaxIterations == 0 && !p.Converged {
		t.Errorf("%s: not converged after %d rounds, error %g", name, p.Iterations, p.Error)
	}
	return p
}

// TestSinkhornTwoByTwo: with equal weights the plan of two pairs is [[t, 1/2-t], [1/2-t, t]], t = 1/2 / (1 + exp(-D/(2
// reg))), D the costs of the exchange minus those of the identity.
func TestSinkhornTwoByTwo(t *testing.T) {
	x, y := []float32{0, 0, 1, 0}, []float32{0.25, 0.5, 0.5, -1}
	for _, p := range []float64{1, 2, 3} {
		c := matrixOf(x, y, 2, p)
		d := c[1] + c[2] - c[0] - c[3]
		for _, reg := range []float64{10, 1, 0.1, 0.02} {
			name := fmt.Sprintf("p %v, reg %v", p, reg)
			diagonal := 0.25 * (1 + math.Tanh(d/(4*reg)))
			plan := solve(t, name, Sinkhorn{Reg: reg, P: p, Tolerance: 1e-13}, x, y, 2)
			near(t, name, plan.Cost, diagonal*(c[0]+c[3])+(0.5-diagonal)*(c[1]+c[2]), 1e-11)
			want := []float64{diagonal, 0.5 - diagonal, 0.5 - diagonal, diagonal}
			graphtest.Close(t, name, plan.Matrix(), want, 1e-11)
			entropy := 0.0
			for _, w := range want {
				if w > 0 {
					entropy += w * math.Log(w)
				}
			}
			near(t, name+", entropy", plan.Entropy, entropy, 1e-10)
			near(t, name+", objective", plan.Objective, plan.Cost+reg*(entropy+math.Log(4)), 1e-10*(1+reg))
		}
	}
}

// TestSinkhornMarginals: general weights and sizes; the plan has the form and the marginals that make it the minimiser.
func TestSinkhornMarginals(t *testing.T) {
	r := source(30)
	for _, c := range []struct {
		n, k, dim int
		reg, p    float64
	}{{1, 1, 3, 1, 2}, {1, 7, 2, .1, 1}, {40, 25, 3, 1, 2}, {33, 70, 3, 0.05, 2}, {100, 90, 2, 0.01, 1},
		{64, 64, 5, 0.02, 1.5}} {
		name := fmt.Sprint(c)
		x, y := normal(r, c.n*c.dim, 0.4), normal(r, c.k*c.dim, 0.4)
		a, b := make([]float64, c.n), make([]float64, c.k)
		sumA, sumB := 0.0, 0.0
		for i := range a {
			a[i] = 0.2 + r.Float64()
			sumA += a[i]
		}
		for j := range b {
			b[j] = 0.2 + r.Float64()
			sumB += b[j]
		}
		for j := range b {
			b[j] *= sumA / sumB // a mass other than 1
		}
		plan := solve(t, name, Sinkhorn{Reg: c.reg, P: c.p, A: a, B: b, Tolerance: 1e-11}, x, y, c.dim)
		rows, columns, total, cost := make([]float64, c.n), make([]float64, c.k), 0.0, matrixOf(x, y, c.dim, c.p)
		for e, m := range plan.Matrix() {
			rows[e/c.k] += m
			columns[e%c.k] += m
			total += m * cost[e]
			near(t, name+", form", c.reg*math.Log(m), plan.F[e/c.k]+plan.G[e%c.k]-cost[e], 1e-9)
		}
		graphtest.Close(t, name+", rows", rows, a, 1e-9)
		graphtest.Close(t, name+", columns", columns, b, 1e-9)
		near(t, name+", cost", plan.Cost, total, 1e-12*sumA)
		// The other way round: the transposed plan.
		back := solve(t, name+" back", Sinkhorn{Reg: c.reg, P: c.p, A: b, B: a, Tolerance: 1e-11}, y, x, c.dim)
		near(t, name+", back", back.Cost, plan.Cost, 1e-7*sumA)
		near(t, name+", objective back", back.Objective, plan.Objective, 1e-7*sumA)
	}
}

// TestSinkhornLimits: reg -> 0 is the exact assignment, reg -> infinity the product plan.
func TestSinkhornLimits(t *testing.T) {
	r := source(31)
	const m = 60
	x, y := normal(r, 3*m, 0.5), normal(r, 3*m, 0.5)
	for _, p := range []float64{1, 2} {
		exact := emd(t, "exact", x, y, 3, p).Cost / m
		small := solve(t, "small reg", Sinkhorn{Reg: 2e-4, P: p, Tolerance: 1e-7, MaxIterations: 100000}, x, y, 3)
		if small.Cost < exact-1e-6 {
			t.Errorf("p %v: entropic cost %v below the optimum %v", p, small.Cost, exact)
		}
		near(t, "small reg", small.Cost, exact, 2e-3*exact)
		product := 0.0
		for _, c := range matrixOf(x, y, 3, p) {
			product += c / (m * m)
		}
		near(t, "large reg", solve(t, "large reg", Sinkhorn{Reg: 1e6, P: p}, x, y, 3).Cost, product, 1e-5)
	}
}

// TestSinkhornIterations compares with the plain algorithm in logarithms: fixed rounds are the same
// numbers, whatever was absorbed on the way.
func TestSinkhornIterations(t *testing.T) {
	r := source(32)
	const n, k, dim = 40, 50, 2
	x, y := normal(r, n*dim, 1), normal(r, k*dim, 1)
	c := matrixOf(x, y, dim, 2)
	for _, reg := range []float64{1, 0.05, 0.002} {
		f, g := make([]float64, n), make([]float64, k)
		for rounds := 1; rounds <= 60; rounds++ {
			for j := range g {
				g[j] = -reg * (math.Log(k) + logSum(n, func(i int) float64 { return (f[i] - c[i*k+j]) / reg }))
			}
			for i := range f {
				f[i] = -reg * (math.Log(n) + logSum(k, func(j int) float64 { return (g[j] - c[i*k+j]) / reg }))
			}
			if rounds%7 != 1 && rounds != 60 {
				continue
			}
			plan := solve(t, "rounds", Sinkhorn{Reg: reg, Iterations: rounds}, x, y, dim)
			graphtest.Close(t, fmt.Sprintf("reg %v, round %d: f", reg, rounds), plan.F, f, 1e-11)
			graphtest.Close(t, fmt.Sprintf("reg %v, round %d: g", reg, rounds), plan.G, g, 1e-11)
			if plan.Iterations != rounds {
				t.Errorf("%d rounds, expected %d", plan.Iterations, rounds)
			}
		}
	}
}

func logSum(n int, term func(int) float64) float64 {
	top, sum := math.Inf(-1), 0.0
	for i := range n {
		top = max(top, term(i))
	}
	for i := range n {
		sum += math.Exp(term(i) - top)
	}
	return top + math.Log(sum)
}

// TestSinkhornGradient: with the plan fixed it is the gradient of the objective.
func TestSinkhornGradient(t *testing.T) {
	r := source(33)
	const n, k, dim = 7, 9, 3
	x, y := normal(r, n*dim, 1), normal(r, k*dim, 1)
	a := make([]float64, n)
	for i := range a {
		a[i] = float64(i+1) / (n * (n + 1) / 2)
	}
	for _, s := range []Sinkhorn{{Reg: 0.3, A: a, Tolerance: 1e-13}, {Reg: 0.05, P: 1, Tolerance: 1e-13}} {
		name := fmt.Sprintf("p %v", s.P)
		gx, gy := solve(t, name, s, x, y, dim).Gradient()
		objective := func() float64 { return solve(t, name, s, x, y, dim).Objective }
		checkGradient(t, name+", x", x, gx, 1e-3, 1e-5, objective)
		checkGradient(t, name+", y", y, gy, 1e-3, 1e-5, objective)
	}
}

// TestDivergence: zero on itself, positive and symmetric otherwise, with its gradient.
func TestDivergence(t *testing.T) {
	r := source(34)
	const n, k, dim = 12, 15, 2
	x, y := normal(r, n*dim, 1), normal(r, k*dim, 1)
	for _, s := range []Sinkhorn{{Reg: 0.5, Tolerance: 1e-12}, {Reg: 0.1, P: 1, Tolerance: 1e-12}} {
		of := func(x, y []float32) *Divergence {
			d, err := s.Divergence(x, y, dim)
			if err != nil || !d.Converged {
				t.Fatal(d, err)
			}
			return d
		}
		own := of(x, x)
		near(t, "itself", own.Value, 0, 1e-9)
		graphtest.Close(t, "gradient at itself", append(own.GradX, 1), append(make([]float64, n*dim), 1), 1e-9)
		d := of(x, y)
		if d.Value <= 0.01 {
			t.Errorf("divergence %v of different clouds", d.Value)
		}
		near(t, "exchanged", of(y, x).Value, d.Value, 1e-9)
		value := func() float64 { return of(x, y).Value }
		checkGradient(t, "y", y, d.GradY, 1e-3, 1e-5, value)
		checkGradient(t, "x", x[:4], d.GradX, 1e-3, 1e-5, value)
	}
}

func TestReferenceSinkhorn(t *testing.T) {
	z := graphtest.Golden(t, "sinkhorn.npz")
	const n, dim = 64, 256
	for b := range 2 {
		part := b * n * dim
		x, y := tensors.MustCopyFlatData[float32](z["real"])[part:part+n*dim],
			tensors.MustCopyFlatData[float32](z["gen"])[part:part+n*dim]
		for _, c := range []struct {
			key  string
			s    Sinkhorn
			cost float64
			grad float64
		}{{"log1001", Sinkhorn{Reg: 1e-3, Iterations: 1001}, 1e-10, 1e-8},
			{"exact", Sinkhorn{Reg: 1e-3, Tolerance: 1e-11, MaxIterations: 100000}, 1e-9, 1e-6}} {
			plan := solve(t, c.key, c.s, x, y, dim)
			want := graphtest.Values(z["cost_"+c.key])[b]
			near(t, c.key, plan.Cost, want, c.cost*want)
			_, gy := plan.Gradient()
			graphtest.Close(t, c.key, gy, graphtest.Values(z["grad_"+c.key])[part:part+n*dim], c.grad)
			if c.key == "exact" {
				near(t, "entropy", plan.Entropy, graphtest.Values(z["neg_entropy_exact"])[b], 1e-7)
				t.Logf("case %d: %d rounds, error %g", b, plan.Iterations, plan.Error)
			}
		}
	}
}

// TestSinkhornNotConverged: too few rounds are reported.
func TestSinkhornNotConverged(t *testing.T) {
	r := source(35)
	x, y := normal(r, 300, 1), normal(r, 300, 1)
	plan := solve(t, "few rounds", Sinkhorn{Reg: 1e-3, MaxIterations: 5}, x, y, 3)
	if plan.Converged || plan.Error < 1e-6 || plan.Iterations > 30 {
		t.Errorf("5 rounds: converged %v, error %g, %d rounds", plan.Converged, plan.Error, plan.Iterations)
	}
	rows, columns, worst := make([]float64, 100), make([]float64, 100), 0.0
	for e, m := range plan.Matrix() {
		rows[e/100] += m
		columns[e%100] += m
	}
	for i := range rows {
		worst += math.Abs(rows[i]-0.01) + math.Abs(columns[i]-0.01)
	}
	near(t, "error", plan.Error, worst, 1e-12)
}

func TestSinkhornErrors(t *testing.T) {
	x := []float32{1, 2, 3, 4}
	y := []float32{3, 4, 1, 2}
	call := func(s Sinkhorn, y []float32) func() error {
		return func() error { _, err := s.Solve(x, y, 2); return err }
	}
	refuses(t, map[string]func() error{
		"finite Reg > 0, found 0":                         call(Sinkhorn{}, y),
		"p > 0, found -1":                                 call(Sinkhorn{Reg: 1, P: -1}, y),
		"finite Tolerance > 0, found NaN":                 call(Sinkhorn{Reg: 1, Tolerance: math.NaN()}, y),
		"found -1 and":                                    call(Sinkhorn{Reg: 1, Iterations: -1}, y),
		"expected a mass A for each of 2 points, found 1": call(Sinkhorn{Reg: 1, A: []float64{1}}, y),
		"mass B[1] is 0":                                  call(Sinkhorn{Reg: 1, B: []float64{1, 0}}, y),
		"equal sums, found 1 and 2":                       call(Sinkhorn{Reg: 1, B: []float64{1, 1}}, y),
		"beyond float64":                                  call(Sinkhorn{Reg: 1e-308}, y),
		"4 and 3 numbers":                                 call(Sinkhorn{Reg: 1}, x[:3]),
	})
}
