package train

import (
	"encoding/json"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/internal/split"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
)

// Programs keeps the compiled steps of the last model trained, so that the next run of the same model (another seed, other data,
// another number of ascent steps) starts at once. It serves one run at a time. The zero value is empty.
type Programs struct {
	key string
	now programs
}

// programs are the compiled steps of a model.
type programs struct {
	step   *split.Exec
	locate *locator // nil unless the location is found by ascent
	check  *checker // nil until a run has clouds for validation
}

// locator finds the locations of a batch by ascent: the clouds and reconstructions of the step, then the climb.
// Fine-tuning also takes the amortizer's own ascent step there, for the climb starts from the new prediction.
type locator struct {
	forward *split.Exec // -> x, y, [prediction, J, turn, new psi...]
	climb   *slicing.Climber
	tunes   bool
}

// Close frees the compiled steps.
func (p *Programs) Close() {
	if p == nil {
		return
	}
	p.now.close()
	*p = Programs{}
}

func (p programs) close() {
	if p.step != nil {
		p.step.Finalize()
	}
	if p.locate != nil {
		p.locate.forward.Finalize()
		p.locate.climb.Close()
	}
	if p.check != nil {
		p.check.close()
	}
}

// of returns the programs of the model that c describes.
func (p *Programs) of(b compute.Backend, d split.Devices, m Model, c Config) (programs, error) {
	key, err := c.programKey()
	if err != nil {
		return programs{}, err
	}
	if p.key != key {
		p.Close()
		now, err := newPrograms(d, m)
		if err != nil {
			now.close()
			return programs{}, err
		}
		p.key, p.now = key, now
	}
	if c.Validation != "" && p.now.check == nil {
		if p.now.check, err = newChecker(b, m); err != nil {
			return programs{}, err
		}
	}
	out := p.now
	if out.locate != nil {
		l := *out.locate
		l.climb = l.climb.WithSteps(c.AscentSteps)
		out.locate = &l
	}
	return out, nil
}

// programKey is what the graphs of a run depend on, shapes of the data aside.
func (c Config) programKey() (string, error) {
	c.Data, c.Key, c.Split, c.DataHash, c.Validation = "", "", "", "", ""
	c.Clouds, c.Batch, c.Epochs, c.Steps, c.Seed = 0, 0, 0, 0, 0
	c.AscentSteps = min(c.AscentSteps, 1) // without a step there is no ascent: the location is drawn in the step itself
	key, err := json.Marshal(c)
	return string(key), err
}

func newPrograms(d split.Devices, m Model) (p programs, err error) {
	if sl, ok := m.Loss.(loss.Sliced); ok && sl.Rule.Ascent != nil {
		if p.locate, err = newLocator(d, m, sl); err != nil {
			return p, err
		}
	}
	located := p.locate != nil
	in := []split.Layout{split.Whole, split.Batch, split.Whole} // data, rows, random state
	if located {
		in = append(in, split.Batch)
	}
	build := func(in []*graph.Node) []*graph.Node { return m.build(in, located) }
	p.step, err = d.Exec(build, append(in, split.Whole), []split.Layout{split.Whole})
	return p, err
}

// build is the graph of one step: data, rows, random state, [location,] state... -> loss, [J, turn,] state...
func (m Model) build(in []*graph.Node, located bool) []*graph.Node {
	data, rows, rng := in[0], in[1], in[2]
	in = in[3:]
	var location *graph.Node
	if located {
		location, in = in[0], in[1:]
	}
	rng, x := Bootstrap(rng, data, rows)
	src := slicing.Seeded(rng)
	out := m.Step(m.bind(in), x, location, Noise{Ascend: src, Descend: src})
	result := []*graph.Node{out.Loss}
	if out.Ascent != nil {
		result = append(result, out.Ascent, out.Turn)
	}
	return append(result, m.unbind(out.State)...)
}

func newLocator(d split.Devices, m Model, sl loss.Sliced) (*locator, error) {
	l := &locator{tunes: sl.Rule.Amortizer != nil}
	var err error
	if l.climb, err = sl.SplitClimber(d, m.Climb); err != nil {
		return nil, err
	}
	in := []split.Layout{split.Whole, split.Batch, split.Whole} // data, rows, random states, state
	out := []split.Layout{split.Batch, split.Batch}
	if l.tunes {
		out = append(out, split.Batch, split.Whole)
	}
	l.forward, err = d.Exec(func(in []*graph.Node) []*graph.Node {
		_, x := Bootstrap(in[2], in[0], in[1])
		s := m.bind(in[4:])
		y := m.Net.Forward(s.Net, x, pointnet.BatchStats).Cloud
		if !l.tunes {
			return []*graph.Node{x, y}
		}
		out := m.Predict(s, x, y, slicing.Seeded(in[3]))
		return append([]*graph.Node{x, y, out.After, out.Ascent, out.Turn}, m.unbindPsi(out.State)...)
	}, in, out)
	return l, err
}
