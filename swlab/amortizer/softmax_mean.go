package amortizer

import (
	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/internal/loop"
)

// tableSize is how many scores are held at a time: a few MB on a CPU, where they should stay in the cache, 256 MB on a GPU.
func tableSize(g *graph.Graph) int {
	if loop.OnCPU(g) {
		return 1 << 21
	}
	return 1 << 26
}

// softmaxMean is the mean over the points of the attention of queries q to the points p themselves, [batch, dim]:
//
//	f = (1/m) sum_i o_i,   o_i = sum_j P_ij p_j,   P_ij = exp(q_i'p_j) / sum_l exp(q_i'p_l)
//
//	q, p    [batch, points, dim]
//	table   how many of the batch x points x points scores are held at a time, forward and backward
//
// The scores are made in loops, which have no gradient, so it is built by hand. For a cotangent g of f,
//
//	dq_i = (1/m) C_i g,   C_i = sum_j P_ij p_j p_j' - o_i o_i'   (found with o_i in one pass)
//	dp_j = (1/m) sum_i P_ij (g + ((p_j - o_i)'g) q_i)            (a second pass, only where it is asked for)
func softmaxMean(q, p *graph.Node, table int) *graph.Node {
	d := p.Shape().Dimensions
	batch, m, dim := d[0], d[1], d[2]
	// f(q, p) = c + f(q, p - c) for any c: points near the origin lose fewer digits.
	centre := graph.StopGradient(graph.ReduceAndKeep(p, graph.ReduceMean, 1))
	p = graph.Sub(p, centre)
	q0, p0 := graph.StopGradient(q), graph.StopGradient(p)

	one := graph.OnesLike(graph.SliceAxis(p0, 2, graph.AxisRange(0, 1)))
	outer := graph.Reshape(graph.Mul(graph.InsertAxes(p0, -1), graph.InsertAxes(p0, -2)), batch, m, dim*dim)
	sums := exponentialSums(q0, p0, graph.Concatenate([]*graph.Node{one, p0, outer}, 2), true, table)
	part := func(from, to int) *graph.Node {
		return graph.StopGradient(graph.SliceAxis(sums, 2, graph.AxisRange(from, to)))
	}
	mass := part(1, 2)
	o := graph.Div(part(2, 2+dim), mass)
	second := graph.Reshape(graph.Div(part(2+dim, 2+dim+dim*dim), mass), batch, m, dim, dim) // sum_j P_ij p_j p_j'
	f := graph.Add(graph.Squeeze(centre, 1), graph.ReduceMean(o, 1))

	// The mean of C_i (q_i - q0_i) is zero and has the gradient in q.
	moved := graph.Sub(q, q0)
	along := graph.ReduceAndKeep(graph.Mul(o, moved), graph.ReduceSum, -1)
	turned := graph.Sub(graph.Einsum("bmce,bme->bmc", second, moved), graph.Mul(o, along))
	f = graph.Add(f, graph.ReduceMean(turned, 1))

	// The first point, minus itself, carries the cotangent g to the rule for dp.
	logMass := graph.Add(part(0, 1), graph.Log(mass))
	hook := graph.IdentityWithCustomGradient(p, func(_, v *graph.Node) *graph.Node {
		return pointsGradient(q0, p0, o, logMass, graph.SliceAxis(v, 1, graph.AxisRange(0, 1)), table)
	})
	first := graph.Squeeze(graph.SliceAxis(hook, 1, graph.AxisRange(0, 1)), 1)
	return graph.Add(f, graph.Sub(first, graph.StopGradient(first)))
}

// pointsGradient is dp for the cotangent g [batch, 1, dim], with logMass_i = log sum_l exp(q_i'p_l) [batch, points, 1]: the rows
// (p_j, -1) and keys (q_i, logMass_i) have the products log P_ij.
func pointsGradient(q, p, o, logMass, g *graph.Node, table int) *graph.Node {
	m, dim := p.Shape().Dimensions[1], p.Shape().Dimensions[2]
	og := graph.ReduceAndKeep(graph.Mul(o, g), graph.ReduceSum, -1)
	pg := graph.ReduceAndKeep(graph.Mul(p, g), graph.ReduceSum, -1)
	one := graph.OnesLike(og)
	rows := graph.Concatenate([]*graph.Node{p, graph.Neg(one)}, 2)
	keys := graph.Concatenate([]*graph.Node{q, logMass}, 2)
	sums := exponentialSums(rows, keys, graph.Concatenate([]*graph.Node{one, q, graph.Mul(q, og)}, 2), false, table)
	part := func(from, to int) *graph.Node { return graph.SliceAxis(sums, 2, graph.AxisRange(from, to)) }
	through := graph.Sub(graph.Mul(part(1, 1+dim), pg), part(1+dim, 1+2*dim)) // sum_i P_ij ((p_j - o_i)'g) q_i
	return graph.DivScalar(graph.Add(graph.Mul(part(0, 1), g), through), float64(m))
}
