package ot1d

import (
	"cmp"
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/internal/loop"
)

// Wrt says in which arguments a cost must be differentiable; its gradient in the others is zero.
type Wrt int

const (
	Y          Wrt = 1 << iota // the second cloud
	X                          // the first cloud
	Directions                 // the directions
	None       Wrt = 0
)

// Costs returns F(theta_bl; X_b, Y_b) for every pair b and direction l in a graph, divided by the
// number of points if o.Reduce is Mean, by the backend's sort, differentiable in what wrt names. HostCosts
// also takes other costs, clouds of different sizes and masses; on a CPU it is several times faster.
//
//	x, y        [batch, points, dim]  the clouds
//	directions  [batch, slices, dim]  unit vectors; they are used as given
//	result      [batch, slices]
//
// The gradient holds the two sorting permutations fixed, which is exact wherever no two projections
// of a cloud tie:
//
//	dF/dy_tau(i)  = -p |d_i|^(p-1) sign(d_i) theta,   d_i = a_(i) - b_(i)
//	dF/dtheta     =  p sum_i |d_i|^(p-1) sign(d_i) (x_pi(i) - y_tau(i))
//
// As usual in GoMLX, Costs panics with the shapes if they do not agree.
func Costs(x, y, directions *graph.Node, o Config, wrt Wrt) *graph.Node {
	p := cmp.Or(o.P, 2)
	check(x, y, directions, p)
	if wrt&X == 0 {
		x = graph.StopGradient(x)
	}
	if wrt&Y == 0 {
		y = graph.StopGradient(y)
	}
	if wrt&Directions == 0 {
		directions = graph.StopGradient(directions)
	}
	cost := sumOverPoints(x, y, directions, p, wrt)
	if o.Reduce == Mean {
		cost = graph.DivScalar(cost, float64(x.Shape().Dimensions[1]))
	}
	return cost
}

// sumOverPoints is the cost before a mean.
func sumOverPoints(x, y, directions *graph.Node, p float64, wrt Wrt) *graph.Node {
	sum := func(d *graph.Node) *graph.Node { return graph.ReduceSum(power(d, p), 2) }
	a, b := graph.Einsum("bmd,bld->blm", x, directions), graph.Einsum("bmd,bld->blm", y, directions)
	fixedA, fixedB := graph.StopGradient(a), graph.StopGradient(b)
	switch wrt {
	case None:
		return sum(graph.Sub(sorted(fixedB), sorted(fixedA)))
	case Y:
		// b is matched with the sorted a in b's own order: one expression gives value and gradient.
		_, order := sortedOrder(fixedB)
		return sum(graph.Sub(b, scatterBy(sorted(fixedA), order)))
	}
	sortedA, orderA := sortedOrder(fixedA)
	sortedB, orderB := sortedOrder(fixedB)
	cost := sum(graph.Sub(b, scatterBy(sortedA, orderB))) // with the a matched with every b
	// The same value; it carries the gradient through a.
	other := sum(graph.Sub(a, scatterBy(sortedB, orderA)))
	return graph.Add(cost, graph.Sub(other, graph.StopGradient(other)))
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

func check(x, y, directions *graph.Node, p float64) {
	if p < 1 {
		panic(fmt.Errorf("ot1d: exponent p = %v, expected p >= 1", p))
	}
	xs, ys, ds := x.Shape(), y.Shape(), directions.Shape()
	if xs.Rank() != 3 || !xs.Equal(ys) {
		panic(fmt.Errorf("ot1d: in a graph, expected two clouds of one shape [batch, points, dim], found %s and %s", xs, ys))
	}
	if ds.Rank() != 3 || ds.Dimensions[0] != xs.Dimensions[0] || ds.Dimensions[2] != xs.Dimensions[2] {
		panic(fmt.Errorf("ot1d: expected directions [%d, slices, %d], found %s", xs.Dimensions[0], xs.Dimensions[2], ds))
	}
}

// sorted sorts along the last axis.
func sorted(x *graph.Node) *graph.Node {
	if !loop.XLA(x.Graph()) {
		values, _ := sortedOrder(x)
		return values
	}
	return graph.Sort(x, 2, true)
}

// sortedOrder sorts [batch, slices, points] along the last axis, and returns the order that does.
func sortedOrder(x *graph.Node) (sorted, order *graph.Node) {
	g := x.Graph()
	if !loop.XLA(g) { // the pure-Go backend calls a graph for every comparison: counting is faster
		rank := ranks(x)
		return scatterBy(x, rank), scatterBy(graph.Iota(g, rank.Shape(), 2), rank)
	}
	// The comparator sees the two values, then the two indices. A plain "<" lets XLA's GPU compiler
	// use its radix sort, which it does for more than 8192 points.
	less := graph.NewClosure(g, func(g *graph.Graph) []*graph.Node {
		l := graph.Parameter(g, "l", shapes.Make(x.DType()))
		r := graph.Parameter(g, "r", shapes.Make(x.DType()))
		graph.Parameter(g, "li", shapes.Make(dtypes.Int32))
		graph.Parameter(g, "ri", shapes.Make(dtypes.Int32))
		return []*graph.Node{graph.LessThan(l, r)}
	})
	index := graph.Iota(g, shapes.Make(dtypes.Int32, x.Shape().Dimensions...), 2)
	both := graph.SortFunc(less, 2, false, x, index)
	return both[0], both[1]
}

// maxRanked is the largest number of points that ranks compares, all with all.
const maxRanked = 1000

// ranks are the places of the values in order; of equal ones the first is lower.
func ranks(x *graph.Node) *graph.Node {
	g, d := x.Graph(), x.Shape().Dimensions
	if d[2] > maxRanked {
		panic(fmt.Errorf("ot1d: in a graph of the pure-Go backend, expected at most %d points, found %d: its table of "+
			"comparisons grows with their square; use HostCosts or XLA", maxRanked, d[2]))
	}
	table := []int{d[0], d[1], d[2], d[2]}
	value := graph.BroadcastToDims(graph.InsertAxes(x, -1), table...)
	other := graph.BroadcastToDims(graph.InsertAxes(x, 2), table...)
	shape := shapes.Make(dtypes.Int32, table...)
	first := graph.LessThan(graph.Iota(g, shape, 3), graph.Iota(g, shape, 2))
	below := graph.LogicalOr(graph.LessThan(other, value), graph.LogicalAnd(graph.Equal(other, value), first))
	return graph.ReduceSum(graph.ConvertDType(below, dtypes.Int32), 3)
}

// scatterBy puts sorted[k] at place order[k] along the last axis. No gradient flows back through it.
func scatterBy(sorted, order *graph.Node) *graph.Node {
	g, d := sorted.Graph(), sorted.Shape().Dimensions
	shape, n := shapes.Make(dtypes.Int32, d...), sorted.Shape().Size()
	row := graph.Add(graph.MulScalar(graph.Iota(g, shape, 0), d[1]), graph.Iota(g, shape, 1))
	at := graph.Reshape(graph.Add(graph.MulScalar(row, d[2]), order), n, 1)
	zero := graph.Zeros(g, shapes.Make(sorted.DType(), n))
	out := graph.ScatterUpdate(zero, at, graph.Reshape(sorted, n), false, true)
	return graph.StopGradient(graph.Reshape(out, d...))
}
