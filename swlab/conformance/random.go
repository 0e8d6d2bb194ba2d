package conformance

import (
	"math"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
)

// seeds: a seed repeats its numbers and another gives others, unless nothing is drawn.
func seeds(s *Subject) error {
	eval := func(seed int64) ([]float64, error) {
		if s.graph == nil {
			r, err := s.compare(s.pairs(), false)
			return r.Pairs, err
		}
		r, err := s.own(s.pairs(), seed, ot1d.None)
		return r.Pairs, err
	}
	var v [3][]float64
	for i, seed := range []int64{1, 1, 2} {
		var err error
		if v[i], err = eval(seed); err != nil {
			return err
		}
	}
	if d := furthest(v[0], v[1]); d != 0 {
		return violated("the same call gives other numbers, by %.3g", d)
	}
	if d := furthest(v[0], v[2]); (d == 0) != (s.draws == 0) {
		return violated("random numbers are drawn %d times, and another seed changes the values by %.3g", s.draws, d)
	}
	return nil
}

// precision compares the loss in float32, with its own directions, with float64: the slices of a
// Sliced with ot1d.HostCosts, and their estimator in float64; another Graph with itself.
func precision(s *Subject) error {
	at := s.pairs()
	if s.sliced == nil {
		if !s.wide() {
			return nil
		}
		narrow, err := s.own(at, 1, ot1d.None)
		if err != nil {
			return err
		}
		wide, err := s.held(at, nil, ot1d.None)
		if err != nil {
			return err
		}
		for i, v := range wide.Pairs {
			if math.Abs(v-narrow.Pairs[i]) > 2e-5*math.Abs(v) {
				return violated("pair %d costs %.9g in float32 and %.9g in float64", i, narrow.Pairs[i], v)
			}
		}
		return nil
	}
	r, err := s.own(at, 1, ot1d.None)
	if err != nil {
		return err
	}
	n := len(r.Slices) / len(at)
	costs, err := ot1d.HostCosts(clouds(at, false), clouds(at, true), vec.To[float32](r.Directions), n,
		ot1d.Config{P: s.p, Reduce: s.sliced.Reduce})
	if err != nil {
		return err
	}
	for i, v := range costs {
		if math.Abs(v-r.Slices[i]) > 1e-5*largest(r, i/n) {
			return violated("slice %d of pair %d costs %.9g in the graph and %.9g on the host", i%n, i/n, r.Slices[i], v)
		}
	}
	wide, err := s.finish(at, costs, r.Directions, n)
	if err != nil {
		return err
	}
	power := s.p / s.degree // compared before the root
	for i, v := range wide {
		a, b := math.Pow(math.Abs(v), power), math.Pow(math.Abs(r.Pairs[i]), power)
		if math.Abs(a-b) > 1e-5*largest(r, i) {
			return violated("pair %d costs %.9g in float32 and %.9g in float64", i, r.Pairs[i], v)
		}
	}
	return nil
}

// estimated are costs of directions, and the clouds.
type estimated[T any] struct{ Costs, Theta, X, Y T }

// finishing is the key of finish's program.
type finishing struct{ *Subject }

// finish reduces costs [pairs, n] in float64.
func (s *Subject) finish(at []pair, costs, theta []float64, n int) ([]float64, error) {
	build := func(in estimated[*graph.Node]) []*graph.Node {
		return []*graph.Node{s.sliced.Finish(in.Costs, in.Theta, in.X, in.Y, nil, s.o.Points).Pairs}
	}
	p := engine.NewProgram[estimated[*tensors.Tensor], []*tensors.Tensor](s.engine, finishing{s}, build)
	in := estimated[*tensors.Tensor]{floats(true, costs, len(at), n), floats(true, theta, len(at), n, s.o.Dim),
		tensor(true, at, false), tensor(true, at, true)}
	out, err := p.Call(in)
	if err != nil {
		return nil, err
	}
	defer engine.Free(in, out)
	return graphtest.Values(out[0]), nil
}

// quadrature: the mean of many values is within 4 of its standard errors of the integral over the
// sphere.
func quadrature(s *Subject) error {
	nodes, err := Sphere(s.o.Dim, 32)
	if err != nil {
		return err
	}
	at := []pair{s.pairs()[1], s.pairs()[2], s.pairs()[6]}
	exact, err := nodes.SW(clouds(at, false), clouds(at, true), ot1d.Config{P: s.p, Reduce: s.sliced.Reduce})
	if err != nil {
		return err
	}
	for i, p := range at {
		mean, se, err := s.draw(p, 64)
		if err != nil {
			return err
		}
		if want := exact[i]; !(math.Abs(mean-want) <= 4*se+1e-3*want) {
			return violated("pair %d costs %.6g +- %.2g, SW_p^p is %.6g", i, mean, se, want)
		}
	}
	return nil
}
