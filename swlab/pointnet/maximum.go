package pointnet

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/internal/loop"
)

// maximum is the last convolution, its batch norm and the maximum over the points, h [batch,
// points, in] -> [batch, out] (before the ReLU, which commutes with the maximum). Its gradient
// needs no activations of size points x out.
//
// Batch norm is monotone per channel, rising where gamma >= 0 and falling where gamma < 0, so the
// maximum is reached where sign(gamma) (W h + b) is largest. The batch's statistics of z = W h + b
// follow from the mean mu and the second moment S of the centred h:
//
//	mean(z) = W mu + b,   var(z)_c = W_c' S W_c
//
// and the gradient reaches only the chosen rows and those moments. Of equal values the first wins.
func (l layers) maximum(h *graph.Node, c convolution) *graph.Node {
	w, bias := l.matrix(c.name), l.w.Get(c.name+".bias")
	mean, variance := l.w.Get(c.norm+".running_mean"), l.w.Get(c.norm+".running_var")
	var mu, second *graph.Node
	if l.mode != Eval {
		n := h.Shape().Dimensions[0] * h.Shape().Dimensions[1]
		rows := graph.Reshape(h, n, c.in)
		mu = l.tape.keep(func() *graph.Node { return graph.ReduceMean(rows, 0) })
		second = l.tape.keep(func() *graph.Node { return graph.DivScalar(products(graph.Sub(rows, row(mu))), float64(n)) })
		mean = graph.Add(graph.Einsum("oi,i->o", w, mu), bias)
		variance = graph.ReduceSum(graph.Mul(graph.EinsumAxes(w, second, [][2]int{{1, 0}}, nil), w), 1)
		l.track(c.norm, mean, variance, n)
	}

	at := l.tape.keep(func() *graph.Node { // [batch, out]
		if l.at != nil {
			return l.at
		}
		return firstMaximum(graph.StopGradient(h), l.signed())
	})
	z := l.tape.keep(func() *graph.Node {
		chosen := loop.GatherRows(h, at) // [batch, out, in]
		return graph.Add(graph.ReduceSum(graph.Mul(chosen, graph.InsertAxes(w, 0)), -1), row(bias))
	})
	out := l.affine(z, c.norm, mean, variance)
	l.tape.pushMaximum(l, c, out, z, at, mu, second)
	return out
}

// signed is the weight of the last convolution, with the sign of its batch norm's gamma: [out, in],
// without gradient.
func (l layers) signed() *graph.Node {
	c := lastConvolution()
	gamma := l.w.Get(c.norm + ".weight")
	up := graph.GreaterOrEqual(gamma, graph.ZerosLike(gamma))
	sign := graph.Where(up, graph.OnesLike(gamma), graph.Neg(graph.OnesLike(gamma)))
	return graph.StopGradient(graph.Mul(l.matrix(c.name), graph.InsertAxes(sign, -1)))
}

// products is h'h of rows h [n, in], [in, in], by blocks of rows, which XLA's CPU multiplies twice
// as fast as all rows at once.
func products(h *graph.Node) *graph.Node {
	if !loop.XLAOnCPU(h.Graph()) {
		return graph.EinsumAxes(h, h, [][2]int{{0, 0}}, nil)
	}
	n, in := h.Shape().Dimensions[0], h.Shape().Dimensions[1]
	blocks := 16
	for n%blocks != 0 {
		blocks--
	}
	h = graph.Reshape(h, blocks, n/blocks, in)
	return graph.ReduceSum(graph.Einsum("kni,knj->kij", h, h), 0)
}

// loopUsed marks a graph that already has firstMaximum's loop: GoMLX v0.28 cannot use one kind of
// reduction in two loops.
type loopUsed struct{}

// firstMaximum returns, per batch item and row of w [out, in], the first point of h [batch, points,
// in] at which w'h is largest, int32 [batch, out]. On XLA's CPU it loops over the batch, so that
// the [points, out] products of one item stay in the cache.
func firstMaximum(h, w *graph.Node) *graph.Node {
	g := h.Graph()
	if !loop.XLAOnCPU(g) || g.State(loopUsed{}) != nil {
		return graph.ArgMax(graph.Einsum("bmi,oi->bmo", h, w), 1, dtypes.Int32)
	}
	g.AttachState(loopUsed{}, true)
	d := h.Shape().Dimensions
	batch, points, in, out := d[0], d[1], d[2], w.Shape().Dimensions[0]
	// The loop slices rows [batch * points, in]: XLA would compute h a second time for [batch, points, in].
	constants := []*graph.Node{graph.Reshape(h, batch*points, in), graph.TransposeAllAxes(w, 1, 0)}
	state := []*graph.Node{graph.Zeros(g, shapes.Make(dtypes.Int32, batch, out))}
	// The reduction here is the maximum of int32, used nowhere else.
	return loop.Count(g, batch, 1, constants, state, func(i loop.Index, c, s []*graph.Node) []*graph.Node {
		n := graph.Const(i.At.Graph(), int32(points))
		first := loop.Index{At: graph.Mul(i.At, n), Zero: i.Zero}
		item := first.Rows(c[0], 0, points)
		key := monotone(graph.Dot(item, c[1]).Product())
		shape := key.Shape().Dimensions
		top := graph.BroadcastToDims(graph.Reshape(graph.ReduceMax(key, 0), 1, out), shape...)
		// The first of the largest: the maximum of (points - index) over them.
		back := graph.Sub(graph.BroadcastToDims(n, shape...), graph.Iota(item.Graph(), key.Shape(), 0))
		best := graph.ReduceMax(graph.Where(graph.Equal(key, top), back, graph.BroadcastToDims(i.Zero, shape...)), 0)
		at := graph.Sub(graph.BroadcastToDims(n, out), best)
		return []*graph.Node{i.Put(s[0], graph.Reshape(at, 1, out), 0)}
	})[0]
}

// monotone maps float32 to int32 keeping the order (and -0 below +0).
func monotone(x *graph.Node) *graph.Node {
	g, d := x.Graph(), x.Shape().Dimensions
	bits := graph.Bitcast(x, dtypes.Int32)
	negative := graph.LessThan(bits, graph.BroadcastToDims(graph.Const(g, int32(0)), d...))
	return graph.Where(negative, graph.BitwiseXor(bits, graph.BroadcastToDims(graph.Const(g, int32(0x7fffffff)), d...)),
		bits)
}
