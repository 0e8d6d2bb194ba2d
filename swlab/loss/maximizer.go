package loss

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/swlab/internal/loop"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/plain"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
)

// Maximizer prepares the ascent of the loss in the location of its slices.
//
// On a CPU, plain Go finds each step's costs and their derivatives in the directions, exactly sorted
// (HostPairs.Slopes), between two small graphs. This takes less than half of the time of one graph.
// [plain.Ascent] and [plain.Sort] ask for that graph.
func (s Sliced) Maximizer(b compute.Backend, off plain.Set, o slicing.MaximizerOptions) (*slicing.Maximizer, error) {
	switch {
	case b == nil:
		return nil, errors.New("the ascent on the location: expected a backend, found nil")
	case s.Slicer.Distribution == nil || s.Slicer.Ascent == nil:
		return nil, errors.New("the ascent on the location: expected a slicing distribution with an ascent, found none")
	}
	if !off.Has(plain.Ascent) && !off.Has(plain.Sort) && loop.CPU(b) {
		o.Parts = &slicing.Parts{
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
		}
	}
	return slicing.NewMaximizer(b, *s.Slicer.Ascent, s.Objective(off), o)
}

// HostPairs are the pairs of a batch in host memory, where plain Go computes their costs and gradients,
// exactly sorted, outside of any graph.
type HostPairs struct {
	loss  Sliced
	pairs *ot1d.HostPairs
	y     []int // the shape of y
	lost  []int // pairs with numbers that are not finite
}

var errNoPairs = errors.New("costs outside of a graph: expected pairs that Sliced.HostPairs has made, found nil")

// HostPairs copies the pairs x and y [batch, n, dim]. A pair with a number that is not finite is no
// error: its costs and derivatives are NaN.
func (s Sliced) HostPairs(x, y *tensors.Tensor) (*HostPairs, error) {
	cx, err := hostClouds("x", x)
	if err != nil {
		return nil, err
	}
	cy, err := hostClouds("y", y)
	if err != nil {
		return nil, err
	}
	p, o := &HostPairs{loss: s, y: y.Shape().Dimensions}, ot1d.HostConfig{P: s.Exponent(), Reduce: s.Reduce}
	if p.pairs, err = ot1d.NewHostPairs(cx, cy, o); err != nil { // perhaps because a number is not finite
		p.lost = leaveOut(cx.Batch, cx.Coords, cy.Coords)
		if p.pairs, err = ot1d.NewHostPairs(cx, cy, o); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Slopes returns the costs [batch, slices] of given directions [batch, slices, dim] and their
// derivatives in the directions [batch, slices, dim].
func (p *HostPairs) Slopes(directions *tensors.Tensor) (costs, slopes *tensors.Tensor, err error) {
	values, grad, err := p.gradients(directions, 1, ot1d.Directions)
	if err != nil {
		return nil, nil, err
	}
	d := directions.Shape().Dimensions
	return tensor32(values, d[:2]), tensor32(grad.Directions, d), nil
}

// Gradient returns the mean over the pairs of a loss that is Linear, for given directions
// [batch, slices, dim], and its gradient in y [batch, n, dim].
func (p *HostPairs) Gradient(directions *tensors.Tensor) (value float64, gradient *tensors.Tensor, err error) {
	if p == nil {
		return 0, nil, errNoPairs
	}
	if !p.loss.Linear() {
		return 0, nil, fmt.Errorf("the gradient outside of a graph: expected the mean of the slices' costs, found %s", p.loss.Convention())
	}
	if err := need("directions", directions); err != nil {
		return 0, nil, err
	}
	d := directions.Shape().Dimensions
	each := 1 / float64(d[0]*d[1])
	costs, grad, err := p.gradients(directions, each, ot1d.Y)
	if err != nil {
		return 0, nil, err
	}
	for _, c := range costs {
		value += c
	}
	return value * each, tensor32(grad.Y, p.y), nil
}

// gradients are ot1d's costs and gradients with one upstream gradient for all costs. Lost pairs get
// NaN, as in a graph: who reads the result will say so.
func (p *HostPairs) gradients(directions *tensors.Tensor, upstream float64, wrt ot1d.Wrt) (costs []float64, grad ot1d.Gradients, err error) {
	if p == nil {
		return nil, grad, errNoPairs
	}
	if err := need("directions", directions); err != nil {
		return nil, grad, err
	}
	flat, err := tensors.CopyFlatData[float32](directions)
	if err != nil {
		return nil, grad, err
	}
	d := directions.Shape().Dimensions
	up := make([]float64, d[0]*d[1])
	fill(up, upstream)
	lost := p.lost
	if costs, grad, err = p.pairs.Gradients(flat, d[1], up, wrt); err != nil { // perhaps because a number is not finite
		lost = slices.Concat(lost, leaveOut(d[0], flat))
		if costs, grad, err = p.pairs.Gradients(flat, d[1], up, wrt); err != nil {
			return nil, grad, err
		}
	}
	for _, pair := range lost {
		for _, values := range [][]float64{costs, grad.Y, grad.Directions} {
			fill(part(values, d[0], pair), math.NaN())
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
	var lost []int
	for pair := range batch {
		if slices.ContainsFunc(arrays, func(a []float32) bool {
			return slices.ContainsFunc(part(a, batch, pair), func(v float32) bool { return v-v != 0 })
		}) {
			lost = append(lost, pair)
			for _, a := range arrays {
				clear(part(a, batch, pair))
			}
		}
	}
	return lost
}

// part is what belongs to a pair of an array [batch, ...].
func part[T any](a []T, batch, pair int) []T {
	each := len(a) / batch
	return a[pair*each : (pair+1)*each]
}

func fill(a []float64, v float64) {
	for i := range a {
		a[i] = v
	}
}

func tensor32(values []float64, dims []int) *tensors.Tensor {
	single := make([]float32, len(values))
	for i, v := range values {
		single[i] = float32(v)
	}
	return tensors.FromFlatDataAndDimensions(single, dims...)
}
