// Package slicing says where the directions of a sliced loss come from: a law on the sphere (uniform, von
// Mises-Fisher, a point, given directions) and, where the law has a location, how that location is found (at random, by ascent, by
// an amortizer). Everything is built inside a GoMLX graph; randomness is an argument.
package slicing

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// Law draws directions on the unit sphere.
type Law interface {
	// Name is how the law is called in tables, such as "uniform".
	Name() string
	// Fits returns an error when the law cannot draw directions in that dimension.
	Fits(dim int) error
	// Located says whether the law has a location parameter.
	Located() bool
	// Draw returns directions [batch, slices, dim] for the location [batch, dim] (nil where Located is false),
	// differentiable in the location.
	Draw(src Source, location *graph.Node, batch, slices, dim int) *graph.Node
}

// Rule is a law, a number of slices per pair of clouds, and the way the location is found. With neither Amortizer nor
// Ascent a located law gets a fresh uniform location per pair.
type Rule struct {
	Law       Law
	Slices    int
	Amortizer amortizer.Amortizer
	Ascent    *Ascent
}

// Name describes the rule, such as "vmf(1), L = 100, ascent T = 10".
func (r Rule) Name() string {
	s := fmt.Sprintf("%s, L = %d", r.Law.Name(), r.Slices)
	switch {
	case r.Amortizer != nil:
		s += ", amortizer " + r.Amortizer.Name()
	case r.Ascent != nil:
		s += fmt.Sprintf(", ascent T = %d", r.Ascent.Steps)
	}
	return s
}

// Fits returns an error when clouds of that shape cannot be sliced by the rule.
func (r Rule) Fits(points, dim int) error {
	if err := r.Law.Fits(dim); err != nil {
		return err
	}
	if r.Amortizer != nil {
		return r.Amortizer.Fits(points)
	}
	return nil
}

// Specs lists the weights learned by ascent: the amortizer's, or none.
func (r Rule) Specs() []weights.Spec {
	if r.Amortizer == nil {
		return nil
	}
	return r.Amortizer.Specs()
}

// Location builds the unit location of every pair, [batch, dim], or nil where the law has none. A location given (the
// result of an ascent) is used as it is; the amortizer sees the clouds without gradient.
func (r Rule) Location(src Source, w weights.Nodes, given, x, y *graph.Node) *graph.Node {
	switch {
	case !r.Law.Located():
		return nil
	case given != nil:
		return given
	case r.Amortizer != nil:
		return r.Amortizer.Direction(w, graph.StopGradient(x), graph.StopGradient(y))
	}
	d := x.Shape().Dimensions
	return Unit(src.Normal(d[0], d[2]))
}

// Unit divides vectors along the last axis by their Euclidean norm.
func Unit(v *graph.Node) *graph.Node {
	square := graph.ReduceAndKeep(graph.Mul(v, v), graph.ReduceSum, -1)
	return graph.Div(v, graph.Sqrt(graph.MaxScalar(square, 1e-30)))
}
