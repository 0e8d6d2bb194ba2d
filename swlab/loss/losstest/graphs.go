package losstest

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// batch is the number of pairs of a call; shorter lists are padded, so that one graph serves all.
const batch = 8

// mode is a way to build the loss.
type mode struct {
	// Given directions, or one seed, in float64 if the loss can; else the loss's own slicer, by
	// seed, in float32.
	held       bool
	difference bool // Options.Held
	wrt        ot1d.Wrt
	pairs      int
}

// result of a call, for every pair. Fields that do not apply are nil.
type result struct {
	pairs                         []float64
	slices, directions, locations []float64
	shares, used                  []float64
	gradX, gradY                  []float64 // if Wrt is not None: of the sum over the pairs
	gradW                         []float64 // with Wrt Directions: in all weights
}

// held returns the losses with those directions [slices, dim].
func (s *Subject) held(pairs []pair, theta []float64, wrt ot1d.Wrt) (result, error) {
	n := batch
	if s.violates(loss.BatchIndependent) {
		n = 1
	}
	return s.call(mode{held: true, wrt: wrt, pairs: n}, pairs, theta, 1)
}

// own returns the losses with the slicer's own directions.
func (s *Subject) own(pairs []pair, seed int64, wrt ot1d.Wrt) (result, error) {
	return s.call(mode{wrt: wrt, pairs: batch}, pairs, nil, seed)
}

// call evaluates the pairs, mode.pairs at a time. The k-th chunk of a list has the seed seed + 1000
// k.
func (s *Subject) call(m mode, pairs []pair, theta []float64, seed int64) (result, error) {
	var all result
	for at := 0; at < len(pairs); at += m.pairs {
		n := min(m.pairs, len(pairs)-at)
		r, err := s.chunk(m, pairs[at:at+n], theta, seed+1000*int64(at/m.pairs))
		if err != nil {
			return all, err
		}
		for _, f := range []struct{ all, more *[]float64 }{{&all.pairs, &r.pairs}, {&all.slices, &r.slices}, {&all.directions, &r.directions},
			{&all.locations, &r.locations}, {&all.shares, &r.shares}, {&all.used, &r.used},
			{&all.gradX, &r.gradX}, {&all.gradY, &r.gradY}} {
			*f.all = append(*f.all, (*f.more)[:len(*f.more)*n/m.pairs]...)
		}
		all.gradW = append(all.gradW, r.gradW...)
	}
	return all, nil
}

func (s *Subject) chunk(m mode, pairs []pair, theta []float64, seed int64) (result, error) {
	filled := append([]pair{}, pairs...)
	for len(filled) < m.pairs {
		filled = append(filled, pairs[0])
	}
	rng, err := graph.RNGStateFromSeed(seed)
	if err != nil {
		return result{}, err
	}
	// Package ot1d takes clouds of unequal sizes only in float32.
	wide := m.held && s.wide() && (s.sliced == nil || pairs[0].x.points() == pairs[0].y.points())
	x, y := tensor(wide, filled, false), tensor(wide, filled, true)
	args := []any{rng, x, y}
	if m.difference { // the pairs carry what is held
		args = append(args, tensor(wide, heldOf(filled), false), tensor(wide, heldOf(filled), true))
	} else if m.held && s.sliced != nil {
		args = append(args, floats(wide, theta, len(theta)/s.o.Dim, s.o.Dim))
	}
	exec := s.execs[m]
	if exec == nil {
		if exec, err = graph.NewExec(s.engine.Backend, func(in []*graph.Node) []*graph.Node { return s.build(m, in) }); err != nil {
			return result{}, err
		}
		s.execs[m] = exec
	}
	out, err := exec.Call(args...)
	if err != nil {
		return result{}, err
	}
	var r result
	into := []*[]float64{&r.pairs, &r.slices, &r.directions, &r.locations, &r.shares, &r.used, &r.gradX, &r.gradY, &r.gradW}
	for i, t := range out {
		to := into[min(s.parts[m][i], len(into)-1)]
		*to = append(*to, values(t)...)
		t.FinalizeAll()
	}
	return r, nil
}

// build returns pairs, slices, directions, locations, shares, used, and the gradients in x, y and
// the weights, as far as they exist, and records which.
func (s *Subject) build(m mode, in []*graph.Node) []*graph.Node {
	g, x, y := in[0].Graph(), in[1], in[2]
	source := &counted{to: x.DType(), Source: slicing.Seeded(in[0])}
	c := loss.BuildArgs{Source: source, Wrt: m.wrt}
	specs := s.graph.Specs()
	var w []*graph.Node
	for _, sp := range specs {
		t, _ := s.weights.Get(sp.Name)
		w = append(w, graph.ConvertDType(graph.Const(g, tensors.FromFlatDataAndDimensions(t.Data, t.Shape...)), x.DType()))
	}
	c.Weights = weights.Bind(specs, w)
	var r loss.Result
	switch {
	case m.difference:
		r.Pairs = s.o.Held(x, y, in[3], in[4])
	case m.held && s.sliced != nil:
		l := *s.sliced
		l.Slicer = slicing.Slicer{Distribution: slicing.Fixed{Directions: in[3]}, Slices: in[3].Shape().Dimensions[0]}
		r = l.Build(c, x, y)
	default:
		r = s.graph.Build(c, x, y)
	}
	if d := r.Pairs.Shape(); d.Rank() != 1 || d.Dimensions[0] != m.pairs {
		panic(fmt.Errorf("expected the losses of %d pairs, [%d], found %s", m.pairs, m.pairs, d))
	}
	if !m.held {
		s.draws = source.calls
	}
	if r.Used != nil {
		r.Used = graph.BroadcastToDims(graph.ConvertDType(r.Used, x.DType()), m.pairs)
	}
	gradX, gradY := 6, 7 // places
	all := append([]*graph.Node{r.Pairs, r.Slices, r.Directions, r.Location, r.Shares, r.Used, nil, nil}, make([]*graph.Node, len(w))...)
	sum := graph.ReduceAllSum(r.Pairs)
	if m.wrt != ot1d.None {
		g := graph.Gradient(sum, x, y)
		all[gradX], all[gradY] = g[0], g[1]
	}
	if m.wrt&ot1d.Directions != 0 && len(w) > 0 {
		copy(all[gradY+1:], graph.Gradient(sum, w...))
	}
	var out []*graph.Node
	s.parts[m] = nil
	for i, n := range all {
		if n != nil {
			out, s.parts[m] = append(out, n), append(s.parts[m], i)
		}
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

// tensor holds the first or the second clouds of the pairs, [pairs, points, dim].
func tensor(wide bool, pairs []pair, second bool) *tensors.Tensor {
	var all []float64
	var c cloud
	for _, p := range pairs {
		if c = p.x; second {
			c = p.y
		}
		all = append(all, c.v...)
	}
	return floats(wide, all, len(pairs), c.points(), c.dim)
}

func floats(wide bool, v []float64, shape ...int) *tensors.Tensor {
	if wide {
		return tensors.FromFlatDataAndDimensions(v, shape...)
	}
	return tensors.FromFlatDataAndDimensions(narrow(v), shape...)
}

func narrow(v []float64) []float32 {
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(x)
	}
	return out
}

func values(t *tensors.Tensor) []float64 {
	if t.DType() == dtypes.Float64 {
		return tensors.MustCopyFlatData[float64](t)
	}
	var out []float64
	for _, x := range tensors.MustCopyFlatData[float32](t) {
		out = append(out, float64(x))
	}
	return out
}
