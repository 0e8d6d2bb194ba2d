package train

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// checker computes the training loss on clouds held out, with the network in evaluation mode. It changes nothing: the amortizer
// predicts with the weights it has (the released code takes an ascent step on the validation clouds too).
type checker struct {
	forward *graph.Exec // random state, x, state... -> y, [prediction]
	climb   *slicing.Climber
	tunes   bool
	value   *graph.Exec // random state, x, y, [location,] state... -> [batch]
}

func newChecker(b compute.Backend, m Model) (*checker, error) {
	v := &checker{}
	var err error
	if sl, ok := m.Loss.(loss.Sliced); ok && sl.Rule.Ascent != nil {
		v.tunes = sl.Rule.Amortizer != nil
		if v.climb, err = sl.Climber(b, m.Climb); err != nil {
			return nil, err
		}
	}
	located := v.climb != nil
	v.forward, err = graph.NewExec(b, func(in []*graph.Node) []*graph.Node {
		s := m.bind(in[2:])
		y := m.Net.Forward(s.Net, in[1], pointnet.Eval).Cloud
		out := []*graph.Node{y}
		if v.tunes {
			out = append(out, m.Loss.(loss.Sliced).Rule.Location(slicing.Seeded(in[0]), s.Psi, nil, in[1], y))
		}
		return out
	})
	if err != nil {
		v.close()
		return nil, err
	}
	v.value, err = graph.NewExec(b, func(in []*graph.Node) *graph.Node {
		rng, x, y := in[0], in[1], in[2]
		in = in[3:]
		var location *graph.Node
		if located {
			location, in = in[0], in[1:]
		}
		s := m.bind(in)
		return m.Loss.Build(loss.Call{Source: slicing.Seeded(rng), Weights: s.Psi, Location: location, Wrt: ot1d.None, Method: m.Method, Stored: m.Stored}, x, y).Pairs
	})
	if err != nil {
		v.close()
		return nil, err
	}
	return v, nil
}

func (v *checker) close() {
	for _, x := range []*graph.Exec{v.forward, v.value} {
		if x != nil {
			x.Finalize()
		}
	}
	if v.climb != nil {
		v.climb.Close()
	}
}

// validate is the mean over the clouds of the training loss after that epoch, in evaluation mode, in batches of the run's size.
func (s *stepper) validate(clouds datasets.Clouds, c Config, epoch int) (float64, error) {
	h := clouds.Header()
	sum := 0.0
	for at := 0; at < h.N; at += c.Batch {
		rows := make([]int32, min(c.Batch, h.N-at))
		for i := range rows {
			rows[i] = int32(at + i)
		}
		flat := make([]float32, len(rows)*h.M*h.D)
		if err := clouds.Read(flat, rows); err != nil {
			return 0, err
		}
		x := tensors.FromFlatDataAndDimensions(flat, len(rows), h.M, h.D)
		pairs, err := s.losses(x, stream(stream(s.seed, epoch, checkStream), at, checkStream), c.AscentSteps)
		x.FinalizeAll()
		if err != nil {
			return 0, err
		}
		for _, v := range pairs {
			sum += float64(v) / float64(h.N)
		}
	}
	return sum, nil
}

// losses are the training losses of x [batch, m, 3] in evaluation mode.
func (s *stepper) losses(x *tensors.Tensor, seed uint64, steps int) ([]float32, error) {
	rng, err := graph.RNGStateFromSeed(int64(seed))
	if err != nil {
		return nil, err
	}
	defer rng.FinalizeAll()
	args := func(first ...*tensors.Tensor) []any { // on the first device
		var out []any
		for _, t := range first {
			out = append(out, t)
		}
		for _, v := range s.state {
			out = append(out, v[0])
		}
		return out
	}
	out, err := s.check.forward.Call(args(rng, x)...)
	if err != nil {
		return nil, err
	}
	defer finalize(out)
	in := []*tensors.Tensor{rng, x, out[0]}
	if s.check.climb != nil {
		var from *tensors.Tensor
		if s.check.tunes {
			from = out[1]
		}
		location, err := s.check.climb.WithSteps(steps).Climb(int64(stream(seed, 0, climbStream)), from, x, out[0])
		if err != nil {
			return nil, err
		}
		defer location.FinalizeAll()
		in = append(in, location)
	}
	values, err := s.check.value.Call(args(in...)...)
	if err != nil {
		return nil, err
	}
	defer finalize(values)
	return tensors.CopyFlatData[float32](values[0])
}

func finalize(all []*tensors.Tensor) {
	for _, t := range all {
		t.FinalizeAll()
	}
}

// netOf is the autoencoder's part of the state.
func netOf(c checkpoint) *weights.Set { return group(c.tensors, "net/") }
