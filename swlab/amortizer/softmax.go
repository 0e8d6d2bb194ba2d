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

// maxUnrolled bounds the tables of a graph without loops.
const maxUnrolled = 16

// exponentialSums is, for every row i,
//
//	sum_j exp(r_i'k_j - t_i) f_j   [batch, n, features]
//
//	rows r      [batch, n, dim]
//	keys k      [batch, m, dim]
//	features f  [batch, m, features]
//
// with t = 0 or, if shifted, t_i = max_j r_i'k_j, which then comes first in the result, [batch, n,
// 1 + features].
//
// It works on as many rows at a time as give tables of about table exponents: in a loop on XLA (by
// fusedSums, if a GPU takes all rows at once), in up to maxUnrolled consecutive pieces on the
// pure-Go backend. It has no gradient.
func exponentialSums(rows, keys, features *graph.Node, shifted bool, table int) *graph.Node {
	g, n := rows.Graph(), rows.Shape().Dimensions[1]
	k := keys.Shape().Dimensions
	step := max(1, min(n, table/(k[0]*k[1])))
	body := func(rows, keys, features *graph.Node) *graph.Node {
		s := graph.Einsum("bnc,bmc->bnm", rows, keys)
		if !shifted {
			return graph.Einsum("bnm,bmf->bnf", graph.Exp(s), features)
		}
		t := largest(s, 2)
		sums := graph.Einsum("bnm,bmf->bnf", graph.Exp(graph.Sub(s, t)), features)
		return graph.Concatenate([]*graph.Node{t, sums}, 2)
	}
	if !loop.XLA(g) {
		step = max(step, (n+maxUnrolled-1)/maxUnrolled)
		var parts []*graph.Node
		for at := 0; at < n; at += step {
			part := body(graph.SliceAxis(rows, 1, graph.AxisRange(at, min(at+step, n))), keys, features)
			// One after the other: with many products ready at once, the workers of the Go backend
			// of GoMLX v0.28 deadlock, and all tables would exist at a time.
			done := graph.SliceAxis(graph.SliceAxis(part, 1, graph.AxisRange(0, 1)), 2, graph.AxisRange(0, 1))
			keys = graph.Add(keys, graph.MulScalar(done, 0))
			parts = append(parts, part)
		}
		return graph.Concatenate(parts, 1)
	}
	if step == n && !loop.OnCPU(g) {
		return fusedSums(rows, keys, features, shifted)
	}
	if step == n {
		return body(rows, keys, features)
	}
	width := features.Shape().Dimensions[2]
	if shifted {
		width++
	}
	out := graph.Zeros(g, shapes.Make(rows.DType(), k[0], n, width))
	// The last table starts early enough to be whole: some rows are computed twice.
	return loop.Count(g, n, step, []*graph.Node{rows, keys, features}, []*graph.Node{out},
		func(i loop.Index, c, s []*graph.Node) []*graph.Node {
			return []*graph.Node{i.Put(s[0], body(i.Rows(c[0], 1, step), c[1], c[2]), 1)}
		})[0]
}

// largest is the maximum along an axis, kept with size 1. It avoids a reduction, which is not free in
// a loop.
func largest(x *graph.Node, axis int) *graph.Node {
	for n := x.Shape().Dimensions[axis]; n > 1; n = (n + 1) / 2 {
		half := (n + 1) / 2
		x = graph.Max(graph.SliceAxis(x, axis, graph.AxisRange(0, half)),
			graph.SliceAxis(x, axis, graph.AxisRange(n-half, n)))
	}
	return x
}

// fusedSums is exponentialSums of all rows at once on a GPU, which stores the exponentials only. The
// exponents are products written out by coordinates: XLA computes such ones where they are needed.
func fusedSums(rows, keys, features *graph.Node, shifted bool) *graph.Node {
	if !shifted {
		return graph.Einsum("bnm,bmf->bnf", graph.Exp(exponents(rows, keys)), features)
	}
	t := graph.ReduceAndKeep(exponents(rows, keys), graph.ReduceMax, 2)
	// Rows of their own, plus 0 times the maxima: else XLA would store the exponents for both uses.
	own := graph.Add(rows, graph.MulScalar(t, 0))
	sums := graph.Einsum("bnm,bmf->bnf", graph.Exp(graph.Sub(exponents(own, keys), t)), features)
	return graph.Concatenate([]*graph.Node{t, sums}, 2)
}

// exponents are the products r_i'k_j, [batch, n, m].
func exponents(rows, keys *graph.Node) *graph.Node {
	var sum *graph.Node
	for i := range rows.Shape().Dimensions[2] {
		r := graph.SliceAxis(rows, 2, graph.AxisElem(i))
		k := graph.TransposeAllAxes(graph.SliceAxis(keys, 2, graph.AxisElem(i)), 0, 2, 1)
		if p := graph.Mul(r, k); sum == nil {
			sum = p
		} else {
			sum = graph.Add(sum, p)
		}
	}
	return sum
}

// tableSize is how many scores are held at a time: on a CPU 16 MB, to stay in the cache.
func tableSize(g *graph.Graph) int {
	if loop.OnCPU(g) {
		return 1 << 22
	}
	return loop.GPUTable
}

// attend is the attention of queries q to the points p themselves, [batch, n, dim]:
//
//	o_i = sum_j P_ij p_j,   P_ij = exp(q_i'p_j) / sum_l exp(q_i'p_l)
//
//	q       [batch, n, dim]
//	p       [batch, points, dim]
//	table   how many of the batch x n x points scores are held at a time, forward and backward
//
// Loops compute the scores and have no gradient, so it is built by hand. For cotangents g_i of o_i,
//
//	dq_i = C_i g_i,   C_i = sum_j P_ij p_j p_j' - o_i o_i'   (found with o_i in one pass)
//	dp_j = sum_i P_ij (g_i + ((p_j - o_i)'g_i) q_i)          (a second pass, only if needed)
func attend(q, p *graph.Node, table int) *graph.Node {
	batch, n, dim := q.Shape().Dimensions[0], q.Shape().Dimensions[1], q.Shape().Dimensions[2]
	m := p.Shape().Dimensions[1]
	// o(q, p) = c + o(q, p - c) for any c: points near the origin lose fewer digits.
	centre := graph.StopGradient(graph.ReduceAndKeep(p, graph.ReduceMean, 1))
	p = graph.Sub(p, centre)
	q0, p0 := graph.StopGradient(q), graph.StopGradient(p)

	one := graph.OnesLike(graph.SliceAxis(p0, 2, graph.AxisRange(0, 1)))
	outer := graph.Reshape(graph.Mul(graph.InsertAxes(p0, -1), graph.InsertAxes(p0, -2)), batch, m, dim*dim)
	sums := graph.StopGradient(exponentialSums(q0, p0, graph.Concatenate([]*graph.Node{one, p0, outer}, 2), true, table))
	part := func(from, to int) *graph.Node { return graph.SliceAxis(sums, 2, graph.AxisRange(from, to)) }
	mass := part(1, 2)
	o := graph.Div(part(2, 2+dim), mass)
	second := graph.Reshape(graph.Div(part(2+dim, 2+dim+dim*dim), mass), batch, n, dim, dim) // sum_j P_ij p_j p_j'
	top := part(0, 1)                                                                        // t_i, the largest score

	// The queries, minus themselves, carry the cotangents; the points go through the same node to
	// get theirs.
	both := graph.IdentityWithCustomGradient(graph.Concatenate([]*graph.Node{q, p}, 1),
		func(_, v *graph.Node) *graph.Node {
			g := graph.SliceAxis(v, 1, graph.AxisRange(0, n))
			og := graph.ReduceAndKeep(graph.Mul(o, g), graph.ReduceSum, -1)
			dq := graph.Sub(graph.Einsum("bnce,bne->bnc", second, g), graph.Mul(o, og))
			return graph.Concatenate([]*graph.Node{dq, pullPoints(q0, p0, g, og, top, mass, table)}, 1)
		})
	moved := graph.Sub(graph.SliceAxis(both, 1, graph.AxisRange(0, n)), q0) // zero
	return graph.Add(graph.Add(o, centre), moved)
}

// pullPoints is dp for the cotangents g [batch, n, dim] with og = o'g, the largest scores t_i, and mass_i = sum_l
// exp(q_i'p_l - t_i), both [batch, n, 1]: the rows (p_j, -1) and keys (q_i, t_i) have the products log(mass_i P_ij).
// (t_i + log mass_i in one number would lose the digits of log mass_i where scores are large.)
func pullPoints(q, p, g, og, top, mass *graph.Node, table int) *graph.Node {
	d := q.Shape().Dimensions
	batch, n, dim, m := d[0], d[1], d[2], p.Shape().Dimensions[1]
	rows := graph.Concatenate([]*graph.Node{p, graph.Neg(graph.OnesLike(graph.SliceAxis(p, 2, graph.AxisRange(0, 1))))}, 2)
	keys := graph.Concatenate([]*graph.Node{q, top}, 2)
	straight := graph.Sub(g, graph.Mul(q, og)) // g_i - (o_i'g_i) q_i
	outer := graph.Reshape(graph.Mul(graph.InsertAxes(q, -1), graph.InsertAxes(g, -2)), batch, n, dim*dim)
	features := graph.Div(graph.Concatenate([]*graph.Node{straight, outer}, 2), mass)
	sums := exponentialSums(rows, keys, features, false, table)
	turn := graph.Reshape(graph.SliceAxis(sums, 2, graph.AxisRangeToEnd(dim)), batch, m, dim, dim) // sum_i P_ij q_i g_i'
	return graph.Add(graph.SliceAxis(sums, 2, graph.AxisRange(0, dim)), graph.Einsum("bmce,bme->bmc", turn, p))
}
