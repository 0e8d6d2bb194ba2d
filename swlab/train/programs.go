package train

import (
	"encoding/json"
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

type (
	tensor = *tensors.Tensor
	node   = *graph.Node
)

// programs are the compiled programs of a model's step. Their inputs and outputs have the struct
// types below, of nodes in the graph.
type programs struct {
	undivided  bool // whole is the step
	onHost     bool // plain Go finds the costs of slices
	hostMaxima bool // plain Go finds the maxima over the points
	forward    engine.Program[forwardIn[tensor], forwardOut[tensor]]
	decode     engine.Program[decodeIn[tensor], decodeOut[tensor]]
	draw       engine.Program[drawIn[tensor], drawOut[tensor]]
	ascend     engine.Program[ascendIn[tensor], ascendOut[tensor]]
	gradient   engine.Program[gradientIn[tensor], gradientOut[tensor]]
	backward   engine.Program[backwardIn[tensor], backwardOut[tensor]]
	whole      engine.Program[wholeIn[tensor], wholeOut[tensor]]
	value      engine.Program[gradientIn[tensor], valueOut[tensor]] // of held-out clouds
	maximizer  *slicing.Maximizer                                   // nil unless the location is found by ascent
}

// newPrograms describes the programs of m, the model of c. Models with the same network and SGD share the network's programs.
func newPrograms(e *engine.Engine, m Model, c Config) (p programs, err error) {
	key, err := c.graphKey()
	if err != nil {
		return p, err
	}
	sliced, ok := m.Loss.(loss.Sliced)
	p.onHost, p.undivided, p.hostMaxima = ok && sliced.OnHost(e), loss.Undivided(m.Loss, e), pointnet.MaximaOnHost(e)
	half := p.hostMaxima
	p.forward = engine.NewProgram[forwardIn[tensor], forwardOut[tensor]](e, *m.Net,
		func(in forwardIn[node]) forwardOut[node] { return m.forward(in, half) })
	p.decode = engine.NewProgram[decodeIn[tensor], decodeOut[tensor]](e, *m.Net, m.decode)
	p.draw = engine.NewProgram[drawIn[tensor], drawOut[tensor]](e, key, m.draw)
	p.ascend = engine.NewProgram[ascendIn[tensor], ascendOut[tensor]](e, key, m.raise)
	p.gradient = engine.NewProgram[gradientIn[tensor], gradientOut[tensor]](e, key, m.gradient)
	p.backward = engine.NewProgram[backwardIn[tensor], backwardOut[tensor]](e, [2]any{*m.Net, m.SGD}, m.backward)
	p.whole = engine.NewProgram[wholeIn[tensor], wholeOut[tensor]](e, key, m.whole)
	p.value = engine.NewProgram[gradientIn[tensor], valueOut[tensor]](e, key, m.value)
	if ok && sliced.Slicer.Ascent != nil {
		p.maximizer, err = sliced.Maximizer(e, key)
	}
	return p, err
}

// graphKey is what the graphs of a run and their shapes depend on.
func (c Config) graphKey() (string, error) {
	c.Data, c.Key, c.Split, c.DataHash, c.Validation = "", "", "", "", ""
	c.Epochs, c.Steps, c.Seed = 0, 0, 0
	c.AscentSteps = min(c.AscentSteps, 1) // without a step there is no ascent: the step itself draws the location
	key, err := json.Marshal(c)
	return string(key), err
}

type (
	forwardIn[T any] struct {
		Clouds, Rows, Random T // without Rows, the clouds as they are, with the network in evaluation mode
		Net                  map[string]T
	}
	forwardOut[T any] struct {
		X, Random        T // the batch, and the random state after its bootstrap
		Features, Weight T // in front of the maxima, which plain Go finds; else nil
		Decoded          decodeOut[T]
		Buffers          map[string]T // new running statistics
		Kept             []T          // what the backward pass needs
	}
	decodeIn[T any] struct {
		Features, Maxima T
		Net              map[string]T
	}
	decodeOut[T any] struct {
		Y       T // reconstructions
		Buffers map[string]T
		Kept    []T
	}
)

// forward is the forward pass on a bootstrap of the clouds of a batch, or its first half, up to the
// maxima over the points.
func (m Model) forward(in forwardIn[node], half bool) (out forwardOut[node]) {
	if in.Rows == nil {
		out.Decoded.Y = m.Net.Forward(in.Net, in.Clouds, pointnet.Eval).Cloud
		return out
	}
	out.Random, out.X = Bootstrap(in.Random, in.Clouds, in.Rows)
	features, weight, kept := m.Net.Features(in.Net, out.X)
	out.Buffers, out.Kept = kept.Buffers, kept.Kept
	if half {
		out.Features, out.Weight = features, weight
		return out
	}
	out.Decoded = m.decode(decodeIn[node]{features, m.Net.FirstMaximum(features, weight), in.Net})
	return out
}

// decode is the second half of the forward pass.
func (m Model) decode(in decodeIn[node]) decodeOut[node] {
	out := m.Net.FromFeatures(in.Net, in.Features, in.Maxima)
	return decodeOut[node]{out.Cloud, out.Buffers, out.Kept}
}

type (
	drawIn[T any] struct {
		X, Y, Random T
		Location     T            // found by ascent, or nil
		Weights      map[string]T // of the amortizer, whose prediction is the location
		// For the autoencoder's step of a loss with an amortizer: the predictions before its ascent, and
		// its weights after it. Else nil.
		Before  T
		Updated map[string]T
	}
	drawOut[T any] struct {
		Directions, Location T
		Random               T // the random state after the draws
		Report               report[T]
	}
	report[T any] struct {
		Angle     T // mean degrees by which the ascent has turned the predictions; nil without one
		Direction T // meanDirection
	}
)

// draw draws directions.
func (m Model) draw(in drawIn[node]) (out drawOut[node]) {
	slicer, src := m.Loss.(loss.Sliced).Slicer, slicing.Seeded(in.Random)
	given := in.Location
	if in.Before != nil {
		given = m.nextPairsLocation(in.Weights, given, in.X, in.Y)
	}
	out.Location = slicer.Location(src, in.Weights, given, in.X, in.Y)
	out.Directions = slicer.Draw(src, out.Location, in.X, in.Y)
	out.Random = src.State
	out.Report = m.report(in, loss.Result{Location: out.Location, Directions: out.Directions})
	return out
}

// nextPairsLocation returns the location of the autoencoder's step for OtherLocation: of a batch's
// locations, predicted unless given, each pair has that of the next. Without OtherLocation it is the
// given one.
func (m Model) nextPairsLocation(w weights.Nodes, given, x, y node) node {
	sliced, ok := m.predicts()
	if !ok || !m.OtherLocation {
		return given
	}
	all := sliced.Slicer.Location(nil, w, given, x, y)
	return graph.Concatenate([]node{graph.Slice(all, graph.AxisRangeToEnd(1)), graph.Slice(all, graph.AxisRange(0, 1))}, 0)
}

// report says where a loss looks.
func (m Model) report(in drawIn[node], r loss.Result) (out report[node]) {
	out.Direction = meanDirection(r)
	if in.Before == nil {
		return out
	}
	after := r.Location
	if sliced, ok := m.predicts(); ok && (m.Simultaneous || m.OtherLocation) { // it is not the pair's updated prediction
		after = sliced.Slicer.Location(nil, in.Updated, nil, in.X, in.Y)
	}
	out.Angle = meanAngle(in.Before, after)
	return out
}

type (
	ascendIn[T any] struct {
		X, Y, Random  T
		Costs, Slopes T // of the directions that draw drew from Random; nil: found in the graph. For Plan: of plans, without slopes
		Amortizer     AmortizerState[T]
		// Draw are the directions to draw after the step; without X: none. With Random nil they are drawn
		// from the next random state.
		Draw drawIn[T]
	}
	ascendOut[T any] struct {
		Amortizer AmortizerState[T]
		Objective T // J before the step; for Plan a number that says nothing
		Zero      T // zero of the weights
		Drawn     drawOut[T]
		// Without Draw: the predicted locations before the step, and the next random state.
		Before, Random T
	}
)

// raise is an ascent step of the amortizer, on the clouds without gradient.
func (m Model) raise(in ascendIn[node]) (out ascendOut[node]) {
	x, y, src := graph.StopGradient(in.X), graph.StopGradient(in.Y), slicing.Seeded(in.Random)
	args := loss.BuildArgs{Source: src, Weights: in.Amortizer.Weights, Wrt: ot1d.Directions}
	var r loss.Result
	switch {
	case m.Plan:
		out.Objective, r.Location = m.planGain(src, in, x, y)
	case in.Costs != nil:
		r = m.Loss.(loss.Sliced).BuildFrom(in.Costs, in.Slopes, args, x, y)
	default:
		r = m.Loss.Build(args, x, y)
	}
	if !m.Plan {
		out.Objective = graph.ReduceAllMean(r.Pairs)
	}
	out.Amortizer = m.ascend(in.Amortizer, out.Objective)
	out.Zero = zero(out.Amortizer.Weights)
	if in.Draw.X == nil {
		out.Before, out.Random = r.Location, src.State
		return out
	}
	d := in.Draw
	d.Before, d.Updated = r.Location, out.Amortizer.Weights
	if d.Weights = d.Updated; m.Simultaneous {
		d.Weights = in.Amortizer.Weights
	}
	if d.Random == nil {
		d.Random = src.State
	}
	drawn := m.draw(d)
	out.Drawn = drawOut[node]{Directions: drawn.Directions, Report: drawn.Report}
	return out
}

type (
	gradientIn[T any] struct {
		Draw       drawIn[T]
		Directions T // with the costs that plain Go found; nil: all is found in the graph
		Costs      T
		Slopes     T // of the costs in the directions, for LocationGradient
	}
	gradientOut[T any] struct {
		Loss   T // mean over the batch
		Y      T // its gradient in the reconstructions; from given costs: besides that through them, or nil
		Costs  T // its gradient in the given costs
		Report report[T]
	}
)

// gradient is the loss of the autoencoder's step and its gradient in the reconstructions.
func (m Model) gradient(in gradientIn[node]) (out gradientOut[node]) {
	x, y := in.Draw.X, in.Draw.Y
	if in.Costs == nil {
		r := m.Loss.Build(m.buildArgs(in.Draw), x, y)
		out.Loss, out.Report = graph.ReduceAllMean(r.Pairs), m.report(in.Draw, r)
		out.Y = graph.Gradient(out.Loss, y)[0]
		return out
	}
	sliced := m.Loss.(loss.Sliced)
	if in.Slopes == nil {
		out.Loss = graph.ReduceAllMean(m.value(in).Pairs)
	} else {
		out.Loss = graph.ReduceAllMean(sliced.BuildFrom(in.Costs, in.Slopes, m.buildArgs(in.Draw), x, y).Pairs)
	}
	if in.Slopes == nil && !sliced.NeedsClouds() {
		out.Costs = graph.Gradient(out.Loss, in.Costs)[0]
		return out
	}
	both := graph.Gradient(out.Loss, in.Costs, y)
	out.Costs, out.Y = both[0], both[1]
	return out
}

// buildArgs are those of the loss of the autoencoder's step.
func (m Model) buildArgs(in drawIn[node]) loss.BuildArgs {
	args := loss.BuildArgs{Source: slicing.Seeded(in.Random), Weights: in.Weights, Location: in.Location, Wrt: ot1d.Y}
	if sliced, ok := m.predicts(); ok && m.LocationGradient {
		args.Location = sliced.Slicer.Amortizer.Direction(in.Weights, in.X, in.Y)
		args.Wrt |= ot1d.Directions
	}
	args.Location = m.nextPairsLocation(in.Weights, args.Location, in.X, in.Y)
	return args
}

type (
	backwardIn[T any] struct {
		X, GradientY  T
		Net, Momentum map[string]T
		Buffers       map[string]T // the new running statistics
		Kept          []T
	}
	backwardOut[T any] struct {
		Net, Momentum map[string]T // of the trained parameters
		Zero          T            // zero of the network
	}
)

// backward is the backward pass of the network and the step of SGD.
func (m Model) backward(in backwardIn[node]) (out backwardOut[node]) {
	gradients := m.Net.Backward(in.Net, in.X, in.Kept, in.GradientY)
	out.Net, out.Momentum = m.descend(in.Net, in.Momentum, gradients)
	out.Zero = zero(out.Net, in.Buffers)
	return out
}

// zero is the sum of 0 times all numbers: 0, or NaN if one is not finite.
func zero(all ...map[string]node) (sum node) {
	for _, nodes := range all {
		for _, x := range nodes {
			x = graph.MulScalar(x, 0)
			if x.Rank() > 1 { // XLA's CPU stores the products of a sum over all axes at once
				x = graph.ReduceSum(x, 0)
			}
			if x = graph.ReduceAllSum(x); sum != nil {
				x = graph.Add(sum, x)
			}
			sum = x
		}
	}
	return sum
}

type (
	wholeIn[T any] struct {
		Clouds, Rows, Random T
		Net, Momentum        map[string]T
	}
	wholeOut[T any] struct {
		Loss          T
		Net, Momentum map[string]T
		Zero          T // zero of the network
	}
)

// whole is the step of a loss without slices in one program.
func (m Model) whole(in wholeIn[node]) (out wholeOut[node]) {
	_, x := Bootstrap(in.Random, in.Clouds, in.Rows)
	forward := m.Net.Forward(in.Net, x, pointnet.Train)
	out.Loss = graph.ReduceAllMean(m.Loss.Build(loss.BuildArgs{Wrt: ot1d.Y}, x, forward.Cloud).Pairs)
	var nodes []node
	for _, sp := range m.trained() {
		nodes = append(nodes, in.Net[sp.Name])
	}
	gradients := map[string]node{}
	for i, g := range graph.Gradient(out.Loss, nodes...) {
		gradients[m.trained()[i].Name] = g
	}
	out.Net, out.Momentum = m.descend(in.Net, in.Momentum, gradients)
	for name, v := range forward.Buffers {
		out.Net[name] = v
	}
	out.Zero = zero(out.Net)
	return out
}

type valueOut[T any] struct{ Pairs T }

// value is the loss [batch] of every pair.
func (m Model) value(in gradientIn[node]) valueOut[node] {
	d := in.Draw
	if in.Costs != nil {
		return valueOut[node]{m.Loss.(loss.Sliced).Finish(in.Costs, in.Directions, d.X, d.Y, nil, m.Net.Points).Pairs}
	}
	args := loss.BuildArgs{Source: slicing.Seeded(d.Random), Weights: d.Weights, Location: d.Location, Wrt: ot1d.None}
	return valueOut[node]{m.Loss.Build(args, d.X, d.Y).Pairs}
}

// descend is the step of SGD with the gradients of the trained parameters, by name.
func (m Model) descend(net, momentum, gradients map[string]*graph.Node) (net1, momentum1 map[string]*graph.Node) {
	net1, momentum1 = map[string]*graph.Node{}, map[string]*graph.Node{}
	for _, sp := range m.trained() {
		net1[sp.Name], momentum1[sp.Name] = m.SGD.Step(net[sp.Name], gradients[sp.Name], momentum[sp.Name])
	}
	return net1, momentum1
}

// ascend is a step of Adam on the amortizer's weights that raises the objective.
func (m Model) ascend(s AmortizerState[*graph.Node], objective *graph.Node) AmortizerState[*graph.Node] {
	specs := m.Loss.Specs()
	var nodes []*graph.Node
	for _, sp := range specs {
		nodes = append(nodes, s.Weights[sp.Name])
	}
	grads := graph.Gradient(graph.Neg(objective), nodes...)
	next := AmortizerState[*graph.Node]{map[string]*graph.Node{}, map[string]*graph.Node{}, map[string]*graph.Node{}, graph.AddScalar(s.Count, 1)}
	for i, sp := range specs {
		w, first, second := m.Adam.Step(nodes[i], grads[i], s.First[sp.Name], s.Second[sp.Name], next.Count)
		next.Weights[sp.Name], next.Second[sp.Name] = w, second
		if first != nil {
			next.First[sp.Name] = first
		}
	}
	return next
}

// meanDirection is the mean over the batch [3] of the unit locations, or of the single slices of a
// loss without a location; nil otherwise. Its length is 1 where all pairs have one direction.
func meanDirection(r loss.Result) *graph.Node {
	d := r.Location
	if d == nil && r.Directions != nil && r.Directions.Shape().Dimensions[1] == 1 {
		d = graph.Squeeze(r.Directions, 1)
	}
	if d == nil {
		return nil
	}
	return graph.ReduceMean(graph.StopGradient(d), 0)
}

// meanAngle is the mean angle in degrees between unit vectors [batch, dim], from the chord.
func meanAngle(a, b *graph.Node) *graph.Node {
	d := graph.Sub(a, b)
	half := graph.MinScalar(graph.MulScalar(graph.Sqrt(graph.ReduceSum(graph.Mul(d, d), -1)), 0.5), 1)
	angle := graph.MulScalar(graph.Atan2(half, graph.Sqrt(graph.MaxScalar(graph.OneMinus(graph.Mul(half, half)), 0))), 2)
	return graph.MulScalar(graph.ReduceAllMean(angle), 180/math.Pi)
}

// Bootstrap gathers the clouds data[rows] and draws m points of each with replacement, in the
// graph:
//
//	data [clouds, points, 3], rows [batch] int32 -> next state, [batch, points, 3]
func Bootstrap(state, data, rows *graph.Node) (next, x *graph.Node) {
	d := data.Shape().Dimensions
	batch := rows.Shape().Dimensions[0]
	shape := shapes.Make(dtypes.Int32, batch, d[1])
	next, points := graph.RandomIntN(state, int32(d[1]), shape)
	clouds := graph.BroadcastToDims(graph.InsertAxes(rows, -1), batch, d[1])
	return next, graph.Gather(data, graph.Stack([]*graph.Node{clouds, points}, -1))
}
