package swlab_test

import (
	"fmt"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

// square and shifted are two clouds of four points in space.
func square() *datasets.Set {
	return must.M1(datasets.FromSlices([][][]float32{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}}))
}

func shifted() *datasets.Set {
	return must.M1(datasets.FromSlices([][][]float32{{{0, 0, 3}, {1, 0, 3}, {0, 1, 3}, {1, 1, 3}}}))
}

// The squared sliced Wasserstein distance of a cloud and its translation by v is |v|^2/3 in space:
// here 3, up to its standard error.
func ExampleDistance() {
	o := swlab.DistanceConfig{Config: loss.Defaults(), Seed: 1}
	o.Slices, o.Reduce = 10000, loss.Mean
	d := must.M1(swlab.Distance("sw", square(), shifted(), o))
	fmt.Printf("%.1f, the interval holds 3: %t\n", d.Value, d.Low < 3 && 3 < d.High)
	// Output: 3.0, the interval holds 3: true
}

// An amortizer with fresh weights predicts some unit direction; training makes it a good one.
func ExampleDirection() {
	p := must.M1(swlab.Direction("la", square(), shifted(), swlab.DirectionConfig{Seed: 1}))
	square := 0.0
	for _, v := range p.Directions {
		square += float64(v) * float64(v)
	}
	fmt.Printf("%s, %d coordinates, length %.3f\n", p.Amortizer, len(p.Directions), square)
	// Output: la, 3 coordinates, length 1.000
}
