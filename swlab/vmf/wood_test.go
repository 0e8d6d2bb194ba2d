package vmf

import (
	"math"
	"testing"

	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
)

// K3.
func TestWoodKnownConstants(t *testing.T) {
	for _, c := range []struct {
		d        int
		b, a, m0 float64
	}{{3, 0.41421356, 1.70710678, 0.61370564}, {5, 0.61803399, 2.61803399, -1.54517744}} {
		w := newWood(c.d, 1)
		if math.Abs(w.b-c.b) > 1e-8 || math.Abs(w.a-c.a) > 1e-8 || math.Abs(w.m0-c.m0) > 1e-8 {
			t.Errorf("d=%d: %+v, want %+v", c.d, w, c)
		}
	}
}

// The reference has the released envelope, which up to kappa = 10 is this one.
func TestWoodGolden(t *testing.T) {
	g := golden(t)
	var bTrue []float64
	columns := []string{"rej_a", "rej_m0", "rej_omega", "rej_log_ratio", "rej_accept"}
	got, want := map[string][]float64{}, map[string][]float64{}
	row := 0
	for _, d := range g["dims"] {
		for _, kappa := range g["kappa"] {
			w := newWood(int(d), kappa)
			bTrue = append(bTrue, w.b)
			if kappa <= 10 {
				got["rej_a"], got["rej_m0"] = append(got["rej_a"], w.a), append(got["rej_m0"], w.m0)
				for i := 32 * row; i < 32*(row+1); i++ {
					omega, ratio, ok := w.propose(g["rej_psi"][i], g["rej_u"][i])
					got["rej_omega"], got["rej_log_ratio"] = append(got["rej_omega"], omega), append(got["rej_log_ratio"], ratio)
					got["rej_accept"] = append(got["rej_accept"], map[bool]float64{true: 1}[ok])
				}
				for _, name := range columns {
					per := len(g[name]) / len(g["rej_b"])
					want[name] = append(want[name], g[name][row*per:(row+1)*per]...)
				}
			}
			row++
		}
	}
	graphtest.Close(t, "rej_b_true", bTrue, g["rej_b_true"], 1e-12)
	for _, name := range columns {
		graphtest.Close(t, name, got[name], want[name], 1e-10)
	}
}

// With the true envelope 4ab/(1+b) = d-1 and the log ratio is never positive: the envelope covers the density.
func TestWoodEnvelopeCovers(t *testing.T) {
	for _, d := range []int{2, 3, 5, 10, 100} {
		for _, kappa := range []float64{0, 1e-6, 0.1, 1, 10, 10.5, 100, 1e6} {
			w := newWood(d, kappa)
			n := float64(d - 1)
			if relative(4*w.a*w.b/(1+w.b), n, 0) > 1e-14 {
				t.Errorf("d=%d kappa=%g: 4ab/(1+b) = %g, want %g", d, kappa, 4*w.a*w.b/(1+w.b), n)
			}
			for i := 0; i <= 1000; i++ {
				omega, ratio, _ := w.propose(float64(i)/1000, 0.5)
				if ratio > 1e-12*n*(1+math.Log(n)) || !(omega >= -1 && omega <= 1) {
					t.Fatalf("d=%d kappa=%g psi=%g: omega %g, log ratio %g", d, kappa, float64(i)/1000, omega, ratio)
				}
			}
		}
	}
}
