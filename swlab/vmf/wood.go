package vmf

import (
	"math"
	"math/rand/v2"
)

// wood holds the constants of Wood's rejection for the component along the location:
//
//	c  = sqrt(4 kappa^2 + (d-1)^2)
//	b  = (-2 kappa + c) / (d-1)
//	a  = ((d-1) + 2 kappa + c) / 4
//	m0 = 4 a b / (1+b) - (d-1) log(d-1)
//
// Source: Ulrich 1984, Wood 1994; the paper's algorithm "Sampling from vMF distribution".
type wood struct {
	dim      int
	a, b, m0 float64
}

// newWood returns the constants for d >= 2 and kappa in [0, MaxKappa].
func newWood(d int, kappa float64) wood {
	n := float64(d - 1)
	c := math.Hypot(2*kappa, n)
	w := wood{dim: d, a: (n + 2*kappa + c) / 4, b: n / (2*kappa + c)}
	w.m0 = 4*w.a*w.b/(1+w.b) - n*math.Log(n)
	return w
}

// propose makes one proposal from psi, a draw of Beta((d-1)/2, (d-1)/2), and u, a uniform draw:
//
//	omega = (1-(1+b) psi) / (1-(1-b) psi),   t = 2 a b / (1-(1-b) psi),   logRatio = (d-1) log t - t + m0.
//
// The proposal is accepted when logRatio > log u.
func (w wood) propose(psi, u float64) (omega, logRatio float64, accept bool) {
	omega, _ = w.angle(psi)
	t := 2 * w.a * w.b / (1 - psi + w.b*psi)
	logRatio = float64(w.dim-1)*math.Log(t) - t + w.m0
	return omega, logRatio, logRatio > math.Log(u)
}

// angle returns omega and sqrt(1-omega^2) of a proposal, from 1-omega = 2 b psi/q and 1+omega =
// 2(1-psi)/q, so that the second stays accurate where omega rounds to 1.
func (w wood) angle(psi float64) (omega, sine float64) {
	q := 1 - psi + w.b*psi
	if gap := 2 * w.b * psi / q; gap < 1 {
		omega = 1 - gap
	} else {
		omega = 2*(1-psi)/q - 1
	}
	return omega, 2 * math.Sqrt(w.b*psi*(1-psi)) / q
}

// draw runs the rejection until a proposal is accepted. On average it takes at most about 1.5
// proposals.
func (w wood) draw(src *rand.Rand) (omega, sine float64) {
	for {
		psi := symmetricBeta(src, w.dim)
		if _, _, accept := w.propose(psi, src.Float64()); accept {
			return w.angle(psi)
		}
	}
}

// symmetricBeta draws from Beta((d-1)/2, (d-1)/2) by Ulrich's formula for symmetric beta
// distributions with parameter a >= 1/2, 1/2 + cos(2 pi v) sqrt(1 - u^(2/(2a-1))) / 2 (Devroye,
// Non-Uniform Random Variate Generation, IX.3.6). At d = 2 the exponent is infinite and the draw is
// of the arcsine distribution.
func symmetricBeta(src *rand.Rand, d int) float64 {
	v := src.Float64()
	if d == 2 {
		return betaFromUniform(d, v, 0)
	}
	return betaFromUniform(d, v, src.Float64())
}

// betaFromUniform is the formula of symmetricBeta with u = 1-w, for v and w in [0, 1).
func betaFromUniform(d int, v, w float64) float64 {
	cos := math.Cos(2 * math.Pi * v)
	if d == 2 {
		return (1 - cos) / 2
	}
	// 1 - u^(2/(d-2)) without cancellation at large d.
	radius2 := -math.Expm1(math.Log1p(-w) * 2 / float64(d-2))
	return (1 - cos*math.Sqrt(radius2)) / 2
}
