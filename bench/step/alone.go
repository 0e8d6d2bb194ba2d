package main

import (
	"time"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/train"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// lossAlone runs the steps of c without a network: the loss between a batch and another one in
// place of its reconstruction, with its gradient and its ascent.
func lossAlone(e *engine.Engine, c train.Config, set *datasets.Set, done func(seconds float64)) error {
	m, err := c.Model()
	if err != nil {
		return err
	}
	cloud := set.Points * set.Dim
	x := tensors.FromFlatDataAndDimensions(set.Coords[:c.Batch*cloud], c.Batch, set.Points, set.Dim)
	last := append(append([]float32{}, set.Coords[cloud:c.Batch*cloud]...), set.Coords[:cloud]...)
	y := tensors.FromFlatDataAndDimensions(last, c.Batch, set.Points, set.Dim)
	var maximizer *slicing.Maximizer
	if sl, ok := m.Loss.(loss.Sliced); ok && sl.Slicer.Ascent != nil {
		if maximizer, err = sl.Maximizer(e.Backend, m.Plain, slicing.MaximizerOptions{}); err != nil {
			return err
		}
		defer maximizer.Close()
	}
	step, err := graph.NewExec(e.Backend, func(in []*graph.Node) []*graph.Node { return build(m, in, maximizer != nil) })
	if err != nil {
		return err
	}
	defer step.Finalize()
	state := start(m, c.Seed)
	for i := range c.Steps {
		began := time.Now()
		if state, err = once(step, maximizer, int64(i), x, y, state); err != nil {
			return err
		}
		done(time.Since(began).Seconds())
	}
	return nil
}

// once calls the step and returns the new state.
func once(step *graph.Exec, maximizer *slicing.Maximizer, seed int64, x, y *tensors.Tensor, state []*tensors.Tensor) ([]*tensors.Tensor, error) {
	rng, err := graph.RNGStateFromSeed(seed)
	if err != nil {
		return nil, err
	}
	defer rng.FinalizeAll()
	args := []any{rng, x, y}
	if maximizer != nil {
		location, err := maximizer.Maximize(seed, nil, x, y)
		if err != nil {
			return nil, err
		}
		defer location.FinalizeAll()
		args = append(args, location)
	}
	for _, t := range state {
		args = append(args, t)
	}
	out, err := step.Call(args...)
	if err != nil {
		return nil, err
	}
	_ = out[0].Value() // waits
	for _, t := range append(out[:2:2], state...) {
		t.FinalizeAll()
	}
	return out[2:], nil
}

// build is the graph of a step: random state, x, y, [location,] psi..., second moments..., count ->
// loss, its gradient in y, state...
func build(m train.Model, in []*graph.Node, located bool) []*graph.Node {
	src, x, y := slicing.Seeded(in[0]), in[1], in[2]
	in = in[3:]
	var location *graph.Node
	if located {
		location, in = in[0], in[1:]
	}
	specs := m.Loss.Specs()
	s := train.State{Psi: weights.Bind(specs, in[:len(specs)]), Second: weights.Bind(specs, in[len(specs):2*len(specs)]), Count: in[2*len(specs)]}
	if len(specs) > 0 {
		out := m.Predict(s, x, y, src)
		s, location = out.State, out.After
	}
	r := m.Loss.Build(loss.BuildArgs{Source: src, Location: location, Weights: s.Psi, Wrt: ot1d.Y, Plain: m.Plain}, x, y)
	value := graph.ReduceAllMean(r.Pairs)
	result := []*graph.Node{value, graph.Gradient(value, y)[0]}
	for _, n := range []weights.Nodes{s.Psi, s.Second} {
		for _, sp := range specs {
			result = append(result, n.Get(sp.Name))
		}
	}
	return append(result, s.Count)
}

// start returns the state before the first step.
func start(m train.Model, seed uint64) []*tensors.Tensor {
	var psi, second []*tensors.Tensor
	set := weights.Init(m.Loss.Specs(), seed)
	for _, sp := range m.Loss.Specs() {
		t, _ := set.Get(sp.Name)
		psi = append(psi, tensors.FromFlatDataAndDimensions(t.Data, sp.Shape...))
		second = append(second, tensors.FromFlatDataAndDimensions(make([]float32, sp.Size()), sp.Shape...))
	}
	return append(append(psi, second...), tensors.FromScalar(float64(0)))
}
