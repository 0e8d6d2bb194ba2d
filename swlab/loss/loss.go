// Package loss holds the losses between point clouds: sliced Wasserstein distances as compositions of a slicing rule, a
// one-dimensional transport cost and a reduction, the Chamfer distance, and the approximate earth mover's distance.
package loss

import (
	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// Loss is a number per pair of clouds.
type Loss interface {
	// Name is how the loss is called in tables, such as "v-DSW".
	Name() string
	// Convention says what the number is: summed or averaged over points, over slices, rooted or not, and its unit.
	Convention() string
	// Specs lists the weights that are learned by ascent on the loss, none for most losses.
	Specs() []weights.Spec
	// Fits returns an error when clouds of that shape cannot be compared.
	Fits(points, dim int) error
	// Build adds the loss of x and y [batch, points, dim] to the graph. It panics with the shapes when they do not fit
	// (GoMLX's custom while a graph is built).
	Build(c Call, x, y *graph.Node) Result
}

// Call is what a loss may need besides the clouds.
type Call struct {
	Source   slicing.Source // random numbers
	Weights  weights.Nodes  // the values of Specs
	Location *graph.Node    // [batch, dim] unit locations found by an ascent, or nil
	Wrt      ot1d.Wrt       // where the result must be differentiable; ot1d.Directions is the ascent's side
	Method   ot1d.Method    // how projections are sorted
}

// Result of Build. Fields that a loss has not are nil.
type Result struct {
	Pairs      *graph.Node // [batch] the loss of every pair
	Slices     *graph.Node // [batch, slices] the cost of every slice, before the reduction
	Directions *graph.Node // [batch, slices, dim]
	Location   *graph.Node // [batch, dim] the location of the slicing law
}
