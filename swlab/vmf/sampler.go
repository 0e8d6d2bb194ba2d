package vmf

import (
	"math"
	"math/rand/v2"
)

// OmegaFromUniform is the closed form of the component along the location when d = 3, the inverse
// of its distribution function at u in [0, 1):
//
//	omega = 1 + log(u + (1-u) exp(-2 kappa)) / kappa,   2u - 1 at kappa = 0.
//
// u = 0 gives -1. It holds for every kappa up to MaxKappa; NaN if u or kappa is out of range.
func OmegaFromUniform(kappa, u float64) float64 {
	omega, _ := angleFromUniform(kappa, u)
	return omega
}

// angleFromUniform returns omega and sqrt(1-omega^2) at d = 3.
func angleFromUniform(kappa, u float64) (omega, sine float64) {
	if !defined(3, kappa) || !(u >= 0 && u <= 1) {
		return math.NaN(), math.NaN()
	}
	return newClosedForm(kappa).at(u)
}

// closedForm is the inverse of the distribution function of omega at d = 3, through the distance to
// the nearer pole
//
//	1-omega = -log(u + (1-u) exp(-2 kappa)) / kappa   or   1+omega = log(1-u + u exp(2 kappa)) / kappa:
//
// one logarithm for a draw, and full precision at both poles.
type closedForm struct {
	kappa    float64
	middle   float64 // the distribution function at omega = 0
	least    float64 // exp(-2 kappa)
	down, up float64 // exp(-2 kappa) - 1, exp(2 kappa) - 1
}

func newClosedForm(kappa float64) closedForm {
	return closedForm{kappa, 1 / (1 + math.Exp(kappa)), math.Exp(-2 * kappa), math.Expm1(-2 * kappa),
		math.Expm1(2 * kappa)}
}

func (c closedForm) at(u float64) (omega, sine float64) {
	if u > c.middle {
		var below float64 // 1-omega
		switch {
		case c.kappa == 0:
			below = 2 * (1 - u)
		case c.kappa > 1 && u < 0.5: // the sum below is far from 1
			below = -math.Log(u+(1-u)*c.least) / c.kappa
		default:
			below = -math.Log1p((1-u)*c.down) / c.kappa
		}
		return 1 - below, math.Sqrt(below * (2 - below))
	}
	var above float64 // 1+omega
	switch {
	case c.kappa == 0:
		above = 2 * u
	case math.IsInf(c.up, 1):
		above = math.Max(0, logAddExp(math.Log1p(-u), math.Log(u)+2*c.kappa)/c.kappa)
	default:
		above = math.Log1p(u*c.up) / c.kappa
	}
	return above - 1, math.Sqrt(above * (2 - above))
}

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

// Uniform draws n independent uniform directions on S^{d-1}, as normals divided by their norm: n*d
// values, row i being direction i. Any d >= 1 (at d = 1 the sphere is the pair -1, 1).
func Uniform(src *rand.Rand, d, n int) []float64 {
	x := make([]float64, n*d)
	for i := 0; i < n; i++ {
		direction(src, x[i*d:(i+1)*d])
	}
	return x
}

// direction fills v with a uniform unit vector. It redraws vectors too short to be normalised.
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
