package loss

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

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
	Pairs     int           // ot1d.HostConfig.Pairs, KL and Uniform, of costs that have them
	KL        float64
	Uniform   bool
	Estimator Estimator // nil: SliceMean
	Root      bool
}

func (s Sliced) Name() string { return s.Label }

func (s Sliced) Specs() []weights.Spec { return s.Slicer.Specs() }

func (s Sliced) Check(m, n, dim int) error {
	return cmp.Or(s.checkLine(m, n, dim), s.checkSlices(m, n, dim))
}

func (s Sliced) checkSlices(m, n, dim int) error {
	if m != n && !s.isMean() {
		return fmt.Errorf("a sum over points needs clouds of equally many points, found %d and %d: take the mean over points (--reduce mean, in Go Reduce: loss.Mean)", m, n)
	}
	if err := s.Slicer.Check(m, n, dim); err != nil {
		return err
	}
	return s.estimator().Check(s.Slicer.Slices, dim)
}

// checkLine returns an error if the cost of a direction is not one of such clouds.
func (s Sliced) checkLine(m, n, dim int) error {
	switch {
	case s.Cost == ot1d.Circle && dim != 1:
		return fmt.Errorf("the circle has one dimension, found clouds of dimension %d: ssw compares unit vectors", dim)
	case s.Cost == ot1d.Sphere && dim < 2:
		return fmt.Errorf("a sphere needs clouds of dimension 2 or more, found %d", dim)
	case s.Cost == ot1d.Partial && s.Pairs > min(m, n):
		return fmt.Errorf("mass: expected at most %d points to match, as many as the smaller cloud has, found %d", min(m, n),
			s.Pairs)
	}
	return nil
}

// DirectionWidth is how many numbers a direction has for clouds of that dimension: as many, but for planes
// (ot1d.PlaneWidth).
func (s Sliced) DirectionWidth(dim int) int {
	if s.Cost == ot1d.Sphere {
		return ot1d.PlaneWidth(dim)
	}
	return dim
}

// OneDirection reports whether all directions of clouds of that dimension cost the same, but for those whose
// length matters.
func (s Sliced) OneDirection(dim int) bool { return dim == 1 || dim == 2 && s.Cost == ot1d.Sphere }

// CheckMasses returns an error for a sum over points.
func (s Sliced) CheckMasses() error {
	if s.Cost == ot1d.Partial {
		return errors.New("the points of a partial matching have mass 1")
	}
	if s.isMean() {
		return nil
	}
	return meanMasses(s.Reduce)
}

// isMean reports whether the cost of a direction is a mean over points, or at least takes clouds of any sizes.
func (s Sliced) isMean() bool {
	switch s.Cost {
	case ot1d.Wasserstein, ot1d.Circle, ot1d.Sphere:
		return s.Reduce == Mean || s.Uniform
	}
	return true
}

// HostConfig is how the host finds the costs of directions.
func (s Sliced) HostConfig() ot1d.HostConfig {
	return ot1d.HostConfig{P: s.P, Reduce: s.Reduce, Cost: s.Cost, Pairs: s.Pairs, KL: s.KL, Uniform: s.Uniform}
}

// CheckDirections is Check for that many given directions in place of the slicer's.
func (s Sliced) CheckDirections(m, n, slices, dim int) error {
	if err := s.checkLine(m, n, dim); err != nil {
		return err
	}
	s.Slicer = slicing.Slicer{Distribution: slicing.Uniform{}, Slices: slices}
	if dim < 2 { // given directions exist on the line too
		dim = 2
	}
	return s.checkSlices(m, n, dim)
}

// NeedsClouds reports whether the estimator reads the clouds.
func (s Sliced) NeedsClouds() bool { _, ok := s.estimator().(NeedsClouds); return ok }

// DegreesOfFreedom is the number of coefficients that the estimator fits to the costs.
func (s Sliced) DegreesOfFreedom(dim int) int {
	if f, ok := s.estimator().(DegreesOfFreedom); ok {
		return f.DegreesOfFreedom(dim)
	}
	return 0
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

func (s Sliced) Convention() Convention {
	p := s.Exponent()
	if s.Cost != ot1d.Wasserstein {
		return s.conventionOfCost()
	}
	return Convention{Cost: fmt.Sprintf("W_%g^%g:", p, p), Exponent: p, Reduce: cmp.Or(s.Reduce, Sum),
		Then: s.estimator().Name(), Root: s.Root}
}

// conventionOfCost is the Convention with another Cost than Wasserstein's.
func (s Sliced) conventionOfCost() Convention {
	p := s.Exponent()
	c := Convention{Cost: s.Cost.Words(), Exponent: p, Then: s.estimator().Name(), Root: s.Root}
	switch s.Cost {
	case ot1d.Circle, ot1d.Sphere:
		c.Cost, c.Reduce = fmt.Sprintf("W_%g^%g %s:", p, p, c.Cost), s.Reduce
		if s.Uniform {
			c.Cost, c.Reduce = fmt.Sprintf("W_%g^%g to the uniform distribution %s:", p, p, s.Cost.Words()), Mean
		}
	case ot1d.Partial:
		c.Cost = fmt.Sprintf("W_%g^%g %s", p, p, c.Cost)
	case ot1d.Unbalanced:
		c.Cost, c.Reduce = fmt.Sprintf("W_%g^%g %s at %g:", p, p, c.Cost, s.KL), cmp.Or(s.Reduce, Sum)
	}
	if s.Cost == ot1d.Circle {
		c.Then = "" // there is one direction
	}
	return c
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
	costs := ot1d.Costs(x, y, directions, ot1d.Config{P: s.Exponent(), Wrt: c.Wrt, Reduce: s.Reduce})
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
