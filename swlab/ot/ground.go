package ot

import (
	"math"

	"github.com/sliced-wasserstein/lab/swlab/internal/names"
	"github.com/sliced-wasserstein/lab/swlab/internal/parallel"
)

// Ground is the norm in the cost of moving a point by d, ||d||^p.
type Ground int

const (
	Euclidean Ground = iota // ||d||_2^p
	// PNorm is ||d||_p^p = sum_c |d_c|^p, the sum over coordinates. It depends on the axes, except
	// for p = 2, where both are the same.
	PNorm
)

var grounds = []string{"euclidean", "p"}

// String is euclidean or p.
func (g Ground) String() string { return names.Of(g, grounds) }

// MarshalText writes euclidean or p.
func (g Ground) MarshalText() ([]byte, error) { return []byte(g.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (g *Ground) UnmarshalText(text []byte) error { return names.Read(g, text, grounds) }

// IsEuclidean reports whether the costs are those of Euclidean.
func (g Ground) IsEuclidean(dim int, p float64) bool { return g != PNorm || p == 2 || dim == 1 }

// cost is ||x - y||^p.
func (g Ground) cost(x, y []float32, p float64) float64 {
	s := 0.0
	if g == PNorm && p != 2 {
		for d, b := range y {
			s += math.Pow(math.Abs(float64(x[d])-float64(b)), p)
		}
		return s
	}
	for d, b := range y {
		e := float64(x[d]) - float64(b)
		s += e * e
	}
	return power(s, p)
}

// costs is the matrix ||x_i - y_j||^p [n, k].
func (g Ground) costs(x, y []float32, dim int, p float64) []float64 {
	n, k := len(x)/dim, len(y)/dim
	out := make([]float64, n*k)
	parallel.Pieces(n, 16, func(from, to int) {
		for i := from; i < to; i++ {
			for j := range k {
				out[i*k+j] = g.cost(x[i*dim:(i+1)*dim], y[j*dim:(j+1)*dim], p)
			}
		}
	})
	return out
}

// gradient turns the gradient in the costs [n, k] into that in the points.
func (g Ground) gradient(grad []float64, x, y []float32, dim int, p float64) (gx, gy []float64) {
	gx, gy = make([]float64, len(x)), make([]float64, len(y))
	k := len(y) / dim
	for i := 0; i < len(x)/dim; i++ {
		for j, w := range grad[i*k : (i+1)*k] {
			if w != 0 {
				g.add(gx[i*dim:(i+1)*dim], gy[j*dim:(j+1)*dim], x[i*dim:(i+1)*dim], y[j*dim:(j+1)*dim], p, w)
			}
		}
	}
	return gx, gy
}

// add adds w times the gradient of ||d||^p, d = x - y, in two points: p ||d||_2^(p-2) d, or p
// |d_c|^(p-2) d_c in every coordinate, and 0 where d, or d_c, is 0.
func (g Ground) add(gx, gy []float64, x, y []float32, p, w float64) {
	s := 0.0
	for d, a := range x {
		e := float64(a) - float64(y[d])
		s += e * e
	}
	if s == 0 {
		return
	}
	f := 2 * w
	if p != 2 {
		f = w * p * math.Pow(s, p/2-1)
	}
	for d, a := range x {
		e := float64(a) - float64(y[d])
		if g == PNorm && p != 2 {
			if e == 0 {
				continue
			}
			f = w * p * math.Pow(math.Abs(e), p-2)
		}
		gx[d] += f * e
		gy[d] -= f * e
	}
}
