package metric

import (
	"fmt"
	"math"

	"github.com/sliced-wasserstein/lab/datasets"
)

// JSD is the Jensen-Shannon divergence, in bits, between the distributions of the points of two
// sets of clouds, all clouds of a set together:
//
//	JSD = H((P + Q)/2) - (H(P) + H(Q))/2, in [0, 1]
//
// P and Q are the fractions of points per cell (Cells). The cells belong to the points of norm at
// most 1/2 of a grid of 28^3 over [-1/2, 1/2]^3, faces included: 10,144. A point counts for the
// nearest cell, however far away. The grid is that of the released code (and of PointFlow, Yang et
// al. 2019), which uses clouds of radius 1: all that lies outside radius 1/2 collapses onto the
// outermost cells. scale = 1 gives that number; scale = 1/2 shrinks such clouds into the grid.
func JSD(generated, reference *datasets.Set, scale float64) (float64, error) {
	g, err := Cells(generated, scale)
	if err != nil {
		return 0, err
	}
	r, err := Cells(reference, scale)
	if err != nil {
		return 0, err
	}
	return divergence(g, r)
}

// divergence is the Jensen-Shannon divergence of two lists of counts.
func divergence(p, q []int) (float64, error) {
	total := func(v []int) float64 {
		n := 0
		for _, c := range v {
			n += c
		}
		return float64(n)
	}
	np, nq := total(p), total(q)
	if np == 0 || nq == 0 {
		return 0, fmt.Errorf("JSD: expected points in both sets, found %v and %v", np, nq)
	}
	// As the mean of two divergences from the mixture, without differences of large numbers.
	sum := 0.0
	for k := range p {
		a, b := float64(p[k])/np, float64(q[k])/nq
		for _, v := range []float64{a, b} {
			if v > 0 {
				sum += v / 2 * math.Log2(2*v/(a+b))
			}
		}
	}
	return min(max(sum, 0), 1), nil
}
