// Package vec has the small operations on slices of numbers that several packages need.
package vec

import (
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
