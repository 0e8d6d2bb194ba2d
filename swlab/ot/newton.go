package ot

import "math"

const (
	plainRounds = 30    // before the first Newton step, and the number it must save
	stepLimit   = 5     // largest change of a logarithm in one step
	flat        = 1e-12 // curvature, relative to that of unconnected columns, that counts as rounding
)

// converge iterates until the error is at most tolerance or there have been limit passes over the
// kernel in all, and absorbs.
//
// If plain iterations would take long, it maximises the concave phi(g) = sum a f(g) + sum b g, f
// the rows' answer to g, by Newton's method. With the plan P and its column sums s, d phi = b - s
// and -Reg d^2 phi = diag(s) - P' diag(1/a) P, which it solves for by conjugate gradients, at one
// pass over the kernel each.
func (s *scaling) converge(limit int, tolerance float64) {
	for s.rounds < limit {
		start := s.error()
		n := 0
		for ; n < plainRounds && s.rounds < limit && s.error() > tolerance; n++ {
			s.advance()
		}
		end := s.error()
		if !(end > tolerance) {
			break
		}
		if perRound := math.Log(start/end) / float64(n); perRound*plainRounds > math.Log(end/tolerance) {
			continue
		}
		for s.rounds < limit && s.error() > tolerance && s.newton(limit, tolerance) {
		}
	}
	s.absorb()
}

// newton is one step. false: no step along the direction improved.
func (s *scaling) newton(limit int, tolerance float64) bool {
	before, mass := s.error(), 0.0
	for _, w := range s.a {
		mass += w
	}
	step := s.direction(limit, min(0.1, math.Sqrt(before/mass)), tolerance)
	slope, largest := 0.0, 0.0
	for j, d := range step {
		slope += d * (s.b[j] - s.v[j]*s.column[j])
		largest = max(largest, math.Abs(d))
	}
	if !(slope > 0) || math.IsInf(slope, 0) {
		return false
	}
	v := make([]float64, len(s.v))
	first := min(1, stepLimit/largest)
	for t := first; t > 1e-3*first && s.rounds < limit; t /= 3 {
		for j, d := range step {
			v[j] = s.v[j] * math.Exp(t*d)
		}
		oldU, oldV, oldColumn := s.u, s.v, s.column
		if !s.follow(v) {
			s.restart()
			return true
		}
		gain := 0.0
		for i, w := range s.a {
			gain += w * math.Log(s.u[i]/oldU[i])
		}
		for j, w := range s.b {
			gain += w * math.Log(s.v[j]/oldV[j])
		}
		if gain >= 1e-4*t*slope || s.error() <= before/2 { // the second if the gain is below rounding
			return true
		}
		s.u, s.v, s.column = oldU, oldV, oldColumn
		v = make([]float64, len(s.v))
	}
	return false
}

// direction solves (diag(column sums) - P' diag(1/a) P) d = b - column sums by conjugate gradients,
// preconditioned with the diagonal, until the residual has shrunk to the fraction part (but not far
// below tolerance). d is in units of Reg.
func (s *scaling) direction(limit int, part, tolerance float64) []float64 {
	k := len(s.b)
	diagonal, residual, d, p := make([]float64, k), make([]float64, k), make([]float64, k), make([]float64, k)
	scaled, product, u := make([]float64, k), make([]float64, k), make([]float64, len(s.a))
	rho, norm := 0.0, 0.0
	for j := range k {
		diagonal[j] = s.v[j] * s.column[j]
		residual[j] = s.b[j] - diagonal[j]
		p[j] = residual[j] / diagonal[j]
		rho += residual[j] * p[j]
		norm += math.Abs(residual[j])
	}
	for stop := max(part*norm, tolerance/10); norm > stop && s.rounds < limit; {
		for j := range k {
			scaled[j] = s.v[j] * p[j]
		}
		s.kernel.round(scaled, u, product, func(i int, sum float64) float64 { return s.u[i] * s.u[i] * sum / s.a[i] })
		s.rounds++
		curvature := 0.0
		for j := range k {
			product[j] = diagonal[j]*p[j] - s.v[j]*product[j]
			curvature += p[j] * product[j]
		}
		if !(curvature > flat*rho) { // parts of the clouds that the plan does not connect: step as far as allowed
			for j := range k {
				d[j] += p[j] / flat
			}
			break
		}
		alpha, next := rho/curvature, 0.0
		norm = 0
		for j := range k {
			d[j] += alpha * p[j]
			residual[j] -= alpha * product[j]
			next += residual[j] * residual[j] / diagonal[j]
			norm += math.Abs(residual[j])
		}
		for j := range k {
			p[j] = residual[j]/diagonal[j] + next/rho*p[j]
		}
		rho = next
	}
	return d
}
