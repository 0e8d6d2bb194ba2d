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
