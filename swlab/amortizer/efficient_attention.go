package amortizer

import (
	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// efficientAttention is the map EA (Shen et al. 2021). For a cloud P [m, d]:
//
//	Q = P Wq' + bq  [m, d_k],  K = P Wk' + bk  [m, d_k],  V = P Wv' + bv  [m, d]
//	Q' = softmax of Q over the d_k features of each point,  K' = softmax of K over the m points of each feature
//	O = Q' (K'' V),  pool(P) = mean over the points of O;  the direction is Config.pooled
//
// Weights: "attn.toqueries", "attn.tokeys" [d_k, d], "attn.tovalues" [d, d], each with a bias as coded, without as written,
// U(+-1/sqrt(d)). The map is symmetric and does not depend on the order or the number of the points.
//
// Evaluated as pool(P) = Wv (sum_f mean_i Q'_if sum_j K'_jf p_j) + bv, since both softmaxes have mass 1. The key bias
// shifts a feature's keys by one number, which its softmax cancels: it is left out, and its gradient is zero.
type efficientAttention struct{ Config }

func newEfficientAttention(c Config) Amortizer { return efficientAttention{c} }

func (efficientAttention) Name() string { return "ea" }

func (e efficientAttention) Properties() Properties {
	return Properties{Symmetric: true, Invariant: true, AnySize: true, Inert: e.keyBias()}
}

func (efficientAttention) Fits(points int) error { return anySize("ea", points) }

func (e efficientAttention) Specs() []weights.Spec { return e.attended() }

func (e efficientAttention) Direction(w weights.Nodes, x, y *graph.Node) *graph.Node {
	checkPair("ea", x, y, 0, e.Dim)
	return e.pooled(x, y, func(p *graph.Node) *graph.Node {
		queries := softmax(affine(w, "attn.toqueries", p), 2)
		keys := softmax(graph.Einsum("bmc,kc->bmk", p, w.Get("attn.tokeys.weight")), 1)
		of := graph.Einsum("bmk,bmc->bkc", keys, p)
		mean := graph.Einsum("bk,bkc->bc", graph.ReduceMean(queries, 1), of)
		return values(w, mean)
	})
}

// softmax is exp(x) / sum exp(x) along an axis, with the largest subtracted first.
func softmax(x *graph.Node, axis int) *graph.Node {
	e := graph.Exp(graph.Sub(x, graph.StopGradient(graph.ReduceAndKeep(x, graph.ReduceMax, axis))))
	return graph.Div(e, graph.ReduceAndKeep(e, graph.ReduceSum, axis))
}

// values is Wv p + bv for a point per cloud, [batch, dim].
func values(w weights.Nodes, p *graph.Node) *graph.Node {
	return graph.Squeeze(affine(w, "attn.tovalues", graph.InsertAxes(p, 1)), 1)
}
