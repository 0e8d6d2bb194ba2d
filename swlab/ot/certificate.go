package ot

import (
	"math"
	"math/big"

	"github.com/sliced-wasserstein/lab/swlab/internal/parallel"
)

// proved is how far above the optimum, relative to the cost, a matching may be by its certificate.
const proved = 1e-12

// certify computes the potentials of the rows, the largest with u_i + v_j <= c_ij for all j, and
// bounds the distance of the matching from the optimum. Every rounding is counted: it lowers a
// potential or raises the gap.
func certify(c costs, match []int32, v []float64) *Assignment {
	m := len(match)
	a := &Assignment{Match: match, V: v, U: make([]float64, m)}
	parallel.Pieces(m, 16, func(from, to int) {
		for i := from; i < to; i++ {
			u := differenceBelow(c.at(i, int(match[i])), v[match[i]])
			lowest := u
			c.violations(i, u, v, func(j int, cost float64) { lowest = min(lowest, differenceBelow(cost, v[j])) })
			a.U[i] = lowest
		}
	})
	a.Cost, a.DualityGap = total(m, func(i int) float64 { return c.at(i, int(match[i])) })
	for i, j := range match {
		// cost - v - u is a sum of four numbers without rounding.
		difference, low := twoSum(c.at(i, int(j)), -v[j])
		rest, lower := twoSum(difference, -a.U[i])
		a.DualityGap = sumAbove(a.DualityGap, sumAbove(sumAbove(rest, lower), low))
	}
	if math.IsNaN(a.DualityGap) {
		a.DualityGap = math.Inf(1) // the differences are beyond float64
	}
	return a
}

// total is the sum of n costs and a bound on its rounding. Where a plain sum loses digits to
// costs that cancel, it sums exactly and rounds once.
func total(n int, cost func(i int) float64) (sum, rounding float64) {
	for i := range n {
		s, e := twoSum(sum, cost(i))
		sum, rounding = s, sumAbove(rounding, math.Abs(e))
	}
	if rounding <= proved/16*math.Abs(sum) || math.IsInf(sum, 0) {
		return sum, rounding
	}
	exact := new(big.Float).SetPrec(wide)
	for i := range n {
		exact.Add(exact, new(big.Float).SetFloat64(cost(i)))
	}
	sum, _ = exact.Float64()
	rounding, _ = exact.Sub(exact, new(big.Float).SetFloat64(sum)).Float64()
	return sum, math.Nextafter(math.Abs(rounding), math.Abs(rounding)*2)
}

// wide is a precision in bits that holds every sum of float64 numbers.
const wide = 2300

// twoSum is a + b as a rounded sum and its rounding error (Knuth).
func twoSum(a, b float64) (sum, err float64) {
	sum = a + b
	back := sum - a
	return sum, (a - (sum - back)) + (b - back)
}

// sumAbove is a + b, rounded up.
func sumAbove(a, b float64) float64 {
	sum, err := twoSum(a, b)
	if err > 0 {
		return math.Nextafter(sum, math.Inf(1))
	}
	return sum
}

// differenceBelow is a - b, rounded down.
func differenceBelow(a, b float64) float64 {
	difference, err := twoSum(a, -b)
	switch {
	case math.IsInf(difference, 1) && !math.IsInf(a, 1):
		return math.MaxFloat64
	case err < 0:
		return math.Nextafter(difference, math.Inf(-1))
	}
	return difference
}
