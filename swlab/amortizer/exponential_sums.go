package amortizer

import (
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/internal/loop"
)

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
