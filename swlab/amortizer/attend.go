package amortizer

import (
	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/internal/loop"
)

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
	logMass := graph.Add(part(0, 1), graph.Log(mass))

	// The queries, minus themselves, carry the cotangents; the points go through the same node to
	// get theirs.
	both := graph.IdentityWithCustomGradient(graph.Concatenate([]*graph.Node{q, p}, 1),
		func(_, v *graph.Node) *graph.Node {
			g := graph.SliceAxis(v, 1, graph.AxisRange(0, n))
			og := graph.ReduceAndKeep(graph.Mul(o, g), graph.ReduceSum, -1)
			dq := graph.Sub(graph.Einsum("bnce,bne->bnc", second, g), graph.Mul(o, og))
			return graph.Concatenate([]*graph.Node{dq, pullPoints(q0, p0, g, og, logMass, table)}, 1)
		})
	moved := graph.Sub(graph.SliceAxis(both, 1, graph.AxisRange(0, n)), q0) // zero
	return graph.Add(graph.Add(o, centre), moved)
}

// pullPoints is dp for the cotangents g [batch, n, dim] with og = o'g and logMass_i = log sum_l
// exp(q_i'p_l) [batch, n, 1]: the rows (p_j, -1) and keys (q_i, logMass_i) have the products log
// P_ij.
func pullPoints(q, p, g, og, logMass *graph.Node, table int) *graph.Node {
	d := q.Shape().Dimensions
	batch, n, dim, m := d[0], d[1], d[2], p.Shape().Dimensions[1]
	rows := graph.Concatenate([]*graph.Node{p, graph.Neg(graph.OnesLike(graph.SliceAxis(p, 2, graph.AxisRange(0, 1))))}, 2)
	keys := graph.Concatenate([]*graph.Node{q, logMass}, 2)
	straight := graph.Sub(g, graph.Mul(q, og)) // g_i - (o_i'g_i) q_i
	outer := graph.Reshape(graph.Mul(graph.InsertAxes(q, -1), graph.InsertAxes(g, -2)), batch, n, dim*dim)
	sums := exponentialSums(rows, keys, graph.Concatenate([]*graph.Node{straight, outer}, 2), false, table)
	turn := graph.Reshape(graph.SliceAxis(sums, 2, graph.AxisRangeToEnd(dim)), batch, m, dim, dim) // sum_i P_ij q_i g_i'
	return graph.Add(graph.SliceAxis(sums, 2, graph.AxisRange(0, dim)), graph.Einsum("bmce,bme->bmc", turn, p))
}
