package swlab

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/internal/exec"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
)

// little is the work, in pairs of points, that the pure-Go backend finishes before XLA has compiled
// it: two pairs of clouds of 2048 points. Losses with more work per pair of points take longer to
// compile too.
const little = 1 << 23

// choose returns the engine of a call: the given one, else the environment's, else the pure-Go
// backend for little work and the best backend found for more. It depends on the call alone, not on
// earlier calls.
func choose(given *engine.Engine, work float64) (*engine.Engine, error) {
	switch {
	case given != nil:
		return given, nil
	case work <= little && !engine.Chosen():
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
	name         string
	settings     loss.Config
	wrt          ot1d.Wrt // where the gradient is asked for
	located      bool     // the location is an input
	massX, massY bool     // the masses are inputs
	points       int      // of a cloud, if no input tells
	rescaled     bool     // the units of the costs are an input
}

// massTensors are the masses that the call gives, of x before y, each [B, points].
func (p problem) massTensors() (args []*tensors.Tensor) {
	for _, side := range []struct {
		masses []float64
		of     *datasets.Set
	}{{p.MassX, p.x}, {p.MassY, p.y}} {
		if side.masses == nil {
			continue
		}
		narrow := make([]float32, len(side.masses))
		for i, w := range side.masses {
			narrow[i] = float32(w)
		}
		args = append(args, tensors.FromFlatDataAndDimensions(narrow, side.of.Clouds, side.of.Points))
	}
	return args
}

// bindMasses gives the nodes of massTensors to a loss, and returns the inputs after them.
func (g distanceGraph) bindMasses(build *loss.BuildArgs, in []*graph.Node) []*graph.Node {
	if g.massX {
		build.MassX, in = in[0], in[1:]
	}
	if g.massY {
		build.MassY, in = in[0], in[1:]
	}
	return in
}

// call runs a graph once, compiled for the shapes of args.
func call(e *engine.Engine, what string, config any, f func([]*graph.Node) []*graph.Node, args ...*tensors.Tensor) ([]*tensors.Tensor, error) {
	in := make([]any, len(args))
	for i, t := range args {
		in[i] = t
	}
	return exec.Call(e, graphKey{what, config}, f, in...)
}

// recovered turns a panic of a loss, slicing distribution or amortizer of another module into an
// error.
func recovered(err *error, kind, name string) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%s %q: %v", kind, name, r)
	}
}

// gradients are those of the mean of the pairs' values in the clouds that wrt names, x before y.
func gradients(pairs *graph.Node, wrt ot1d.Wrt, x, y *graph.Node) []*graph.Node {
	var at []*graph.Node
	if wrt&ot1d.X != 0 {
		at = append(at, x)
	}
	if wrt&ot1d.Y != 0 {
		at = append(at, y)
	}
	if at == nil {
		return nil
	}
	return graph.Gradient(graph.ReduceAllMean(pairs), at...)
}

// readGradients reads what gradients made from the start of out, and returns the rest.
func readGradients(out []*tensors.Tensor, wrt ot1d.Wrt) (gx, gy []float32, rest []*tensors.Tensor) {
	if wrt&ot1d.X != 0 {
		gx, out = tensors.MustCopyFlatData[float32](out[0]), out[1:]
	}
	if wrt&ot1d.Y != 0 {
		gy, out = tensors.MustCopyFlatData[float32](out[0]), out[1:]
	}
	return gx, gy, out
}

// tensor holds a set's points, [B, m, d].
func tensor(s *datasets.Set) *tensors.Tensor {
	return tensors.FromFlatDataAndDimensions(s.Coords, s.Clouds, s.Points, s.Dim)
}

// numbers are the values of a float32 or float64 tensor.
func numbers(t *tensors.Tensor) []float64 {
	if t.DType() == dtypes.Float64 {
		return tensors.MustCopyFlatData[float64](t)
	}
	return widen(tensors.MustCopyFlatData[float32](t))
}

func widen(v []float32) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = float64(x)
	}
	return out
}

// narrow converts results to float32, or returns an error if they do not fit.
func narrow(what string, v []float64) ([]float32, error) {
	out := make([]float32, len(v))
	for i, x := range v {
		if out[i] = float32(x); out[i]-out[i] != 0 {
			return nil, fmt.Errorf("%s: number %d does not fit into float32, which holds up to 3.4e38; scale the clouds or lower p", what, i)
		}
	}
	return out, nil
}
