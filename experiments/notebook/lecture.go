package notebook

import (
	"math"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/experiments"
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

// SliceCosts is [experiments.SliceCosts].
func SliceCosts(x, y *datasets.Set, directions []float32) ([]float64, error) {
	return experiments.SliceCosts(x, y, directions)
}

// Angle returns the angle between two axes, in degrees from 0 to 90: slices along θ and −θ are one, F(θ) = F(−θ).
// The angle between two directions, or two codes, is [experiments.Angle].
func Angle(a, b []float32) float64 {
	angle := experiments.Angle(a, b)
	return math.Min(angle, 180-angle)
}
