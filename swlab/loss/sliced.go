package loss

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// Sliced is a sliced Wasserstein loss. With directions theta_1..theta_L of the Slicer and F of
// package ot1d,
//
//	value(x, y) = (1/L) sum_l F(theta_l; x, y),   F = sum over points of |a_(i) - b_(i)|^p
//
// or another Estimator of the L costs, or another Cost of a direction, on the host alone. Reduce: Mean makes F the mean over points, W_p^p, which
// clouds of unequal sizes or with masses need. Root takes the p-th root of the value. The zero
// values give the training losses of Nguyen et al. 2023: sum over points, mean over slices, no
// root, p = 2.
type Sliced struct {
	Label     string // name in tables
	Slicer    slicing.Slicer
	P         float64       // 0 means 2
	Reduce    Reduction     // over points; 0: Sum
	Cost      ot1d.LineCost // of a direction; Cramer, Energy and EppsPulley are means, without P, Reduce and Root
	Pairs     int           // ot1d.Config.Pairs, KL and Uniform, of costs that have them
	KL        float64
	Uniform   bool
	Estimator Estimator // nil: SliceMean
	Root      bool
}

func (s Sliced) Name() string          { return s.Label }
func (s Sliced) Specs() []weights.Spec { return s.Slicer.Specs() }

// isMean reports whether the cost of a direction is a mean over points, or at least takes clouds of any sizes.
func (s Sliced) isMean() bool {
	switch s.Cost {
	case ot1d.Wasserstein, ot1d.Circle, ot1d.Sphere:
		return s.Reduce == Mean || s.Uniform
	}
	return true
}

// CostConfig is how to find the costs of directions.
func (s Sliced) CostConfig() ot1d.Config {
	return ot1d.Config{P: s.P, Reduce: s.Reduce, Cost: s.Cost, Pairs: s.Pairs, KL: s.KL, Uniform: s.Uniform}
}

// Linear reports whether the loss of a pair is the plain mean of its slices' costs.
func (s Sliced) Linear() bool {
	_, mean := s.estimator().(SliceMean)
	return mean && !s.Root
}

// Exponent is p; of a Cost without one its degree, 0 if it has none.
func (s Sliced) Exponent() float64 {
	if !s.Cost.Powers() {
		return s.Cost.Degree()
	}
	return cmp.Or(s.P, 2)
}

func (s Sliced) estimator() Estimator {
	if s.Estimator == nil {
		return SliceMean{}
	}
	return s.Estimator
}

// Build draws the directions and reduces their costs. Unless c.Wrt has ot1d.Directions, the
// directions carry no gradient: the location from an ascent or an amortizer is detached, as in the
// released code.
func (s Sliced) Build(c BuildArgs, x, y *graph.Node) Result {
	if s.Cost != ot1d.Wasserstein {
		panic(fmt.Errorf("cost %s of a direction: found in a graph, expected on the host", s.Cost))
	}
	location := s.Slicer.Location(c.Source, c.Weights, c.Location, x, y)
	directions := s.Slicer.Draw(c.Source, location, x, y)
	if c.Wrt&ot1d.Directions == 0 {
		directions = graph.StopGradient(directions)
	}
	costs := ot1d.Costs(x, y, directions, s.CostConfig(), c.Wrt)
	if c.Wrt&ot1d.X == 0 {
		x = graph.StopGradient(x)
	}
	if c.Wrt&ot1d.Y == 0 {
		y = graph.StopGradient(y)
	}
	r := s.Finish(costs, directions, x, y, nil, x.Shape().Dimensions[1])
	r.Location = location
	return r
}

// BuildFrom is Build with the costs [batch, slices] and their derivatives in the directions [batch,
// slices, dim] that HostPairs.Slopes found, differentiable in the location. Source is in the state from
// which those directions were drawn.
func (s Sliced) BuildFrom(costs, slopes *graph.Node, c BuildArgs, x, y *graph.Node) Result {
	location := s.Slicer.Location(c.Source, c.Weights, c.Location, x, y)
	directions := s.Slicer.Draw(c.Source, location, x, y)
	r := s.Finish(slicing.Linearised(costs, slopes, directions), directions, x, y, nil, x.Shape().Dimensions[1])
	r.Location = location
	return r
}

// Finish reduces costs [batch, slices] of given directions between clouds of that many points to
// the loss: the end of Build, for costs computed elsewhere. x and y may be nil unless the estimator
// NeedsClouds. unit is Costs.Unit, or nil; the root is then in units of its root.
func (s Sliced) Finish(costs, directions, x, y, unit *graph.Node, points int) Result {
	sum := 1.0
	if !s.isMean() {
		sum = float64(points)
	}
	r := s.estimator().Estimate(Costs{Values: costs, Directions: directions, X: x, Y: y, Divisor: sum, Unit: unit})
	pairs := r.Pairs
	if s.Root {
		// The floor keeps the gradient finite where a cloud meets itself.
		floor := leastNormal(pairs.DType())
		positive := graph.GreaterThan(pairs, graph.ZerosLike(pairs))
		pairs = graph.Where(positive, graph.PowScalar(graph.MaxScalar(pairs, floor), 1/s.Exponent()), graph.ZerosLike(pairs))
	}
	return Result{Pairs: pairs, Slices: costs, Shares: r.Shares, Used: r.Used, Directions: directions}
}

// leastNormal is the smallest normal number of a type: a floor that changes nothing above it.
func leastNormal(t dtypes.DType) float64 {
	if t == dtypes.Float64 {
		return 0x1p-1022
	}
	return 0x1p-126
}

// Objective is what an ascent on the location maximises: the loss of every pair, with directions
// drawn around the location.
func (s Sliced) Objective() slicing.Objective {
	return func(src slicing.Source, location, x, y *graph.Node) *graph.Node {
		return s.Build(BuildArgs{Source: src, Location: location, Wrt: ot1d.Directions}, x, y).Pairs
	}
}

// Reduction is how the costs of the matched points are reduced: Sum or Mean; 0 is the loss's own.
type Reduction = ot1d.Reduction

const (
	Sum  = ot1d.Sum
	Mean = ot1d.Mean
)

// SliceMean is the mean over slices.
type SliceMean struct{}

func (SliceMean) Name() string         { return "mean over slices" }
func (SliceMean) Check(_, _ int) error { return nil }

func (SliceMean) Estimate(c Costs) Estimate {
	return Estimate{Pairs: graph.ReduceMean(c.Values, 1), Shares: c.Values}
}

// OnHost reports whether plain Go finds the costs of slices: on a CPU in a fraction of the time of sorts in a graph,
// and everywhere those that are not Wasserstein's.
func (s Sliced) OnHost(e *engine.Engine) bool { return !e.IsCUDA() || s.Cost != ot1d.Wasserstein }

// Maximizer prepares the ascent of the loss in the location of its slices, by plain Go or in a graph. The key tells maximizers of the engine apart (engine.NewProgram).
func (s Sliced) Maximizer(e *engine.Engine, key any) (*slicing.Maximizer, error) {
	if !s.OnHost(e) {
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
	cx, err := hostClouds(x)
	if err != nil {
		return nil, err
	}
	cy, err := hostClouds(y)
	if err != nil {
		return nil, err
	}
	p, o := &HostPairs{y: y.Shape().Dimensions, clouds: [2]ot1d.Clouds{cx, cy}}, s.CostConfig()
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
		pairs, err := ot1d.NewHostPairs(x, y, ot1d.Config{Reduce: ot1d.Mean})
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

func hostClouds(t *tensors.Tensor) (ot1d.Clouds, error) {
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
