package pointnet

import (
	"slices"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// Backward builds the gradient of sum(Cloud * upstream) in every trained tensor, by name, for a
// forward pass in another program:
//
//	x         [batch, m, 3]  its clouds
//	kept                     its Output.Kept
//	upstream  [batch, m, 3]  the gradient of a loss in Output.Cloud
//
// The values of products and statistics are those kept, so none is computed again.
func (a *Autoencoder) Backward(w weights.Nodes, x *graph.Node, kept []*graph.Node, upstream *graph.Node) weights.Nodes {
	t := &tape{replay: true, kept: kept, gradient: weights.Nodes{}}
	l := layers{w: w, mode: Train, buffers: weights.Nodes{}, tape: t}
	l.decode(l.encode(x, a.Points, a.Plain), a.Points)
	for _, back := range slices.Backward(t.back) {
		upstream = back(upstream)
	}
	return t.gradient
}

// tape records a forward pass for its backward pass: the values that are kept, or, where those are
// given, the way back through every operation.
type tape struct {
	replay   bool
	kept     []*graph.Node
	back     []func(upstream *graph.Node) *graph.Node // gradient in an operation's output -> in its input
	gradient weights.Nodes                            // in the tensors
}

// keep is the value that f builds, or the one kept of it.
func (t *tape) keep(f func() *graph.Node) *graph.Node {
	if t == nil {
		return f()
	}
	if !t.replay {
		v := f()
		t.kept = append(t.kept, v)
		return v
	}
	v := t.kept[0]
	t.kept = t.kept[1:]
	return v
}

// push adds the way back through an operation.
func (t *tape) push(back func(upstream *graph.Node) *graph.Node) {
	if t != nil && t.replay {
		t.back = append(t.back, back)
	}
}

// through is f(h), with GoMLX's gradient.
func (t *tape) through(h *graph.Node, f func(h *graph.Node) *graph.Node) *graph.Node {
	out := f(h)
	t.push(func(up *graph.Node) *graph.Node { return pulled(out, up, h)[0] })
	return out
}

// pulled are the gradients of sum(out * upstream) in those nodes.
func pulled(out, upstream *graph.Node, in ...*graph.Node) []*graph.Node {
	return graph.Gradient(graph.ReduceAllSum(graph.Mul(out, graph.StopGradient(upstream))), in...)
}

// backNorm is the way back through a batch norm of the rows h, with scale = gamma / sqrt(var +
// 1e-5). With g the upstream gradient, c = h - mean and means over the n rows:
//
//	dh = scale (g - mean g - c mean(g c) / (var + 1e-5))
func (l layers) backNorm(g, centred, variance *graph.Node, name string) *graph.Node {
	n := float64(centred.Shape().Dimensions[0])
	inverse := graph.Reciprocal(graph.Sqrt(graph.AddScalar(variance, normEpsilon)))
	sum, moment := graph.ReduceSum(g, 0), graph.ReduceSum(graph.Mul(g, centred), 0)
	l.tape.gradient[name+".bias"] = sum
	l.tape.gradient[name+".weight"] = graph.Mul(moment, inverse)
	slope := graph.DivScalar(graph.Mul(moment, graph.Mul(inverse, inverse)), n)
	rest := graph.Sub(graph.Sub(g, row(graph.DivScalar(sum, n))), graph.Mul(centred, row(slope)))
	return graph.Mul(rest, row(graph.Mul(l.w.Get(name+".weight"), inverse)))
}
