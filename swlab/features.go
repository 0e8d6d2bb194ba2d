package swlab

import (
	"errors"
	"fmt"
	"math"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/internal/memory"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

// Polynomials returns a function for DistanceConfig.Features: all monomials of that degree in a point's
// coordinates, with powers of earlier coordinates before those of later ones. Of degree 3 in the plane
// they are
//
//	(x, y) -> (x^3, x^2 y, x y^2, y^3)
//
// and C(d+degree-1, degree) in dimension d. A slice of them is a generalised slice (Kolouri, Nadjahi,
// Simsekli, Badeau and Rohde 2019), whose distance is 0 only between equal clouds if it is 0 along all
// directions; this needs an odd degree.
func Polynomials(degree int) (func(point []float64) []float64, error) {
	if degree < 1 || degree%2 == 0 {
		return nil, fmt.Errorf("features: expected an odd degree of at least 1, found %d", degree)
	}
	return func(point []float64) []float64 {
		count := 1.0
		for i := range min(degree, len(point)-1) {
			count = math.Round(count * float64(len(point)+degree-1-i) / float64(i+1))
		}
		if count > 1e7 {
			return nil // refused
		}
		return monomials(make([]float64, 0, int(count)), point, degree, 1)
	}, nil
}

// monomials adds factor times those of a degree.
func monomials(to, point []float64, degree int, factor float64) []float64 {
	powers := make([]float64, degree+1)
	for k := range powers {
		powers[k] = factor
		factor *= point[0]
	}
	if len(point) == 1 {
		return append(to, powers[degree])
	}
	for k := degree; k >= 0; k-- {
		to = monomials(to, point[1:], degree-k, powers[k])
	}
	return to
}

// mapPoints scales and maps the points of both sets as the call asks, and returns the call that is left,
// of these points.
func (o DistanceConfig) mapPoints(name string, x, y *datasets.Set) (
	left DistanceConfig, sets [2]*datasets.Set, scale []float64, err error) {
	sets = [2]*datasets.Set{x, y}
	if !o.Scale && o.Features == nil {
		return o, sets, nil, nil
	}
	if err := checkClouds(x, y); err != nil {
		return o, sets, nil, err
	}
	switch l, _ := loss.New(name, o.Config); l.(type) {
	case loss.Sliced, nil: // an unknown loss is refused later
	default:
		if o.Features != nil {
			return o, sets, nil, fmt.Errorf("features: loss %q takes no slices", name)
		}
	}
	switch {
	case o.Gradient || o.GradientX:
		return o, sets, nil, errors.New("gradient (--out-grad): scale and features change the points that it would be in: " +
			"scale or map them before the call")
	case o.Estimator != nil:
		return o, sets, nil, errors.New("labelled: the pairs with known W2 are neither scaled nor mapped")
	case o.Scale && o.Population:
		return o, sets, nil, errors.New("population: the interval would not cover that the scale is that of the points")
	}
	if o.Scale {
		scale = pooledDeviation(x, y)
		for j, v := range scale {
			if v == 0 {
				scale[j] = 1
			}
		}
	}
	for i, s := range sets {
		if i == 1 && x == y {
			sets[1] = sets[0]
			break
		}
		mapped, err := mapSet(s, scale, o.Features)
		if err != nil {
			return o, sets, nil, err
		}
		sets[i] = mapped
	}
	o.Scale, o.Features = false, nil
	return o, sets, scale, nil
}

// mapSet divides the coordinates of every point and maps it.
func mapSet(s *datasets.Set, scale []float64, features func([]float64) []float64) (*datasets.Set, error) {
	dim := s.Dim
	var flat []float64
	for b := range s.Clouds {
		positions := s.Positions(b)
		for i := 0; i < len(positions); i += s.Dim {
			point := positions[i : i+s.Dim : i+s.Dim]
			for j := range scale {
				point[j] /= scale[j]
			}
			if features != nil {
				point = features(point)
			}
			if flat == nil {
				dim = len(point)
				if dim < 1 {
					return nil, fmt.Errorf("features: expected at least 1 and at most 10,000,000 of a point of "+
						"dimension %d, found none or more", s.Dim)
				}
				need := memory.Bytes(12, s.Clouds, s.Points, dim)
				if err := memory.Check(fmt.Sprintf("features: %d of every point", dim), need); err != nil {
					return nil, err
				}
				flat = make([]float64, 0, s.Clouds*s.Points*dim)
			}
			if len(point) != dim {
				return nil, fmt.Errorf("features: expected %d of every point like the first, found %d of point %d of cloud %d of %s",
					dim, len(point), i/s.Dim, b, s.Name)
			}
			flat = append(flat, point...)
		}
	}
	mapped, err := datasets.New(flat, s.Clouds, s.Points, dim)
	if err != nil {
		return nil, fmt.Errorf("features of %s: %w", s.Name, err)
	}
	mapped.Name, mapped.Rounding = s.Name, max(s.Rounding, mapped.Rounding)
	return mapped, nil
}

// pooledDeviation is the standard deviation of every coordinate within the clouds of both sets, [dim]: the
// root of the mean square of the differences to the own cloud's mean.
func pooledDeviation(x, y *datasets.Set) []float64 {
	out, count := make([]float64, x.Dim), 0
	for _, s := range []*datasets.Set{x, y} {
		count += s.Clouds * s.Points
		for b := range s.Clouds {
			cloud := s.Cloud(b)
			for j := range out {
				// relative to the first point, so that a constant has none
				first, sum, square := float64(cloud[j]), 0.0, 0.0
				for i := j; i < len(cloud); i += s.Dim {
					d := float64(cloud[i]) - first
					sum, square = sum+d, square+d*d
				}
				out[j] += max(0, square-sum*sum/float64(s.Points))
			}
		}
	}
	for j := range out {
		out[j] = math.Sqrt(out[j] / float64(count))
	}
	return out
}

// hiding says which coordinate of the clouds hides the others in the slices of a loss; "" for none.
func (p problem) hiding(l loss.Loss) string {
	if _, sliced := l.(loss.Sliced); !sliced || p.mapped || p.Directions != nil {
		return ""
	}
	largest, total, at := 0.0, 0.0, 0
	for j, v := range pooledDeviation(p.x, p.y) {
		if total += v * v; v*v > largest {
			largest, at = v*v, j
		}
	}
	if total == largest || largest < 0.99*total { // the others are constant, or large enough
		return ""
	}
	return fmt.Sprintf("coordinate %d of %s and %s has %.4g %% of the variance and hides the others: --scale (in Go "+
		"Scale: true) divides each by its standard deviation", at, p.x.Name, p.y.Name, 100*largest/total)
}
