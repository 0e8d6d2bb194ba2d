package train

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/swlab/internal/split"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// stepper runs a model's steps with all state on the device, or on each of several that share every batch.
type stepper struct {
	devices split.Devices
	model   Model
	seed    uint64
	feed    *feed
	state   []split.Value // in the order of stateSpecs, then Adam's count
	programs
}

// stateSpecs names what a checkpoint holds, in the order of the state on the device.
func (m Model) stateSpecs() []weights.Spec {
	var out []weights.Spec
	add := func(group string, specs []weights.Spec, zero bool) {
		for _, s := range specs {
			s.Name = group + "/" + s.Name
			if zero {
				s.Init = weights.Constant(0)
			}
			out = append(out, s)
		}
	}
	add("net", m.Net.Specs(), false)
	add("momentum", m.trained(), true)
	add("psi", m.Loss.Specs(), false)
	add("second", m.Loss.Specs(), true)
	add("first", m.first(), true)
	return out
}

// initial draws the state of step 0: network and amortizer from generators of their own.
func (m Model) initial(seed uint64) checkpoint {
	set := weights.NewSet()
	net, psi := weights.Init(m.Net.Specs(), stream(seed, 0, netStream)), weights.Init(m.Loss.Specs(), stream(seed, 0, psiStream))
	for _, s := range m.stateSpecs() {
		t := weights.Tensor{Shape: s.Shape, Data: make([]float32, s.Size())}
		for group, from := range map[string]*weights.Set{"net/": net, "psi/": psi} {
			if len(s.Name) > len(group) && s.Name[:len(group)] == group {
				t, _ = from.Get(s.Name[len(group):])
			}
		}
		set.Put(s.Name, t)
	}
	return checkpoint{progress: progress{BestEpoch: -1}, tensors: set}
}

// Streams of random numbers of one seed.
const (
	netStream = iota + 1
	psiStream
	stepStream
	climbStream
	predictStream
	checkStream
)

// stream mixes a seed, a step and a purpose into a seed of its own (the finalizer of splitmix64).
func stream(seed uint64, step int, purpose uint64) uint64 {
	z := seed*0x9e3779b97f4a7c15 + uint64(step)*0xd1342543de82ef95 + purpose*0xda942042e4dd58b5
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// newStepper makes a stepper, whose the feed is from then on. The programs stay the caller's.
func newStepper(d split.Devices, m Model, p programs, seed uint64, f *feed, c checkpoint) *stepper {
	s := &stepper{devices: d, model: m, programs: p, seed: seed, feed: f}
	s.load(c)
	return s
}

// bind names the nodes of a state; unbind is its inverse.
func (m Model) bind(nodes []*graph.Node) State {
	next := func(specs []weights.Spec) weights.Nodes {
		n := weights.Bind(specs, nodes[:len(specs)])
		nodes = nodes[len(specs):]
		return n
	}
	return State{Net: next(m.Net.Specs()), Momentum: next(m.trained()), Psi: next(m.Loss.Specs()), Second: next(m.Loss.Specs()), First: next(m.first()), Count: nodes[0]}
}

func (m Model) unbind(s State) []*graph.Node {
	out := append(nodesOf(m.Net.Specs(), s.Net), nodesOf(m.trained(), s.Momentum)...)
	return append(out, m.unbindPsi(s)...)
}

// unbindPsi is the end of unbind: what the amortizer's ascent changes.
func (m Model) unbindPsi(s State) []*graph.Node {
	out := append(nodesOf(m.Loss.Specs(), s.Psi), nodesOf(m.Loss.Specs(), s.Second)...)
	return append(append(out, nodesOf(m.first(), s.First)...), s.Count)
}

func nodesOf(specs []weights.Spec, n weights.Nodes) []*graph.Node {
	out := make([]*graph.Node, len(specs))
	for i, s := range specs {
		out[i] = n.Get(s.Name)
	}
	return out
}

// run does the step of that number (the first is 1) on those clouds.
func (s *stepper) run(step int, rows []int32) (r Record, err error) {
	rng, err := s.devices.Random(int64(stream(s.seed, step, stepStream)))
	if err != nil {
		return r, err
	}
	defer rng.Finalize()
	data, at, err := s.feed.batch(rows)
	if err != nil {
		return r, err
	}
	defer s.feed.used(data)
	defer at.Finalize()
	args := []split.Value{data, at, rng}
	if s.locate != nil {
		location, err := s.ascend(step, args, &r)
		if err != nil {
			return r, err
		}
		defer location.Finalize()
		args = append(args, location)
	}
	out, err := s.step.Call(append(args, s.state...)...)
	if err != nil {
		return r, err
	}
	r.Step = step
	scalars := len(out) - len(s.state)
	var values [3]float64
	for i, v := range out[:scalars] {
		values[i] = scalar(v)
		v.Finalize()
	}
	r.Loss = values[0]
	if scalars > 1 {
		r.Ascent, r.Turn = &values[1], &values[2]
	}
	s.release()
	s.state = out[scalars:]
	return r, nil
}

// ascend returns the locations [batch, 3] of the step's pairs; in fine-tuning it first takes the amortizer's step.
func (s *stepper) ascend(step int, args []split.Value, r *Record) (split.Value, error) {
	rng, err := s.devices.Random(int64(stream(s.seed, step, predictStream)))
	if err != nil {
		return nil, err
	}
	defer rng.Finalize()
	in := append(append([]split.Value{}, args...), rng)
	out, err := s.locate.forward.Call(append(in, s.state...)...)
	if err != nil {
		return nil, err
	}
	defer out[0].Finalize()
	defer out[1].Finalize()
	var from split.Value
	if s.locate.tunes {
		from = out[2]
		defer from.Finalize()
		objective, turn := scalar(out[3]), scalar(out[4])
		r.Ascent, r.Turn = &objective, &turn
		psi := out[5:]
		for i, v := range psi {
			at := len(s.state) - len(psi) + i
			s.state[at].Finalize()
			s.state[at] = v
		}
	}
	return s.locate.climb.ClimbSplit(int64(stream(s.seed, step, climbStream)), from, out[0], out[1])
}

// scalar reads a number, which is the same on every device.
func scalar(v split.Value) float64 { return float64(v[0].Value().(float32)) }

func (s *stepper) release() {
	for _, v := range s.state {
		v.Finalize()
	}
}

// close frees the device: Go's collector does not see what lies there.
func (s *stepper) close() {
	s.release()
	s.feed.close()
}

// load puts a checkpoint's state on the device.
func (s *stepper) load(c checkpoint) {
	s.state = nil
	for _, sp := range s.model.stateSpecs() {
		t, _ := c.tensors.Get(sp.Name)
		s.state = append(s.state, split.Copies(s.devices, t.Data, sp.Shape...))
	}
	s.state = append(s.state, split.Copies(s.devices, []float64{c.count}))
}

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
	c.count = s.state[len(specs)][0].Value().(float64)
	return c, nil
}
