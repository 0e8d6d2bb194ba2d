// Package vec has the small operations on slices of numbers that several packages need.
package vec

import (
	"fmt"
	"math"
	"slices"
)

// Float is a number of either width.
type Float interface{ ~float32 | ~float64 }

// To converts numbers to another width.
func To[B, A Float](v []A) []B {
	out := make([]B, len(v))
	for i, x := range v {
		out[i] = B(x)
	}
	return out
}

// NotFinite is the index of the first number that is infinite or NaN; -1: there is none.
func NotFinite[T Float](v []T) int {
	return slices.IndexFunc(v, func(x T) bool { return x-x != 0 })
}

// Finite reports whether no number is infinite or NaN.
func Finite[T Float](v ...T) bool { return NotFinite(v) < 0 }

// CheckPoints returns an error unless v, of that name, has points of dim finite coordinates, at least one.
func CheckPoints(name string, v []float64, dim int) error {
	if n := len(v); dim < 1 || n < dim || n%dim != 0 {
		return fmt.Errorf("%s: expected points of %d coordinates, at least one, found %d numbers", name, dim, n)
	}
	if i := NotFinite(v); i >= 0 {
		return fmt.Errorf("%s: point %d, coordinate %d: expected a finite number, found %v", name, i/dim, i%dim, v[i])
	}
	return nil
}

// CheckDirections returns an error unless v has directions of dim coordinates, at least one, finite and not 0.
func CheckDirections[T Float](v []T, dim int) error {
	if n := len(v); n == 0 || n%dim != 0 {
		return fmt.Errorf("expected shape [L, %d], found %d numbers", dim, n)
	}
	for i := 0; i < len(v); i += dim {
		switch theta := v[i : i+dim]; {
		case !Finite(theta...):
			return fmt.Errorf("direction %d is %v, expected finite numbers", i/dim, theta)
		case Largest(theta) == 0:
			return fmt.Errorf("direction %d is the zero vector, expected a direction", i/dim)
		}
	}
	return nil
}

// Norm is the Euclidean length, without overflow on the way.
func Norm[T Float](v []T) float64 {
	n := 0.0
	for _, x := range v {
		n = math.Hypot(n, float64(x))
	}
	return n
}

// Largest is the largest absolute value; 0 for an empty slice.
func Largest[T Float](v []T) float64 {
	top := 0.0
	for _, x := range v {
		top = max(top, math.Abs(float64(x)))
	}
	return top
}

// Unit scales v, which is not 0, to length 1, and returns it.
func Unit(v []float64) []float64 {
	n := Norm(v)
	for i := range v {
		v[i] /= n
	}
	return v
}
