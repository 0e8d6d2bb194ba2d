package loss

import (
	"errors"
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
// (ot1d.HostGradients), between two small graphs. This takes less than half of the time of one graph.
// [plain.Ascent] and [plain.Sort] ask for that graph.
func (s Sliced) Maximizer(b compute.Backend, off plain.Set, o slicing.MaximizerOptions) (*slicing.Maximizer, error) {
	switch {
	case b == nil:
		return nil, errors.New("the ascent on the location: expected a backend, found nil")
	case s.Slicer.Distribution == nil || s.Slicer.Ascent == nil:
		return nil, errors.New("the ascent on the location: expected a slicing distribution with an ascent, found none")
	}
	if !off.Has(plain.Ascent) && !off.Has(plain.Sort) && o.Devices.Count() <= 1 && loop.CPU(b) {
		o.Parts = &slicing.Parts{
			Directions: s.Slicer.Draw,
			Costs:      s.hostCosts,
			Value: func(costs, directions, x, y *graph.Node) *graph.Node {
				return s.Finish(costs, directions, x, y, x.Shape().Dimensions[1]).Pairs
			},
		}
	}
	return slicing.NewMaximizer(b, *s.Slicer.Ascent, s.Objective(off), o)
}

// hostCosts are the costs and their derivatives in the directions.
func (s Sliced) hostCosts(x, y, directions *tensors.Tensor) (costs, slopes *tensors.Tensor, err error) {
	cx, err := hostClouds(x)
	if err != nil {
		return nil, nil, err
	}
	cy, err := hostClouds(y)
	if err != nil {
		return nil, nil, err
	}
	flat, err := tensors.CopyFlatData[float32](directions)
	if err != nil {
		return nil, nil, err
	}
	d := directions.Shape().Dimensions
	lost := leaveOut(d[0], cx.Coords, cy.Coords, flat)
	up := make([]float64, d[0]*d[1])
	for i := range up {
		up[i] = 1
	}
	values, grad, err := ot1d.HostGradients(cx, cy, flat, d[1], up, ot1d.Directions, ot1d.HostConfig{P: s.Exponent(), Reduce: s.Reduce})
	if err != nil {
		return nil, nil, err
	}
	turn := grad.Directions
	for _, pair := range lost { // NaN, as in a graph: who reads the result will say so
		fill(part(values, d[0], pair), math.NaN())
		fill(part(turn, d[0], pair), math.NaN())
	}
	return tensor32(values, d[:2]), tensor32(turn, d), nil
}

func hostClouds(t *tensors.Tensor) (ot1d.Clouds, error) {
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
