package amortizer

import (
	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/weights"
)

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
