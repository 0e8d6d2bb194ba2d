package loss

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/ot1d"
)

// Estimator reduces the costs of a pair's slices to one number. It works in any float dtype.
type Estimator interface {
	// Name describes it, such as "mean over slices".
	Name() string
	// Check returns an error if it cannot reduce that many slices of clouds of that dimension.
	Check(slices, dim int) error
	Estimate(c Costs) Estimate
}

// Costs are what an Estimator reads.
type Costs struct {
	Values     *graph.Node // [batch, slices] F or W_p^p
	Directions *graph.Node // [batch, slices, dim]
	X, Y       *graph.Node // [batch, points, dim] the clouds, for an estimator that NeedsClouds
	// Values / Divisor is W_p^p: the number of points if Values are sums over points, else 1.
	Divisor float64
	// Unit [batch, 1] is the unit of Values, for costs beyond the numbers used; nil: 1. The result is
	// in this unit too, so an estimator that is homogeneous need not read it.
	Unit *graph.Node
}

// Estimate is the result of an Estimator.
type Estimate struct {
	Pairs *graph.Node // [batch]
	// Shares [batch, slices] are the slices' contributions: to first order in the costs, Pairs is
	// the mean of the used slices' shares. Their spread gives its standard error.
	Shares *graph.Node
	Used   *graph.Node // int32 scalar, the number of first slices that count; nil: all
}

// DegreesOfFreedom marks an estimator that fits coefficients to the costs, for the standard error.
type DegreesOfFreedom interface{ DegreesOfFreedom(dim int) int }

// NeedsClouds marks an estimator that reads Costs.X and Costs.Y and is differentiable in them.
type NeedsClouds interface{ NeedsClouds() }

// Energy weights the slices by the softmax of their W_p^p, so that directions in which the clouds
// differ count more (energy-based sliced Wasserstein by self-normalised importance sampling from
// the slicing distribution, with the exponential energy; Nguyen and Ho 2023):
//
//	value = sum_l w_l F_l / sum_l w_l,   w_l = exp(W_p^p(theta_l))
//
// The energy is that of W_p^p with mass 1, whatever the convention of the value. The gradient
// includes the weights.
//
// With another Cost of a direction, that is the energy.
type Energy struct{ Cost ot1d.LineCost }

func (e Energy) Name() string {
	if e.Cost != ot1d.Wasserstein {
		return "mean over slices weighted by exp(cost)"
	}
	return "mean over slices weighted by exp(W_p^p)"
}

func (Energy) Check(_, _ int) error { return nil }

func (Energy) Estimate(c Costs) Estimate {
	energy := graph.DivScalar(c.Values, c.Divisor)
	top := graph.StopGradient(graph.ReduceAndKeep(energy, graph.ReduceMax, 1))
	below := graph.Sub(energy, top)
	if c.Unit != nil {
		below = graph.Mul(below, c.Unit)
	}
	e := graph.Exp(below)
	w := graph.Div(e, graph.ReduceAndKeep(e, graph.ReduceSum, 1))
	value := graph.ReduceAndKeep(graph.Mul(w, c.Values), graph.ReduceSum, 1) // [batch, 1]
	slices := float64(c.Values.Shape().Dimensions[1])
	// The weights depend on the costs: this is the linear part of a ratio of means.
	shares := graph.Add(graph.MulScalar(graph.Mul(w, graph.Sub(c.Values, value)), slices), value)
	return Estimate{Pairs: graph.Squeeze(value, 1), Shares: graph.StopGradient(shares)}
}

// needSlices rejects too few slices.
func needSlices(what string, least, slices int) error {
	if slices < least {
		return fmt.Errorf("%s needs at least %d slices, found %d", what, least, slices)
	}
	return nil
}
