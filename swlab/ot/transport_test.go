package ot

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/janpfeifer/must"
)

// transport solves and proves the plan with exact arithmetic: marginals, potentials and the gap.
func transport(t *testing.T, name string, x, y []float32, dim int, p float64, a, b []float64) *TransportPlan {
	t.Helper()
	plan := must.M1(Transport(x, y, dim, p, a, b))
	m, n := len(x)/dim, len(y)/dim
	normal := func(w []float64, n int) []*big.Float {
		out, sum := make([]*big.Float, n), new(big.Float).SetPrec(wide)
		for i := range out {
			v := 1.0
			if w != nil {
				v = w[i]
			}
			out[i] = new(big.Float).SetPrec(wide).SetFloat64(v)
			sum.Add(sum, out[i])
		}
		for i := range out {
			out[i].Quo(out[i], sum)
		}
		return out
	}
	bigA, bigB := normal(a, m), normal(b, n)
	rows, cols, cost := make([]float64, m), make([]float64, n), 0.0
	c := matrixOf(x, y, dim, p)
	for e, mass := range plan.Mass {
		i, j := int(plan.X[e]), int(plan.Y[e])
		rows[i] += mass
		cols[j] += mass
		cost += mass * c[i*n+j]
		if !(mass > 0) {
			t.Errorf("%s: entry %d moves %v", name, e, mass)
		}
	}
	for i, w := range bigA {
		v, _ := w.Float64()
		near(t, name+": row", rows[i], v, 1e-14)
	}
	for j, w := range bigB {
		v, _ := w.Float64()
		near(t, name+": column", cols[j], v, 1e-14)
	}
	near(t, name+": cost", plan.Cost, cost, 1e-13*cost)
	bound := new(big.Float).SetPrec(wide)
	product := func(w *big.Float, v float64) *big.Float {
		return new(big.Float).SetPrec(wide).Mul(w, new(big.Float).SetFloat64(v))
	}
	for i, u := range plan.U {
		bound.Add(bound, product(bigA[i], u))
		for j, v := range plan.V {
			sum := new(big.Float).SetPrec(wide).Add(new(big.Float).SetFloat64(u), new(big.Float).SetFloat64(v))
			if !math.IsInf(c[i*n+j], 1) && sum.Cmp(new(big.Float).SetFloat64(c[i*n+j])) > 0 {
				t.Fatalf("%s: U[%d] + V[%d] is above the cost", name, i, j)
			}
		}
	}
	for j, v := range plan.V {
		bound.Add(bound, product(bigB[j], v))
	}
	bound.Sub(new(big.Float).SetPrec(wide).SetFloat64(plan.Cost), bound)
	if below, _ := bound.Float64(); below > plan.DualityGap { // shares are rounded to 2300 bits here
		t.Errorf("%s: the bound is %v below the cost, the gap %v", name, below, plan.DualityGap)
	}
	if !(plan.DualityGap <= 1e-12*plan.Cost) {
		t.Errorf("%s: cost %v, gap %v", name, plan.Cost, plan.DualityGap)
	}
	return plan
}

func TestTransportKnown(t *testing.T) {
	x, y := []float32{2.7, 4.11, 9.6, 14, 34.2, 34.974}, []float32{2.8, 4.45, 9.5, 14.1}
	// coordinates in float32
	near(t, "three against two", transport(t, "three against two", x, y, 2, 1, nil, nil).Cost, 12.853658627, 1e-6)
	x, y = []float32{0, 0, 1, 0, 0, 1}, []float32{1, 1, 2, 0, 0, 0}
	a, b := []float64{0.5, 0.25, 0.25}, []float64{0.25, 0.25, 0.5}
	for _, p := range []float64{1, 2} {
		near(t, "masses", transport(t, "masses", x, y, 2, p, a, b).Cost, 0.5, 0)
	}
	tiny := []float64{0.5e-50, 0.25e-50, 0.25e-50}
	near(t, "tiny masses", transport(t, "tiny masses", x, y, 2, 1, tiny, b).Cost, 0.5, 0)
	huge := []float64{0.25e308, 0.25e308, 0.5e308}
	near(t, "huge masses", transport(t, "huge masses", x, y, 2, 1, tiny, huge).Cost, 0.5, 0)
	near(t, "a mass of 0", transport(t, "a mass of 0", []float32{0, 1, 9}, []float32{2, 50, 1}, 1, 1, []float64{1, 1, 0},
		[]float64{1, 0, 3}).Cost, 0.75, 0)
	if plan := transport(t, "itself", x, x, 2, 3, a, a); plan.Cost != 0 || plan.DualityGap != 0 {
		t.Errorf("a cloud and itself: cost %v, gap %v", plan.Cost, plan.DualityGap)
	}
}

// TestTransportAgainstCopies: points of whole masses are that many copies of a point.
func TestTransportAgainstCopies(t *testing.T) {
	r := source(21)
	for k := range 120 {
		dim, p := 1+k%3, []float64{1, 2, 0.5, 7, 60}[k%5]
		m, n := 1+r.IntN(12), 1+r.IntN(12)
		x, y := normal(r, m*dim, 3), normal(r, n*dim, 3)
		if k%4 == 0 {
			x, y = lattice(r, m*dim), lattice(r, n*dim)
		}
		a, b := make([]float64, m), make([]float64, n)
		var sumA, sumB int
		for i := range a {
			a[i] = float64(r.IntN(4))
			sumA += int(a[i])
		}
		for j := range b {
			b[j] = float64(1 + r.IntN(3))
			sumB += int(b[j])
		}
		if sumA == 0 {
			a[0], sumA = 1, 1
		}
		copies := func(x []float32, w []float64, times int) (out []float32) {
			for i, v := range w {
				for range int(v) * times {
					out = append(out, x[i*dim:(i+1)*dim]...)
				}
			}
			return out
		}
		name := fmt.Sprintf("case %d: dim %d, p %v, %d and %d points", k, dim, p, m, n)
		want := must.M1(EMD(copies(x, a, sumB), copies(y, b, sumA), dim, p))
		plan := transport(t, name, x, y, dim, p, a, b)
		near(t, name, plan.Cost, want.Cost/float64(sumA*sumB), 1e-11*plan.Cost+1e-14)
	}
}

// TestTransportAgainstAssignment: with equal masses and sizes the plan is a matching.
func TestTransportAgainstAssignment(t *testing.T) {
	r := source(22)
	for _, p := range []float64{1, 2, 30, 100} {
		for _, m := range []int{5, 60, 300} {
			x, y := normal(r, m*3, 2), normal(r, m*3, 2)
			name := fmt.Sprintf("p %v, m %d", p, m)
			want := emd(t, name, x, y, 3, p).Cost / float64(m)
			near(t, name, transport(t, name, x, y, 3, p, nil, nil).Cost, want, 1e-12*want)
		}
	}
}

// TestTransportOnTheLine compares with the integral over quantiles, at masses over many orders of
// magnitude.
func TestTransportOnTheLine(t *testing.T) {
	r := source(23)
	for k := range 20 {
		m, n := 50+r.IntN(50), 50+r.IntN(50)
		x, y, a, b := make([]float32, m), make([]float32, n), make([]float64, m), make([]float64, n)
		sumA, sumB := 0.0, 0.0
		for i := range x { // in order
			x[i], a[i] = float32(i)+r.Float32()/2, math.Pow(10, -6*r.Float64())
			sumA += a[i]
		}
		for j := range y {
			y[j], b[j] = float32(j)+r.Float32()/2, math.Pow(10, -6*r.Float64())
			sumB += b[j]
		}
		want := 0.0
		for i, j, left, right := 0, 0, a[0]/sumA, b[0]/sumB; ; {
			mass := min(left, right)
			want += mass * math.Pow(math.Abs(float64(x[i])-float64(y[j])), 1.5)
			if left -= mass; left <= 1e-15 {
				if i++; i == m {
					break
				}
				left = a[i] / sumA
			}
			if right -= mass; right <= 1e-15 {
				if j++; j == n {
					break
				}
				right = b[j] / sumB
			}
		}
		perm := r.Perm(m) // the solver does not know the order
		px, pa := make([]float32, m), make([]float64, m)
		for i, q := range perm {
			px[q], pa[q] = x[i], a[i]
		}
		name := fmt.Sprint("line ", k)
		near(t, name, transport(t, name, px, y, 1, 1.5, pa, b).Cost, want, 1e-10*want)
	}
}

func TestTransportGradient(t *testing.T) {
	r := source(24)
	x, y := normal(r, 7*2, 1), normal(r, 5*2, 1)
	a := []float64{1, 2, 3, 0, 1, 5, 2}
	for _, p := range []float64{1, 2, 3} {
		cost := func() float64 { return transport(t, "gradient", x, y, 2, p, a, nil).Cost }
		gx, gy := transport(t, "gradient", x, y, 2, p, a, nil).Gradient(x, y, 2, p)
		checkGradient(t, fmt.Sprint("x, p ", p), x, gx, 0x1p-10, 2e-3, cost)
		checkGradient(t, fmt.Sprint("y, p ", p), y, gy, 0x1p-10, 2e-3, cost)
	}
}

func TestWrongTransport(t *testing.T) {
	one, two := []float32{1, 2}, []float32{3, 4, 5, 6}
	call := func(x, y []float32, dim int, p float64, a, b []float64) func() error {
		return func() error { _, err := Transport(x, y, dim, p, a, b); return err }
	}
	refuses(t, map[string]func() error{
		"a finite exponent p > 0":        call(one, two, 2, 0, nil, nil),
		"each of 2 points, found 1":      call(one, two, 2, 1, nil, []float64{1}),
		"massY[1] is -1":                 call(one, two, 2, 1, nil, []float64{1, -1}),
		"massY[0] is NaN":                call(one, two, 2, 1, nil, []float64{math.NaN(), 1}),
		"massX: expected a positive":     call(one, two, 2, 1, []float64{0}, nil),
		"dim = 3, 2 and 4":               call(one, two, 3, 1, nil, nil),
		"p = 100 are beyond float64, ex": call([]float32{1e30}, []float32{0}, 1, 100, nil, nil),
	})
}
