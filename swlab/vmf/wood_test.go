package vmf

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
)

// K3.
func TestWoodKnownConstants(t *testing.T) {
	for _, c := range []struct {
		d        int
		b, a, m0 float64
	}{{3, 0.41421356, 1.70710678, 0.61370564}, {5, 0.61803399, 2.61803399, -1.54517744}} {
		w := NewWood(c.d, 1, PaperB)
		if math.Abs(w.B-c.b) > 1e-8 || math.Abs(w.A-c.a) > 1e-8 || math.Abs(w.M0-c.m0) > 1e-8 {
			t.Errorf("d=%d: %+v, want %+v", c.d, w, c)
		}
	}
}

func TestWoodGolden(t *testing.T) {
	g := golden(t)
	var bTrue, b, a, m0, omega, ratio, accept []float64
	row := 0
	for _, d := range g["dims"] {
		for _, kappa := range g["kappa"] {
			coded := NewWood(int(d), kappa, ReleasedB)
			bTrue = append(bTrue, NewWood(int(d), kappa, PaperB).B)
			b, a, m0 = append(b, coded.B), append(a, coded.A), append(m0, coded.M0)
			for i := 32 * row; i < 32*(row+1); i++ {
				w, r, ok := coded.Propose(g["rej_psi"][i], g["rej_u"][i])
				omega, ratio = append(omega, w), append(ratio, r)
				accept = append(accept, map[bool]float64{true: 1}[ok])
			}
			row++
		}
	}
	graphtest.Close(t, "rej_b_true", bTrue, g["rej_b_true"], 1e-12)
	graphtest.Close(t, "rej_b", b, g["rej_b"], 1e-12)
	graphtest.Close(t, "rej_a", a, g["rej_a"], 1e-12)
	graphtest.Close(t, "rej_m0", m0, g["rej_m0"], 1e-10)
	graphtest.Close(t, "rej_omega", omega, g["rej_omega"], 1e-10)
	graphtest.Close(t, "rej_log_ratio", ratio, g["rej_log_ratio"], 1e-10)
	graphtest.Close(t, "rej_accept", accept, g["rej_accept"], 0)
}

// With the true envelope 4ab/(1+b) = d-1 and the log ratio is never positive: the envelope covers the density.
func TestWoodEnvelopeCovers(t *testing.T) {
	for _, d := range []int{2, 3, 5, 10, 100} {
		for _, kappa := range []float64{0, 1e-6, 0.1, 1, 10, 10.5, 100, 1e6} {
			w := NewWood(d, kappa, PaperB)
			n := float64(d - 1)
			if relative(4*w.A*w.B/(1+w.B), n, 0) > 1e-14 {
				t.Errorf("d=%d kappa=%g: 4ab/(1+b) = %g, want %g", d, kappa, 4*w.A*w.B/(1+w.B), n)
			}
			for i := 0; i <= 1000; i++ {
				omega, ratio, _ := w.Propose(float64(i)/1000, 0.5)
				if ratio > 1e-12*n*(1+math.Log(n)) || !(omega >= -1 && omega <= 1) {
					t.Fatalf("d=%d kappa=%g psi=%g: omega %g, log ratio %g", d, kappa, float64(i)/1000, omega, ratio)
				}
			}
		}
	}
	covers := true
	coded := NewWood(10, 11, ReleasedB)
	for i := 0; i <= 1000; i++ {
		_, ratio, _ := coded.Propose(float64(i)/1000, 0.5)
		covers = covers && ratio <= 0
	}
	if covers {
		t.Error("the released envelope at d = 10, kappa = 11 covers the density; its log ratio should exceed 0 somewhere")
	}
}

// The released blend draws from another distribution above kappa = 10; up to there the variants are the same.
func TestCodedBlendBias(t *testing.T) {
	if a, b := NewWood(10, 10, PaperB), NewWood(10, 10, ReleasedB); a != b {
		t.Errorf("the variants differ at kappa 10: %+v, %+v", a, b)
	}
	const n = 100_000
	for _, c := range []struct {
		variant WoodVariant
		mean    float64
	}{{PaperB, 0.6600}, {ReleasedB, 0.6509}} {
		w := NewWood(10, 11, c.variant)
		src := rand.New(rand.NewPCG(3, 4))
		sum := 0.0
		for i := 0; i < n; i++ {
			sum += w.Draw(src)
		}
		if mean := sum / n; math.Abs(mean-c.mean) > 0.0025 {
			t.Errorf("variant %d: mean of omega %.4f, want %.4f", c.variant, mean, c.mean)
		}
	}
}

func TestWoodOutsideItsRange(t *testing.T) {
	src := rand.New(rand.NewPCG(1, 1))
	for _, w := range []Wood{NewWood(1, 1, PaperB), NewWood(3, -1, PaperB), NewWood(3, math.NaN(), ReleasedB)} {
		if !math.IsNaN(w.A) || !math.IsNaN(w.B) || !math.IsNaN(w.M0) || !math.IsNaN(w.Draw(src)) {
			t.Errorf("%+v: want NaN constants and draws", w)
		}
	}
}
