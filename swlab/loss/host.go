package loss

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
)

// Maximizer prepares the ascent of the loss in the location of its slices, whose costs plain Go finds
// unless they are Wasserstein's and the engine is CUDA's. The key tells maximizers of the engine apart (engine.NewProgram).
func (s Sliced) Maximizer(e *engine.Engine, key any) (*slicing.Maximizer, error) {
	switch {
	case e == nil:
		return nil, errors.New("the ascent on the location: expected an engine, found nil")
	case s.Slicer.Distribution == nil || s.Slicer.Ascent == nil:
		return nil, errors.New("the ascent on the location: expected a slicing distribution with an ascent, found none")
	case e.IsCUDA() && s.Cost == ot1d.Wasserstein:
		return slicing.NewMaximizer(e, key, *s.Slicer.Ascent, s.Objective())
	}
	return slicing.NewHostMaximizer(e, key, *s.Slicer.Ascent, slicing.HostObjective{
		Directions: s.Slicer.Draw,
		Costs: func(x, y *tensors.Tensor) (slicing.CostFunc, error) {
			pairs, err := s.HostPairs(x, y)
			if err != nil {
				return nil, err
			}
			return pairs.Slopes, nil
		},
		Value: func(costs, directions, x, y *graph.Node) *graph.Node {
			return s.Finish(costs, directions, x, y, nil, x.Shape().Dimensions[1]).Pairs
		},
	})
}

// HostPairs are the pairs of a batch in host memory, where plain Go computes their costs and
// gradients, exactly sorted, outside of any graph.
type HostPairs struct {
	pairs     ot1d.Coster
	clouds    [2]ot1d.Clouds
	y         []int // the shape of y
	nonFinite []int // pairs with numbers that are not finite
}

// HostPairs copies the pairs x and y [batch, n, dim]. A pair with a number that is not finite is no
// error: its costs and derivatives are NaN, which the caller reports.
func (s Sliced) HostPairs(x, y *tensors.Tensor) (*HostPairs, error) {
	cx, err := hostClouds("x", x)
	if err != nil {
		return nil, err
	}
	cy, err := hostClouds("y", y)
	if err != nil {
		return nil, err
	}
	p, o := &HostPairs{y: y.Shape().Dimensions, clouds: [2]ot1d.Clouds{cx, cy}}, s.HostConfig()
	if p.pairs, err = ot1d.NewCoster(cx, cy, o); err != nil { // perhaps because a number is not finite
		p.nonFinite = leaveOut(cx.Batch, cx.Coords, cy.Coords)
		if p.pairs, err = ot1d.NewCoster(cx, cy, o); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Costs returns the costs [batch, slices] of directions [batch, slices, dim].
func (p *HostPairs) Costs(directions *tensors.Tensor) (*tensors.Tensor, error) {
	costs, _, err := p.along(directions, func(flat []float32, slices int) (costs []float64, g ot1d.Gradients, err error) {
		costs, err = p.pairs.Costs(flat, slices)
		return costs, g, err
	})
	if err != nil {
		return nil, err
	}
	return tensor32(costs, directions.Shape().Dimensions[:2]), nil
}

// PlanCosts returns what the plans of directions [batch, slices, dim] cost in space, [batch, slices]: the
// mean squared distance of matched points (ot1d.HostPairs.Plans, ot1d.Lift).
func (p *HostPairs) PlanCosts(directions *tensors.Tensor) (*tensors.Tensor, error) {
	costs, _, err := p.along(directions, func(flat []float32, slices int) (costs []float64, g ot1d.Gradients, err error) {
		x, y := p.clouds[0], p.clouds[1]
		pairs, err := ot1d.NewHostPairs(x, y, ot1d.HostConfig{Reduce: ot1d.Mean})
		if err != nil {
			return nil, g, err
		}
		costs = make([]float64, x.Batch*slices)
		err = pairs.Plans(vec.To[float64](flat), slices, func(pair, slice int, plan []ot1d.Match) {
			costs[pair*slices+slice] = ot1d.Lift(plan, ofPair(x.Coords, x.Batch, pair), ofPair(y.Coords, y.Batch, pair), x.Dim)
		})
		return costs, g, err
	})
	if err != nil {
		return nil, err
	}
	return tensor32(costs, directions.Shape().Dimensions[:2]), nil
}

// Slopes returns the costs [batch, slices] of directions [batch, slices, dim] and their derivatives
// in the directions [batch, slices, dim].
func (p *HostPairs) Slopes(directions *tensors.Tensor) (costs, slopes *tensors.Tensor, err error) {
	values, grad, err := p.along(directions, func(flat []float32, n int) ([]float64, ot1d.Gradients, error) {
		ones := slices.Repeat([]float64{1}, len(flat)/p.y[2])
		return p.pairs.Gradients(flat, n, ones, ot1d.Directions)
	})
	if err != nil {
		return nil, nil, err
	}
	d := directions.Shape().Dimensions
	return tensor32(values, d[:2]), tensor32(grad.Directions, d), nil
}

// Gradient returns the mean of the costs of directions [batch, slices, dim] and the gradient of a
// loss in y [batch, n, dim]. upstream [batch, slices] is the loss's derivative in every cost; nil: the
// loss is the mean.
func (p *HostPairs) Gradient(directions, upstream *tensors.Tensor) (mean float64, gradient *tensors.Tensor, err error) {
	var each float64
	costs, grad, err := p.along(directions, func(flat []float32, n int) ([]float64, ot1d.Gradients, error) {
		each = 1 / float64(p.y[0]*n)
		up := slices.Repeat([]float64{each}, p.y[0]*n)
		if upstream != nil {
			given, err := tensors.CopyFlatData[float32](upstream)
			if err != nil {
				return nil, ot1d.Gradients{}, err
			}
			up = vec.To[float64](given)
		}
		return p.pairs.Gradients(flat, n, up, ot1d.Y)
	})
	if err != nil {
		return 0, nil, err
	}
	for _, c := range costs {
		mean += c
	}
	return mean * each, tensor32(grad.Y, p.y), nil
}

// along calls find with the directions [batch, slices, dim]. Pairs that are not finite get NaN, as in
// a graph.
func (p *HostPairs) along(directions *tensors.Tensor,
	find func(flat []float32, slices int) ([]float64, ot1d.Gradients, error)) (
	costs []float64, grad ot1d.Gradients, err error) {
	if err := need("directions", directions); err != nil {
		return nil, grad, err
	}
	flat, err := tensors.CopyFlatData[float32](directions)
	if err != nil {
		return nil, grad, err
	}
	d, nonFinite := directions.Shape().Dimensions, p.nonFinite
	if costs, grad, err = find(flat, d[1]); err != nil { // perhaps because a number is not finite
		nonFinite = slices.Concat(nonFinite, leaveOut(d[0], flat))
		if costs, grad, err = find(flat, d[1]); err != nil {
			return nil, grad, err
		}
	}
	for _, pair := range nonFinite {
		for _, values := range [][]float64{costs, grad.Y, grad.Directions} {
			values = ofPair(values, d[0], pair)
			for i := range values {
				values[i] = math.NaN()
			}
		}
	}
	return costs, grad, nil
}

func need(name string, t *tensors.Tensor) error {
	if t == nil {
		return fmt.Errorf("costs outside of a graph: expected %s, found nil", name)
	}
	if t.Rank() != 3 {
		return fmt.Errorf("costs outside of a graph: expected %s with three axes, found %s", name, t.Shape())
	}
	return nil
}

func hostClouds(name string, t *tensors.Tensor) (ot1d.Clouds, error) {
	if err := need(name, t); err != nil {
		return ot1d.Clouds{}, err
	}
	d := t.Shape().Dimensions
	points, err := tensors.CopyFlatData[float32](t)
	return ot1d.Clouds{Coords: points, Batch: d[0], Points: d[1], Dim: d[2]}, err
}

// leaveOut sets all numbers of the pairs to 0 that have one that is not finite, and returns which they are.
func leaveOut(batch int, arrays ...[]float32) []int {
	var out []int
	for pair := range batch {
		if slices.ContainsFunc(arrays, func(a []float32) bool {
			return !vec.Finite(ofPair(a, batch, pair)...)
		}) {
			out = append(out, pair)
			for _, a := range arrays {
				clear(ofPair(a, batch, pair))
			}
		}
	}
	return out
}

// ofPair is what belongs to a pair of an array [batch, ...].
func ofPair[T any](a []T, batch, pair int) []T {
	each := len(a) / batch
	return a[pair*each : (pair+1)*each]
}

func tensor32(values []float64, dims []int) *tensors.Tensor {
	return tensors.FromFlatDataAndDimensions(vec.To[float32](values), dims...)
}
