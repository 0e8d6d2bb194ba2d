// Package ot computes optimal transport between whole clouds, without slicing, on the host: exact
// matchings of clouds of equally many points ([EMD], [Assign]) and entropic transport plans
// ([Sinkhorn], [Stabilised]). It is plain Go in float64.
//
// Clouds are row-major [points, dim]. The cost of moving x_i to y_j is c_ij = ||x_i - y_j||_2^p.
package ot

import (
	"errors"
	"fmt"
	"math"
)

// Assignment is an optimal matching of two clouds of m points with its certificate of optimality.
//
// By linear programming duality, if U[i] + V[j] <= c_ij for all i and j, no matching costs less
// than sum U + sum V. So the cost is within DualityGap + m Slack of the optimum for the costs c_ij
// in float64, however it was found.
type Assignment struct {
	Match []int32 // the y matched with each x
	Cost  float64 // sum_i c(x_i, y_Match[i]), a SUM over points
	U, V  []float64
	// DualityGap is Cost - sum U - sum V with every rounding in it and in Cost added, so it is 0
	// only if Cost is proved to be the optimum. It is about 1e-16 of the cost per point, and above
	// 1e-12 of the cost only if costs of both signs cancel or if no potentials in float64 prove more.
	DualityGap float64
	// Slack is the largest U[i] + V[j] - c_ij over all m^2 pairs, or 0. It is 0: U is rounded down.
	Slack float64

	ground Ground
}

// EMD matches the points of x with those of y at the least total cost sum_i ||x_i - y_s(i)||^p, x
// and y [m, dim], p > 0. p = 1 is m times the earth mover's distance between the clouds, p = 2 is m
// W_2^2.
//
// The search starts from the potentials of a problem eight times smaller (recursively), improves
// them by an auction with falling eps, and ends with shortest augmenting paths, which makes it
// exact. Rows search short lists of columns with a proved bound on all others, so few of the m^2
// costs are computed. Two different shapes of 2048 points in space take 0.1 to 0.25 s on one
// processor, a third to a fifth of a network simplex on the stored matrix; a cloud and its
// bootstrap take 0.1 s (BenchmarkEMD).
//
// The worst case is O(m^3), about 10 s for m = 2048: hundreds of copies of one point, or structure
// at very different scales. Points on one line take up to 2 s. Memory is O(m), but the m^2 costs
// are stored (8 bytes each) above eight dimensions and, up to m = 4096, in the worst cases.
func EMD(x, y []float32, dim int, p float64) (*Assignment, error) { return Euclidean.EMD(x, y, dim, p) }

// EMD is the function [EMD] with this ground cost. Unless that is Euclidean, it stores all m^2 costs.
func (g Ground) EMD(x, y []float32, dim int, p float64) (a *Assignment, err error) {
	m, k, err := checkSides("EMD", x, y, dim, p)
	if err != nil {
		return nil, err
	}
	if m != k {
		return nil, fmt.Errorf("EMD: expected two clouds of equally many points, found %d and %d", m, k)
	}
	euclidean := g.IsEuclidean(dim, p)
	if !euclidean || dim > searchedDims {
		if err := checkTable(m, m); err != nil {
			return nil, err
		}
	}
	if euclidean {
		a = euclideanEMD(x, y, dim, p)
	} else if a = (&matrix{g.costs(x, y, dim, p), m}).assign(nil); a != nil {
		a.ground = g
	}
	if a == nil {
		return nil, beyondFloat64("EMD", p)
	}
	return a, nil
}

// euclideanEMD is EMD on costs that are computed when they are needed; nil if they are beyond float64.
func euclideanEMD(x, y []float32, dim int, p float64) *Assignment {
	m := len(x) / dim
	xo, yo := treeOrder(x, dim), treeOrder(y, dim)
	c := newCloudCosts(gather(x, xo, dim), gather(y, yo, dim), dim, p)
	var a *Assignment
	if !math.IsInf(c.largest()*float64(m), 1) {
		start := c.coarse()
		var searched costs = c
		if dim > searchedDims {
			searched = c.stored()
		}
		s := newSolver(searched, start.v)
		s.auction(start, 0.02)
		s.finish()
		a = certify(searched, s.colOf, s.v)
	}
	if a == nil || !a.proved() {
		if a = c.stored().assign(a); a == nil {
			return nil
		}
	}
	out := &Assignment{Match: make([]int32, m), U: make([]float64, m), V: make([]float64, m), Cost: a.Cost,
		DualityGap: a.DualityGap, Slack: a.Slack}
	for i := range m {
		out.Match[xo[i]] = yo[a.Match[i]]
		out.U[xo[i]], out.V[yo[i]] = a.U[i], a.V[i]
	}
	return out
}

// Assign solves the linear assignment problem for given costs [m, m], row-major, which may be
// negative: Match[i] is the column of row i. +Inf forbids a pair; every finite number is a cost,
// however large. Method, certificate and worst case are those of [EMD], without the start from a
// smaller problem.
func Assign(cost []float64, m int) (*Assignment, error) {
	if m < 1 || len(cost) != m*m {
		return nil, fmt.Errorf("Assign: expected m >= 1 and m^2 costs, found m = %d and %d costs", m, len(cost))
	}
	for n, c := range cost {
		if math.IsNaN(c) || math.IsInf(c, -1) {
			return nil, fmt.Errorf(
				"Assign: the cost of row %d and column %d is %v, expected a finite number, or +Inf for a forbidden pair",
				n/m, n%m, c)
		}
	}
	a := (&matrix{cost, m}).assign(nil)
	if a == nil {
		return nil, errors.New("Assign: every matching has a forbidden pair or costs beyond float64")
	}
	return a, nil
}

// Gradient is the gradient of Cost in the points with the matching held fixed, [m, dim] each: p
// ||d||^(p-2) d for x_i, d = x_i - y_Match[i], and its negative for y_Match[i]. It is the gradient
// of the optimal cost wherever the optimal matching is unique. Where matched points coincide it is
// 0, which for p <= 1 is a choice. x, y, dim and p are those of [EMD].
func (a *Assignment) Gradient(x, y []float32, dim int, p float64) (gx, gy []float64) {
	gx, gy = make([]float64, len(x)), make([]float64, len(y))
	for i, j := range a.Match {
		at := int(j)
		a.ground.add(gx[i*dim:(i+1)*dim], gy[at*dim:(at+1)*dim], x[i*dim:(i+1)*dim], y[at*dim:(at+1)*dim], p, 1)
	}
	return gx, gy
}
