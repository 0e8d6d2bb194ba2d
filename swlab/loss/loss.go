// Package loss holds the losses between point clouds: sliced Wasserstein distances as compositions of a slicing distribution, a
// one-dimensional transport cost and a reduction, the Chamfer distance, the approximate and the exact earth mover's distance, and Sinkhorn's.
package loss

import (
	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/plain"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// Loss is a number per pair of clouds: a Graph or a Host.
type Loss interface {
	// Name is how the loss is called in tables, such as "v-DSW".
	Name() string
	// Convention says what the number is: summed or averaged over points, over slices, rooted or not, and its unit.
	Convention() string
	// Check returns an error when clouds of m points and clouds of n points of that dimension cannot be compared.
	Check(m, n, dim int) error
}

// Graph is a Loss that is built inside a GoMLX graph, so that a network can be trained on it.
type Graph interface {
	Loss
	// Specs lists the weights that are learned by ascent on the loss, none for most losses.
	Specs() []weights.Spec
	// Build adds the loss of x [batch, m, dim] and y [batch, n, dim] to the graph. It panics with the shapes when they do not fit
	// (GoMLX's custom while a graph is built).
	Build(c BuildArgs, x, y *graph.Node) Result
}

// Host is a Loss that is computed on the host, in float64.
type Host interface {
	Loss
	// Compare returns the loss of every pair and, where gradient is asked for, the gradient of their sum in y.
	Compare(x, y ot1d.Clouds, gradient bool) (Comparison, error)
}

// Comparison is the result of a Host loss.
type Comparison struct {
	Pairs      []float64 // [batch]
	GradientY  []float64 // [batch, n, dim], or nil
	DualityGap []float64 // [batch] how far each value can be from the optimum, certified by dual potentials; nil where nothing is optimised exactly
}

// BuildArgs is what a loss may need besides the clouds.
type BuildArgs struct {
	Source       slicing.Source // random numbers
	Weights      weights.Nodes  // the values of Specs
	Location     *graph.Node    // [batch, dim] unit locations found by an ascent, or nil
	MassX, MassY *graph.Node    // [batch, points] masses of the points, or nil: equal ones. Sliced losses only
	Wrt          ot1d.Wrt       // where the result must be differentiable; ot1d.Directions is the ascent's side
	Plain        plain.Set      // fast paths that are switched off: Sort, Tables
}

// Result of Build. Fields that a loss has not are nil.
type Result struct {
	Pairs       *graph.Node // [batch] the loss of every pair
	Slices      *graph.Node // [batch, slices] the cost of every slice, before the reduction
	Shares      *graph.Node // [batch, slices] what every slice adds to the value before the root (Reduced.Shares)
	Used        *graph.Node // int32 scalar, how many of the first slices count; nil: all
	Directions  *graph.Node // [batch, slices, dim]
	Location    *graph.Node // [batch, dim] the location of the slicing distribution
	MatchedMass *graph.Node // [batch] the part of the mass that is matched, where that need not be all of it
}
