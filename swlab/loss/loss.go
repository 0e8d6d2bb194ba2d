// Package loss holds the losses between point clouds: sliced Wasserstein distances composed of a
// slicing distribution, a one-dimensional transport cost and an estimator; the Chamfer distance;
// the approximate and the exact earth mover's distance; and Sinkhorn's.
package loss

import (
	"errors"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// Loss gives a number per pair of clouds. It is a Graph or a Host.
type Loss interface {
	// Name is the loss's name in tables, such as "v-DSW".
	Name() string
	Convention() Convention
	// Check returns an error if clouds of m and of n points of that dimension cannot be compared.
	Check(m, n, dim int) error
}

// Graph is a Loss built inside a GoMLX graph, so that a network can be trained on it.
type Graph interface {
	Loss
	// Specs lists the weights learned by ascent on the loss; most losses have none.
	Specs() []weights.Spec
	// Build adds the loss of x [batch, m, dim] and y [batch, n, dim] to the graph. As usual in
	// GoMLX, it panics with the shapes if they do not fit.
	Build(c BuildArgs, x, y *graph.Node) Result
}

// Host is a Loss computed on the host, in float64.
type Host interface {
	Loss
	// Compare returns the loss of every pair and, with gradient, the gradient of their sum in x and
	// y.
	Compare(x, y ot1d.Clouds, gradient bool) (Comparison, error)
}

// TakesMasses marks a Loss between clouds whose points have masses.
type TakesMasses interface {
	// CheckMasses returns an error if the loss has no masses with its settings, such as a sum over
	// points.
	CheckMasses() error
}

// meanMasses is CheckMasses of a loss that has masses only as a mean over points.
func meanMasses(r Reduction) error {
	if r != Mean {
		return errors.New("a sum over points has none: take the mean over points (--reduce mean, in Go Reduce: loss.Mean)")
	}
	return nil
}

// Comparison is the result of a Host loss.
type Comparison struct {
	Pairs     []float64 // [batch]
	GradientX []float64 // [batch, m, dim], or nil
	GradientY []float64 // [batch, n, dim], or nil
	// DualityGap [batch] bounds the distance of each value from the optimum, certified by dual
	// potentials; nil unless the loss solves for the optimum.
	DualityGap []float64
}

// BuildArgs holds what a loss may need besides the clouds.
type BuildArgs struct {
	Source   slicing.Source // of random numbers
	Weights  weights.Nodes  // the values of Specs
	Location *graph.Node    // [batch, dim] unit locations found by ascent, or nil
	// MassX and MassY are [batch, points] masses of the points; nil: equal ones. Only for a loss that
	// TakesMasses.
	MassX, MassY *graph.Node
	// Wrt says where the result must be differentiable. The ascent uses ot1d.Directions.
	Wrt ot1d.Wrt
}

// Result of Build. Fields that do not apply are nil.
type Result struct {
	Pairs      *graph.Node // [batch] the loss of every pair
	Slices     *graph.Node // [batch, slices] the cost of every slice, before the estimator
	Shares     *graph.Node // [batch, slices] Estimate.Shares, before the root
	Used       *graph.Node // int32 scalar, the number of first slices that count; nil: all
	Directions *graph.Node // [batch, slices, dim]
	Location   *graph.Node // [batch, dim] the location of the slicing distribution
	// [batch] the fraction of the mass that is matched, if that can be less than 1
	MatchedMass *graph.Node
}
