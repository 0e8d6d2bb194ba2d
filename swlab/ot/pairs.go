package ot

import (
	"fmt"
	"math"
)

// checkSides returns the numbers of points of two clouds of any sizes.
func checkSides(caller string, x, y []float32, dim int) (n, k int, err error) {
	if dim < 1 || len(x) == 0 || len(x)%dim != 0 || len(y) == 0 || len(y)%dim != 0 {
		return 0, 0, fmt.Errorf("%s: expected two clouds of points of dim >= 1 coordinates, found dim = %d, %d and %d numbers", caller, dim, len(x), len(y))
	}
	for c, cloud := range [][]float32{x, y} {
		for n, a := range cloud {
			if b := float64(a); math.IsNaN(b) || math.IsInf(b, 0) {
				return 0, 0, fmt.Errorf("%s: coordinate %d of point %d of cloud %c is %v, expected a finite number", caller, n%dim, n/dim, "xy"[c], a)
			}
		}
	}
	return len(x) / dim, len(y) / dim, nil
}

// pairCosts is the matrix ||x_i - y_j||^p [n, k].
func pairCosts(x, y []float32, dim int, p float64) []float64 {
	n, k := len(x)/dim, len(y)/dim
	out := make([]float64, n*k)
	parallel(n, 16, func(from, to int) {
		for i := from; i < to; i++ {
			a, row := x[i*dim:(i+1)*dim], out[i*k:(i+1)*k]
			for j := range row {
				s := 0.0
				for d, b := range y[j*dim : (j+1)*dim] {
					e := float64(a[d]) - float64(b)
					s += e * e
				}
				row[j] = power(s, p)
			}
		}
	})
	return out
}

// pairGradient turns the gradient in the costs [n, k] into that in the points: of ||d||^p it is p
// ||d||^(p-2) d, and 0 at d = 0.
func pairGradient(grad []float64, x, y []float32, dim int, p float64) (gx, gy []float64) {
	gx, gy = make([]float64, len(x)), make([]float64, len(y))
	k := len(y) / dim
	for i := 0; i < len(x)/dim; i++ {
		for j, g := range grad[i*k : (i+1)*k] {
			if g != 0 {
				addGradient(gx[i*dim:(i+1)*dim], gy[j*dim:(j+1)*dim], x[i*dim:(i+1)*dim], y[j*dim:(j+1)*dim], p, g)
			}
		}
	}
	return gx, gy
}

// addGradient adds g times the gradient of ||x - y||^p in two points.
func addGradient(gx, gy []float64, x, y []float32, p, g float64) {
	s := 0.0
	for d, a := range x {
		e := float64(a) - float64(y[d])
		s += e * e
	}
	if s == 0 {
		return
	}
	f := 2 * g
	if p != 2 {
		f = g * p * math.Pow(s, p/2-1)
	}
	for d, a := range x {
		e := float64(a) - float64(y[d])
		gx[d] += f * e
		gy[d] -= f * e
	}
}
