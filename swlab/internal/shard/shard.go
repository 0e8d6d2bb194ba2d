// Package shard is data parallelism: graphs whose batch is divided among the devices of a backend.
// XLA does the division (GoMLX's AutoSharding): a graph is written for the whole batch, its inputs
// say which of them are divided, and XLA adds the all-reduces.
//
// XLA divides element-wise operations, products, reductions and sorts along other axes. It does not
// divide operations that take a place in the batch from a value: a loop over the batch, and Gather
// and Scatter of GoMLX v0.28, which cannot say that an index stays within its item
// (docs/upstream.md). XLA then collects the whole batch on every device. GatherRows is a gather
// that XLA divides; loops over the batch ask Active first.
package shard

import "github.com/gomlx/gomlx/core/graph"

// Active reports whether the graph's batch is divided among devices.
func Active(g *graph.Graph) bool { return g.NumDevices() > 1 }

// GatherRows takes from every item of x the rows given by at:
//
//	x       [batch, n, dim]
//	at      [batch, k] int32, in 0, ..., n-1
//	result  [batch, k, dim], x[b, at[b, i]]
//
// A divided batch uses a product with a table of zeros and ones [batch, k, n]: the same values if x
// is finite.
func GatherRows(x, at *graph.Node) *graph.Node {
	if Active(x.Graph()) {
		pick := graph.OneHot(at, x.Shape().Dimensions[1], x.DType())
		return graph.Einsum("bkn,bnd->bkd", graph.StopGradient(pick), x)
	}
	item := graph.Iota(x.Graph(), at.Shape(), 0)
	return graph.Gather(x, graph.Stack([]*graph.Node{item, at}, -1))
}
