package amortizer

import (
	"math"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// linearAttention is the map LA, attention with projected keys and values (Linformer, Wang et al. 2020). For a cloud P [m, d]:
//
//	Q = P Wq' + bq  [m, d_k],  K = P Wk' + bk  [m, d_k],  V = P Wv' + bv  [m, d]
//	K~ = Pk K + ck 1'  [k, d_k],  V~ = Pv V + cv 1'  [k, d]
//	O = softmax_rows(Q K~' / sqrt(d_k)) V~,  pool(P) = mean over the points of O
//	direction = a / ||a||,  a = (pool(X) + pool(Y)) / 2 with one set of weights
//
// Weights: "attn.toqueries", "attn.tokeys" [d_k, d], "attn.tovalues" [d, d], "attn.Kproj", "attn.Vproj" [k, m], each with a
// bias; linear ones U(+-1/sqrt(in)), the two projections N(0, 2/(m+k)). The map is symmetric in X and Y but, since
// every place in the list of points has its own column of Pk and Pv, NOT invariant to the order of the points.
//
// Evaluated as (Pk P) Wk' + (Pk 1) bk' + ck 1', which never stores [m, d_k] keys, and with the mean over points
// taken before the values: pool(P) = mean_i softmax_i V~.
type linearAttention struct{ Config }

func newLinearAttention(c Config) Amortizer { return linearAttention{c} }

func (linearAttention) Name() string { return "la" }

func (l linearAttention) Fits(points int) error { return fixed("la", l.Points, points) }

func (l linearAttention) Specs() []weights.Spec {
	dense := func(name string, out int) []weights.Spec {
		return []weights.Spec{
			{Name: name + ".weight", Shape: []int{out, l.Dim}, Init: weights.FanIn(l.Dim)},
			{Name: name + ".bias", Shape: []int{out}, Init: weights.FanIn(l.Dim)},
		}
	}
	projection := func(name string) []weights.Spec {
		return []weights.Spec{
			{Name: name + ".weight", Shape: []int{l.K, l.Points}, Init: weights.XavierNormal(l.Points, l.K)},
			{Name: name + ".bias", Shape: []int{l.K}, Init: weights.FanIn(l.Points)},
		}
	}
	s := dense("attn.toqueries", l.DK)
	s = append(s, dense("attn.tokeys", l.DK)...)
	s = append(s, dense("attn.tovalues", l.Dim)...)
	s = append(s, projection("attn.Kproj")...)
	return append(s, projection("attn.Vproj")...)
}

func (l linearAttention) Direction(w weights.Nodes, x, y *graph.Node) *graph.Node {
	checkPair("la", x, y, l.Points, l.Dim)
	a := graph.MulScalar(graph.Add(l.pool(w, x), l.pool(w, y)), 0.5)
	return unit(a)
}

func (l linearAttention) pool(w weights.Nodes, p *graph.Node) *graph.Node {
	queries := graph.Einsum("bmc,qc->bmq", p, w.Get("attn.toqueries.weight"))
	queries = graph.Add(queries, graph.InsertAxes(w.Get("attn.toqueries.bias"), 0, 0))
	queries = graph.MulScalar(queries, 1/math.Sqrt(float64(l.DK)))
	keys := l.projected(w, p, "attn.Kproj", "attn.tokeys")
	values := l.projected(w, p, "attn.Vproj", "attn.tovalues")
	scores := graph.Einsum("bmq,bkq->bmk", queries, keys)
	shifted := graph.Sub(scores, graph.StopGradient(graph.ReduceAndKeep(scores, graph.ReduceMax, -1)))
	e := graph.Exp(shifted)
	attention := graph.Div(e, graph.ReduceAndKeep(e, graph.ReduceSum, -1))
	mean := graph.ReduceMean(attention, 1) // [batch, k]
	return graph.Einsum("bk,bkc->bc", mean, values)
}

// projected is Proj (P W' + b) + c 1', [batch, k, out].
func (l linearAttention) projected(w weights.Nodes, p *graph.Node, proj, dense string) *graph.Node {
	columns := w.Get(proj + ".weight") // [k, m]
	low := graph.Einsum("km,bmc->bkc", columns, p)
	low = graph.Einsum("bkc,oc->bko", low, w.Get(dense+".weight"))
	mass := graph.InsertAxes(graph.ReduceSum(columns, 1), -1) // [k, 1]
	bias := graph.Add(
		graph.Mul(mass, graph.InsertAxes(w.Get(dense+".bias"), 0)),
		graph.InsertAxes(w.Get(proj+".bias"), -1))
	return graph.Add(low, graph.InsertAxes(bias, 0))
}
