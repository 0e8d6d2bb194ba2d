// Package line computes optimal transport between numbers on a line or a circle where package
// ot1d's W_p does not apply: on a circle ([Circle], [Uniform]), of a part of the points
// ([Partial]), and between measures whose masses may change ([Unbalanced]). All are exact, in
// float64.
package solve

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Points are numbers with masses.
type Points struct {
	At   []float64
	Mass []float64 // finite, not negative and not all 0; nil: equal ones
}

// Result is what transport between x and y costs, and its derivatives in their numbers. The
// derivatives hold the plan fixed, which is exact wherever there is only one optimal plan. At a
// distance of 0 they are 0.
type Result struct {
	Cost   float64
	DX, DY []float64
	// Marginal costs of Partial: Cost is the sum of the first k.
	Marginal []float64
	// Gap of Unbalanced bounds the distance of Cost from the optimum, by a feasible dual solution.
	Gap float64
}

// check returns an error unless these are finite numbers with masses.
func (c Points) check(name string) error {
	if len(c.At) == 0 {
		return fmt.Errorf("solve: %s: expected at least one number, found none", name)
	}
	for i, v := range c.At {
		if v-v != 0 {
			return fmt.Errorf("solve: %s: number %d is %v, expected finite numbers", name, i, v)
		}
	}
	if c.Mass == nil {
		return nil
	}
	if len(c.Mass) != len(c.At) {
		return fmt.Errorf("solve: %s: expected %d masses, found %d", name, len(c.At), len(c.Mass))
	}
	for i, v := range c.Mass {
		if !(v >= 0) || math.IsInf(v, 1) {
			return fmt.Errorf("solve: %s: mass %d is %v, expected a finite number of at least 0", name, i, v)
		}
	}
	if slices.Max(c.Mass) == 0 {
		return fmt.Errorf("solve: %s: expected a positive mass, found only 0", name)
	}
	return nil
}

// checkBoth checks both clouds and the exponent.
func checkBoth(x, y Points, p float64) error {
	return cmp.Or(checkExponent(p), x.check("x"), y.check("y"))
}

func checkExponent(p float64) error {
	if !(p >= 1) || math.IsInf(p, 1) {
		return fmt.Errorf("solve: exponent p = %v, expected a finite p >= 1", p)
	}
	return nil
}

// sorted is a cloud in ascending order: at[k] is number order[k] of the cloud, with mass[k].
type sorted struct {
	at, mass []float64
	order    []int
}

// sort orders a cloud without its points of mass 0. mass is that of a point without one of its own.
func (c Points) sort(mass float64) sorted {
	var s sorted
	for i := range c.At {
		if c.Mass == nil || c.Mass[i] > 0 {
			s.order = append(s.order, i)
		}
	}
	slices.SortStableFunc(s.order, func(i, j int) int { return cmp.Compare(c.At[i], c.At[j]) })
	s.at, s.mass = make([]float64, len(s.order)), make([]float64, len(s.order))
	for k, i := range s.order {
		s.at[k], s.mass[k] = c.At[i], mass
		if c.Mass != nil {
			s.mass[k] = c.Mass[i]
		}
	}
	return s
}

// exponent is p of the cost |d|^p.
type exponent float64

// power is |d|^p.
func (p exponent) power(d float64) float64 {
	switch p {
	case 1:
		return math.Abs(d)
	case 2:
		return d * d
	}
	return math.Pow(math.Abs(d), float64(p))
}

// slope is the derivative of |d|^p, 0 at d = 0.
func (p exponent) slope(d float64) float64 {
	switch {
	case d == 0:
		return 0
	case p == 1:
		return math.Copysign(1, d)
	case p == 2:
		return 2 * d
	}
	return math.Copysign(float64(p)*math.Pow(math.Abs(d), float64(p)-1), d)
}
