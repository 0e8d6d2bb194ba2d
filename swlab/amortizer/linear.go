package amortizer

import (
	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// linear is the map L as coded: one linear form over the 2m points, shared by the coordinates,
//
//	a_c = sum_i u_i [x_i]_c + sum_i v_i [y_i]_c + beta,   direction = a / ||a||
//
// with [u, v] the weight "f.0.weight" [1, 2m] and beta "f.0.bias" [1], a single scalar added to every coordinate (the
// paper has a free offset vector). It depends on the order of the points and is not symmetric.
type linear struct{ Config }

func newLinear(c Config) Amortizer { return linear{c} }

func (linear) Name() string { return "l" }

func (l linear) Fits(points int) error { return fixed("l", l.Points, points) }

func (l linear) Specs() []weights.Spec {
	n := 2 * l.Points
	return []weights.Spec{
		{Name: "f.0.weight", Shape: []int{1, n}, Init: weights.FanIn(n)},
		{Name: "f.0.bias", Shape: []int{1}, Init: weights.FanIn(n)},
	}
}

func (l linear) Direction(w weights.Nodes, x, y *graph.Node) *graph.Node {
	checkPair("l", x, y, l.Points, l.Dim)
	return unit(linearForm(w, x, y))
}

// linearForm is the form before normalisation, [batch, dim].
func linearForm(w weights.Nodes, x, y *graph.Node) *graph.Node {
	points := graph.Concatenate([]*graph.Node{x, y}, 1)
	a := graph.Reshape(graph.Einsum("on,bnc->boc", w.Get("f.0.weight"), points), x.Shape().Dimensions[0], x.Shape().Dimensions[2])
	return graph.Add(a, graph.InsertAxes(w.Get("f.0.bias"), 0))
}
