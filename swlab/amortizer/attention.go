package amortizer

import (
	"fmt"
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/internal/loop"
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

// layer is (W, b) of a linear layer, [out, in + 1]; b = 0 if it has no bias.
func layer(w weights.Nodes, name string) *graph.Node {
	m := w.Get(name + ".weight")
	bias, ok := w[name+".bias"]
	if !ok {
		return graph.Concatenate([]*graph.Node{m, graph.ZerosLike(graph.SliceAxis(m, 1, graph.AxisRange(0, 1)))}, 1)
	}
	return graph.Concatenate([]*graph.Node{m, graph.InsertAxes(bias, -1)}, 1)
}

// values is Wv p + bv for one point per cloud, [batch, dim].
func values(w weights.Nodes, p *graph.Node) *graph.Node {
	return graph.Squeeze(affine(w, "attn.tovalues", graph.InsertAxes(p, 1)), 1)
}

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

// newSortedLinearAttention is the control "la-sorted", which is not in the paper: LA on the points of
// each cloud in the order of their projections on one fixed direction. It has LA's weights and
// names, and unlike LA it is invariant to the order of the points. Points of equal projection are
// ordered by their coordinates, so only equal points tie.
func newSortedLinearAttention(c Config) Amortizer {
	la := newLinearAttention(c)
	return &builtin{c, "la-sorted", Properties{Symmetric: true, Invariant: true}, la.Specs(),
		func(w weights.Nodes, x, y *graph.Node) *graph.Node { return la.Direction(w, sorted(x), sorted(y)) }}
}

// sorted is p [batch, points, dim] with the points of every cloud in rising order of theta'p,
// theta_c = cos(c), c = 1, ..., dim. This direction has no rational relations, so no plane or
// lattice along the axes collapses. The order carries no gradient.
func sorted(p *graph.Node) *graph.Node {
	g, d := p.Graph(), p.Shape().Dimensions
	held := graph.StopGradient(p)
	operands := make([]*graph.Node, d[2]+2) // the projection, the coordinates, the place
	for c := range d[2] {
		x := graph.Squeeze(graph.SliceAxis(held, 2, graph.AxisRange(c, c+1)), 2)
		term := graph.MulScalar(x, math.Cos(float64(c+1)))
		if c > 0 {
			term = graph.Add(operands[0], term)
		}
		operands[0], operands[c+1] = term, x
	}
	place := shapes.Make(dtypes.Int32, d[0], d[1])
	operands[d[2]+1] = graph.Iota(g, place, 1)
	// The comparator sees pairs of scalars in the order of the operands, and compares all but the
	// places.
	before := graph.NewClosure(g, func(g *graph.Graph) []*graph.Node {
		left, right := make([]*graph.Node, len(operands)), make([]*graph.Node, len(operands))
		for i, o := range operands {
			left[i] = graph.Parameter(g, fmt.Sprintf("l%d", i), shapes.Make(o.DType()))
			right[i] = graph.Parameter(g, fmt.Sprintf("r%d", i), shapes.Make(o.DType()))
		}
		less := graph.LessThan(left[d[2]], right[d[2]])
		for i := d[2] - 1; i >= 0; i-- {
			tie := graph.LogicalAnd(graph.Equal(left[i], right[i]), less)
			less = graph.LogicalOr(graph.LessThan(left[i], right[i]), tie)
		}
		return []*graph.Node{less}
	})
	order := graph.SortFunc(before, 1, false, operands...)[d[2]+1]
	return loop.GatherRows(p, order)
}

// attended lists the weights that the attention maps share.
func (c Config) attended() []weights.Spec {
	s := dense("attn.toqueries", c.Dim, c.DK, c.Variant == Released)
	s = append(s, dense("attn.tokeys", c.Dim, c.DK, c.Variant == Released)...)
	return append(s, dense("attn.tovalues", c.Dim, c.Dim, c.Variant == Released)...)
}

// keyBias names the key bias, for the maps whose softmax over the points cancels it.
func (c Config) keyBias() []string {
	if c.Variant == Released {
		return []string{"attn.tokeys.bias"}
	}
	return nil
}

// pooled is the direction of the attention maps, [batch, dim]. pool is a mean over the points of a
// cloud, [batch, points, dim] -> [batch, dim], with the same weights for both clouds. Released
// takes (pool(X) + pool(Y)) / 2, Paper the sums over the points, m_X pool(X) + m_Y pool(Y). For
// clouds of one size the two directions agree.
func (c Config) pooled(x, y *graph.Node, pool func(*graph.Node) *graph.Node) *graph.Node {
	px, py := pool(x), pool(y)
	if c.Variant == Paper {
		px = graph.MulScalar(px, float64(x.Shape().Dimensions[1]))
		py = graph.MulScalar(py, float64(y.Shape().Dimensions[1]))
		return unit(graph.Add(px, py))
	}
	return unit(graph.MulScalar(graph.Add(px, py), 0.5))
}
