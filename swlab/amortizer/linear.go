package amortizer

import (
	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// newLinear is the map L: one linear form over the 2m points, shared by the coordinates,
//
//	a_c = sum_i u_i [x_i]_c + sum_i v_i [y_i]_c + beta,   direction = a / ||a||
//
// with [u, v] the weight "f.0.weight" [1, 2m] and beta "f.0.bias", both U(+-1/sqrt(2m)). The
// released beta [1] is a single number added to every coordinate; the paper's is a vector [d]. The
// map depends on the order of the points and is not symmetric.
func newLinear(c Config) Amortizer {
	offset := 1
	if c.Variant == Paper {
		offset = c.Dim
	}
	return &builtin{c, "l", Properties{}, formSpecs(c.Points, offset), func(w weights.Nodes, x, y *graph.Node) *graph.Node {
		return unit(linearForm(w, x, y))
	}}
}

// formSpecs lists the weights of the linear form with an offset of that many numbers.
func formSpecs(points, offset int) []weights.Spec {
	n := 2 * points
	s := dense("f.0", n, 1, false)
	if offset > 0 {
		s = append(s, weights.Spec{Name: "f.0.bias", Shape: []int{offset}, Init: weights.FanIn(n)})
	}
	return s
}

// linearForm is a before normalisation, [batch, dim]; without offset if w has none.
func linearForm(w weights.Nodes, x, y *graph.Node) *graph.Node {
	points := graph.Concatenate([]*graph.Node{x, y}, 1)
	a := graph.Reshape(graph.Einsum("on,bnc->boc", w.Get("f.0.weight"), points), x.Shape().Dimensions[0],
		x.Shape().Dimensions[2])
	if offset, ok := w["f.0.bias"]; ok {
		a = graph.Add(a, graph.InsertAxes(offset, 0))
	}
	return a
}

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
