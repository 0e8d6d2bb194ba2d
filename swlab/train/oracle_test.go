package train

import (
	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// The step in one graph, with GoMLX's gradients and all sorts in the graph: what a step computes, for
// the tests.

// Noise is the random numbers of one step, separate for the two sides.
type Noise struct{ Ascend, Descend slicing.Source }

// noise is the random numbers of a step after its bootstrap.
func (m Model) noise(random node) Noise {
	src := slicing.Seeded(random)
	if m.CommonSlices {
		return Noise{Ascend: src, Descend: slicing.Seeded(random)}
	}
	return Noise{Ascend: src, Descend: src}
}

// Outcome of one step.
type Outcome struct {
	State     State[node]
	Loss      node // scalar, the minimised loss: mean over the batch
	Objective node // scalar J before the first ascent step; nil without an amortizer
	Before    node // [batch, 3] predicted directions before the ascent
	After     node // [batch, 3] the location of the loss's slices, or nil
	Report    report[node]
	Gradients map[string]node // of the trained parameters
}

// Step builds one training step on the clouds x [batch, m, 3]. location [batch, 3] is the result of an
// ascent for losses that have one, else nil.
func (m Model) Step(s State[node], x, location node, noise Noise) Outcome {
	forward := m.Net.Forward(s.Net, x, pointnet.Train)
	y := forward.Cloud
	out := Outcome{State: s}
	if len(m.Loss.Specs()) > 0 {
		m.Ascend(&out, x, y, noise.Ascend)
	}
	d := drawIn[node]{X: x, Y: y, Location: location, Before: out.Before,
		Updated: stopped(out.State.Amortizer.Weights), Weights: stopped(out.State.Amortizer.Weights)}
	if m.Simultaneous {
		d.Weights = stopped(s.Amortizer.Weights)
	}
	if location != nil {
		d.Before = nil
	}
	wrt := ot1d.Y
	if sliced, ok := m.predicts(); ok && m.LocationGradient {
		location, wrt = sliced.Slicer.Amortizer.Direction(d.Weights, x, y), ot1d.Y|ot1d.Directions
	}
	location = m.nextPairsLocation(d.Weights, location, x, y)
	r := m.Loss.Build(loss.BuildArgs{Source: noise.Descend, Weights: d.Weights, Location: location, Wrt: wrt}, x, y)
	out.Loss, out.After, out.Report = graph.ReduceAllMean(r.Pairs), r.Location, m.report(d, r)
	if out.Before != nil && d.Before == nil { // fine-tuning: the angle is that of the predictions
		out.Report.Angle = meanAngle(out.Before, m.Loss.(loss.Sliced).Slicer.Location(nil, d.Updated, nil, x, y))
	}
	var nodes []node
	for _, sp := range m.trained() {
		nodes = append(nodes, s.Net[sp.Name])
	}
	out.Gradients = map[string]node{}
	for i, g := range graph.Gradient(out.Loss, nodes...) {
		out.Gradients[m.trained()[i].Name] = g
	}
	out.State.Net, out.State.Momentum = m.descend(s.Net, s.Momentum, out.Gradients)
	for name, v := range forward.Buffers {
		out.State.Net[name] = v
	}
	return out
}

// Ascend builds the amortizer's ascent steps.
func (m Model) Ascend(out *Outcome, x, y node, src slicing.Source) {
	x, y = graph.StopGradient(x), graph.StopGradient(y)
	for step := range max(m.AmortizerSteps, 1) {
		r := m.Loss.Build(loss.BuildArgs{Source: src, Weights: out.State.Amortizer.Weights, Wrt: ot1d.Directions}, x, y)
		mean := graph.ReduceAllMean(r.Pairs)
		if step == 0 {
			out.Objective, out.Before = mean, r.Location
		}
		out.State.Amortizer = m.ascend(out.State.Amortizer, mean)
	}
}

func stopped(w weights.Nodes) weights.Nodes {
	out := weights.Nodes{}
	for name, v := range w {
		out[name] = graph.StopGradient(v)
	}
	return out
}

// bind names the nodes of a state, in the order of stateSpecs, then Adam's count.
func (m Model) bind(nodes []node) (s State[node]) {
	for i, to := range s.maps() {
		specs := m.groups()[i].specs
		*to = weights.Bind(specs, nodes[:len(specs)])
		nodes = nodes[len(specs):]
	}
	s.Amortizer.Count = nodes[0]
	return s
}

// unbind lists the nodes of a state, in that order.
func (m Model) unbind(s State[node]) (out []node) {
	for i, from := range s.maps() {
		for _, sp := range m.groups()[i].specs {
			out = append(out, (*from)[sp.Name])
		}
	}
	return append(out, s.Amortizer.Count)
}
