package swlab

import (
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// onHost is Distance with a loss that is computed on the host.
func onHost(l loss.Host, x, y *datasets.Set, o DistanceOptions, d *Distances) error {
	r, err := l.Compare(clouds(x, nil), clouds(y, nil), o.Gradient)
	if err != nil {
		return err
	}
	d.PerPair, d.Gaps = r.Pairs, r.Gaps
	if o.Gradient {
		for i := range r.GradientY {
			r.GradientY[i] /= float64(x.N)
		}
		d.Gradient, err = narrow("gradient", r.GradientY)
	}
	return err
}

// inGraph is Distance with a loss of the graph that has no slices.
func inGraph(l loss.Graph, x, y *datasets.Set, o DistanceOptions, d *Distances) error {
	e := o.Engine
	if e == nil {
		var err error
		if e, err = engine.Open(""); err != nil {
			return err
		}
	}
	rng, err := graph.RNGStateFromSeed(int64(o.Seed))
	if err != nil {
		return err
	}
	args := []any{tensor(x), tensor(y), rng}
	specs := l.Specs()
	w := o.Weights
	if w == nil {
		w = weights.Init(specs, o.Seed)
	} else if len(specs) > 0 {
		if w, err = w.Match(specs); err != nil {
			return fmt.Errorf("loss %q: %w", l.Name(), err)
		}
	}
	for _, spec := range specs {
		t, _ := w.Get(spec.Name)
		args = append(args, tensors.FromFlatDataAndDimensions(t.Data, t.Shape...))
	}
	defer finalizeAll(args)
	out, err := call(e.Backend, func(in []*graph.Node) []*graph.Node {
		how := loss.Call{Source: slicing.Seeded(in[2]), Weights: weights.Bind(specs, in[3:])}
		if o.Gradient {
			how.Wrt = ot1d.Y
		}
		r := l.Build(how, in[0], in[1])
		out := []*graph.Node{r.Pairs}
		if o.Gradient {
			out = append(out, graph.Gradient(graph.ReduceAllMean(r.Pairs), in[1])[0])
		}
		if r.Assigned != nil {
			out = append(out, r.Assigned)
		}
		return out
	}, args...)
	if err != nil {
		return err
	}
	defer finalize(out...)
	for _, v := range tensors.MustCopyFlatData[float32](out[0]) {
		d.PerPair = append(d.PerPair, float64(v))
	}
	rest := out[1:]
	if o.Gradient {
		d.Gradient, rest = tensors.MustCopyFlatData[float32](rest[0]), rest[1:]
	}
	for _, t := range rest {
		d.Assigned = tensors.MustCopyFlatData[float32](t)
	}
	return nil
}

// tensor is a set's points, [B, m, d].
func tensor(s *datasets.Set) *tensors.Tensor {
	return tensors.FromFlatDataAndDimensions(s.Points, s.N, s.M, s.D)
}

// call builds a graph and calls it once.
func call(b compute.Backend, f func([]*graph.Node) []*graph.Node, args ...any) ([]*tensors.Tensor, error) {
	x, err := graph.NewExec(b, f)
	if err != nil {
		return nil, err
	}
	defer x.Finalize()
	return x.Call(args...)
}

// goBackend is GoMLX's pure-Go backend: it needs neither plugin nor compilation.
func goBackend() (compute.Backend, error) {
	e, err := engine.Open("go")
	if err != nil {
		return nil, err
	}
	return e.Backend, nil
}

// finalize frees tensors on the device, which Go's collector does not see.
func finalize(list ...*tensors.Tensor) {
	for _, t := range list {
		t.FinalizeAll()
	}
}

func finalizeAll(args []any) {
	for _, t := range args {
		t.(*tensors.Tensor).FinalizeAll()
	}
}
