package train

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/swlab/internal/loop"
	"github.com/sliced-wasserstein/lab/swlab/internal/maxima"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/plain"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// stepParts are the executables of a step whose sliced loss is computed by plain Go, between the
// forward pass and the backward pass. The numbers are those of Model.Step, up to rounding.
//
// The forward pass is features, then argMax, then code. Plain Go takes the place of argMax where the
// processor has the instructions. Its result is, for each cloud and channel of the encoder's last layer, the
// first point at which the layer is largest.
type stepParts struct {
	features *graph.Exec // clouds, rows, random state, net... -> x, random state, features, weight, new buffers..., kept...
	argMax   *graph.Exec // features, weight -> points; nil: plain Go does it, or the encoder is plain
	code     *graph.Exec // features, [points,] net... -> y, new buffers..., kept...
	aim      *graph.Exec // x, y, random state, psi... -> directions of the amortizer's ascent; nil: there is none, or draw has its costs in the graph
	draw     *graph.Exec // x, y, random state, [location,] [costs, slopes of the ascent,] psi... -> directions, [J, angle,] [direction,] psi...
	update   *graph.Exec // x, gradient in y, net..., momentum..., kept... -> trained..., momentum...
}

// inParts reports whether a step runs in parts: on XLA's CPU, for a loss that is the mean of its
// slices' costs and looks at the reconstructions through them only.
func (m Model) inParts(b compute.Backend) bool {
	return m.hasParts() && b.Name() == "xla" && loop.CPU(b) && !m.Plain.Has(plain.Host) && !m.Plain.Has(plain.Sort)
}

func (m Model) hasParts() bool {
	sl, ok := m.Loss.(loss.Sliced)
	return ok && sl.Linear() && !m.LocationGradient
}

func newStepParts(b compute.Backend, m Model, located bool) (p *stepParts, err error) {
	p = &stepParts{}
	if p.features, err = graph.NewExec(b, m.buildFeatures); err != nil {
		return p, err
	}
	if !maxima.Available() {
		if p.argMax, err = graph.NewExec(b, m.buildArgMax); err != nil {
			return p, err
		}
	}
	if p.code, err = graph.NewExec(b, m.buildCode); err != nil {
		return p, err
	}
	if len(m.Loss.Specs()) > 0 && !located && m.AmortizerSteps <= 1 {
		if p.aim, err = graph.NewExec(b, m.buildAscentDirections); err != nil {
			return p, err
		}
	}
	p.draw, err = graph.NewExec(b, func(in []*graph.Node) []*graph.Node { return m.buildDirections(in, located, p.aim != nil) })
	if err != nil {
		return p, err
	}
	p.update, err = graph.NewExec(b, m.buildUpdate)
	return p, err
}

// buildFeatures is the graph of stepParts.features.
func (m Model) buildFeatures(in []*graph.Node) []*graph.Node {
	rng, x := Bootstrap(in[2], in[0], in[1])
	s, _ := bind(m.parts()[:1], in[3:])
	h, weight, out := m.Net.Features(s.Net, x)
	return append([]*graph.Node{x, rng, h, weight}, m.byProducts(out)...)
}

// buildArgMax is the graph of stepParts.argMax.
func (m Model) buildArgMax(in []*graph.Node) []*graph.Node {
	return []*graph.Node{m.Net.FirstMaximum(in[0], in[1])}
}

// buildCode is the graph of stepParts.code.
func (m Model) buildCode(in []*graph.Node) []*graph.Node {
	h, at, in := in[0], in[1], in[2:]
	s, _ := bind(m.parts()[:1], in)
	out := m.Net.FromFeatures(s.Net, h, at)
	return append([]*graph.Node{out.Cloud}, m.byProducts(out)...)
}

// byProducts lists the new running statistics of a part of the network, in their order, and what the
// backward pass needs.
func (m Model) byProducts(out pointnet.Output) (nodes []*graph.Node) {
	for _, sp := range m.buffers() {
		if v := out.Buffers[sp.Name]; v != nil {
			nodes = append(nodes, v)
		}
	}
	return append(nodes, out.Kept...)
}

// buildAscentDirections is the graph of stepParts.aim. stepParts.draw draws the same directions again,
// from the same random state, differentiable in psi.
func (m Model) buildAscentDirections(in []*graph.Node) []*graph.Node {
	sl, src, x, y := m.Loss.(loss.Sliced).Slicer, m.noise(in[2]).Ascend, in[0], in[1]
	return []*graph.Node{sl.Draw(src, sl.Location(src, m.bindPsi(in[3:]).Psi, nil, x, y), x, y)}
}

// buildDirections is the graph of stepParts.draw.
func (m Model) buildDirections(in []*graph.Node, located, costed bool) []*graph.Node {
	x, y, rng := in[0], in[1], in[2]
	in = in[3:]
	var location *graph.Node
	if located {
		location, in = in[0], in[1:]
	}
	objective := m.inGraph
	if costed {
		costs, slopes := in[0], in[1]
		objective, in = func(psi weights.Nodes, src slicing.Source, x, y *graph.Node) loss.Result {
			return m.Loss.(loss.Sliced).BuildFrom(costs, slopes, loss.BuildArgs{Source: src, Weights: psi}, x, y)
		}, in[2:]
	}
	out, directions := m.directions(m.bindPsi(in), x, y, location, m.noise(rng), objective)
	return append(append([]*graph.Node{directions}, out.report()...), unbind(out.State, m.parts()[psiPart:])...)
}

// buildUpdate is the graph of stepParts.update.
func (m Model) buildUpdate(in []*graph.Node) []*graph.Node {
	s, kept := bind(m.parts()[:psiPart], in[2:])
	byName := m.Net.Backward(s.Net, in[0], kept, in[1])
	var gradients []*graph.Node
	for _, sp := range m.trained() {
		gradients = append(gradients, byName.Get(sp.Name))
	}
	var out Outcome
	m.descend(&out, s, gradients)
	var values []*graph.Node
	for _, n := range []weights.Nodes{out.State.Net, out.State.Momentum} {
		for _, sp := range m.trained() {
			values = append(values, n.Get(sp.Name))
		}
	}
	return values
}

func (p *stepParts) close() {
	if p == nil {
		return
	}
	for _, x := range []*graph.Exec{p.features, p.argMax, p.code, p.aim, p.draw, p.update} {
		if x != nil {
			x.Finalize()
		}
	}
}

// forwardPass are the results of the forward pass.
type forwardPass struct {
	x, y, rng *tensors.Tensor   // rng is the random state after the bootstrap, in a step in parts
	at        *tensors.Tensor   // the result of stepParts.argMax; in plain Go's memory, which a program that reads it needs
	buffers   []*tensors.Tensor // the new running statistics
	kept      []*tensors.Tensor // what the backward pass needs
}

// pass runs the forward pass on clouds, rows and random state.
func (s *stepper) pass(args []*tensors.Tensor) (f forwardPass, err error) {
	net := s.state[:s.model.before(1)]
	if s.parts != nil {
		return s.parts.pass(s.model, args, net)
	}
	out, err := call(s.forward, append(args[:len(args):len(args)], net...)...)
	if err != nil {
		return f, err
	}
	f.x, f.y = out[0], out[1]
	return f, nil
}

func (p *stepParts) pass(m Model, args, net []*tensors.Tensor) (f forwardPass, err error) {
	defer func() {
		if err != nil {
			f.free()
		}
	}()
	out, err := call(p.features, append(args[:len(args):len(args)], net...)...)
	if err != nil {
		return f, err
	}
	f.x, f.rng = out[0], out[1]
	features, weight := out[2], out[3]
	defer finalize([]*tensors.Tensor{features, weight})
	f.keep(out[4:], pointnet.FeatureBuffers)
	if f.at, err = p.firstMaxima(m, features, weight); err != nil {
		return f, err
	}
	from := []*tensors.Tensor{features, f.at}
	if out, err = call(p.code, append(from, net...)...); err != nil {
		return f, err
	}
	f.y = out[0]
	f.keep(out[1:], len(m.buffers())-pointnet.FeatureBuffers)
	return f, nil
}

// firstMaxima is what comes between stepParts.features and stepParts.code.
func (p *stepParts) firstMaxima(m Model, features, weight *tensors.Tensor) (*tensors.Tensor, error) {
	if p.argMax != nil {
		out, err := call(p.argMax, features, weight)
		if err != nil {
			return nil, err
		}
		return out[0], nil
	}
	w, err := tensors.CopyFlatData[float32](weight)
	if err != nil {
		return nil, err
	}
	channels, points := len(w)/maxima.Features, m.Net.Points
	at := make([]int32, features.Shape().Dimensions[0]/points*channels)
	err = tensors.ConstFlatData(features, func(h []float32) { maxima.New(w).First(h, points, at) })
	return tensors.FromFlatDataAndDimensions(at, len(at)/channels, channels), err
}

// keep adds the results of a part of the forward pass, of which the first are running statistics, as many
// as buffers.
func (f *forwardPass) keep(out []*tensors.Tensor, buffers int) {
	f.buffers, f.kept = append(f.buffers, out[:buffers]...), append(f.kept, out[buffers:]...)
}

// free frees what has not become part of the state.
func (f *forwardPass) free() {
	finalize([]*tensors.Tensor{f.x, f.y, f.rng, f.at})
	finalize(f.buffers)
	finalize(f.kept)
}

// finish is the step after the forward pass and the ascent on the location: the amortizer's ascent
// and the directions, their costs and the gradient in the reconstructions by plain Go, the backward
// pass and the descent.
func (s *stepper) finish(f *forwardPass, location *tensors.Tensor, r *Record) error {
	args, psi := []*tensors.Tensor{f.x, f.y, f.rng}, s.psi()
	if location != nil {
		args = append(args, location)
	}
	pairs, err := s.model.Loss.(loss.Sliced).HostPairs(f.x, f.y)
	if err != nil {
		return err
	}
	if s.parts.aim != nil {
		ahead, err := call(s.parts.aim, append(args, psi...)...)
		if err != nil {
			return err
		}
		defer finalize(ahead)
		costs, slopes, err := pairs.Slopes(ahead[0])
		if err != nil {
			return err
		}
		defer costs.FinalizeAll()
		defer slopes.FinalizeAll()
		args = append(args, costs, slopes)
	}
	drawn, err := call(s.parts.draw, append(args, psi...)...)
	if err != nil {
		return err
	}
	directions, n := drawn[0], len(drawn)-len(psi)
	defer directions.FinalizeAll()
	r.read(drawn[1:n])
	replace(psi, drawn[n:])

	var gradient *tensors.Tensor
	if r.Loss, gradient, err = pairs.Gradient(directions); err != nil {
		return err
	}
	defer gradient.FinalizeAll()
	return s.update(f, gradient)
}

// update takes the backward pass and the descent.
func (s *stepper) update(f *forwardPass, gradient *tensors.Tensor) error {
	args := append([]*tensors.Tensor{f.x, gradient}, s.state[:s.model.before(psiPart)]...)
	out, err := call(s.parts.update, append(args, f.kept...)...)
	if err != nil {
		return err
	}
	if _, err := tensors.CopyFlatData[float32](out[len(out)-1]); err != nil { // waits for the results
		return err
	}
	trained := len(s.model.trained())
	net, momentum := out[:trained], out[trained:]
	for i, sp := range s.model.Net.Specs() {
		from := &net
		if sp.Buffer {
			from = &f.buffers
		}
		replace(s.state[i:i+1], (*from)[:1])
		*from = (*from)[1:]
	}
	replace(s.state[s.model.before(1):s.model.before(psiPart)], momentum)
	return nil
}

// noise is the random numbers of a step after its bootstrap.
func (m Model) noise(rng *graph.Node) Noise {
	src := slicing.Seeded(rng)
	if m.CommonSlices {
		return Noise{Ascend: src, Descend: slicing.Seeded(rng)}
	}
	return Noise{Ascend: src, Descend: src}
}
