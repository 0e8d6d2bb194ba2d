package conformance

import (
	"fmt"
	"reflect"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// mode is a way to build the loss.
type mode struct {
	subject *Subject
	// Given directions, or one seed, in float64 if the loss can; else the loss's own slicer, by
	// seed, in float32.
	held       bool
	difference bool // Options.Held
	wrt        ot1d.Wrt
}

// inputs are tensors or nodes; those that a mode does not take are nil.
type inputs[T any] struct {
	Seed, X, Y T
	HeldX      T // the clouds at which Options.Held finds what it holds
	HeldY      T
	Theta      T // [slices, dim] given directions
}

// outputs are tensors, nodes or numbers, for every pair. Those that do not apply are nil.
type outputs[T any] struct {
	Pairs, Slices, Directions, Locations, Shares, Used T
	GradX, GradY                                       T   // if Wrt is not None: of the sum over the pairs
	GradW                                              []T // with Wrt Directions: in all weights
}

// result are the numbers of a call.
type result = outputs[[]float64]

// held returns the losses with those directions [slices, dim].
func (s *Subject) held(pairs []pair, theta []float64, wrt ot1d.Wrt) (result, error) {
	m := mode{subject: s, held: true, wrt: wrt}
	if !s.violates(loss.BatchIndependent) {
		return s.call(m, pairs, theta, 1)
	}
	var all result // one pair after the other
	for i := range pairs {
		one, err := s.call(m, pairs[i:i+1], theta, 1)
		if err != nil {
			return all, err
		}
		to, from := reflect.ValueOf(&all).Elem(), reflect.ValueOf(one)
		for f := range to.NumField() {
			to.Field(f).Set(reflect.AppendSlice(to.Field(f), from.Field(f)))
		}
	}
	return all, nil
}

// own returns the losses with the slicer's own directions.
func (s *Subject) own(pairs []pair, seed int64, wrt ot1d.Wrt) (result, error) {
	return s.call(mode{subject: s, wrt: wrt}, pairs, nil, seed)
}

func (s *Subject) call(m mode, pairs []pair, theta []float64, seed int64) (r result, err error) {
	in := inputs[*tensors.Tensor]{}
	if in.Seed, err = graph.RNGStateFromSeed(seed); err != nil {
		return r, err
	}
	wide := m.held && s.wide()
	in.X, in.Y = tensor(wide, pairs, false), tensor(wide, pairs, true)
	if m.difference { // the pairs carry what is held
		in.HeldX, in.HeldY = tensor(wide, heldOf(pairs), false), tensor(wide, heldOf(pairs), true)
	} else if m.held && s.sliced != nil {
		in.Theta = floats(wide, theta, len(theta)/s.o.Dim, s.o.Dim)
	}
	p := engine.NewProgram[inputs[*tensors.Tensor], outputs[*tensors.Tensor]](s.engine, m, m.build)
	out, err := p.Call(in)
	if err != nil {
		return r, err
	}
	defer engine.Free(in, out)
	to, from := reflect.ValueOf(&r).Elem(), reflect.ValueOf(out)
	for f := range to.NumField() {
		switch t := from.Field(f).Interface().(type) {
		case *tensors.Tensor:
			if t != nil {
				to.Field(f).Set(reflect.ValueOf(graphtest.Values(t)))
			}
		case []*tensors.Tensor:
			for _, t := range t {
				r.GradW = append(r.GradW, graphtest.Values(t))
			}
		}
	}
	return r, nil
}

// build is the loss in that mode.
func (m mode) build(in inputs[*graph.Node]) outputs[*graph.Node] {
	s, x, y := m.subject, in.X, in.Y
	source := &counted{to: x.DType(), Source: slicing.Seeded(in.Seed)}
	c := loss.BuildArgs{Source: source, Wrt: m.wrt}
	specs := s.graph.Specs()
	var w []*graph.Node
	for _, sp := range specs {
		t, _ := s.weights.Get(sp.Name)
		v := graph.Const(x.Graph(), tensors.FromFlatDataAndDimensions(t.Data, t.Shape...))
		w = append(w, graph.ConvertDType(v, x.DType()))
	}
	c.Weights = weights.Bind(specs, w)
	var r loss.Result
	switch {
	case m.difference:
		r.Pairs = s.o.Held(x, y, in.HeldX, in.HeldY)
	case m.held && s.sliced != nil:
		l := *s.sliced
		fixed := slicing.Fixed{Directions: in.Theta}
		l.Slicer = slicing.Slicer{Distribution: fixed, Slices: in.Theta.Shape().Dimensions[0]}
		r = l.Build(c, x, y)
	default:
		r = s.graph.Build(c, x, y)
	}
	pairs := x.Shape().Dimensions[0]
	if d := r.Pairs.Shape(); d.Rank() != 1 || d.Dimensions[0] != pairs {
		panic(fmt.Errorf("expected the losses of %d pairs, [%d], found %s", pairs, pairs, d))
	}
	if !m.held {
		s.draws = source.calls
	}
	out := outputs[*graph.Node]{Pairs: r.Pairs, Slices: r.Slices, Directions: r.Directions, Locations: r.Location,
		Shares: r.Shares}
	if r.Used != nil {
		out.Used = graph.BroadcastToDims(graph.ConvertDType(r.Used, x.DType()), pairs)
	}
	sum := graph.ReduceAllSum(r.Pairs)
	if m.wrt != ot1d.None {
		g := graph.Gradient(sum, x, y)
		out.GradX, out.GradY = g[0], g[1]
	}
	if m.wrt&ot1d.Directions != 0 && len(w) > 0 {
		out.GradW = graph.Gradient(sum, w...)
	}
	return out
}

// counted is a source in the dtype of the clouds that counts the draws.
type counted struct {
	slicing.Source
	to    dtypes.DType
	calls int
}

func (s *counted) Uniform(dims ...int) *graph.Node {
	s.calls++
	return graph.ConvertDType(s.Source.Uniform(dims...), s.to)
}

func (s *counted) Normal(dims ...int) *graph.Node {
	s.calls++
	return graph.ConvertDType(s.Source.Normal(dims...), s.to)
}

// compare calls a Host.
func (s *Subject) compare(pairs []pair, gradient bool) (loss.Comparison, error) {
	x, y := clouds(pairs, false), clouds(pairs, true)
	out, err := s.loss.(loss.Host).Compare(x, y, gradient)
	switch {
	case err != nil:
		return out, err
	case len(out.Pairs) != len(pairs):
		return out, fmt.Errorf("expected %d values, found %d", len(pairs), len(out.Pairs))
	case gradient && (len(out.GradientX) != len(x.Coords) || len(out.GradientY) != len(y.Coords)):
		return out, fmt.Errorf("expected gradients of %d and %d numbers in x and y, found %d and %d",
			len(x.Coords), len(y.Coords), len(out.GradientX), len(out.GradientY))
	}
	for i, gap := range out.DualityGap {
		if !(gap >= 0 && gap <= 1e-3*out.Pairs[i]+1e-9) {
			return out, fmt.Errorf("pair %d: a gap of %.3g for a value of %.6g", i, gap, out.Pairs[i])
		}
	}
	return out, nil
}

// joined are the first or the second clouds of the pairs, as numbers and their shape.
func joined(pairs []pair, second bool) (v []float64, points, dim int) {
	var c cloud
	for _, p := range pairs {
		if c = p.x; second {
			c = p.y
		}
		v = append(v, c.v...)
	}
	return v, c.points(), c.dim
}

func clouds(pairs []pair, second bool) ot1d.Clouds {
	v, points, dim := joined(pairs, second)
	return ot1d.Clouds{Coords: vec.To[float32](v), Batch: len(pairs), Points: points, Dim: dim}
}

// tensor is [pairs, points, dim].
func tensor(wide bool, pairs []pair, second bool) *tensors.Tensor {
	v, points, dim := joined(pairs, second)
	return floats(wide, v, len(pairs), points, dim)
}

func floats(wide bool, v []float64, shape ...int) *tensors.Tensor {
	if wide {
		return tensors.FromFlatDataAndDimensions(v, shape...)
	}
	return tensors.FromFlatDataAndDimensions(vec.To[float32](v), shape...)
}
