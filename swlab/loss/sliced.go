package loss

import (
	"fmt"
	"strings"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// Sliced is a sliced Wasserstein loss: with directions theta_1..theta_L of the rule and F of package ot1d,
//
//	value(x, y) = (1/L) sum_l F(theta_l; x, y),   F = sum over points of |a_(i) - b_(i)|^p
//
// PerPoint divides F by the number of points, Root takes the p-th root of the value. The zero options are the
// training losses of Nguyen et al. 2023: sum over points, mean over slices, no root, p = 2.
type Sliced struct {
	Label    string // name in tables
	Rule     slicing.Rule
	P        float64 // 0 means 2
	PerPoint bool
	Root     bool
}

func (s Sliced) Name() string { return s.Label }

func (s Sliced) Specs() []weights.Spec { return s.Rule.Specs() }

func (s Sliced) Fits(points, dim int) error { return s.Rule.Fits(points, dim) }

// Exponent is p.
func (s Sliced) Exponent() float64 {
	if s.P == 0 {
		return 2
	}
	return s.P
}

func (s Sliced) Convention() string {
	parts := []string{"sum over points"}
	if s.PerPoint {
		parts[0] = "mean over points"
	}
	parts = append(parts, "mean over slices")
	power := fmt.Sprintf("W_%g^%g", s.Exponent(), s.Exponent())
	if s.Root {
		parts = append(parts, fmt.Sprintf("%g-th root", s.Exponent()))
		if s.Exponent() == 2 {
			parts[2] = "square root"
		}
	} else {
		parts = append(parts, "no root")
	}
	return power + ": " + strings.Join(parts, ", ")
}

// Build draws the directions and reduces their costs. Unless c.Wrt has ot1d.Directions, the directions carry no
// gradient: the location found by ascent or by an amortizer is detached, as in the released code.
func (s Sliced) Build(c Call, x, y *graph.Node) Result {
	d := x.Shape().Dimensions
	location := s.Rule.Location(c.Source, c.Weights, c.Location, x, y)
	directions := s.Rule.Law.Draw(c.Source, location, d[0], s.Rule.Slices, d[2])
	if c.Wrt&ot1d.Directions == 0 {
		directions = graph.StopGradient(directions)
	}
	costs := ot1d.Costs(x, y, directions, ot1d.Options{P: s.Exponent(), Method: c.Method, Wrt: c.Wrt})
	if s.PerPoint {
		costs = graph.DivScalar(costs, float64(d[1]))
	}
	pairs := graph.ReduceMean(costs, 1)
	if s.Root {
		// The floor keeps the gradient finite where a cloud meets itself; its value there is below 1e-15.
		pairs = graph.Where(graph.GreaterThan(pairs, graph.ZerosLike(pairs)),
			graph.PowScalar(graph.MaxScalar(pairs, 1e-30), 1/s.Exponent()), graph.ZerosLike(pairs))
	}
	return Result{Pairs: pairs, Slices: costs, Directions: directions, Location: location}
}

// Objective is what an ascent on the location raises: the loss of every pair, with directions drawn around the location.
func (s Sliced) Objective(method ot1d.Method) slicing.Objective {
	return func(src slicing.Source, location, x, y *graph.Node) *graph.Node {
		return s.Build(Call{Source: src, Location: location, Wrt: ot1d.Directions, Method: method}, x, y).Pairs
	}
}
