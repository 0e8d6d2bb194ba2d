package vmf

import (
	"math"
	"math/rand/v2"
)

// WoodVariant selects the envelope of Wood's rejection.
type WoodVariant int

const (
	// PaperB is Wood's envelope at every concentration: draws are exactly von Mises-Fisher.
	PaperB WoodVariant = iota
	// ReleasedB is the released code: from kappa = 10 to 11 it changes linearly to b = (d-1)/(4
	// kappa). The envelope then no longer covers the density, so above kappa = 10 the draws are
	// only nearly von Mises-Fisher, the less so the larger d (at d = 10, kappa = 11, E[omega] =
	// 0.651 for 0.660).
	ReleasedB
)

// Wood holds the constants of Wood's rejection for the component along the location:
//
//	c  = sqrt(4 kappa^2 + (d-1)^2)
//	B  = (-2 kappa + c) / (d-1)
//	A  = ((d-1) + 2 kappa + c) / 4
//	M0 = 4 A B / (1+B) - (d-1) log(d-1)
//
// Source: Ulrich 1984, Wood 1994; the paper's algorithm "Sampling from vMF distribution".
type Wood struct {
	Dim   int
	Kappa float64
	A, B  float64
	M0    float64
}

// NewWood returns the constants for d >= 2 and kappa in [0, MaxKappa]; they are NaN otherwise.
func NewWood(d int, kappa float64, variant WoodVariant) Wood {
	if !defined(d, kappa) {
		nan := math.NaN()
		return Wood{Dim: d, Kappa: kappa, A: nan, B: nan, M0: nan}
	}
	n := float64(d - 1)
	c := math.Hypot(2*kappa, n)
	w := Wood{Dim: d, Kappa: kappa, A: (n + 2*kappa + c) / 4, B: n / (2*kappa + c)}
	if share := min(kappa-10, 1); variant == ReleasedB && share > 0 {
		w.B = n/(4*kappa)*share + w.B*(1-share)
	}
	w.M0 = 4*w.A*w.B/(1+w.B) - n*math.Log(n)
	return w
}

// Propose makes one proposal from psi, a draw of Beta((d-1)/2, (d-1)/2), and u, a uniform draw:
//
//	omega = (1-(1+B) psi) / (1-(1-B) psi),   t = 2 A B / (1-(1-B) psi),   logRatio = (d-1) log t - t + M0.
//
// The proposal is accepted when logRatio > log u.
func (w Wood) Propose(psi, u float64) (omega, logRatio float64, accept bool) {
	omega, _ = w.angle(psi)
	t := 2 * w.A * w.B / (1 - psi + w.B*psi)
	logRatio = float64(w.Dim-1)*math.Log(t) - t + w.M0
	return omega, logRatio, logRatio > math.Log(u)
}

// angle returns omega and sqrt(1-omega^2) of a proposal, from 1-omega = 2 B psi/q and 1+omega =
// 2(1-psi)/q, so that the second stays accurate where omega rounds to 1.
func (w Wood) angle(psi float64) (omega, sine float64) {
	q := 1 - psi + w.B*psi
	if gap := 2 * w.B * psi / q; gap < 1 {
		omega = 1 - gap
	} else {
		omega = 2*(1-psi)/q - 1
	}
	return omega, 2 * math.Sqrt(w.B*psi*(1-psi)) / q
}

// Draw runs the rejection until a proposal is accepted and returns its omega. On average it takes
// at most about 1.5 proposals. NaN if the constants are NaN or not from NewWood, and without a
// source.
func (w Wood) Draw(src *rand.Rand) float64 {
	omega, _ := w.draw(src)
	return omega
}

func (w Wood) draw(src *rand.Rand) (omega, sine float64) {
	if math.IsNaN(w.B) || w.Dim < 2 || src == nil {
		return math.NaN(), math.NaN()
	}
	for range 1 << 20 { // endless only for constants not from NewWood
		psi := symmetricBeta(src, w.Dim)
		if _, _, accept := w.Propose(psi, src.Float64()); accept {
			return w.angle(psi)
		}
	}
	return math.NaN(), math.NaN()
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
