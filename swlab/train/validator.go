package train

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
)

// validator computes the training loss on held-out clouds, with the network in evaluation mode. It changes nothing: the amortizer predicts with its present weights (the released
// code takes an ascent step on the validation clouds too).
type validator struct {
	forward   *graph.Exec        // random state, x, state... -> y, [prediction]
	maximizer *slicing.Maximizer // nil unless the location is found by ascent
	value     *graph.Exec        // random state, x, y, [location,] state... -> [batch]
}

func newValidator(b compute.Backend, m Model) (v *validator, err error) {
	v = &validator{}
	defer func() {
		if err != nil {
			v.close()
		}
	}()
	sl, ok := m.Loss.(loss.Sliced)
	located := ok && sl.Slicer.Ascent != nil
	if located {
		if v.maximizer, err = sl.Maximizer(b, m.Plain, slicing.MaximizerOptions{}); err != nil {
			return v, err
		}
	}
	v.forward, err = graph.NewExec(b, func(in []*graph.Node) []*graph.Node {
		s := m.bind(in[2:])
		y := m.Net.Forward(s.Net, in[1], pointnet.Eval).Cloud
		out := []*graph.Node{y}
		if located && sl.Slicer.Amortizer != nil {
			out = append(out, sl.Slicer.Location(slicing.Seeded(in[0]), s.Psi, nil, in[1], y))
		}
		return out
	})
	if err != nil {
		return v, err
	}
	v.value, err = graph.NewExec(b, func(in []*graph.Node) []*graph.Node {
		rng, x, y := in[0], in[1], in[2]
		in = in[3:]
		var location *graph.Node
		if located {
			location, in = in[0], in[1:]
		}
		s := m.bind(in)
		return []*graph.Node{m.Loss.Build(loss.BuildArgs{Source: slicing.Seeded(rng), Weights: s.Psi, Location: location, Wrt: ot1d.None, Plain: m.Plain}, x, y).Pairs}
	})
	return v, err
}

func (v *validator) close() {
	for _, x := range []*graph.Exec{v.forward, v.value} {
		if x != nil {
			x.Finalize()
		}
	}
	v.maximizer.Close()
}

// validate is the mean training loss over the held-out clouds after that epoch, in evaluation mode,
// in batches of the run's size.
func (r *run) validate(epoch int) (float64, error) {
	c, clouds, m := r.config, r.options.Validation, r.stepper.model
	key, err := c.graphKey()
	if err != nil {
		return 0, err
	}
	v, release, err := engine.Compiled(r.engine, "validate "+key, func(b compute.Backend) (*validator, func(), error) {
		v, err := newValidator(b, m)
		return v, v.close, err
	})
	if err != nil {
		return 0, err
	}
	defer release()
	sum := 0.0
	for at := 0; at < clouds.Clouds; at += c.Batch {
		rows := make([]int32, min(c.Batch, clouds.Clouds-at))
		for i := range rows {
			rows[i] = int32(at + i)
		}
		flat := make([]float32, len(rows)*clouds.Points*clouds.Dim)
		if err := clouds.Read(flat, rows); err != nil {
			return 0, err
		}
		x := tensors.FromFlatDataAndDimensions(flat, len(rows), clouds.Points, clouds.Dim)
		pairs, err := v.losses(x, r.stepper.state, stream(stream(c.Seed, epoch, checkStream), at, checkStream), c.AscentSteps)
		x.FinalizeAll()
		if err != nil {
			return 0, err
		}
		for _, p := range pairs {
			sum += float64(p) / float64(clouds.Clouds)
		}
	}
	return sum, nil
}

// losses are the training losses of x [batch, m, 3] with that state, in evaluation mode.
func (v *validator) losses(x *tensors.Tensor, state []*tensors.Tensor, seed uint64, steps int) ([]float32, error) {
	rng, err := graph.RNGStateFromSeed(int64(seed))
	if err != nil {
		return nil, err
	}
	defer rng.FinalizeAll()
	out, err := call(v.forward, append([]*tensors.Tensor{rng, x}, state...)...)
	if err != nil {
		return nil, err
	}
	defer finalize(out)
	in := []*tensors.Tensor{rng, x, out[0]}
	if v.maximizer != nil {
		var from *tensors.Tensor
		if len(out) > 1 {
			from = out[1]
		}
		location, err := v.maximizer.WithSteps(steps).Maximize(int64(stream(seed, 0, maximizeStream)), from, x, out[0])
		if err != nil {
			return nil, err
		}
		defer location.FinalizeAll()
		in = append(in, location)
	}
	values, err := call(v.value, append(in, state...)...)
	if err != nil {
		return nil, err
	}
	defer finalize(values)
	return tensors.CopyFlatData[float32](values[0])
}

// finalize frees values on the device, which Go's collector does not see.
func finalize(all []*tensors.Tensor) {
	for _, v := range all {
		if v != nil {
			v.FinalizeAll()
		}
	}
}
