package amortizer

import (
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/internal/loop"
)

// poolTable is how many scores softmaxPool holds at a time: on a CPU 1 MB, which stays in a core's
// cache.
func poolTable(g *graph.Graph) int {
	if loop.OnCPU(g) {
		return 1 << 18
	}
	return 1 << 26
}

// softmaxPool is the mean over the points of values weighted by a softmax over keys, [batch, dim]:
//
//	f = (1/m) sum_i o_i,   o_i = sum_l P_il v_l,   P_il = exp(p_i'q_l + c_l) / sum_n exp(p_i'q_n + c_n)
//
//	p       [batch, m, dim]      points
//	keys    [batch, k, dim + 1]  (q_l, c_l)
//	values  [batch, k, dim]      v_l
//	table   how many of the batch x k x m scores are held at a time
//
// One pass over the scores gives f and its derivatives, which are linear in the cotangent g of f.
// With p' = (p, 1),
//
//	M_l = (1/m) sum_i P_il p'_i,   R_l = (1/m) sum_i P_il o_i p'_i',   w_l = the last of M_l
//	f = sum_l w_l v_l,   dv_l = w_l g,   d(q_l, c_l) = (v_l'g) M_l - R_l'g
//
// The gradient in the points, dp_i = (1/m) sum_l P_il ((v_l - o_i)'g) q_l, is a second pass, made
// only if needed.
func softmaxPool(p, keys, values *graph.Node, table int) *graph.Node {
	batch, m, dim := p.Shape().Dimensions[0], p.Shape().Dimensions[1], p.Shape().Dimensions[2]
	k, width := keys.Shape().Dimensions[1], dim+1
	one := graph.OnesLike(graph.SliceAxis(p, 2, graph.AxisRange(0, 1)))
	// p' [batch, width, m]
	rows := graph.TransposeAllAxes(graph.StopGradient(graph.Concatenate([]*graph.Node{p, one}, 2)), 0, 2, 1)
	keys0, values0 := graph.StopGradient(keys), graph.StopGradient(values)

	sums := overScores(rows, keys0, values0, table, k, width*width, func(P, rows, values *graph.Node) *graph.Node {
		o := graph.Einsum("blc,blm->bcm", values, P)
		factors := []*graph.Node{rows}
		for c := range dim {
			factors = append(factors, graph.Mul(graph.SliceAxis(o, 1, graph.AxisRange(c, c+1)), rows))
		}
		return graph.Einsum("blm,bem->ble", P, graph.Concatenate(factors, 1))
	})
	sums = graph.StopGradient(graph.DivScalar(sums, float64(m)))
	moments := graph.SliceAxis(sums, 2, graph.AxisRange(0, width))                                         // M
	products := graph.Reshape(graph.SliceAxis(sums, 2, graph.AxisRangeToEnd(width)), batch, k, dim, width) // R
	f := graph.ReduceSum(graph.Mul(graph.SliceAxis(moments, 2, graph.AxisRange(dim, width)), values), 1)   // sum_l w_l v_l
	// Zero, with the gradient in the keys
	moved := graph.Sub(keys, keys0)
	along := graph.Mul(values0, graph.ReduceAndKeep(graph.Mul(moments, moved), graph.ReduceSum, 2)) // [batch, k, dim]
	across := graph.ReduceSum(graph.Mul(products, graph.InsertAxes(moved, 2)), 3)                   // [batch, k, dim]
	f = graph.Add(f, graph.ReduceSum(graph.Sub(along, across), 1))

	// The first point, minus itself, carries the cotangent g to the gradient dp.
	hook := graph.IdentityWithCustomGradient(p, func(_, v *graph.Node) *graph.Node {
		g := graph.TransposeAllAxes(graph.SliceAxis(v, 1, graph.AxisRange(0, 1)), 0, 2, 1) // [batch, dim, 1]
		return pooledPoints(rows, keys0, graph.Einsum("blc,bcx->blx", values0, g), table)
	})
	first := graph.Squeeze(graph.SliceAxis(hook, 1, graph.AxisRange(0, 1)), 1)
	return graph.Add(f, graph.Sub(first, graph.StopGradient(first)))
}

// pooledPoints is dp [batch, m, dim] for the cotangent's products v_l'g along [batch, k, 1].
func pooledPoints(rows, keys, along *graph.Node, table int) *graph.Node {
	width, m := rows.Shape().Dimensions[1], rows.Shape().Dimensions[2]
	dim := width - 1
	q := graph.SliceAxis(keys, 2, graph.AxisRange(0, dim))
	features := graph.Concatenate([]*graph.Node{along, q, graph.Mul(along, q)}, 2) // [batch, k, 1 + 2 dim]
	means := overScores(rows, keys, features, table, 1+2*dim, m, func(P, _, features *graph.Node) *graph.Node {
		return graph.Einsum("ble,blm->bem", features, P)
	})
	part := func(from, to int) *graph.Node { return graph.SliceAxis(means, 1, graph.AxisRange(from, to)) }
	pull := graph.Sub(part(1+dim, 1+2*dim), graph.Mul(part(0, 1), part(1, 1+dim)))
	return graph.TransposeAllAxes(graph.DivScalar(pull, float64(m)), 0, 2, 1)
}

// overScores maps the softmax over keys P [n, k, m] of as many pairs as fill a table with scores,
// with their rows and features, to [n, height, width]. On XLA it is a loop over the batch;
// elsewhere one table. It has no gradient.
func overScores(rows, keys, features *graph.Node, table, height, width int,
	body func(P, rows, features *graph.Node) *graph.Node) *graph.Node {
	g, d := rows.Graph(), rows.Shape().Dimensions
	batch, m, k := d[0], d[2], keys.Shape().Dimensions[1]
	one := graph.Ones(g, shapes.Make(rows.DType(), k))
	each := func(rows, keys, features, one *graph.Node) *graph.Node {
		s := graph.Einsum("blw,bwm->blm", keys, rows)
		e := graph.Exp(graph.Sub(s, largest(s, 1)))
		mass := graph.InsertAxes(graph.Einsum("blm,l->bm", e, one), 1)
		return body(graph.Div(e, mass), rows, features)
	}
	pairs := max(1, min(batch, table/(k*m)))
	for batch%pairs != 0 {
		pairs--
	}
	if pairs == batch || !loop.XLA(g) {
		return each(rows, keys, features, one)
	}
	out := graph.Zeros(g, shapes.Make(rows.DType(), batch, height, width))
	return loop.Count(g, batch, pairs, []*graph.Node{rows, keys, features, one}, []*graph.Node{out},
		func(i loop.Index, c, s []*graph.Node) []*graph.Node {
			r := each(i.Rows(c[0], 0, pairs), i.Rows(c[1], 0, pairs), i.Rows(c[2], 0, pairs), c[3])
			return []*graph.Node{i.Put(s[0], r, 0)}
		})[0]
}
