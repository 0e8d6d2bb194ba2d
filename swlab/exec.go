package swlab

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
)

// maxGoBackendWork is the work, in pairs of points, that the pure-Go backend finishes before XLA has compiled
// it: two pairs of clouds of 2048 points. Losses with more work per pair of points take longer to
// compile too.
const maxGoBackendWork = 1 << 23

// choose returns the engine of a call: the given one, else the environment's, else the pure-Go
// backend for little work and the best backend found for more. It depends on the call alone, not on
// earlier calls.
func choose(given *engine.Engine, work float64) (*engine.Engine, error) {
	switch {
	case given != nil:
		return given, nil
	case work <= maxGoBackendWork && !engine.Chosen():
		return goBackend()
	}
	return engine.Open("")
}

// goBackend is GoMLX's pure-Go backend: it needs no plugin and compiles almost instantly.
func goBackend() (*engine.Engine, error) { return engine.Open("go") }

// graphKey identifies a graph of this package: what it computes, and its configuration.
type graphKey struct {
	what   string
	config any // comparable
}

// distanceGraph is the configuration of a graph of Distance.
type distanceGraph struct {
	name     string
	settings loss.Config
	wrt      ot1d.Wrt // where the gradient is asked for
	points   int      // of a cloud, if no input tells
}

// arrays are the inputs and outputs of the graphs of Distance, of B pairs. Each graph has some of
// them.
type arrays[T any] struct {
	X, Y         T            // clouds [B, points, d]
	MassX, MassY T            // [B, points]
	Noise        T            // state of random numbers
	Weights      map[string]T // of the loss
	Location     T            // [B, d]
	Directions   T            // [B, L, d]
	Costs        T            // of slices [B, L]
	Units        T            // of the costs [B, 1]

	Pairs, Shares, Used, Matched T // see loss.Result
	GradX, GradY, GradCosts      T // of the mean over pairs
}

type (
	nodes  = arrays[*graph.Node]
	values = arrays[*tensors.Tensor]
)

// call runs a graph of this package.
func call(e *engine.Engine, what string, config any, in values, build func(nodes) nodes) (values, error) {
	return engine.NewProgram[values, values](e, graphKey{what, config}, build).Call(in)
}

// masses holds the masses of a set's points, or nil if none are given.
func masses(of *datasets.Set, given []float64) *tensors.Tensor {
	if given == nil {
		return nil
	}
	return tensors.FromFlatDataAndDimensions(vec.To[float32](given), of.Clouds, of.Points)
}

// recovered turns a panic of a loss, slicing distribution or amortizer of another module into an
// error.
func recovered(err *error, kind, name string) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%s %q: %v", kind, name, r)
	}
}

// gradients are those of the mean of the pairs' values in the clouds that wrt names.
func gradients(pairs *graph.Node, wrt ot1d.Wrt, x, y *graph.Node) (gradX, gradY *graph.Node) {
	mean := graph.ReduceAllMean(pairs)
	switch {
	case wrt&ot1d.X != 0 && wrt&ot1d.Y != 0:
		g := graph.Gradient(mean, x, y)
		return g[0], g[1]
	case wrt&ot1d.X != 0:
		return graph.Gradient(mean, x)[0], nil
	case wrt&ot1d.Y != 0:
		return nil, graph.Gradient(mean, y)[0]
	}
	return nil, nil
}

// tensor holds a set's points, [B, m, d].
func tensor(s *datasets.Set) *tensors.Tensor {
	return tensors.FromFlatDataAndDimensions(s.Coords, s.Clouds, s.Points, s.Dim)
}

// numbers are the values of a float32 or float64 tensor, or nil.
func numbers(t *tensors.Tensor) []float64 {
	if t != nil && t.DType() == dtypes.Float64 {
		return tensors.MustCopyFlatData[float64](t)
	}
	return vec.To[float64](float32s(t))
}

// float32s are the values of a float32 tensor, or nil.
func float32s(t *tensors.Tensor) []float32 {
	if t == nil {
		return nil
	}
	return tensors.MustCopyFlatData[float32](t)
}

// narrow converts results to float32, or returns an error if they do not fit.
func narrow(what string, v []float64) ([]float32, error) {
	out := vec.To[float32](v)
	if i := vec.NotFinite(out); i >= 0 {
		return nil, fmt.Errorf("%s: number %d does not fit into float32, which holds up to 3.4e38; scale the clouds or lower p", what, i)
	}
	return out, nil
}
