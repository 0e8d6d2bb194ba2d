package train

import (
	"encoding/json"
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// compiled are the executables of a model's step: forward, then the ascent on the location, then
// descend, or a step in parts.
type compiled struct {
	forward *graph.Exec     // clouds, rows, random state, net... -> x, y; nil: not needed
	search  *locationSearch // nil unless the location is found by ascent
	descend *graph.Exec     // clouds, rows, random state, [location,] state... -> loss, [J, angle,] [direction,] state...; nil: in parts
	parts   *stepParts      // nil: the step is one program
	finite  *graph.Exec     // weights... -> 0, or NaN if one is not finite
}

// locationSearch finds the locations of a batch by ascent on the clouds and reconstructions of the
// step. In fine-tuning it also takes the amortizer's ascent step, because the search starts from
// the new prediction.
type locationSearch struct {
	predict   *graph.Exec // x, y, random state, psi... -> prediction, J, angle, psi...; nil: no fine-tuning
	maximizer *slicing.Maximizer
}

// compile returns the executables of m, the model of c. The engine keeps them for runs of the same
// model with another seed or number of ascent steps.
func compile(e *engine.Engine, m Model, c Config) (compiled, func(), error) {
	key, err := c.graphKey()
	if err != nil {
		return compiled{}, nil, err
	}
	p, release, err := engine.Compiled(e, "train "+key, func(b compute.Backend) (compiled, func(), error) {
		p, err := newCompiled(b, m, m.inParts(b))
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

func newCompiled(b compute.Backend, m Model, inParts bool) (p compiled, err error) {
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	if p.finite, err = newFiniteCheck(b); err != nil {
		return p, err
	}
	sl, sliced := m.Loss.(loss.Sliced)
	located := sliced && sl.Slicer.Ascent != nil
	if located {
		if p.search, err = newLocationSearch(b, m, sl); err != nil {
			return p, err
		}
	}
	if inParts {
		p.parts, err = newStepParts(b, m, located)
		return p, err
	}
	if located {
		if p.forward, err = newForward(b, m); err != nil {
			return p, err
		}
	}
	p.descend, err = graph.NewExec(b, func(in []*graph.Node) []*graph.Node { return m.build(in, located) })
	return p, err
}

// newForward compiles the forward pass for an ascent on the location.
func newForward(b compute.Backend, m Model) (*graph.Exec, error) {
	return graph.NewExec(b, func(in []*graph.Node) []*graph.Node {
		_, x := Bootstrap(in[2], in[0], in[1])
		s, _ := bind(m.parts()[:1], in[3:])
		return []*graph.Node{x, m.Net.Forward(s.Net, x, pointnet.BatchStats).Cloud}
	})
}

func newLocationSearch(b compute.Backend, m Model, sl loss.Sliced) (*locationSearch, error) {
	maximizer, err := sl.Maximizer(b, m.Plain, slicing.MaximizerOptions{})
	if err != nil {
		return nil, err
	}
	l := &locationSearch{maximizer: maximizer}
	if sl.Slicer.Amortizer == nil {
		return l, nil
	}
	l.predict, err = graph.NewExec(b, func(in []*graph.Node) []*graph.Node {
		out := m.Predict(m.bindPsi(in[3:]), in[0], in[1], slicing.Seeded(in[2]))
		return append([]*graph.Node{out.After, out.Objective, out.AscentAngle}, unbind(out.State, m.parts()[psiPart:])...)
	})
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
	out := m.Step(m.bind(in), x, location, m.noise(rng))
	result := append([]*graph.Node{out.Loss}, out.report()...)
	return append(result, unbind(out.State, m.parts())...)
}

// report lists what the log has besides the loss: [J, angle,] [direction].
func (o Outcome) report() (out []*graph.Node) {
	if o.Objective != nil {
		out = append(out, o.Objective, o.AscentAngle)
	}
	if o.Direction != nil {
		out = append(out, o.Direction)
	}
	return out
}

func (p compiled) close() {
	for _, x := range []*graph.Exec{p.forward, p.descend, p.finite} {
		if x != nil {
			x.Finalize()
		}
	}
	p.search.close()
	p.parts.close()
}

func (l *locationSearch) close() {
	if l == nil {
		return
	}
	if l.predict != nil {
		l.predict.Finalize()
	}
	l.maximizer.Close()
}

// stepper runs a model's steps with all state on the device. Its step is in train.go.
type stepper struct {
	compiled
	model   Model
	seed    uint64
	batches *batches
	state   []*tensors.Tensor // in the order of stateSpecs, then Adam's count
}

// newStepper puts the state of a checkpoint on the device. The caller keeps the executables and
// batches.
func newStepper(m Model, p compiled, seed uint64, data *batches, c checkpoint) *stepper {
	s := &stepper{compiled: p, model: m, seed: seed, batches: data}
	s.load(c)
	return s
}

// load puts the state of a checkpoint on the device.
func (s *stepper) load(c checkpoint) {
	s.state = nil
	for _, sp := range s.model.stateSpecs() {
		t, _ := c.tensors.Get(sp.Name)
		s.state = append(s.state, tensors.FromFlatDataAndDimensions(t.Data, sp.Shape...))
	}
	s.state = append(s.state, tensors.FromFlatDataAndDimensions([]float64{c.AdamSteps}))
}

// locate returns the locations [batch, 3] of the step's pairs; in fine-tuning it first takes the
// amortizer's step.
func (s *stepper) locate(x, y *tensors.Tensor, r *Record) (*tensors.Tensor, error) {
	var from *tensors.Tensor
	if s.search.predict != nil {
		rng, err := graph.RNGStateFromSeed(int64(stream(s.seed, r.Step, predictStream)))
		if err != nil {
			return nil, err
		}
		defer rng.FinalizeAll()
		psi := s.psi()
		out, err := call(s.search.predict, append([]*tensors.Tensor{x, y, rng}, psi...)...)
		if err != nil {
			return nil, err
		}
		from = out[0]
		defer from.FinalizeAll()
		r.Objective, r.AscentAngle = new(take(out[1])), new(take(out[2]))
		replace(psi, out[3:])
	}
	return s.search.maximizer.Maximize(int64(stream(s.seed, r.Step, maximizeStream)), from, x, y)
}

// call calls a compiled graph.
func call(x *graph.Exec, in ...*tensors.Tensor) ([]*tensors.Tensor, error) {
	args := make([]any, len(in))
	for i, t := range in {
		args[i] = t
	}
	return x.Call(args...)
}

// vector is a tensor with one axis.
func vector(v []int32) *tensors.Tensor { return tensors.FromFlatDataAndDimensions(v, len(v)) }

// psi are the values of the amortizer, in the state: of its weights, Adam's moments and count.
func (s *stepper) psi() []*tensors.Tensor { return s.state[s.model.before(psiPart):] }

// replace frees values and puts others in their place.
func replace(old, with []*tensors.Tensor) {
	finalize(old)
	copy(old, with)
}

// take reads a number on the device, and frees it.
func take(v *tensors.Tensor) float64 {
	defer v.FinalizeAll()
	return float64(v.Value().(float32))
}

// takeAll reads numbers on the device, and frees them.
func takeAll(v *tensors.Tensor) []float64 {
	defer v.FinalizeAll()
	var out []float64
	for _, x := range v.Value().([]float32) {
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
		v, err := tensors.CopyFlatData[float32](s.state[i])
		if err != nil {
			return c, fmt.Errorf("copying %s from the device: %w", sp.Name, err)
		}
		c.tensors.Put(sp.Name, weights.Tensor{Shape: sp.Shape, Data: v})
	}
	c.AdamSteps = s.state[len(specs)].Value().(float64)
	return c, nil
}
