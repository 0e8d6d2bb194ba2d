package vmf

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
)

func TestOmegaFromUniform(t *testing.T) {
	g := golden(t)
	var got []float64
	for _, kappa := range g["kappa"] {
		for _, u := range g["u"] {
			got = append(got, OmegaFromUniform(kappa, u))
		}
	}
	graphtest.Close(t, "omega", got, g["omega"], 1e-12)
	if w := OmegaFromUniform(1, 0.25); math.Abs(w+0.04554141) > 5e-9 { // K2
		t.Errorf("omega(kappa 1, u 0.25) = %.9f", w)
	}
	for _, kappa := range []float64{0, 1e-300, 1e-12, 0.5, 1, 1 + 1e-12, 30, 400, 5000, 1e6, MaxKappa} {
		last := -1.0
		for i := 0; i <= 64; i++ {
			w, sine := angleFromUniform(kappa, float64(i)/64)
			if !(w >= last && w <= 1) || math.Abs(w*w+sine*sine-1) > 1e-14 {
				t.Fatalf("kappa=%g u=%d/64: omega %.17g after %.17g, sine %g", kappa, i, w, last, sine)
			}
			last = w
		}
		if w := OmegaFromUniform(kappa, 0); w != -1 {
			t.Errorf("kappa=%g: omega(0) = %.17g, want -1", kappa, w)
		}
	}
	for _, bad := range [][2]float64{{-1, 0.5}, {1, -0.1}, {1, 1.1}, {math.NaN(), 0.5}, {1, math.NaN()}} {
		if w := OmegaFromUniform(bad[0], bad[1]); !math.IsNaN(w) {
			t.Errorf("OmegaFromUniform(%g, %g) = %g, want NaN", bad[0], bad[1], w)
		}
	}
}

func TestUniform(t *testing.T) {
	const n = 20_000
	for _, d := range []int{2, 3, 6} {
		x := Uniform(rand.New(rand.NewPCG(41, 42)), d, n)
		check := func(what string, x, axis []float64) {
			along := make([]float64, n)
			for l := range along {
				row := x[l*d : (l+1)*d]
				if math.Abs(norm2(row)-1) > 1e-14 {
					t.Fatalf("direction %v is not a unit vector", row)
				}
				for i, v := range row {
					along[l] += v * axis[i]
				}
				along[l] = math.Max(-1, math.Min(1, along[l]))
			}
			if ks := kolmogorov(along, omegaCDF(d, 0)); ks > 1.95 {
				t.Errorf("d=%d, %s: statistic %.2f", d, what, ks)
			}
		}
		axis := somewhere(d, 5)
		check("uniform", x, axis)
		// vMF at kappa = 0 is this distribution, whatever its location.
		at0 := must.M1(New(axis, 0)).Rand(rand.New(rand.NewPCG(43, 44)), n)
		check("kappa 0", at0, somewhere(d, 6))
	}
	for _, v := range Uniform(rand.New(rand.NewPCG(1, 1)), 1, 20) {
		if v != 1 && v != -1 {
			t.Errorf("d=1: %g", v)
		}
	}
}
