package notebook

import (
	"math"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/experiments"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

// Size returns full, or short in the short form.
func (b *Session) Size(full, short int) int {
	if b.Fast {
		return short
	}
	return full
}

// Shape returns one built-in cloud of that class: the first of its test part, [1, points, 3].
func Shape(class string, points int) (*datasets.Set, error) {
	return datasets.Shapes{Test: 1, Points: points, Classes: []string{class}}.Generate()
}

// SliceCosts returns F(θ) = (1/m) Σ_i (a_(i) - b_(i))² for directions [L, d]. a and b are the sorted
// projections of the first clouds of x and y, with m points each.
func SliceCosts(x, y *datasets.Set, directions []float32) ([]float64, error) {
	o := swlab.DistanceConfig{Config: loss.Defaults(), Directions: &swlab.Directions{Values: directions, Shape: []int{len(directions) / x.Dim, x.Dim}}}
	o.Reduce = loss.Mean
	d, err := swlab.Distance("sw", x, y, o)
	if err != nil {
		return nil, err
	}
	costs := make([]float64, d.Slices)
	for l := range costs {
		costs[l] = float64(d.Costs[l])
	}
	return costs, nil
}

// Angle returns the angle between two axes, in degrees from 0 to 90: slices along θ and −θ are one, F(θ) = F(−θ).
// The angle between two directions, or two codes, is [experiments.Angle].
func Angle(a, b []float32) float64 {
	angle := experiments.Angle(a, b)
	return math.Min(angle, 180-angle)
}
