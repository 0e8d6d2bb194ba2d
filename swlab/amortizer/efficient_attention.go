package amortizer

import (
	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// newEfficientAttention is the map EA (Shen et al. 2021). For a cloud P [m, d]:
//
//	Q = P Wq' + bq  [m, d_k],  K = P Wk' + bk  [m, d_k],  V = P Wv' + bv  [m, d]
//	Q' = softmax of Q over the d_k features of each point,  K' = softmax of K over the m points of each feature
//	O = Q' (K'' V),  pool(P) = mean over the points of O;  the direction is Config.pooled
//
// Weights: "attn.toqueries", "attn.tokeys" [d_k, d], "attn.tovalues" [d, d], each U(+-1/sqrt(d)),
// with a bias in the released variant only. The map is symmetric and does not depend on the order
// or number of the points.
//
// Evaluated as pool(P) = Wv (sum_f mean_i Q'_if k_f) + bv with k_f = sum_j K'_jf p_j, because both
// softmaxes have mass 1: k by attend, the sum by softmaxPool, which store no [m, d_k]. The key bias
// shifts a feature's keys by one number, which its softmax cancels. It is left out, and its
// gradient is zero.
func newEfficientAttention(c Config) Amortizer {
	return &builtin{c, "ea", Properties{Symmetric: true, Invariant: true, AnySize: true, Inert: c.keyBias()}, c.attended(),
		func(w weights.Nodes, x, y *graph.Node) *graph.Node {
			return c.pooled(x, y, func(p *graph.Node) *graph.Node {
				g, batch := p.Graph(), p.Shape().Dimensions[0]
				each := func(x *graph.Node) *graph.Node { // the same for every pair
					return graph.BroadcastToDims(graph.InsertAxes(x, 0), append([]int{batch}, x.Shape().Dimensions...)...)
				}
				of := attend(each(w.Get("attn.tokeys.weight")), p, tableSize(g)) // [batch, d_k, dim]
				return values(w, softmaxPool(p, each(layer(w, "attn.toqueries")), of, poolTable(g)))
			})
		}}
}
