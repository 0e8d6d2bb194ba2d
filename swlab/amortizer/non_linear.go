package amortizer

import (
	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// newNonLinear is the map N: the linear form of L, then a small network on its result,
//
//	h(q) = W4 sigmoid(W3 q + b3) + b4,   a = h( sum_i u_i x_i + sum_i v_i y_i + beta 1 ),   direction = a / ||a||
//
// with "h.0" = (W3, b3), "h.2" = (W4, b4), both [d, d] U(+-1/sqrt(d)), and "f.0" = ([u, v], beta)
// as in the released L. The paper's variant has neither b3 nor beta. (The paper divides by
// ||a||^2.)
func newNonLinear(c Config) Amortizer {
	return &builtin{c, "n", Properties{}, c.networkSpecs("h"), func(w weights.Nodes, x, y *graph.Node) *graph.Node {
		return unit(graph.Squeeze(network(w, "h", graph.InsertAxes(linearForm(w, x, y), 1)), 1))
	}}
}
