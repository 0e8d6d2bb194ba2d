package swlab

import (
	"fmt"
	"slices"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/datasets"
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
func inGraph(name string, l loss.Graph, x, y *datasets.Set, o DistanceOptions, d *Distances) error {
	e, err := choose(o.Engine, float64(x.N)*float64(x.M)*float64(y.M))
	if err != nil {
		return err
	}
	d.Backend = e.Name
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
	wanted := o.Gradient
	out, err := call(e, "loss", distanceGraph{name: name, settings: o.Settings, gradient: wanted}, func(in []*graph.Node) []*graph.Node {
		how := loss.Call{Source: slicing.Seeded(in[2]), Weights: weights.Bind(specs, in[3:])}
		if wanted {
			how.Wrt = ot1d.Y
		}
		r := l.Build(how, in[0], in[1])
		if r.Pairs == nil || !slices.Equal(r.Pairs.Shape().Dimensions, in[0].Shape().Dimensions[:1]) {
			panic(fmt.Errorf("loss %q: Pairs: expected a value per pair, shape [%d], found %v", name, in[0].Shape().Dim(0), r.Pairs))
		}
		out := []*graph.Node{r.Pairs}
		if wanted {
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
