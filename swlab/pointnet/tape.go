package pointnet

import (
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/internal/loop"
	"github.com/sliced-wasserstein/lab/swlab/internal/maxima"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// FeatureBuffers is the number of running statistics that Features updates, the first of Specs.
const FeatureBuffers = 2 * 4 // mean and variance of four batch norms

// Features, FirstMaximum and FromFeatures are Forward in the mode Train, divided for programs without a
// gradient: another one has the backward pass, [Autoencoder.Backward], for which they keep values.
//
// Features builds the layers in front of the last convolution: their activations h [batch * m, 128], and
// the weight of that convolution [1024, 128], in which a row with a negative gamma has the other sign.
func (a *Autoencoder) Features(w weights.Nodes, x *graph.Node) (h, weight *graph.Node, out Output) {
	l := layers{w: w, mode: Train, buffers: weights.Nodes{}, tape: &tape{}}
	h, weight = l.features(x, a.Points), l.signed()
	return h, weight, Output{Buffers: l.buffers, Kept: l.tape.kept}
}

// FirstMaximum builds the index of the first point of each cloud at which weight'h is largest, int32
// [batch, 1024].
func (a *Autoencoder) FirstMaximum(h, weight *graph.Node) *graph.Node {
	return firstMaximum(graph.Reshape(h, -1, a.Points, h.Shape().Dimensions[1]), weight)
}

// MaximaOnHost reports whether FirstMaxima finds what FirstMaximum does: on a CPU in a fraction of a graph's time.
func MaximaOnHost(e *engine.Engine) bool { return !e.IsCUDA() && maxima.Available() }

// FirstMaxima is FirstMaximum by plain Go.
func (a *Autoencoder) FirstMaxima(h, weight *tensors.Tensor) (*tensors.Tensor, error) {
	w, err := tensors.CopyFlatData[float32](weight)
	if err != nil {
		return nil, err
	}
	at := make([]int32, h.Shape().Dimensions[0]/a.Points*featureSize)
	err = tensors.ConstFlatData(h, func(h []float32) { maxima.New(w).First(h, a.Points, at) })
	return tensors.FromFlatDataAndDimensions(at, len(at)/featureSize, featureSize), err
}

// FromFeatures builds the rest of the network from h and at, the result of FirstMaximum.
func (a *Autoencoder) FromFeatures(w weights.Nodes, h, at *graph.Node) Output {
	l := layers{w: w, mode: Train, buffers: weights.Nodes{}, tape: &tape{}, at: at}
	out := a.fromFeatures(l, h)
	out.Kept = l.tape.kept
	return out
}

// Backward builds the gradient of sum(Cloud * upstream) in every trained tensor, by name:
//
//	x         [batch, m, 3]  the clouds of Features
//	kept                     Output.Kept of Features, then of FromFeatures
//	upstream  [batch, m, 3]  the gradient of a loss in Output.Cloud
//
// No product of the forward pass is computed again. A bias in front of a batch norm has gradient 0,
// exactly.
func (a *Autoencoder) Backward(w weights.Nodes, x *graph.Node, kept []*graph.Node, upstream *graph.Node) weights.Nodes {
	t := &tape{replay: true, kept: kept, gradient: weights.Nodes{}}
	t.input = func(*graph.Node) *graph.Node { return graph.Reshape(x, -1, Dim) }
	a.forward(layers{w: w, mode: Train, buffers: weights.Nodes{}, tape: t}, x)
	for _, back := range slices.Backward(t.back) {
		upstream = back(upstream)
	}
	return t.gradient
}

// tape divides a forward pass from its backward pass. The first records the values to keep. For the
// second the forward pass is built once more, from those values, and leaves the backward
// function of every operation.
type tape struct {
	replay   bool
	kept     []*graph.Node
	back     []func(upstream *graph.Node) *graph.Node // gradient in an operation's output -> in its input
	gradient weights.Nodes                            // in the tensors
	// input builds the input of the next operation for its backward function, once the upstream gradient is
	// there: large values that are built early would all be stored at once.
	input func(upstream *graph.Node) *graph.Node
}

// keep is the value that f builds, or the one kept of it.
func (t *tape) keep(f func() *graph.Node) *graph.Node {
	if t == nil {
		return f()
	}
	if !t.replay {
		t.kept = append(t.kept, f())
		return t.kept[len(t.kept)-1]
	}
	v := t.kept[0]
	t.kept = t.kept[1:]
	return v
}

// push adds the backward function of an operation, of its input and the upstream gradient, and how to
// build its output.
func (t *tape) push(back func(input, upstream *graph.Node) *graph.Node, output func(upstream *graph.Node) *graph.Node) {
	input := t.input
	t.back = append(t.back, func(up *graph.Node) *graph.Node { return back(input(up), up) })
	t.input = output
}

// apply is f(h), with GoMLX's gradient.
func (t *tape) apply(h *graph.Node, f func(h *graph.Node) *graph.Node) *graph.Node {
	out := f(h)
	if t != nil && t.replay {
		t.push(func(_, up *graph.Node) *graph.Node { return vjp(out, up, h)[0] },
			func(*graph.Node) *graph.Node { return out })
	}
	return out
}

// vjp are the gradients of sum(out * upstream) in those nodes (vector-Jacobian products).
func vjp(out, upstream *graph.Node, in ...*graph.Node) []*graph.Node {
	return graph.Gradient(graph.ReduceAllSum(graph.Mul(out, graph.StopGradient(upstream))), in...)
}

// tapedLinear is linear.
func (l layers) tapedLinear(h *graph.Node, name string) *graph.Node {
	bias := l.w.Get(name + ".bias")
	z := l.tape.keep(func() *graph.Node { return graph.Add(l.product(h, name), row(bias)) })
	if l.tape.replay {
		l.tape.push(func(h, up *graph.Node) *graph.Node {
			l.tape.gradient[name+".bias"] = graph.ReduceSum(up, 0)
			return l.backProduct(h, up, name)
		}, func(*graph.Node) *graph.Node { return z })
	}
	return z
}

// tapedActivated is activated. What it keeps of the rows z is c = z - mean, which does not depend on
// the bias, and the variance. With u = 1 / sqrt(var + 1e-5), the gradient g in gamma u c + beta and
// means over the n rows:
//
//	dbeta = sum g,  dgamma = u sum g c,  dz = gamma u (g - mean g - c u^2 mean(g c))
func (l layers) tapedActivated(h *graph.Node, name, norm string) *graph.Node {
	var mean *graph.Node
	centred := l.tape.keep(func() *graph.Node {
		z := l.product(h, name)
		mean = graph.ReduceMean(z, 0)
		return graph.Sub(z, row(mean))
	})
	variance := l.tape.keep(func() *graph.Node { return graph.ReduceMean(graph.Mul(centred, centred), 0) })
	n, gamma, bias := centred.Shape().Dimensions[0], l.w.Get(norm+".weight"), l.w.Get(name+".bias")
	unit := graph.Reciprocal(graph.Sqrt(graph.AddScalar(variance, normEpsilon)))
	scale := graph.Mul(gamma, unit)
	normed := func(centred *graph.Node) *graph.Node {
		return graph.Add(graph.Mul(centred, row(scale)), row(l.w.Get(norm+".bias")))
	}
	if !l.tape.replay {
		l.track(norm, graph.Add(mean, bias), variance, n)
		return relu(normed(centred))
	}
	output := func(up *graph.Node) *graph.Node { return relu(normed(graph.SchedulingBarrier(centred, up))) }
	l.tape.push(func(h, up *graph.Node) *graph.Node {
		z := normed(centred)
		g := graph.Where(graph.GreaterOrEqual(z, graph.ZerosLike(z)), up, graph.ZerosLike(up))
		sum, moment := graph.ReduceSum(g, 0), graph.ReduceSum(graph.Mul(g, centred), 0)
		l.tape.gradient[norm+".bias"], l.tape.gradient[norm+".weight"] = sum, graph.Mul(moment, unit)
		l.tape.gradient[name+".bias"] = graph.ZerosLike(bias)
		slope := graph.DivScalar(graph.Mul(moment, graph.Mul(unit, unit)), float64(n))
		dz := graph.Sub(graph.Sub(g, row(graph.DivScalar(sum, float64(n)))), graph.Mul(centred, row(slope)))
		return l.backProduct(h, graph.Mul(dz, row(scale)), name)
	}, output)
	return relu(normed(centred))
}

// backProduct is the backward function of h W'.
func (l layers) backProduct(h, up *graph.Node, name string) *graph.Node {
	weight := graph.EinsumAxes(up, h, [][2]int{{0, 0}}, nil)
	l.tape.gradient[name+".weight"] = graph.Reshape(weight, l.w.Get(name+".weight").Shape().Dimensions...)
	return graph.EinsumAxes(up, l.matrix(name), [][2]int{{1, 0}}, nil)
}

// pushMaximum adds the backward function of layers.maximum, whose result is out:
//
//	dW_c = sum_b dz_bc h_b,at(b,c) + what W gets from the statistics
//	dh   = dz_bc W_c at the chosen points + (dmu + (h - mu) (dS + dS')) / n
func (t *tape) pushMaximum(l layers, c convolution, out, z, at, mu, second *graph.Node) {
	if t == nil || !t.replay {
		return
	}
	w, gamma, beta, bias := l.w.Get(c.name+".weight"), l.w.Get(c.norm+".weight"), l.w.Get(c.norm+".bias"),
		l.w.Get(c.name+".bias")
	t.push(func(h, up *graph.Node) *graph.Node {
		n, batch := h.Shape().Dimensions[0], at.Shape().Dimensions[0]
		g := vjp(out, up, z, w, gamma, beta, mu, second)
		dz, both := graph.InsertAxes(g[0], -1), graph.DivScalar(graph.Add(g[5], graph.Transpose(g[5], 0, 1)), float64(n))
		chosen := loop.GatherRows(graph.Reshape(h, batch, n/batch, c.in), at)
		weight := graph.ReduceSum(graph.Mul(chosen, dz), 0)
		t.gradient[c.name+".weight"] = graph.Add(g[1], graph.Reshape(weight, w.Shape().Dimensions...))
		t.gradient[c.name+".bias"] = graph.ZerosLike(bias)
		t.gradient[c.norm+".weight"], t.gradient[c.norm+".bias"] = g[2], g[3]

		level := graph.Sub(graph.DivScalar(row(g[4]), float64(n)), graph.Dot(row(mu), both).Product())
		parts := graph.Mul(dz, graph.InsertAxes(l.matrix(c.name), 0)) // [batch, out, in]
		rows := loop.AddRows(graph.Reshape(graph.Dot(h, both).Product(), batch, n/batch, c.in), at, parts)
		return graph.Add(graph.Reshape(rows, n, c.in), level)
	}, func(*graph.Node) *graph.Node { return out })
}

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
