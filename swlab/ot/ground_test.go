package ot

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/janpfeifer/must"
)

// pNorm is sum_c |x_c - y_c|^p, written out.
func pNorm(x, y []float32, p float64) float64 {
	s := 0.0
	for c := range x {
		s += math.Pow(math.Abs(float64(x[c])-float64(y[c])), p)
	}
	return s
}

// TestPNorm compares matchings and plans of costs of the p-norm with all permutations, and their
// gradients with central differences.
func TestPNorm(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	differ := 0
	for _, p := range []float64{1, 1.5, 2, 3, 7} {
		for _, dim := range []int{1, 2, 3, 10} {
			for range 10 {
				const m = 6
				// No coordinate of x is within 1/16 of one of y, where |d|^p has its kinks.
				cloud := func(n int, shift float64) (out []float32) {
					for range n * dim {
						out = append(out, float32(math.Round(8*r.NormFloat64())/8+shift))
					}
					return out
				}
				at := func(v []float32, i int) []float32 { return v[i*dim : (i+1)*dim] }
				x, y := cloud(m, 0), cloud(m, 1./16)
				want := bruteForce(pNorms(x, y, dim, p), m)
				a := must.M1(PNorm.EMD(x, y, dim, p))
				if math.Abs(a.Cost-want) > 1e-12*want || a.DualityGap > 1e-12*want || a.Slack > 0 {
					t.Errorf("p = %g, dim %d: cost %v, gap %g; all permutations: %v", p, dim, a.Cost, a.DualityGap, want)
				}
				gx, gy := a.Gradient(x, y, dim, p)
				checkGradient(t, "x", x, gx, 0x1p-10, 2e-2, func() float64 { return ofMatch(a.Match, x, y, dim, p) })
				checkGradient(t, "y", y, gy, 0x1p-10, 2e-2, func() float64 { return ofMatch(a.Match, x, y, dim, p) })
				euclid := must.M1(EMD(x, y, dim, p))
				same := math.Abs(euclid.Cost-want) < 1e-9*want
				if (p == 2 || dim == 1) && !same {
					t.Errorf("p = %g, dim %d: %v, Euclidean %v", p, dim, want, euclid.Cost)
				}
				if !same {
					differ++
				}

				// Three points of mass 2, 3 and 1 sixths are six points.
				few := cloud(3, 0)
				whole := slices.Concat(at(few, 0), at(few, 0), at(few, 1), at(few, 1), at(few, 1), at(few, 2))
				want = bruteForce(pNorms(whole, y, dim, p), m) / m
				plan := must.M1(PNorm.Transport(few, y, dim, p, []float64{2, 3, 1}, nil))
				if math.Abs(plan.Cost-want) > 1e-12*want || plan.DualityGap > 1e-12*want {
					t.Errorf("p = %g, dim %d: transport costs %v, gap %g; all permutations: %v", p, dim, plan.Cost, plan.DualityGap,
						want)
				}
				gx, gy = plan.Gradient(few, y, dim, p)
				held := func() (sum float64) {
					for e, w := range plan.Mass {
						sum += w * pNorm(at(few, int(plan.X[e])), at(y, int(plan.Y[e])), p)
					}
					return sum
				}
				checkGradient(t, "few", few, gx, 0x1p-10, 2e-2, held)
				checkGradient(t, "y", y, gy, 0x1p-10, 2e-2, held)
			}
		}
	}
	if differ < 50 {
		t.Errorf("the p-norm and the Euclidean norm differ in %d cases only", differ)
	}
}

// pNorms is the matrix of pNorm.
func pNorms(x, y []float32, dim int, p float64) (c []float64) {
	for a := range slices.Chunk(x, dim) {
		for b := range slices.Chunk(y, dim) {
			c = append(c, pNorm(a, b, p))
		}
	}
	return c
}

// ofMatch is the cost of a matching.
func ofMatch(match []int32, x, y []float32, dim int, p float64) (sum float64) {
	for i, j := range match {
		sum += pNorm(x[i*dim:(i+1)*dim], y[int(j)*dim:(int(j)+1)*dim], p)
	}
	return sum
}

// TestSinkhornPNorm compares the plan with one of plain iterations on the costs of the p-norm.
func TestSinkhornPNorm(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 5))
	const n, k, dim, reg = 5, 7, 3, 0.3
	var x, y []float32
	for range n * dim {
		x = append(x, float32(r.NormFloat64()))
	}
	for range k * dim {
		y = append(y, float32(r.NormFloat64()))
	}
	for _, p := range []float64{1, 3} {
		var kernel [n][k]float64
		for i := range n {
			for j := range k {
				kernel[i][j] = math.Exp(-pNorm(x[i*dim:(i+1)*dim], y[j*dim:(j+1)*dim], p) / reg)
			}
		}
		var u [n]float64
		var v [k]float64
		for i := range u {
			u[i] = 1
		}
		for range 100000 {
			for j := range v {
				s := 0.0
				for i := range u {
					s += kernel[i][j] * u[i]
				}
				v[j] = 1 / (k * s)
			}
			for i := range u {
				s := 0.0
				for j := range v {
					s += kernel[i][j] * v[j]
				}
				u[i] = 1 / (n * s)
			}
		}
		want := 0.0
		for i := range u {
			for j := range v {
				want -= u[i] * kernel[i][j] * v[j] * reg * math.Log(kernel[i][j])
			}
		}
		plan := must.M1(Sinkhorn{Reg: reg, P: p, Ground: PNorm}.Solve(x, y, dim))
		if math.Abs(plan.Cost-want) > 1e-6*want {
			t.Errorf("p = %g: cost %v, plain iterations %v", p, plan.Cost, want)
		}
		gx, gy := plan.Gradient()
		held := func() (sum float64) {
			for i := range u {
				for j := range v {
					sum += u[i] * kernel[i][j] * v[j] * pNorm(x[i*dim:(i+1)*dim], y[j*dim:(j+1)*dim], p)
				}
			}
			return sum
		}
		checkGradient(t, "x", x, gx, 0x1p-10, 2e-2, held)
		checkGradient(t, "y", y, gy, 0x1p-10, 2e-2, held)
		d, err := Sinkhorn{Reg: reg, P: p, Ground: PNorm}.Divergence(x, x, dim)
		if err != nil || math.Abs(d.Value) > 1e-6 {
			t.Errorf("p = %g: divergence from itself %v, %v", p, d, err)
		}
	}
}
