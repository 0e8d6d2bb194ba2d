// Package ot1d computes one-dimensional optimal transport between the projections of two clouds,
// inside a GoMLX graph.
//
// For a unit direction theta and clouds X, Y of m points, with a_(1) <= ... <= a_(m) the sorted
// theta'x_i and b_(i) the sorted theta'y_i, the optimal coupling matches equal ranks, and the cost
// is
//
//	F(theta; X, Y) = sum_i |a_(i) - b_(i)|^p  =  m W_p^p(theta#P_X, theta#P_Y)
//
// a SUM over points without root, as in the released code of Nguyen et al. 2023, which made the
// paper's tables. The mean W_p^p is an option, and the only choice for clouds of different sizes or
// with masses. HostCosts computes the same outside graphs.
package ot1d

import (
	"fmt"
	"slices"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/internal/loop"
	"github.com/sliced-wasserstein/lab/swlab/plain"
)

// MaxBitonicPoints is the largest cloud that the network sorts: beyond it, the point's index leaves
// a 32-bit key too few bits for values.
const MaxBitonicPoints = 8192

// Wrt says in which arguments a cost must be differentiable; its gradient in the others is zero.
type Wrt int

const (
	Y          Wrt = 1 << iota // the second cloud
	X                          // the first cloud
	Directions                 // the directions
	None       Wrt = 0
)

// Config configures Costs. The zero value is the squared cost, automatic sorting, no gradient.
type Config struct {
	P      float64   // the exponent p >= 1; 0 means 2
	Plain  plain.Set // Sort: exact sorting
	Wrt    Wrt
	Reduce Reduction // over points; 0: Sum

	// MassX and MassY are masses of the points, [batch, points], not negative and not all 0 (not
	// checked), divided by each cloud's sum; nil: equal. They have no gradient.
	MassX, MassY *graph.Node
}

// Costs returns F(theta_bl; X_b, Y_b) for every pair b and direction l, or W_p^p if o.Reduce is
// Mean. Clouds of different sizes or with masses need Mean; see quantile for its definition.
//
//	x, y        [batch, points, dim]  the clouds, of numbers of points of their own
//	directions  [batch, slices, dim]  unit vectors; they are used as given
//	result      [batch, slices]
//
// The gradient holds the two sorting permutations fixed, which is exact wherever no two projections
// of a cloud tie:
//
//	dF/dy_tau(i)  = -p |d_i|^(p-1) sign(d_i) theta,   d_i = a_(i) - b_(i)
//	dF/dtheta     =  p sum_i |d_i|^(p-1) sign(d_i) (x_pi(i) - y_tau(i))
//
// In float32 the largest coordinate should be between 1e-18 and 1e18, or the matching of a gradient
// in Y or X is wrong: its keys need squares of coordinates.
//
// As usual in GoMLX, Costs panics with the shapes if they do not agree.
func Costs(x, y, directions *graph.Node, o Config) *graph.Node {
	if o.P == 0 {
		o.P = 2
	}
	check(x, y, directions, o)
	if o.Wrt&X == 0 {
		x = graph.StopGradient(x)
	}
	if o.Wrt&Y == 0 {
		y = graph.StopGradient(y)
	}
	if o.Wrt&Directions == 0 {
		directions = graph.StopGradient(directions)
	}
	m, n := x.Shape().Dimensions[1], y.Shape().Dimensions[1]
	s := newSorter(x.Graph(), o.Plain, max(m, n))
	if m != n || o.MassX != nil || o.MassY != nil {
		return s.quantile(x, y, directions, o)
	}
	cost := s.equal(x, y, directions, o)
	if o.Reduce == Mean {
		cost = graph.DivScalar(cost, float64(m))
	}
	return cost
}

// equal is the sum over points of clouds of one size.
func (s sorter) equal(x, y, directions *graph.Node, o Config) *graph.Node {
	a, b := s.project(x, directions), s.project(y, directions)
	switch {
	case o.Wrt == None:
		sa, sb := s.values(graph.StopGradient(a), graph.StopGradient(b))
		return s.sum(power(graph.Sub(sb, sa), o.P))
	case o.Wrt == Y:
		// b is matched with the sorted a in b's own order: one expression gives value and gradient.
		sa, order := s.valuesAndOrder(graph.StopGradient(a), graph.StopGradient(b), spanOf(y, directions))
		return s.sum(power(graph.Sub(b, s.scatterBy(sa, order)), o.P))
	default:
		sa, oa, sb, ob := s.valuesAndOrders(graph.StopGradient(a), graph.StopGradient(b), spanOf(x, directions), spanOf(y, directions))
		matchB := s.scatterBy(sa, ob) // the a matched with every b
		matchA := s.scatterBy(sb, oa) // the b matched with every a
		cost := s.sum(power(graph.Sub(b, matchB), o.P))
		// The same value; it carries the gradient through a
		other := s.sum(power(graph.Sub(a, matchA), o.P))
		return graph.Add(cost, graph.Sub(other, graph.StopGradient(other)))
	}
}

// power is |d|^p with the gradient p |d|^(p-1) sign(d), 0 at d = 0.
func power(d *graph.Node, p float64) *graph.Node {
	switch p {
	case 1:
		return graph.Abs(d)
	case 2:
		return graph.Mul(d, d)
	}
	// The floor keeps the derivative of the power finite at 0 for p < 2; the factor
	// Abs(d)/max(Abs(d), tiny) is exact elsewhere.
	a := graph.Abs(d)
	safe := graph.MaxScalar(a, 1e-30)
	return graph.Mul(a, graph.PowScalar(safe, p-1))
}

func check(x, y, directions *graph.Node, o Config) {
	if o.P < 1 {
		panic(fmt.Errorf("ot1d: exponent p = %v, expected p >= 1", o.P))
	}
	xs, ys, ds := x.Shape(), y.Shape(), directions.Shape()
	if xs.Rank() != 3 || ys.Rank() != 3 || xs.DType != ys.DType || xs.Dimensions[0] != ys.Dimensions[0] || xs.Dimensions[2] != ys.Dimensions[2] {
		panic(fmt.Errorf("ot1d: expected two clouds [batch, points, dim] of one batch size and dimension, found %s and %s", xs, ys))
	}
	if ds.Rank() != 3 || ds.Dimensions[0] != xs.Dimensions[0] || ds.Dimensions[2] != xs.Dimensions[2] {
		panic(fmt.Errorf("ot1d: expected directions [%d, slices, %d], found %s", xs.Dimensions[0], xs.Dimensions[2], ds))
	}
	for _, c := range []struct{ mass, cloud *graph.Node }{{o.MassX, x}, {o.MassY, y}} {
		if d := c.cloud.Shape().Dimensions; c.mass != nil && !slices.Equal(c.mass.Shape().Dimensions, d[:2]) {
			panic(fmt.Errorf("ot1d: expected masses [%d, %d], found %s", d[0], d[1], c.mass.Shape()))
		}
	}
	if o.Reduce != Mean && (xs.Dimensions[1] != ys.Dimensions[1] || o.MassX != nil || o.MassY != nil) {
		panic(fmt.Errorf("ot1d: a sum over points needs clouds of one size without masses, found %d and %d points, with masses %t and %t; ask for Reduce: Mean", xs.Dimensions[1], ys.Dimensions[1], o.MassX != nil, o.MassY != nil))
	}
}

// sorter projects, sorts and undoes sorting along its axis: [batch, slices, points] for XLA's sort,
// which should sort the last axis, and [batch, points, slices] for the network, whose lanes are the
// slices.
type sorter struct {
	network bool
	loop    bool // the network is a loop over pairs, whose working set stays in the cache
	exact   bool // 64-bit keys
	axis    int
}

// newSorter uses a bitonic network of minima and maxima over all directions at once on CPUs, for up
// to MaxBitonicPoints points, else XLA's exact sort of (value, index) pairs.
//
// The network sorts values exactly. If an order is needed, a 32-bit key holds the projection in
// fixed point (32 - log2 m bits for the diameter of the cloud) and the index. Costs come from the
// exact values; only the match of points whose projections are closer than a step may differ. It is
// 2 to 4 times faster than XLA's sort on a CPU (BenchmarkCosts).
func newSorter(g *graph.Graph, off plain.Set, points int) sorter {
	switch {
	case !off.Has(plain.Sort) && loop.OnCPU(g) && points <= MaxBitonicPoints:
		return sorter{network: true, loop: loop.XLAOnCPU(g), axis: 1}
	case !loop.XLA(g): // The pure-Go backend's own sort is thousands of times slower than the network.
		return sorter{network: true, exact: true, axis: 1}
	}
	return sorter{axis: 2}
}

// project returns theta'x along the sorter's axis.
func (s sorter) project(x, directions *graph.Node) *graph.Node {
	if s.axis == 2 {
		return graph.Einsum("bmd,bld->blm", x, directions)
	}
	return graph.Einsum("bmd,bld->bml", x, directions)
}

// sum sums over the points.
func (s sorter) sum(c *graph.Node) *graph.Node { return graph.ReduceSum(c, s.axis) }

// values sorts both arrays.
func (s sorter) values(a, b *graph.Node) (sa, sb *graph.Node) {
	if !s.network {
		return graph.Sort(a, 2, true), graph.Sort(b, 2, true)
	}
	return s.pair(a, b)
}

// sorted sorts one array.
func (s sorter) sorted(x *graph.Node) *graph.Node {
	switch slices := x.Shape().Dimensions[2]; {
	case !s.network:
		return graph.Sort(x, 2, true)
	case !s.loop:
		return wholeSort(x)
	case slices == 1:
		return tableSort(x)[0]
	default:
		half := func(from, to int) *graph.Node { return graph.SliceAxis(x, 2, graph.AxisRange(from, to)) }
		return graph.Concatenate(tableSort(half(0, slices/2), half(slices/2, slices)), 2)
	}
}

// valuesAndOrder sorts a and returns the order that sorts b (int32).
func (s sorter) valuesAndOrder(a, b *graph.Node, spanB span) (sa, order *graph.Node) {
	if !s.network {
		_, order = sortedOrder(b)
		return graph.Sort(a, 2, true), order
	}
	sa, k := s.pair(a, s.keys(b, spanB))
	return sa, s.index(k)
}

// orders returns the orders that sort a and b (int32).
func (s sorter) orders(a, b *graph.Node, spanA, spanB span) (oa, ob *graph.Node) {
	if !s.network {
		_, oa = sortedOrder(a)
		_, ob = sortedOrder(b)
		return oa, ob
	}
	ka, kb := s.pair(s.keys(a, spanA), s.keys(b, spanB))
	return s.index(ka), s.index(kb)
}

// valuesAndOrders sorts a and b and returns the orders that do (int32). The network's keys hold the
// values only roughly.
func (s sorter) valuesAndOrders(a, b *graph.Node, spanA, spanB span) (sa, oa, sb, ob *graph.Node) {
	if !s.network {
		sa, oa = sortedOrder(a)
		sb, ob = sortedOrder(b)
		return sa, oa, sb, ob
	}
	oa, ob = s.orders(a, b, spanA, spanB)
	return s.take(a, oa), oa, s.take(b, ob), ob
}
