package ot1d

import (
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

// quantile is W_p^p of two projections of any sizes and masses, [batch, slices]:
//
//	W_p^p = int_0^1 |A(t) - B(t)|^p dt = sum_k (t_k - t_(k-1)) |a_(i_k) - b_(j_k)|^p
//
// where the levels t_k are those of both cumulative masses, and A, B the quantile functions
// (G. Peyre and M. Cuturi, Computational Optimal Transport, 2019, section 2.6). The gradient holds
// the coupling (i_k, j_k) and its masses fixed.
func (s sorter) quantile(x, y, directions *graph.Node, o Config) *graph.Node {
	a, b := s.project(x, directions), s.project(y, directions)
	hasMass := o.MassX != nil || o.MassY != nil
	var oa, ob *graph.Node
	if o.Wrt == None && !hasMass {
		a, b = s.values(a, b)
	} else {
		oa, ob = s.orders(graph.StopGradient(a), graph.StopGradient(b), spanOf(x, directions), spanOf(y, directions))
		a, b = s.take(a, oa), s.take(b, ob)
	}
	var i, j, mass *graph.Node
	if hasMass {
		i, j, mass = s.merge(s.levels(o.MassX, oa), s.levels(o.MassY, ob))
	} else {
		i, j, mass = s.shares(a, b)
	}
	cost := power(graph.Sub(s.take(b, j), s.take(a, i)), o.P)
	return s.sum(graph.Mul(cost, graph.ConvertDType(mass, cost.DType())))
}

// shares is the coupling of m and n sorted points of equal mass, the same for all pairs and slices:
// at most m+n-1 segments, given by the places of their points, and the segments' masses.
func (s sorter) shares(a, b *graph.Node) (i, j, mass *graph.Node) {
	m, n := a.Shape().Dimensions[s.axis], b.Shape().Dimensions[s.axis]
	var is, js []int32
	var masses []float64
	for at, p, q := 0, 0, 0; p < m; { // in units of 1/(mn)
		end := min((p+1)*n, (q+1)*m)
		is, js, masses = append(is, int32(p)), append(js, int32(q)), append(masses, float64(end-at)/float64(m)/float64(n))
		at = end
		if end == (p+1)*n {
			p++
		}
		if end == (q+1)*m {
			q++
		}
	}
	d := append([]int{}, a.Shape().Dimensions...)
	d[s.axis] = len(is)
	along := func(values any) *graph.Node {
		c := graph.Const(a.Graph(), values)
		if s.axis == 1 {
			c = graph.InsertAxes(c, -1)
		}
		return graph.BroadcastToDims(graph.ExpandLeftToRank(c, 3), d...)
	}
	return along(is), along(js), along(masses)
}

// levels are the cumulative shares of the points in their order, in float64: float32 would shift
// every level by 1e-7.
func (s sorter) levels(mass, order *graph.Node) *graph.Node {
	d := order.Shape().Dimensions
	if mass == nil {
		mass = graph.Ones(order.Graph(), shapes.Make(dtypes.Float64, d[0], d[s.axis]))
	}
	w := graph.ConvertDType(graph.StopGradient(mass), dtypes.Float64)
	w = graph.Div(w, graph.ReduceAndKeep(w, graph.ReduceSum, 1))
	return s.cumulative(s.take(graph.BroadcastToDims(graph.InsertAxes(w, 3-s.axis), d...), order))
}

// merge is the coupling of two measures from their levels: the segments between all m+n levels,
// given by the places of their points in the orders, and the segments' masses. Levels are sorted as
// integers in units of 2^-30, whose lowest bit tells the measure.
func (s sorter) merge(la, lb *graph.Node) (i, j, mass *graph.Node) {
	g := la.Graph()
	key := func(level *graph.Node, whose int) *graph.Node {
		whole := graph.ConvertDType(graph.MulScalar(graph.MinScalar(level, 1), 1<<30-2), dtypes.Int32)
		return graph.AddScalar(graph.MulScalar(whole, 2), whose)
	}
	keys := s.sorted(graph.Concatenate([]*graph.Node{key(la, 0), key(lb, 1)}, s.axis))
	d := keys.Shape().Dimensions
	fromY := graph.BitwiseAnd(keys, graph.Scalar(g, dtypes.Int32, 1))
	// The places of the points whose segment ends at a level are the numbers of levels of y and of
	// x below it.
	below := graph.Sub(graph.ConvertDType(s.cumulative(graph.ConvertDType(fromY, dtypes.Float64)), dtypes.Int32), fromY)
	j = graph.MinScalar(below, lb.Shape().Dimensions[s.axis]-1)
	i = graph.MinScalar(graph.Sub(graph.Iota(g, keys.Shape(), s.axis), below), la.Shape().Dimensions[s.axis]-1)
	level := graph.BitwiseShiftRightLogicalScalar(keys, 1)
	before := graph.SliceAxis(level, s.axis, graph.AxisRange(0, d[s.axis]-1))
	before = graph.Concatenate([]*graph.Node{graph.ZerosLike(graph.SliceAxis(level, s.axis, graph.AxisElem(0))), before}, s.axis)
	mass = graph.MulScalar(graph.ConvertDType(graph.Sub(level, before), dtypes.Float64), 1/float64(1<<30-2))
	return i, j, graph.StopGradient(mass)
}

// cumulative are the sums up to each place along the axis (float64): within runs of about sqrt(n)
// places, then over runs, each a product with a triangle of ones. GoMLX's CumSum takes a window of
// n places for each, which some backends run in n^2 steps.
func (s sorter) cumulative(w *graph.Node) *graph.Node {
	g, d := w.Graph(), w.Shape().Dimensions
	n := d[s.axis]
	run := max(1, int(math.Sqrt(float64(n))))
	runs := (n + run - 1) / run
	if lack := runs*run - n; lack > 0 {
		e := append([]int{}, d...)
		e[s.axis] = lack
		w = graph.Concatenate([]*graph.Node{w, graph.Zeros(g, shapes.Make(dtypes.Float64, e...))}, s.axis)
	}
	within, over, last := "brkl,jk->brjl", "brl,jr->bjl", 2
	cut := []int{d[0], runs, run, d[2]}
	if s.axis == 2 {
		within, over, last = "blrk,jk->blrj", "blr,jr->blj", 3
		cut = []int{d[0], d[1], runs, run}
	}
	w = graph.Einsum(within, graph.Reshape(w, cut...), triangle(g, run, 0))
	whole := graph.Squeeze(graph.SliceAxis(w, last, graph.AxisElem(run-1)), last)
	before := graph.Einsum(over, whole, triangle(g, runs, 1))
	w = graph.Add(w, graph.InsertAxes(before, last))
	padded := append([]int{}, d...)
	padded[s.axis] = runs * run
	return graph.SliceAxis(graph.Reshape(w, padded...), s.axis, graph.AxisRange(0, n))
}

// triangle is the n x n matrix with ones where column + shift <= row.
func triangle(g *graph.Graph, n, shift int) *graph.Node {
	shape := shapes.Make(dtypes.Int32, n, n)
	column := graph.AddScalar(graph.Iota(g, shape, 1), shift)
	return graph.ConvertDType(graph.LessOrEqual(column, graph.Iota(g, shape, 0)), dtypes.Float64)
}
