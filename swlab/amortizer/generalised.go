package amortizer

import (
	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// newGeneralised is the map G: a small network on every point of both clouds, then the linear form of
// L,
//
//	h(q) = W2 sigmoid(W1 q + b1) + b2,   a_c = sum_i u_i [h(x_i)]_c + sum_i v_i [h(y_i)]_c + beta,   direction = a / ||a||
//
// with "g.0" = (W1, b1), "g.2" = (W2, b2), both [d, d] U(+-1/sqrt(d)), and "f.0" = ([u, v], beta)
// as in the released L. The paper's variant has neither b1 nor beta. (The paper divides by ||a||^2;
// its list of weights has an offset that its formula lacks.)
func newGeneralised(c Config) Amortizer {
	return &builtin{c, "g", Properties{}, c.networkSpecs("g"), func(w weights.Nodes, x, y *graph.Node) *graph.Node {
		return unit(linearForm(w, network(w, "g", x), network(w, "g", y)))
	}}
}

// networkSpecs lists the weights of the linear form and of the named network, which G and N share.
func (c Config) networkSpecs(name string) []weights.Spec {
	offset := 1
	if c.Variant == Paper {
		offset = 0
	}
	s := formSpecs(c.Points, offset)
	s = append(s, dense(name+".0", c.Dim, c.Dim, c.Variant == Released)...)
	return append(s, dense(name+".2", c.Dim, c.Dim, true)...)
}

// network is h on the last axis of p [batch, points, dim].
func network(w weights.Nodes, name string, p *graph.Node) *graph.Node {
	return affine(w, name+".2", graph.Sigmoid(affine(w, name+".0", p)))
}
