package train

import (
	"encoding/json"
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/internal/shard"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// compiled are the executables of a model's step.
type compiled struct {
	descend *shard.Exec     // clouds, rows, random state, [location,] state... -> loss, [J, angle,] [direction,] state...
	search  *locationSearch // nil unless the location is found by ascent
}

// locationSearch finds the locations of a batch by ascent on the clouds and reconstructions of the
// step. In fine-tuning it also takes the amortizer's ascent step, because the search starts from
// the new prediction.
type locationSearch struct {
	forward   *shard.Exec // clouds, rows, two random states, state... -> x, y, [prediction, J, angle, new psi...]
	maximizer *slicing.Maximizer
	fineTune  bool
}

// compile returns the executables of m, the model of c. The engine keeps them for runs of the same
// model with another seed or number of ascent steps.
func compile(e *engine.Engine, d shard.Devices, m Model, c Config) (compiled, func(), error) {
	key, err := c.graphKey()
	if err != nil {
		return compiled{}, nil, err
	}
	p, release, err := engine.Compiled(e, "train "+key, func(compute.Backend) (compiled, func(), error) {
		p, err := newCompiled(d, m)
		return p, p.close, err
	})
	if err == nil && p.search != nil {
		search := *p.search
		search.maximizer = search.maximizer.WithSteps(c.AscentSteps)
		p.search = &search
	}
	return p, release, err
}

// graphKey is what the graphs of a run and their shapes depend on.
func (c Config) graphKey() (string, error) {
	c.Data, c.Key, c.Split, c.DataHash, c.Validation = "", "", "", "", ""
	c.Epochs, c.Steps, c.Seed = 0, 0, 0
	c.AscentSteps = min(c.AscentSteps, 1) // without a step there is no ascent: the step itself draws the location
	key, err := json.Marshal(c)
	return string(key), err
}

func newCompiled(d shard.Devices, m Model) (p compiled, err error) {
	in := []shard.Sharding{shard.Replicated, shard.Sharded, shard.Replicated} // clouds, rows, random state
	if sl, ok := m.Loss.(loss.Sliced); ok && sl.Slicer.Ascent != nil {
		if p.search, err = newLocationSearch(d, m, sl); err != nil {
			return p, err
		}
		in = append(in, shard.Sharded)
	}
	located := p.search != nil
	p.descend, err = d.Exec(func(in []*graph.Node) []*graph.Node { return m.build(in, located) }, append(in, shard.Replicated), []shard.Sharding{shard.Replicated})
	if err != nil {
		p.close()
	}
	return p, err
}

func newLocationSearch(d shard.Devices, m Model, sl loss.Sliced) (*locationSearch, error) {
	maximizer, err := sl.Maximizer(d.Backend(), m.Plain, slicing.MaximizerOptions{Devices: d})
	if err != nil {
		return nil, err
	}
	l := &locationSearch{maximizer: maximizer, fineTune: sl.Slicer.Amortizer != nil}
	in := []shard.Sharding{shard.Replicated, shard.Sharded, shard.Replicated} // clouds, rows, random states, state
	out := []shard.Sharding{shard.Sharded, shard.Sharded}
	if l.fineTune {
		out = append(out, shard.Sharded, shard.Replicated)
	}
	l.forward, err = d.Exec(func(in []*graph.Node) []*graph.Node {
		_, x := Bootstrap(in[2], in[0], in[1])
		s := m.bind(in[4:])
		y := m.Net.Forward(s.Net, x, pointnet.BatchStats).Cloud
		if !l.fineTune {
			return []*graph.Node{x, y}
		}
		out := m.Predict(s, x, y, slicing.Seeded(in[3]))
		return append([]*graph.Node{x, y, out.After, out.Objective, out.AscentAngle}, unbind(out.State, m.parts()[2:])...)
	}, in, out)
	if err != nil {
		l.close()
	}
	return l, err
}

// build is the graph of one step: clouds, rows, random state, [location,] state... -> loss, [J,
// angle,] [direction,] state...
func (m Model) build(in []*graph.Node, located bool) []*graph.Node {
	clouds, rows, rng := in[0], in[1], in[2]
	in = in[3:]
	var location *graph.Node
	if located {
		location, in = in[0], in[1:]
	}
	rng, x := Bootstrap(rng, clouds, rows)
	src := slicing.Seeded(rng)
	noise := Noise{Ascend: src, Descend: src}
	if m.CommonSlices {
		noise.Descend = slicing.Seeded(rng)
	}
	out := m.Step(m.bind(in), x, location, noise)
	result := []*graph.Node{out.Loss}
	if out.Objective != nil {
		result = append(result, out.Objective, out.AscentAngle)
	}
	if out.Direction != nil {
		result = append(result, out.Direction)
	}
	return append(result, unbind(out.State, m.parts())...)
}

func (p compiled) close() {
	if p.descend != nil {
		p.descend.Finalize()
	}
	p.search.close()
}

func (l *locationSearch) close() {
	if l == nil {
		return
	}
	if l.forward != nil {
		l.forward.Finalize()
	}
	l.maximizer.Close()
}

// stepper runs a model's steps with all state on the device, or on several that share every batch.
// Its step is in train.go.
type stepper struct {
	compiled
	devices shard.Devices
	model   Model
	seed    uint64
	batches *batches
	state   []shard.Value // in the order of stateSpecs, then Adam's count
}

// newStepper puts the state of a checkpoint on the device. The caller keeps the executables and
// batches.
func newStepper(d shard.Devices, m Model, p compiled, seed uint64, data *batches, c checkpoint) *stepper {
	s := &stepper{compiled: p, devices: d, model: m, seed: seed, batches: data}
	for _, sp := range m.stateSpecs() {
		t, _ := c.tensors.Get(sp.Name)
		s.state = append(s.state, shard.Copies(d, t.Data, sp.Shape...))
	}
	s.state = append(s.state, shard.Copies(d, []float64{c.AdamSteps}))
	return s
}

// locate returns the locations [batch, 3] of the step's pairs; in fine-tuning it first takes the
// amortizer's step.
func (s *stepper) locate(args []shard.Value, r *Record) (shard.Value, error) {
	rng, err := s.devices.Random(int64(stream(s.seed, r.Step, predictStream)))
	if err != nil {
		return nil, err
	}
	defer rng.Finalize()
	out, err := s.search.forward.Call(append(append(args[:len(args):len(args)], rng), s.state...)...)
	if err != nil {
		return nil, err
	}
	defer out[0].Finalize()
	defer out[1].Finalize()
	var from shard.Value
	if s.search.fineTune {
		from = out[2]
		defer from.Finalize()
		r.Objective, r.AscentAngle = new(take(out[3])), new(take(out[4]))
		psi := out[5:]
		old := s.state[len(s.state)-len(psi):]
		for i, v := range psi {
			old[i].Finalize()
			old[i] = v
		}
	}
	return s.search.maximizer.MaximizeSharded(int64(stream(s.seed, r.Step, maximizeStream)), from, out[0], out[1])
}

// take reads a number that is the same on every device, and frees it.
func take(v shard.Value) float64 {
	defer v.Finalize()
	return float64(v[0].Value().(float32))
}

// takeAll reads numbers that are the same on every device, and frees them.
func takeAll(v shard.Value) []float64 {
	defer v.Finalize()
	var out []float64
	for _, x := range v[0].Value().([]float32) {
		out = append(out, float64(x))
	}
	return out
}

// close frees the state on the device.
func (s *stepper) close() { finalize(s.state) }

// save copies the state to the host.
func (s *stepper) save(p progress) (checkpoint, error) {
	c := checkpoint{progress: p, tensors: weights.NewSet()}
	specs := s.model.stateSpecs()
	for i, sp := range specs {
		v, err := tensors.CopyFlatData[float32](s.state[i][0])
		if err != nil {
			return c, fmt.Errorf("copying %s from the device: %w", sp.Name, err)
		}
		c.tensors.Put(sp.Name, weights.Tensor{Shape: sp.Shape, Data: v})
	}
	c.AdamSteps = s.state[len(specs)][0].Value().(float64)
	return c, nil
}
