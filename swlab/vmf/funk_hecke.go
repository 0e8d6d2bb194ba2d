package vmf

// FunkHecke returns the factors a_0 = 1, a_1, ..., a_degree by which the vMF kernel multiplies
// spherical harmonics (the Funk-Hecke theorem): for a harmonic Y of degree l on S^{d-1},
//
//	E_{x ~ vMF(mu, kappa)}[Y(x)] = a_l Y(mu),   a_l = I_{l+d/2-1}(kappa) / I_{d/2-1}(kappa) = A_d A_{d+2} ... A_{d+2(l-1)}
//
// with A_d = MeanResultantLength(d, kappa). They fall with l, beyond l = sqrt(kappa) faster than
// any power: at d = 3, kappa = 1 they are 1, 0.313, 0.0609, 0.00856, 0.00094. From a_1 on they are
// NaN if (d, kappa) names no distribution.
func FunkHecke(d int, kappa float64, degree int) []float64 {
	a := make([]float64, degree+1)
	a[0] = 1
	for l := 1; l <= degree; l++ {
		a[l] = a[l-1] * MeanResultantLength(d+2*(l-1), kappa)
	}
	return a
}
