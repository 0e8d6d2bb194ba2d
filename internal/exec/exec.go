// Package exec calls compiled graphs: once, or for every cloud of a set, a batch at a time.
package exec

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/internal/memory"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// Built counts the graphs that Call has built, each to be compiled. It is for tests.
var Built atomic.Int64

// Key identifies a compiled graph: what it computes, with which configuration, for which input
// shapes.
type Key struct {
	Config any // comparable
	Shapes string
}

// Call calls the graph that build makes. The engine compiles it once per configuration and shapes
// of args, and keeps it together with build. build should not refer to anything large.
func Call(e *engine.Engine, config any, build func([]*graph.Node) []*graph.Node, args ...any) ([]*tensors.Tensor, error) {
	x, release, err := engine.Compiled(e, Key{config, Shapes(args)}, func(b compute.Backend) (*graph.Exec, func(), error) {
		x, err := graph.NewExec(b, func(in []*graph.Node) (out []*graph.Node) {
			Built.Add(1)
			// GoMLX returns a panic with an error as an error, and waits for ever after any other
			// panic
			defer func() {
				if r := recover(); r != nil {
					panic(fmt.Errorf("%v", r))
				}
			}()
			out = build(in)
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
	if err != nil {
		return nil, err
	}
	defer release()
	return x.Call(args...)
}

// Shapes formats the shapes of tensors.
func Shapes(args []any) string {
	var b strings.Builder
	for _, t := range args {
		fmt.Fprintf(&b, "%s ", t.(*tensors.Tensor).Shape())
	}
	return b.String()
}

// Upload turns weights into tensors, in their order.
func Upload(w *weights.Set) []*tensors.Tensor {
	var out []*tensors.Tensor
	for _, name := range w.Names() {
		t, _ := w.Get(name)
		out = append(out, tensors.FromFlatDataAndDimensions(t.Data, t.Shape...))
	}
	return out
}

// Free frees tensors on the device, which Go's garbage collector does not see.
func Free[T any](list ...T) {
	for _, t := range list {
		any(t).(*tensors.Tensor).FinalizeAll()
	}
}

// Network is a graph with weights that maps clouds, or pairs of them, in batches of one size.
type Network struct {
	Engine   *engine.Engine // nil: the best backend found
	Config   any            // comparable: decides what Build makes, apart from weights and shapes
	Weights  *weights.Set
	Batch    int                   // clouds at a time
	Progress func(done, total int) // if not nil, called with the number of clouds done
	// Build gets a batch of clouds [Batch, points, dim] of every set and returns the outputs, whose
	// first axis is the batch.
	Build func(w weights.Nodes, in []*graph.Node) []*graph.Node
}

// Each calls the network on every batch of the sets, which have equal numbers of clouds, in step.
// It passes the inputs and outputs to take; the batch holds the clouds first, ..., first+n-1. The
// last batch is padded with its own last cloud, so that one graph serves all. take must not keep
// the tensors. Each stops between batches when ctx is done, with ctx's error.
func (p Network) Each(ctx context.Context, take func(first, n int, in [][]float32, out []*tensors.Tensor) error, sets ...*datasets.Set) error {
	if ctx == nil {
		ctx = context.Background()
	}
	e := p.Engine
	if e == nil {
		var err error
		if e, err = engine.Open(""); err != nil {
			return err
		}
	}
	var specs []weights.Spec
	var params []any
	for _, name := range p.Weights.Names() {
		specs = append(specs, weights.Spec{Name: name})
	}
	for _, t := range Upload(p.Weights) {
		params = append(params, t)
	}
	defer Free(params...)
	k, build := len(sets), p.Build
	graph := func(in []*graph.Node) []*graph.Node { return build(weights.Bind(specs, in[k:]), in[:k]) }
	total := sets[0].Clouds
	for first := 0; first < total; first += p.Batch {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(p.Batch, total-first)
		in, clouds, err := p.read(sets, first, n)
		if err != nil {
			return err
		}
		out, err := Call(e, p.Config, graph, append(clouds, params...)...)
		Free(clouds...)
		if err != nil {
			return err
		}
		err = take(first, n, in, out)
		Free(out...)
		if err != nil {
			return err
		}
		if p.Progress != nil {
			p.Progress(first+n, total)
		}
	}
	return nil
}

// read reads the clouds first, ..., first+n-1 of every set, the last one repeated up to a batch.
func (p Network) read(sets []*datasets.Set, first, n int) (in [][]float32, clouds []any, err error) {
	rows := make([]int32, p.Batch)
	for i := range rows {
		rows[i] = int32(first + min(i, n-1))
	}
	for _, s := range sets {
		points := make([]float32, p.Batch*s.Points*s.Dim)
		if err := s.Read(points, rows); err != nil {
			Free(clouds...)
			return nil, nil, err
		}
		in = append(in, points)
		clouds = append(clouds, tensors.FromFlatDataAndDimensions(points, p.Batch, s.Points, s.Dim))
	}
	return in, clouds, nil
}

// Rows returns the network's first output for all clouds, row by row.
func (p Network) Rows(ctx context.Context, sets ...*datasets.Set) ([]float32, error) {
	var all []float32
	err := p.Each(ctx, func(first, n int, _ [][]float32, out []*tensors.Tensor) error {
		v, err := tensors.CopyFlatData[float32](out[0])
		if err != nil {
			return err
		}
		width, total := len(v)/p.Batch, sets[0].Clouds
		if all == nil {
			if err := memory.Check(fmt.Sprintf("%d results of %d numbers", total, width), memory.Bytes(4, total, width)); err != nil {
				return err
			}
			all = make([]float32, total*width)
		}
		copy(all[first*width:], v[:n*width])
		return nil
	}, sets...)
	if err != nil {
		return nil, err
	}
	return all, nil
}
