package vmf

import (
	"math"
	"testing"
)

// TestFunkHecke: a_l is the mean of the Legendre polynomial of degree l under the distribution of
// omega, by Simpson's rule at d = 3, and the first two follow from the moments in every dimension.
func TestFunkHecke(t *testing.T) {
	const degree, n = 24, 200000
	for _, kappa := range []float64{0, 0.1, 1, 10, 100} {
		want, mass := make([]float64, degree+1), 0.0
		for i := 0; i <= n; i++ {
			w := -1 + 2*float64(i)/n
			weight := math.Exp(kappa*(w-1)) * float64(2+2*(i%2))
			if i == 0 || i == n {
				weight /= 2
			}
			mass += weight
			before, p := 0.0, 1.0
			for l := range want {
				want[l] += weight * p
				before, p = p, (float64(2*l+1)*w*p-float64(l)*before)/float64(l+1)
			}
		}
		got := FunkHecke(3, kappa, degree)
		for l := range want {
			if math.Abs(got[l]-want[l]/mass) > 1e-10 {
				t.Errorf("kappa %g: a_%d = %g, quadrature gives %g", kappa, l, got[l], want[l]/mass)
			}
		}
		for _, d := range []int{2, 3, 7} {
			a := FunkHecke(d, kappa, 2)
			// (d cos^2 - 1)/(d-1) is the zonal harmonic of degree 2.
			second := (float64(d)*MeanCos2(d, kappa) - 1) / float64(d-1)
			if a[0] != 1 || a[1] != MeanResultantLength(d, kappa) || math.Abs(a[2]-second) > 1e-12 {
				t.Errorf("d %d, kappa %g: %v, want 1, %g, %g", d, kappa, a, MeanResultantLength(d, kappa), second)
			}
		}
	}
}
