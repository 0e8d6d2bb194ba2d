package train

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/optim"
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
	// Plan: the amortizer is trained to lower the cost of its location's plan (plan.go), not to raise the
	// loss. It needs a loss whose slices are drawn from a von Mises-Fisher distribution around the prediction.
	Plan bool

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
}

// predicts returns the loss if an amortizer alone gives its locations.
func (m Model) predicts() (loss.Sliced, bool) {
	s, ok := m.Loss.(loss.Sliced)
	return s, ok && s.Slicer.Amortizer != nil && s.Slicer.Ascent == nil
}

// checkUpdates rejects variants of the update where no amortizer predicts the location, and common
// slices where the location is the only one.
func (m Model) checkUpdates() error {
	if err := m.checkPlan(); err != nil {
		return err
	}
	if l, ok := m.predicts(); ok {
		if _, single := l.Slicer.Distribution.(slicing.Single); single && m.CommonSlices {
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

// State is everything that a step changes: as tensors on the device, or as nodes of a graph.
type State[T any] struct {
	Net       map[string]T // parameters and running statistics of the autoencoder
	Momentum  map[string]T // SGD's buffer of every parameter
	Amortizer AmortizerState[T]
}

// AmortizerState is an amortizer with the state of its Adam.
type AmortizerState[T any] struct {
	Weights map[string]T
	Second  map[string]T // second moment of every weight
	First   map[string]T // first moment, if Beta1 is not 0
	Count   T            // steps so far, float64 scalar
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

func (m Model) net(buffer bool) (out []weights.Spec) {
	for _, s := range m.Net.Specs() {
		if s.Buffer == buffer {
			out = append(out, s)
		}
	}
	return out
}

// stateGroup is a group of the state's tensors.
type stateGroup struct {
	prefix string // of their names in a checkpoint
	specs  []weights.Spec
	stream uint64 // of their initial values
}

// groups lists the state, except the count, in the order of State.
func (m Model) groups() []stateGroup {
	zeros := func(specs []weights.Spec) []weights.Spec {
		specs = slices.Clone(specs)
		for i := range specs {
			specs[i].Init = nil
		}
		return specs
	}
	return []stateGroup{
		{"net/", m.Net.Specs(), netStream},
		{"momentum/", zeros(m.trained()), 0},
		{"psi/", m.Loss.Specs(), psiStream},
		{"second/", zeros(m.Loss.Specs()), 0},
		{"first/", zeros(m.first()), 0},
	}
}

// maps are the maps of a state that the groups describe.
func (s *State[T]) maps() []*map[string]T {
	return []*map[string]T{&s.Net, &s.Momentum, &s.Amortizer.Weights, &s.Amortizer.Second, &s.Amortizer.First}
}

// stateSpecs names what a checkpoint holds.
func (m Model) stateSpecs() []weights.Spec {
	var out []weights.Spec
	for _, p := range m.groups() {
		for _, s := range p.specs {
			s.Name = p.prefix + s.Name
			out = append(out, s)
		}
	}
	return out
}

// initial draws the state of step 0, network and amortizer from separate generators.
func (m Model) initial(seed uint64) checkpoint {
	c := checkpoint{progress: progress{BestEpoch: -1}, tensors: weights.NewSet()}
	for _, p := range m.groups() {
		c.put(p.prefix, weights.Init(p.specs, stream(seed, 0, p.stream)))
	}
	return c
}

// upload puts the state of a checkpoint on the device.
func (m Model) upload(c checkpoint) (s State[*tensors.Tensor]) {
	for i, p := range m.groups() {
		*s.maps()[i] = group(c.tensors, p.prefix).Upload()
	}
	s.Amortizer.Count = tensors.FromScalar(c.AdamSteps)
	return s
}

// download copies the state to the host.
func (m Model) download(s State[*tensors.Tensor], p progress) (checkpoint, error) {
	c := checkpoint{progress: p, tensors: weights.NewSet()}
	for i, p := range m.groups() {
		copied, err := weights.Download(p.specs, *s.maps()[i])
		if err != nil {
			return c, fmt.Errorf("%s: %w", p.prefix, err)
		}
		c.put(p.prefix, copied)
	}
	c.AdamSteps = s.Amortizer.Count.Value().(float64)
	return c, nil
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

// put adds the tensors of a set, with a prefix before their names.
func (c checkpoint) put(prefix string, set *weights.Set) {
	for _, name := range set.Names() {
		t, _ := set.Get(name)
		c.tensors.Put(prefix+name, t)
	}
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
