package loss

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
)

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
