package vmf

import (
	"math"
	"math/rand/v2"
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

// TestPlaceGradientDifferences: central differences in other dimensions and for all reflections.
func TestPlaceGradientDifferences(t *testing.T) {
	src := rand.New(rand.NewPCG(5, 6))
	for _, d := range []int{2, 3, 5} {
		for _, refl := range []Reflection{Released, Exact, Stable} {
			const n, step = 7, 1e-6
			location, omega := Uniform(src, d, 1), omegas(src, d, 2, n)
			normals, g := make([]float64, n*(d-1)), make([]float64, n*d)
			for i := range normals {
				normals[i] = src.NormFloat64()
			}
			for i := range g {
				g[i] = src.NormFloat64()
			}
			loss := func(i int, by float64) (sum float64) {
				moved := append([]float64(nil), location...)
				moved[i] += by
				x := Place(moved, omega, normals, refl)
				for k, v := range x {
					sum += g[k] * v
				}
				return sum
			}
			got := PlaceGradient(location, omega, normals, refl, g)
			for i := range got {
				if want := (loss(i, step) - loss(i, -step)) / (2 * step); math.Abs(got[i]-want) > 1e-6*(1+math.Abs(want)) {
					t.Errorf("d %d, %v, coordinate %d: %g, differences give %g", d, refl, i, got[i], want)
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
