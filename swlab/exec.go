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

// graphKey tells the graphs of this package apart: what they compute, and with which configuration.
type graphKey struct {
	what   string
	config any // comparable
}

// distanceGraph is the configuration of the graphs of Distance.
type distanceGraph struct {
	name         string
	settings     loss.Config
	gradient     bool
	located      bool // the location is an input
	massX, massY bool // the masses are
	points       int  // of a cloud, where no input has them
}

// call calls a graph once, compiled for the shapes of args.
func call(e *engine.Engine, what string, config any, f func([]*graph.Node) []*graph.Node, args ...*tensors.Tensor) ([]*tensors.Tensor, error) {
	in := make([]any, len(args))
	for i, t := range args {
		in[i] = t
	}
	return exec.Call(e, graphKey{what, config}, f, in...)
}

// recovered makes an error of a panic: of a loss, a slicing distribution or an amortizer of another module.
func recovered(err *error, kind, name string) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%s %q: %v", kind, name, r)
	}
}

// tensor is a set's points, [B, m, d].
func tensor(s *datasets.Set) *tensors.Tensor {
	return tensors.FromFlatDataAndDimensions(s.Coords, s.Clouds, s.Points, s.Dim)
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
