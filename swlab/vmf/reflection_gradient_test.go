package vmf

import (
	"math"
	"testing"
)

// TestPlaceGradientGolden: the gradients of the reference set, with and without the 1e-5.
func TestPlaceGradientGolden(t *testing.T) {
	g := golden(t)
	for refl, key := range map[Reflection]string{Released: "grad_loc", Exact: "grad_loc_exact"} {
		for k, kappa := range g["kappa"] {
			omega := make([]float64, 16)
			for i, u := range g["u"] {
				omega[i] = OmegaFromUniform(kappa, u)
			}
			for b := range 8 {
				got := PlaceGradient(g["loc"][3*b:3*b+3], omega, g["normals"], refl, g["coef"])
				want := g[key][(8*k+b)*3 : (8*k+b)*3+3]
				for i := range want {
					if math.Abs(got[i]-want[i]) > 1e-8*norm2(want) {
						t.Errorf("%v, kappa %g, location %d: %v, want %v", refl, kappa, b, got, want)
						break
					}
				}
			}
		}
	}
}

func TestPlaceGradientAtThePole(t *testing.T) {
	if got := PlaceGradient([]float64{1, 0, 0}, []float64{0.3}, []float64{1, 2}, Released,
		[]float64{1, 1, 1}); norm2(got) != 0 {
		t.Errorf("%v, expected 0", got)
	}
}
