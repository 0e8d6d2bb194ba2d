package swlab

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// little is the work, in pairs of points compared, up to which the pure-Go backend has done it before XLA has compiled it: two pairs of
// clouds of 2048 points. The losses that take longer for a pair of points take longer to compile too.
const little = 1 << 23

// choose is the engine of a call: the given one; else what the environment chooses; else the pure-Go backend for little work, and for more the
// best one found. Which it is depends on the call alone, not on the calls before it.
func choose(given *engine.Engine, work float64) (*engine.Engine, error) {
	switch {
	case given != nil:
		return given, nil
	case work <= little && !engine.Chosen():
		return goBackend()
	}
	return engine.Open("")
}

// goBackend is GoMLX's pure-Go backend: it needs no plugin, and hardly any time to compile.
func goBackend() (*engine.Engine, error) { return engine.Open("go") }

// graphKey tells the graphs of this package apart: what they compute, with which configuration, for inputs of which shapes.
type graphKey struct {
	what   string
	config any // comparable
	shapes string
}

// distanceGraph is the configuration of the graphs of Distance.
type distanceGraph struct {
	name         string
	settings     loss.Settings
	gradient     bool
	located      bool // the location is an input
	massX, massY bool // the masses are
	points       int  // of a cloud, where no input has them
}

// graphsBuilt counts the graphs that this package has built, each to be compiled. It is for tests.
var graphsBuilt atomic.Int64

// compiled returns the graph f compiled for the shapes of args, kept by the engine from an earlier call with an equal configuration, and what
// gives it back. f should hold on to nothing large: it is kept with the graph.
func compiled(e *engine.Engine, what string, config any, f func([]*graph.Node) []*graph.Node, args []*tensors.Tensor) (*graph.Exec, func(), error) {
	return engine.Compiled(e, graphKey{what, config, shapesOf(args)}, func(b compute.Backend) (*graph.Exec, func(), error) {
		x, err := graph.NewExec(b, func(in []*graph.Node) (out []*graph.Node) {
			graphsBuilt.Add(1)
			defer func() { // GoMLX makes an error of a panic with an error, and waits for ever for a graph that panicked otherwise
				if r := recover(); r != nil {
					panic(fmt.Errorf("%v", r))
				}
			}()
			out = f(in)
			if i := slices.Index(out, nil); i >= 0 {
				panic(fmt.Errorf("output %d of the graph is nil", i))
			}
			return out
		})
		if err != nil {
			return nil, nil, err
		}
		return x, x.Finalize, nil
	})
}

// call calls a graph once.
func call(e *engine.Engine, what string, config any, f func([]*graph.Node) []*graph.Node, args ...*tensors.Tensor) ([]*tensors.Tensor, error) {
	x, release, err := compiled(e, what, config, f, args)
	if err != nil {
		return nil, err
	}
	defer release()
	in := make([]any, len(args))
	for i, t := range args {
		in[i] = t
	}
	return x.Call(in...)
}

// recovered makes an error of a panic: of a loss, a slicing distribution or an amortizer of another module.
func recovered(err *error, kind, name string) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%s %q: %v", kind, name, r)
	}
}

// shapesOf writes the shapes of tensors.
func shapesOf(args []*tensors.Tensor) string {
	var b strings.Builder
	for _, t := range args {
		fmt.Fprintf(&b, "%s ", t.Shape())
	}
	return b.String()
}

// tensor is a set's points, [B, m, d].
func tensor(s *datasets.Set) *tensors.Tensor {
	return tensors.FromFlatDataAndDimensions(s.Points, s.N, s.M, s.D)
}

// upload makes tensors of weights, in their order.
func upload(w *weights.Set) []*tensors.Tensor {
	var out []*tensors.Tensor
	for _, name := range w.Names() {
		t, _ := w.Get(name)
		out = append(out, tensors.FromFlatDataAndDimensions(t.Data, t.Shape...))
	}
	return out
}

// numbers are the values of a tensor of float32 or float64.
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

// narrow turns results into float32, or says that they do not fit.
func narrow(what string, v []float64) ([]float32, error) {
	out := make([]float32, len(v))
	for i, x := range v {
		if out[i] = float32(x); out[i]-out[i] != 0 {
			return nil, fmt.Errorf("%s: number %d does not fit into float32, which holds up to 3.4e38; scale the clouds or lower p", what, i)
		}
	}
	return out, nil
}

// finalize frees tensors on the device, which Go's collector does not see.
func finalize(list ...*tensors.Tensor) {
	for _, t := range list {
		t.FinalizeAll()
	}
}
