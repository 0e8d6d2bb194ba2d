package vmf

import "math"

// MaxKappa is the largest concentration accepted. Beyond it 1-omega is below the resolution of
// float64.
const MaxKappa = 1e15

// defined reports whether (d, kappa) names a distribution. If not, the functions of it return NaN.
func defined(d int, kappa float64) bool { return d >= 2 && kappa >= 0 && kappa <= MaxKappa }

// LogSurfaceArea is the logarithm of the surface of S^{d-1}, 2 pi^(d/2) / Gamma(d/2): also the
// entropy of the uniform distribution in nats, and -log C_d(0). NaN when d < 1.
func LogSurfaceArea(d int) float64 {
	if d < 1 {
		return math.NaN()
	}
	half := float64(d) / 2
	lgamma, _ := math.Lgamma(half)
	return math.Ln2 + half*math.Log(math.Pi) - lgamma
}

// LogNormalizer is log C_d(kappa), C_d(kappa) = kappa^(d/2-1) / ((2 pi)^(d/2) I_{d/2-1}(kappa)),
// the natural logarithm of the density's factor in front of exp(kappa mu.x). About -kappa for large
// kappa.
//
// Like all functions of (d, kappa) here it is NaN if d < 2 or if kappa is negative, NaN or above
// MaxKappa, and is accurate to 1e-10 relative (to the largest term, where the value itself passes
// through zero).
func LogNormalizer(d int, kappa float64) float64 {
	if !defined(d, kappa) {
		return math.NaN()
	}
	m, _ := logMean(d, kappa)
	return -LogSurfaceArea(d) - m
}

// MeanResultantLength is A_d(kappa) = E[mu.x] = I_{d/2}(kappa) / I_{d/2-1}(kappa), in [0, 1): the
// length of the mean vector. It is kappa/d + ... at 0 and 1 - (d-1)/(2 kappa) + ... at infinity;
// coth(kappa) - 1/kappa when d = 3.
func MeanResultantLength(d int, kappa float64) float64 {
	if !defined(d, kappa) {
		return math.NaN()
	}
	return besselRatio(d, kappa).mean
}

// MeanCos2 is E[(mu.x)^2] = 1 - (d-1) A_d(kappa)/kappa: 1/d at kappa = 0 and 1 at infinity.
func MeanCos2(d int, kappa float64) float64 {
	if !defined(d, kappa) {
		return math.NaN()
	}
	return besselRatio(d, kappa).cos2
}

// KLUniform is the Kullback-Leibler divergence from the uniform distribution,
// E[log f(x)] + log(surface) in nats: kappa A_d(kappa) + log C_d(kappa) - log C_d(0). It is zero at
// kappa = 0, kappa^2/(2d) + ... near it, and grows like (d-1)/2 log(kappa). It is computed without
// cancellation at both ends.
func KLUniform(d int, kappa float64) float64 {
	if !defined(d, kappa) {
		return math.NaN()
	}
	r := besselRatio(d, kappa)
	m, rest := logMean(d, kappa)
	if m < rest {
		return kappa*r.mean - m
	}
	return rest - kappa*r.gap
}

// Entropy is the differential entropy -E[log f(x)] on the sphere in nats,
// LogSurfaceArea(d) - KLUniform(d, kappa). It is negative for concentrated distributions.
func Entropy(d int, kappa float64) float64 { return LogSurfaceArea(d) - KLUniform(d, kappa) }
