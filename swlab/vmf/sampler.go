package vmf

import (
	"math"
	"math/rand/v2"
)

// OmegaFromUniform is the closed form of the component along the location when d = 3, the inverse of its
// distribution function at u in [0, 1):
//
//	omega = 1 + log(u + (1-u) exp(-2 kappa)) / kappa,   2u - 1 at kappa = 0.
//
// It takes u = 0 to -1 and holds for every kappa up to MaxKappa; NaN when u or kappa is outside its range.
func OmegaFromUniform(kappa, u float64) float64 {
	omega, _ := angleFromUniform(kappa, u)
	return omega
}

// angleFromUniform returns omega and sqrt(1-omega^2) at d = 3, through the two distances to the poles
//
//	1-omega = -log(u + (1-u) exp(-2 kappa)) / kappa,   1+omega = log(1-u + u exp(2 kappa)) / kappa.
func angleFromUniform(kappa, u float64) (omega, sine float64) {
	if !defined(3, kappa) || !(u >= 0 && u <= 1) {
		return math.NaN(), math.NaN()
	}
	var below, above float64 // 1-omega, 1+omega
	switch {
	case kappa == 0:
		below, above = 2*(1-u), 2*u
	case kappa <= closedFormSwitch:
		below = -math.Log1p((1-u)*math.Expm1(-2*kappa)) / kappa
		above = math.Log1p(u*math.Expm1(2*kappa)) / kappa
	default:
		below = -logAddExp(math.Log(u), math.Log1p(-u)-2*kappa) / kappa
		above = logAddExp(math.Log1p(-u), math.Log(u)+2*kappa) / kappa
	}
	below, above = math.Max(below, 0), math.Max(above, 0)
	if below < 1 {
		omega = 1 - below
	} else {
		omega = above - 1
	}
	return omega, math.Sqrt(below * above)
}

// closedFormSwitch is the concentration up to which the closed form is written with log(1+x), precise for small
// kappa, and above which it is a log-sum-exp, which cannot overflow.
const closedFormSwitch = 1.0

// logAddExp is log(exp(a) + exp(b)); either may be -Inf.
func logAddExp(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if math.IsInf(b, -1) {
		return a
	}
	return a + math.Log1p(math.Exp(b-a))
}

// Omega draws n independent components along the location, omega = mu.x, of the law with dimension d and
// concentration kappa: by the closed form at d = 3, by Wood's rejection with the true envelope otherwise. They do not
// depend on the location; give them to FromOmega or Place. The values are NaN when d < 2 or kappa is outside
// [0, MaxKappa]; the slice is nil when n < 1.
func Omega(src *rand.Rand, d int, kappa float64, n int) []float64 {
	if n < 1 {
		return nil
	}
	omega := make([]float64, n)
	draw := angleSource(src, d, kappa)
	for i := range omega {
		omega[i], _ = draw()
	}
	return omega
}

// angleSource returns a function that draws (omega, sqrt(1-omega^2)).
func angleSource(src *rand.Rand, d int, kappa float64) func() (omega, sine float64) {
	if d == 3 {
		return func() (omega, sine float64) { return angleFromUniform(kappa, src.Float64()) }
	}
	wood := NewWood(d, kappa, TrueB)
	return func() (omega, sine float64) { return wood.draw(src) }
}

// Uniform draws n independent directions from the uniform law on S^{d-1}, as normals divided by their norm:
// n*d values, row i being direction i. Any d >= 1 (at d = 1 the sphere is the pair -1, 1); nil when d or n is below 1.
func Uniform(src *rand.Rand, d, n int) []float64 {
	if d < 1 || n < 1 {
		return nil
	}
	x := make([]float64, n*d)
	for i := 0; i < n; i++ {
		direction(src, x[i*d:(i+1)*d])
	}
	return x
}

// direction fills v with a uniform unit vector. A draw too short to be divided by its norm is drawn again.
func direction(src *rand.Rand, v []float64) {
	for {
		sum := 0.0
		for i := range v {
			v[i] = src.NormFloat64()
			sum += v[i] * v[i]
		}
		if sum > tinySquare {
			norm := math.Sqrt(sum)
			for i := range v {
				v[i] /= norm
			}
			return
		}
	}
}
