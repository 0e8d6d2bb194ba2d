package ot1d

import (
	"math/bits"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

// sortedOrder sorts [batch, slices, points] along the last axis by XLA's sort, and returns the order
// that does.
func sortedOrder(x *graph.Node) (sorted, order *graph.Node) {
	g := x.Graph()
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

// flat turns places along the sorter's axis into indices [n, 1] of a flattened array of that many
// points.
func (s sorter) flat(order *graph.Node, points int) *graph.Node {
	g, d := order.Graph(), order.Shape().Dimensions
	shape := shapes.Make(dtypes.Int32, d...)
	var at *graph.Node
	if s.axis == 2 { // (b L + l) m + order
		row := graph.Add(graph.MulScalar(graph.Iota(g, shape, 0), d[1]), graph.Iota(g, shape, 1))
		at = graph.Add(graph.MulScalar(row, points), order)
	} else { // (b m + order) L + l
		row := graph.Add(graph.MulScalar(graph.Iota(g, shape, 0), points), order)
		at = graph.Add(graph.MulScalar(row, d[2]), graph.Iota(g, shape, 2))
	}
	return graph.Reshape(at, order.Shape().Size(), 1)
}

// scatterBy puts sorted[k] at place order[k] along the axis. No gradient flows back through it.
func (s sorter) scatterBy(sorted, order *graph.Node) *graph.Node {
	n := sorted.Shape().Size()
	zero := graph.Zeros(sorted.Graph(), shapes.Make(sorted.DType(), n))
	out := graph.ScatterUpdate(zero, s.flat(order, sorted.Shape().Dimensions[s.axis]), graph.Reshape(sorted, n), false, true)
	return graph.StopGradient(graph.Reshape(out, sorted.Shape().Dimensions...))
}

// take reads x[order[k]] along the axis.
func (s sorter) take(x, order *graph.Node) *graph.Node {
	n := x.Shape().Size()
	return graph.Reshape(graph.Gather(graph.Reshape(x, n), s.flat(order, x.Shape().Dimensions[s.axis])), order.Shape().Dimensions...)
}

// keys packs a projection and its index along axis 1 into one integer whose order is that of the
// projection.
func (s sorter) keys(x *graph.Node, r span) *graph.Node {
	g, d := x.Graph(), x.Shape().Dimensions
	low := bits.Len(uint(d[1] - 1))
	if s.exact { // the float's bits, made monotone, above 32 bits of index
		b := graph.Bitcast(x, dtypes.Int32)
		mono := graph.Where(graph.LessThan(b, graph.ZerosLike(b)), graph.BitwiseXor(b, graph.Scalar(g, dtypes.Int32, 0x7fffffff)), b)
		wide := graph.MulScalar(graph.ConvertDType(mono, dtypes.Int64), int64(1)<<32)
		return graph.Add(wide, graph.Iota(g, shapes.Make(dtypes.Int64, d...), 1))
	}
	// Fixed point. Rounding needs 4e-6 of the range; the largest key is that of the padding.
	half := float64(int64(1)<<(31-low)) * (1 - 4e-6)
	scale := graph.Div(graph.Scalar(g, x.DType(), half), r.radius)
	q := graph.ConvertDType(graph.Mul(graph.Sub(x, r.centre), scale), dtypes.Int32)
	return graph.Add(graph.MulScalar(q, int32(1)<<low), graph.Iota(g, shapes.Make(dtypes.Int32, d...), 1))
}

// span bounds a cloud's projections on every direction: within radius of centre, [batch, 1, slices]
// each.
type span struct{ centre, radius *graph.Node }

// spanOf bounds the projections by each cloud's own size, so that clouds of a batch that differ in
// size or lie far from the origin keep their order. With c the mean of the points and R their
// largest distance from it, |theta'x - theta'c| <= R |theta|. It takes one pass over the points,
// not over their projections.
func spanOf(x, directions *graph.Node) span {
	x, directions = graph.StopGradient(x), graph.StopGradient(directions)
	mean := graph.ReduceAndKeep(x, graph.ReduceMean, 1)
	away := graph.Sub(x, mean)
	square := graph.ReduceMax(graph.ReduceSum(graph.Mul(away, away), -1), 1) // [batch]
	length := graph.ReduceSum(graph.Mul(directions, directions), -1)         // [batch, slices]
	radius := graph.Sqrt(graph.Mul(graph.InsertAxes(square, -1), length))
	centre := graph.Einsum("bmd,bld->bml", mean, directions)
	// Float32 rounding of theta'x and theta'c grows with |c| |theta|, even if c is across theta.
	far := graph.ReduceSum(graph.Mul(mean, mean), -1) // [batch, 1]
	slack := graph.MulScalar(graph.Sqrt(graph.Mul(far, length)), 1e-6)
	radius = graph.AddScalar(graph.Add(graph.MulScalar(radius, 1+1e-5), slack), 1e-28)
	return span{centre, graph.InsertAxes(radius, 1)}
}

// index reads the index back from sorted keys.
func (s sorter) index(keys *graph.Node) *graph.Node {
	g := keys.Graph()
	if s.exact {
		return graph.ConvertDType(graph.BitwiseAnd(keys, graph.Scalar(g, dtypes.Int64, int64(1)<<32-1)), dtypes.Int32)
	}
	low := bits.Len(uint(keys.Shape().Dimensions[1] - 1))
	return graph.BitwiseAnd(keys, graph.Scalar(g, dtypes.Int32, int32(1)<<low-1))
}
