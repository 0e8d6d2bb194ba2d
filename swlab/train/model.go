package train

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/optim"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/plain"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// Optimizers of the paper's reconstruction runs (its section on settings, and the released code),
// which DefaultConfig uses.
var (
	// AutoencoderSGD trains the autoencoder: all parameters, batch norms and biases included.
	AutoencoderSGD = optim.SGD{LearningRate: 1e-3, Momentum: 0.9, WeightDecay: 5e-4}
	// AmortizerAdam trains the amortizer, one step per batch before the autoencoder's.
	AmortizerAdam = optim.Adam{LearningRate: 1e-3, Beta1: 0, Beta2: 0.9, Eps: 1e-8}
)

// Model is what a step trains, and how.
type Model struct {
	Net  *pointnet.Autoencoder
	Loss loss.Graph
	SGD  optim.SGD
	Adam optim.Adam
	// AmortizerSteps are the ascent steps of the amortizer per batch; below 1: one.
	AmortizerSteps int

	// The paper's algorithms, where the released code does otherwise. All need a loss whose
	// location an amortizer predicts (not in fine-tuning).
	//
	// Simultaneous: the autoencoder's step takes the locations before the amortizer's ascent.
	// CommonSlices: both steps draw the same random numbers for their slices. LocationGradient: the
	// autoencoder's gradient also passes through the location, epsilon = a_psi(X, g(f(X))), and the
	// reparameterised slices around it. With the first two, the minimised loss is the maximised
	// objective.
	Simultaneous, CommonSlices, LocationGradient bool
	// OtherLocation: the autoencoder's step takes for every pair the location of the next pair of the
	// batch, for the last that of the first. It is a control: what is left is a location that was
	// learned, and for another pair. It needs such a loss, too.
	OtherLocation bool

	Plain plain.Set // fast paths that are switched off
}

// predicts returns the loss if an amortizer alone gives its locations.
func (m Model) predicts() (loss.Sliced, bool) {
	s, ok := m.Loss.(loss.Sliced)
	return s, ok && s.Slicer.Amortizer != nil && s.Slicer.Ascent == nil
}

// checkUpdates rejects variants of the update where no amortizer predicts the location, and common
// slices where the location is the only one.
func (m Model) checkUpdates() error {
	if l, ok := m.predicts(); ok {
		if _, point := l.Slicer.Distribution.(slicing.Point); point && m.CommonSlices {
			return fmt.Errorf("common-slices: expected a loss that draws slices around its location, found %s", l.Name())
		}
		return nil
	}
	for i, on := range []bool{m.Simultaneous, m.CommonSlices, m.LocationGradient, m.OtherLocation} {
		if on {
			name := []string{"simultaneous", "common-slices", "location-gradient", "other-location"}[i]
			return fmt.Errorf("%s: expected a loss whose location an amortizer predicts without fine-tuning, found %s", name, m.Loss.Name())
		}
	}
	return nil
}

// State is everything that a step changes.
type State struct {
	Net      weights.Nodes // parameters and running statistics of the autoencoder
	Momentum weights.Nodes // SGD's buffer of every parameter
	Psi      weights.Nodes // the amortizer
	Second   weights.Nodes // Adam's second moment of every amortizer weight
	First    weights.Nodes // its first moment, if Beta1 is not 0
	Count    *graph.Node   // Adam's steps so far, float64 scalar
}

// Noise is the random numbers of one step, separate for the two sides.
type Noise struct{ Ascend, Descend slicing.Source }

// Outcome of one step.
type Outcome struct {
	State     State
	Loss      *graph.Node // scalar, the minimised loss: mean over the batch
	Objective *graph.Node // scalar J before the first ascent step; nil without an amortizer
	// Scalar, the mean angle in degrees by which the ascent turned the predicted directions; nil
	// without an amortizer.
	AscentAngle *graph.Node
	Before      *graph.Node // [batch, 3] predicted directions before the ascent
	After       *graph.Node // [batch, 3] the location of the loss's slices, or nil
	Codes       *graph.Node // [batch, 256]
	// [3] mean over the batch of the unit locations, or of the single slices of a loss without a
	// location; nil otherwise. Its length is 1 where all pairs have one direction.
	Direction *graph.Node
	Clouds    *graph.Node // [batch, m, 3] reconstructions
	NetGrad   []*graph.Node
}

// Step builds one training step on the clouds x [batch, m, 3], in the released code's order:
//
//  1. z = f(x), y = g(z) with the batch's statistics;
//  2. amortized losses: J = mean over pairs of the loss with locations a_psi(x, y), clouds detached;
//     one Adam ASCENT step on psi, or AmortizerSteps of them, each on fresh slices;
//  3. locations from the UPDATED psi, detached, fresh slices; one SGD step of the autoencoder on
//     the loss.
//
// Simultaneous, LocationGradient and OtherLocation change part 3; for CommonSlices noise has equal
// sources.
//
// location [batch, 3] is the result of an ascent for losses that have one, else nil. If the ascent
// started from an amortizer's prediction (fine-tuning), part 2 has been done before (Predict), and
// s has the updated psi.
func (m Model) Step(s State, x, location *graph.Node, noise Noise) Outcome {
	forward := m.Net.Forward(s.Net, x, pointnet.Train)
	y := forward.Cloud
	out, psi := m.adapt(s, x, y, location, noise.Ascend, m.inGraph)
	out.Codes, out.Clouds = forward.Latent, y
	wrt := ot1d.Y
	if sliced, ok := m.predicts(); ok && m.LocationGradient {
		location, wrt = sliced.Slicer.Amortizer.Direction(psi, x, y), ot1d.Y|ot1d.Directions
	}
	location = m.other(psi, location, x, y)
	r := m.Loss.Build(loss.BuildArgs{Source: noise.Descend, Weights: psi, Location: location, Wrt: wrt, Plain: m.Plain}, x, y)
	m.point(&out, r, x, y)
	out.Loss = graph.ReduceAllMean(r.Pairs)
	var nodes []*graph.Node
	for _, sp := range m.trained() {
		nodes = append(nodes, s.Net.Get(sp.Name))
	}
	m.descend(&out, s, graph.Gradient(out.Loss, nodes...))
	for name, v := range forward.Buffers {
		out.State.Net[name] = v
	}
	return out
}

// directions builds parts 2 and 3 of Step up to the directions [batch, slices, 3] of a sliced loss,
// for clouds x and reconstructions y.
func (m Model) directions(s State, x, y, location *graph.Node, noise Noise, objective objective) (Outcome, *graph.Node) {
	out, psi := m.adapt(s, x, y, location, noise.Ascend, objective)
	sl := m.Loss.(loss.Sliced).Slicer
	location = sl.Location(noise.Descend, psi, m.other(psi, location, x, y), x, y)
	directions := sl.Draw(noise.Descend, location, x, y)
	m.point(&out, loss.Result{Location: location, Directions: directions}, x, y)
	return out, directions
}

// adapt is part 2 of Step, where an amortizer gives the location, and the psi of part 3: a constant,
// which no gradient of the loss reaches.
func (m Model) adapt(s State, x, y, location *graph.Node, src slicing.Source, objective objective) (out Outcome, psi weights.Nodes) {
	out.State = s
	if len(m.Loss.Specs()) > 0 && location == nil {
		m.ascend(&out, s, x, y, src, objective)
	}
	if m.Simultaneous {
		return out, stopped(m.Loss.Specs(), s.Psi)
	}
	return out, stopped(m.Loss.Specs(), out.State.Psi)
}

// other returns the location of the autoencoder's step for OtherLocation: of a batch's locations,
// predicted unless given, each pair has that of the next. Without OtherLocation it is the given one.
func (m Model) other(psi weights.Nodes, given, x, y *graph.Node) *graph.Node {
	sliced, ok := m.predicts()
	if !ok || !m.OtherLocation {
		return given
	}
	all := sliced.Slicer.Location(nil, psi, given, x, y)
	return graph.Concatenate([]*graph.Node{graph.Slice(all, graph.AxisRangeToEnd(1)), graph.Slice(all, graph.AxisRange(0, 1))}, 0)
}

// point records where a sliced loss looks.
func (m Model) point(out *Outcome, r loss.Result, x, y *graph.Node) {
	out.After, out.Direction = r.Location, meanDirection(r)
	if out.Before == nil {
		return
	}
	out.AscentAngle = meanAngle(out.Before, out.After)
	if sliced, ok := m.predicts(); ok && (m.Simultaneous || m.OtherLocation) { // After is not the pair's updated prediction
		out.AscentAngle = meanAngle(out.Before, sliced.Slicer.Location(nil, stopped(m.Loss.Specs(), out.State.Psi), nil, x, y))
	}
}

// descend takes the optimizer's step with the gradients of the trained parameters.
func (m Model) descend(out *Outcome, s State, gradients []*graph.Node) {
	out.NetGrad, out.State.Net, out.State.Momentum = gradients, weights.Nodes{}, weights.Nodes{}
	for i, sp := range m.trained() {
		out.State.Net[sp.Name], out.State.Momentum[sp.Name] = m.SGD.Step(s.Net.Get(sp.Name), gradients[i], s.Momentum.Get(sp.Name))
	}
}

// Predict builds part 2 of Step alone, for clouds x and reconstructions y. The outcome has the
// updated psi, J, and the predicted locations before and after.
func (m Model) Predict(s State, x, y *graph.Node, src slicing.Source) Outcome {
	var out Outcome
	m.ascend(&out, s, x, y, src, m.inGraph)
	sl := m.Loss.(loss.Sliced)
	out.After = sl.Slicer.Location(nil, stopped(m.Loss.Specs(), out.State.Psi), nil, x, y)
	out.AscentAngle = meanAngle(out.Before, out.After)
	return out
}

// objective builds the loss that an amortizer raises, differentiable in the location.
type objective func(psi weights.Nodes, src slicing.Source, x, y *graph.Node) loss.Result

// inGraph is the objective with costs in the graph.
func (m Model) inGraph(psi weights.Nodes, src slicing.Source, x, y *graph.Node) loss.Result {
	return m.Loss.Build(loss.BuildArgs{Source: src, Weights: psi, Wrt: ot1d.Directions, Plain: m.Plain}, x, y)
}

// ascend is part 2 of Step.
func (m Model) ascend(out *Outcome, s State, x, y *graph.Node, src slicing.Source, objective objective) {
	x, y = graph.StopGradient(x), graph.StopGradient(y)
	for step := range max(m.AmortizerSteps, 1) {
		r := objective(s.Psi, src, x, y)
		mean := graph.ReduceAllMean(r.Pairs)
		if step == 0 {
			out.Objective, out.Before = mean, r.Location
		}
		s = m.ascentStep(s, mean)
	}
	out.State.Psi, out.State.Second, out.State.First, out.State.Count = s.Psi, s.Second, s.First, s.Count
}

// ascentStep is one step of Adam on psi that increases the objective.
func (m Model) ascentStep(s State, objective *graph.Node) State {
	specs := m.Loss.Specs()
	var nodes []*graph.Node
	for _, sp := range specs {
		nodes = append(nodes, s.Psi.Get(sp.Name))
	}
	grads := graph.Gradient(graph.Neg(objective), nodes...)
	next := State{Net: s.Net, Momentum: s.Momentum, Psi: weights.Nodes{}, Second: weights.Nodes{}, First: weights.Nodes{}, Count: graph.AddScalar(s.Count, 1)}
	for i, sp := range specs {
		var first *graph.Node
		if m.Adam.Beta1 != 0 {
			first = s.First.Get(sp.Name)
		}
		next.Psi[sp.Name], next.First[sp.Name], next.Second[sp.Name] = m.Adam.Step(nodes[i], grads[i], first, s.Second.Get(sp.Name), next.Count)
	}
	return next
}

// first lists the amortizer's weights that have a first moment.
func (m Model) first() []weights.Spec {
	if m.Adam.Beta1 == 0 {
		return nil
	}
	return m.Loss.Specs()
}

// trained lists the parameters that SGD trains.
func (m Model) trained() []weights.Spec { return m.net(false) }

// buffers lists the running statistics of the batch norms.
func (m Model) buffers() []weights.Spec { return m.net(true) }

func (m Model) net(buffer bool) (out []weights.Spec) {
	for _, s := range m.Net.Specs() {
		if s.Buffer == buffer {
			out = append(out, s)
		}
	}
	return out
}

// meanDirection is Outcome.Direction.
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

func stopped(specs []weights.Spec, n weights.Nodes) weights.Nodes {
	out := weights.Nodes{}
	for _, s := range specs {
		out[s.Name] = graph.StopGradient(n.Get(s.Name))
	}
	return out
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

// part is a group of the state's tensors.
type part struct {
	prefix string // of their names in a checkpoint
	specs  []weights.Spec
	stream uint64 // of their initial values
	nodes  func(*State) *weights.Nodes
}

// parts lists the state, except the count, in its order on the device.
func (m Model) parts() []part {
	zeros := func(specs []weights.Spec) []weights.Spec {
		specs = slices.Clone(specs)
		for i := range specs {
			specs[i].Init = nil
		}
		return specs
	}
	return []part{
		{"net/", m.Net.Specs(), netStream, func(s *State) *weights.Nodes { return &s.Net }},
		{"momentum/", zeros(m.trained()), 0, func(s *State) *weights.Nodes { return &s.Momentum }},
		{"psi/", m.Loss.Specs(), psiStream, func(s *State) *weights.Nodes { return &s.Psi }},
		{"second/", zeros(m.Loss.Specs()), 0, func(s *State) *weights.Nodes { return &s.Second }},
		{"first/", zeros(m.first()), 0, func(s *State) *weights.Nodes { return &s.First }},
	}
}

// psiPart is the first of the parts that belong to the amortizer; the count follows the last.
const psiPart = 2

// before is the number of tensors of the state before that part.
func (m Model) before(part int) (n int) {
	for _, p := range m.parts()[:part] {
		n += len(p.specs)
	}
	return n
}

// bindPsi names the nodes of the amortizer's parts and the count.
func (m Model) bindPsi(nodes []*graph.Node) State {
	s, rest := bind(m.parts()[psiPart:], nodes)
	s.Count = rest[0]
	return s
}

// stateSpecs names what a checkpoint holds.
func (m Model) stateSpecs() []weights.Spec {
	var out []weights.Spec
	for _, p := range m.parts() {
		for _, s := range p.specs {
			s.Name = p.prefix + s.Name
			out = append(out, s)
		}
	}
	return out
}

// initial draws the state of step 0, network and amortizer from separate generators.
func (m Model) initial(seed uint64) checkpoint {
	set := weights.NewSet()
	for _, p := range m.parts() {
		drawn := weights.Init(p.specs, stream(seed, 0, p.stream))
		for _, name := range drawn.Names() {
			t, _ := drawn.Get(name)
			set.Put(p.prefix+name, t)
		}
	}
	return checkpoint{progress: progress{BestEpoch: -1}, tensors: set}
}

// bind names the nodes of a state.
func (m Model) bind(nodes []*graph.Node) State {
	s, rest := bind(m.parts(), nodes)
	s.Count = rest[0]
	return s
}

// bind names the first of the nodes as parts of a state.
func bind(parts []part, nodes []*graph.Node) (s State, rest []*graph.Node) {
	for _, p := range parts {
		*p.nodes(&s) = weights.Bind(p.specs, nodes[:len(p.specs)])
		nodes = nodes[len(p.specs):]
	}
	return s, nodes
}

// unbind lists the nodes of parts of a state, then its count.
func unbind(s State, parts []part) []*graph.Node {
	var out []*graph.Node
	for _, p := range parts {
		for _, sp := range p.specs {
			out = append(out, p.nodes(&s).Get(sp.Name))
		}
	}
	return append(out, s.Count)
}

// Streams of random numbers of a seed.
const (
	netStream = iota + 1
	psiStream
	stepStream
	maximizeStream
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

// group is the part of a set whose names start with prefix, without it.
func group(s *weights.Set, prefix string) *weights.Set {
	out := weights.NewSet()
	for _, n := range s.Names() {
		if rest, ok := strings.CutPrefix(n, prefix); ok {
			t, _ := s.Get(n)
			out.Put(rest, t)
		}
	}
	return out
}
