package pointnet

import (
	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/weights"
)

const (
	normEpsilon = 1e-5
	normKeep    = 0.9 // running = 0.9 running + 0.1 batch
)

func normSpecs(name string, channels int) []weights.Spec {
	shape := []int{channels}
	return []weights.Spec{
		{Name: name + ".weight", Shape: shape, Init: weights.Constant(1)},
		{Name: name + ".bias", Shape: shape, Init: weights.Constant(0)},
		{Name: name + ".running_mean", Shape: shape, Init: weights.Constant(0), Buffer: true},
		{Name: name + ".running_var", Shape: shape, Init: weights.Constant(1), Buffer: true},
	}
}

// norm is batch normalisation over the rows of h [n, channels], as in PyTorch:
//
//	gamma (h - mean) / sqrt(var + 1e-5) + beta
//
// with the batch's mean and BIASED variance while training, and running averages of the mean and
// the UNBIASED variance kept for evaluation.
func (l layers) norm(h *graph.Node, name string) *graph.Node {
	if l.mode == Eval {
		return l.affine(h, name, l.w.Get(name+".running_mean"), l.w.Get(name+".running_var"))
	}
	mean := graph.ReduceMean(h, 0)
	centred := graph.Sub(h, row(mean))
	variance := graph.ReduceMean(graph.Mul(centred, centred), 0)
	l.track(name, mean, variance, h.Shape().Dimensions[0])
	scale := graph.Div(l.w.Get(name+".weight"), graph.Sqrt(graph.AddScalar(variance, normEpsilon)))
	return graph.Add(graph.Mul(centred, row(scale)), row(l.w.Get(name+".bias")))
}

// affine applies the normalisation with given statistics.
func (l layers) affine(h *graph.Node, name string, mean, variance *graph.Node) *graph.Node {
	scale := graph.Div(l.w.Get(name+".weight"), graph.Sqrt(graph.AddScalar(variance, normEpsilon)))
	return graph.Add(graph.Mul(graph.Sub(h, row(mean)), row(scale)), row(l.w.Get(name+".bias")))
}

// track records the running statistics after a batch of n rows.
func (l layers) track(name string, mean, variance *graph.Node, n int) {
	if l.mode != Train {
		return
	}
	unbiased := float64(n) / float64(max(n-1, 1))
	l.average(name+".running_mean", mean)
	l.average(name+".running_var", graph.MulScalar(variance, unbiased))
}

// average moves a running statistic towards the batch's.
func (l layers) average(name string, now *graph.Node) {
	l.buffers[name] = graph.StopGradient(
		graph.Add(graph.MulScalar(l.w.Get(name), normKeep), graph.MulScalar(now, 1-normKeep)))
}
