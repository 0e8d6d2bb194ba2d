package amortizer

import (
	"math"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// newAttention is the map A (Vaswani et al. 2017). For a cloud P [m, d]:
//
//	Q = P Wq' + bq  [m, d_k],  K = P Wk' + bk  [m, d_k],  V = P Wv' + bv  [m, d]
//	O = softmax_rows(Q K' / sqrt(d_k)) V,  pool(P) = mean over the points of O;  the direction is Config.pooled
//
// Weights: "attn.toqueries", "attn.tokeys" [d_k, d], "attn.tovalues" [d, d], each U(+-1/sqrt(d)),
// with a bias in the released variant only. The map is symmetric and does not depend on the order
// or number of the points.
//
// Evaluated in R^d: up to terms that a row's softmax cancels, such as the key bias,
//
//	Q_i'K_j / sqrt(d_k) = q_i'p_j,   q_i = Wk'(Wq p_i + bq) / sqrt(d_k),   pool(P) = Wv mean_i attend(q, P)_i + bv
//
// so a score costs d products instead of d_k, and the [m, m] scores exist in tables of a few rows
// only.
func newAttention(c Config) Amortizer {
	return &builtin{c, "a", Properties{Symmetric: true, Invariant: true, AnySize: true, Inert: c.keyBias()}, c.attended(),
		func(w weights.Nodes, x, y *graph.Node) *graph.Node {
			return c.pooled(x, y, func(p *graph.Node) *graph.Node {
				q := graph.Einsum("bmk,kc->bmc", affine(w, "attn.toqueries", p), w.Get("attn.tokeys.weight"))
				q = graph.MulScalar(q, 1/math.Sqrt(float64(c.DK)))
				return values(w, graph.ReduceMean(attend(q, p, tableSize(p.Graph())), 1))
			})
		}}
}
