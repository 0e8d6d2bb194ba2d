package ot1d

import (
	"math"
	"math/bits"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

// quantile is W_p^p of two projections of any sizes and weights, [batch, slices]:
//
//	W_p^p = int_0^1 |A(t) - B(t)|^p dt = sum_k (t_k - t_(k-1)) |a_(i_k) - b_(j_k)|^p
//
// where the levels t_k are those of both cumulative weights, and A, B the quantile functions (G. Peyre and M. Cuturi,
// Computational Optimal Transport, 2019, section 2.6). The gradient holds the coupling (i_k, j_k) and its masses fixed.
func (s sorter) quantile(x, y, directions *graph.Node, o Options) *graph.Node {
	a, b := s.project(x, directions), s.project(y, directions)
	if o.WeightsX == nil && o.WeightsY == nil {
		i, j, mass := shares(a.Shape().Dimensions[s.axis], b.Shape().Dimensions[s.axis])
		atA, atB := s.constant(a, i), s.constant(b, j)
		if o.Wrt == None {
			a, b = s.values(a, b)
		} else {
			oa, ob := s.orders(graph.StopGradient(a), graph.StopGradient(b), spanOf(x, directions), spanOf(y, directions))
			atA, atB = s.take(oa, atA), s.take(ob, atB)
		}
		width := graph.Const(x.Graph(), mass)
		if s.axis == 1 {
			width = graph.InsertAxes(width, -1)
		}
		return s.transport(s.take(a, atA), s.take(b, atB), graph.ExpandLeftToRank(width, 3), o.P)
	}
	oa, ob := s.orders(graph.StopGradient(a), graph.StopGradient(b), spanOf(x, directions), spanOf(y, directions))
	la, lb := s.levels(o.WeightsX, oa), s.levels(o.WeightsY, ob)
	// Every segment ends at a level of x or of y. Those that end at x's level i belong to the first y whose level is not
	// below it, and start at the highest level below, of either; those that end at a level of y likewise.
	j, widthA := s.segments(la, lb, graph.LessThan)
	i, widthB := s.segments(lb, la, graph.LessOrEqual)
	t := x.DType()
	return graph.Add(
		s.transport(s.take(a, oa), s.take(b, s.take(ob, j)), graph.ConvertDType(widthA, t), o.P),
		s.transport(s.take(a, s.take(oa, i)), s.take(b, ob), graph.ConvertDType(widthB, t), o.P))
}

// transport is sum_k mass_k |a_k - b_k|^p.
func (s sorter) transport(a, b, mass *graph.Node, p float64) *graph.Node {
	return s.sum(graph.Mul(power(graph.Sub(b, a), p), mass))
}

// shares is the coupling of m and n sorted points of equal mass: at most m+n-1 segments.
func shares(m, n int) (i, j []int32, mass []float32) {
	for at, a, b := 0, 0, 0; a < m; { // in units of 1/(mn)
		end := min((a+1)*n, (b+1)*m)
		i, j, mass = append(i, int32(a)), append(j, int32(b)), append(mass, float32(float64(end-at)/float64(m)/float64(n)))
		at = end
		if end == (a+1)*n {
			a++
		}
		if end == (b+1)*m {
			b++
		}
	}
	return i, j, mass
}

// constant is the same places along the axis for all pairs and slices of x.
func (s sorter) constant(x *graph.Node, at []int32) *graph.Node {
	d := append([]int{}, x.Shape().Dimensions...)
	d[s.axis] = len(at)
	c := graph.Const(x.Graph(), at)
	if s.axis == 1 {
		c = graph.InsertAxes(c, -1)
	}
	return graph.BroadcastToDims(graph.ExpandLeftToRank(c, 3), d...)
}

// levels are the cumulative shares of the points in their order, float64: float32 would move masses of 1e-7 at every level.
func (s sorter) levels(weights, order *graph.Node) *graph.Node {
	g, d := order.Graph(), order.Shape().Dimensions
	n := d[s.axis]
	if weights == nil {
		weights = graph.Ones(g, shapes.Make(dtypes.Float64, d[0], n))
	}
	w := graph.ConvertDType(graph.StopGradient(weights), dtypes.Float64)
	w = graph.Div(w, graph.ReduceAndKeep(w, graph.ReduceSum, 1))
	w = s.take(graph.BroadcastToDims(graph.InsertAxes(w, 3-s.axis), d...), order)
	// Sums within runs of about sqrt(n) points and then over runs, each a product with a triangle of ones. GoMLX's CumSum is
	// a window of n points for each point, which not every backend runs in fewer than n^2 steps.
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

// segments finds, for every one of the levels, the place in others of the first that is not before it, and how far
// the highest lower level of either is away.
func (s sorter) segments(levels, others *graph.Node, before func(a, b *graph.Node) *graph.Node) (place, width *graph.Node) {
	g, n := levels.Graph(), others.Shape().Dimensions[s.axis]
	count := graph.Zeros(g, shapes.Make(dtypes.Int32, levels.Shape().Dimensions...)) // of others before the level
	for step := 1 << (bits.Len(uint(n)) - 1); step > 0; step /= 2 {
		next := graph.AddScalar(count, step)
		other := s.take(others, graph.AddScalar(graph.MinScalar(next, n), -1))
		fits := graph.And(graph.LessOrEqual(next, graph.Scalar(g, dtypes.Int32, n)), before(other, levels))
		count = graph.Where(fits, next, count)
	}
	own := graph.ZerosLike(graph.SliceAxis(levels, s.axis, graph.AxisRange(0, 1))) // the level before
	if m := levels.Shape().Dimensions[s.axis]; m > 1 {
		own = graph.Concatenate([]*graph.Node{own, graph.SliceAxis(levels, s.axis, graph.AxisRange(0, m-1))}, s.axis)
	}
	low := s.take(others, graph.MaxScalar(graph.AddScalar(count, -1), 0))
	low = graph.Where(graph.GreaterThan(count, graph.ZerosLike(count)), low, graph.ZerosLike(low))
	width = graph.MaxScalar(graph.Sub(levels, graph.Max(own, low)), 0)
	return graph.MinScalar(count, n-1), width
}
