package amortizer

import (
	"math"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// newLinearAttention is the map LA, attention with projected keys and values (Linformer, Wang et al.
// 2020). For a cloud P [m, d]:
//
//	Q = P Wq' + bq  [m, d_k],  K = P Wk' + bk  [m, d_k],  V = P Wv' + bv  [m, d]
//	K~ = Pk K + ck 1'  [k, d_k],  V~ = Pv V + cv 1'  [k, d]
//	O = softmax_rows(Q K~' / sqrt(d_k)) V~,  pool(P) = mean over the points of O;  the direction is Config.pooled
//
// Weights: "attn.toqueries", "attn.tokeys" [d_k, d], "attn.tovalues" [d, d], "attn.Kproj",
// "attn.Vproj" [k, m], each with a bias in the released variant only; the linear ones are
// U(+-1/sqrt(in)), the two projections N(0, 2/(m+k)). The map is symmetric in X and Y. It is NOT
// invariant to the order of the points, because every place in their list has its own column of Pk
// and Pv.
//
// Evaluated in R^d: K~ = (Pk P) Wk' + (Pk 1) bk' + ck 1', which never stores [m, d_k] keys,
// Q_i'K~_l / sqrt(d_k) = q_l'p_i + c_l, and pool(P) by softmaxPool, which stores no [m, k] scores.
func newLinearAttention(c Config) Amortizer {
	specs := c.attended()
	for _, name := range []string{"attn.Kproj", "attn.Vproj"} {
		projection := dense(name, c.Points, c.K, c.Variant == Released)
		projection[0].Init = weights.XavierNormal(c.Points, c.K)
		specs = append(specs, projection...)
	}
	return &builtin{c, "la", Properties{Symmetric: true}, specs, func(w weights.Nodes, x, y *graph.Node) *graph.Node {
		return c.pooled(x, y, func(p *graph.Node) *graph.Node {
			keys := graph.MulScalar(projected(w, p, "attn.Kproj", "attn.tokeys"), 1/math.Sqrt(float64(c.DK)))
			return softmaxPool(p, graph.Einsum("blk,kc->blc", keys, layer(w, "attn.toqueries")),
				projected(w, p, "attn.Vproj", "attn.tovalues"), poolTable(p.Graph()))
		})
	}}
}

// projected is Proj (P W' + b) + c 1', [batch, k, out]; without b and c if w has none.
func projected(w weights.Nodes, p *graph.Node, proj, dense string) *graph.Node {
	columns := w.Get(proj + ".weight") // [k, m]
	low := graph.Einsum("km,bmc->bkc", columns, p)
	low = graph.Einsum("bkc,oc->bko", low, w.Get(dense+".weight"))
	bias, ok := w[dense+".bias"]
	if !ok {
		return low
	}
	mass := graph.InsertAxes(graph.ReduceSum(columns, 1), -1) // [k, 1]
	offset := graph.Add(graph.Mul(mass, graph.InsertAxes(bias, 0)), graph.InsertAxes(w.Get(proj+".bias"), -1))
	return graph.Add(low, graph.InsertAxes(offset, 0))
}
