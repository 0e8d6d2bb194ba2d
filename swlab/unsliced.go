package swlab

import (
	"fmt"
	"slices"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// unsliced is the result of a loss without random slices, which has no sampling error.
func unsliced(backend string, pairs []float64) *Result {
	value := mean(pairs)
	return &Result{Backend: backend, PerPair: pairs, PairErrs: make([]float64, len(pairs)), Value: value, Low: value,
		High: value}
}

// onHost is Distance with a loss computed on the host.
func (p problem) onHost(l loss.Host) (*Result, error) {
	r, err := l.Compare(clouds(p.x, p.MassX), clouds(p.y, p.MassY), p.Gradient || p.GradientX)
	if err != nil {
		return nil, err
	}
	d := unsliced(p.backend(), r.Pairs)
	d.DualityGap = r.DualityGap
	if p.GradientX {
		if d.GradientX, err = p.ofMean("x", r.GradientX, p.x); err != nil {
			return nil, err
		}
	}
	if p.Gradient {
		d.Gradient, err = p.ofMean("y", r.GradientY, p.y)
	}
	return d, err
}

// ofMean turns a host loss's gradient of the sum of the pairs' values into that of their mean.
func (p problem) ofMean(side string, gradient []float64, of *datasets.Set) ([]float32, error) {
	if len(gradient) != len(of.Coords) {
		return nil, fmt.Errorf("loss %q: gradient in %s: expected %d numbers, found %d",
			p.name, side, len(of.Coords), len(gradient))
	}
	for i := range gradient {
		gradient[i] /= float64(p.x.Clouds)
	}
	return narrow("gradient", gradient)
}

// inGraph is Distance with a graph loss without slices.
func (p problem) inGraph(l loss.Graph) (*Result, error) {
	if err := p.inFloat32(); err != nil {
		return nil, err
	}
	e, err := choose(p.Engine, float64(p.x.Clouds)*float64(p.x.Points)*float64(p.y.Points))
	if err != nil {
		return nil, err
	}
	if err := loss.CheckMemory(l, e.Name, p.x.Clouds, p.x.Points, p.y.Points, p.x.Dim); err != nil {
		return nil, err
	}
	rng, err := graph.RNGStateFromSeed(int64(p.Seed))
	if err != nil {
		return nil, err
	}
	specs, w := l.Specs(), p.Weights
	if w == nil || len(specs) == 0 {
		w = weights.Init(specs, p.Seed)
	} else if w, err = w.Match(specs); err != nil {
		return nil, fmt.Errorf("loss %q: %w", l.Name(), err)
	}
	in := values{X: tensor(p.x), Y: tensor(p.y), Noise: rng, Weights: w.Upload()}
	in.MassX, in.MassY = masses(p.x, p.MassX), masses(p.y, p.MassY)
	defer engine.Free(in)
	name, wrt := p.name, p.wrt()
	out, err := call(e, "loss", p.key(), in, func(in nodes) nodes {
		build := loss.BuildArgs{Source: slicing.Seeded(in.Noise), Wrt: wrt, Weights: in.Weights, MassX: in.MassX,
			MassY: in.MassY}
		r := l.Build(build, in.X, in.Y)
		if r.Pairs == nil || !slices.Equal(r.Pairs.Shape().Dimensions, in.X.Shape().Dimensions[:1]) {
			panic(fmt.Errorf("loss %q: Pairs: expected a value per pair, shape [%d], found %v",
				name, in.X.Shape().Dim(0), r.Pairs))
		}
		out := nodes{Pairs: r.Pairs, Matched: r.MatchedMass}
		out.GradX, out.GradY = gradients(r.Pairs, wrt, in.X, in.Y)
		return out
	})
	if err != nil {
		return nil, err
	}
	defer engine.Free(out)
	d := unsliced(e.Name, numbers(out.Pairs))
	d.GradientX, d.Gradient, d.MatchedMass = float32s(out.GradX), float32s(out.GradY), float32s(out.Matched)
	return d, nil
}
