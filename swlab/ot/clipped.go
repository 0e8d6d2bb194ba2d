package ot

import (
	"math"
	"math/bits"
	"slices"
)

// proved reports whether the certificate leaves next to no doubt.
func (a *Assignment) proved() bool { return a.DualityGap <= proved*math.Abs(a.Cost) }

// solve solves for a matrix of finite costs whose sums fit into float64.
func (x *matrix) solve() (match []int32, v []float64) {
	v = slices.Clone(x.c[:x.m])
	for n, c := range x.c {
		v[n%x.m] = min(v[n%x.m], c)
	}
	s := newSolver(x, v)
	s.auction(newGuess(x, v, nil), 0.001)
	s.finish()
	return s.colOf, s.v
}

// assign solves for any matrix of finite costs and of +Inf, which forbids a pair. known is a
// matching that was found for it, or nil. The answer is nil if every matching has a forbidden pair
// or its cost is beyond float64.
//
// In float64, potentials as large as the largest cost lose what costs 1e16 times less. But for costs
// of at least 0 a pair that costs more than a known matching is in no optimal one, and potentials
// for min(c_ij, limit) are valid for c_ij too. So it solves again with the limit at twice the cost
// of the last matching as long as that halves the cost.
func (x *matrix) assign(known *Assignment) *Assignment {
	m := x.m
	largest := 0.0
	for _, c := range x.c {
		largest = max(largest, math.Abs(c))
	}
	if known == nil && !math.IsInf(4*largest*float64(m), 1) {
		match, v := x.solve()
		if known = certify(x, match, v); known.proved() {
			return known
		}
	}
	costs, half := x.c, 1.0
	if slices.Min(costs) < 0 {
		costs, half = fromLeast(costs, m), 0.5
	}
	limit := 0.0
	for _, c := range costs {
		if !math.IsInf(c, 1) {
			limit = max(limit, c)
		}
	}
	if limit == 0 {
		limit = 1 // of allowed pairs that cost nothing
	}
	room := 2 * float64(m) // a forbidden pair costs more than any matching without one
	clipped := &matrix{make([]float64, m*m), m}
	for last := math.Inf(1); ; {
		if known != nil {
			if limit = matched(costs, known.Match); limit > last/2 {
				return known
			}
			last, room, limit = limit, 2, max(limit, 0x1p-1000)
		}
		// The solver's sums stay within float64.
		_, exponent := math.Frexp(limit)
		scale := math.Ldexp(1, min(0, 1000-exponent-2*bits.Len(uint(m))))
		for n, c := range costs {
			clipped.c[n] = min(c*scale, limit*scale*room)
		}
		match, v := clipped.solve()
		for j := range v {
			v[j] /= scale * half
		}
		next := certify(x, match, v)
		switch {
		case math.IsInf(next.Cost, 0):
			return known
		case next.proved():
			return next
		case known == nil || next.DualityGap < known.DualityGap:
			known = next
		}
	}
}

// fromLeast is half of each cost's distance from the least one of its row: the whole may be beyond
// float64.
func fromLeast(costs []float64, m int) []float64 {
	out := slices.Clone(costs)
	for i := 0; i < len(out); i += m {
		row := out[i : i+m]
		if least := slices.Min(row); !math.IsInf(least, 1) {
			for j := range row {
				row[j] = row[j]/2 - least/2
			}
		}
	}
	return out
}

// matched is the cost of a matching.
func matched(costs []float64, match []int32) float64 {
	sum := 0.0
	for i, j := range match {
		sum += costs[i*len(match)+int(j)]
	}
	return sum
}
