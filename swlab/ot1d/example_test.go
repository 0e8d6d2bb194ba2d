package ot1d_test

import (
	"fmt"

	"github.com/sliced-wasserstein/lab/swlab/ot1d"
)

// Along the first axis {0, 1} goes to {2, 5}, each point to that of its own rank: 2^2 + 4^2. Along the
// second axis the clouds agree.
func ExampleHostCosts() {
	x := ot1d.Clouds{Coords: []float32{1, 0, 0, 3}, Batch: 1, Points: 2, Dim: 2}
	y := ot1d.Clouds{Coords: []float32{2, 3, 5, 0}, Batch: 1, Points: 2, Dim: 2}
	axes := []float32{1, 0, 0, 1}
	sums, err := ot1d.HostCosts(x, y, axes, 2, ot1d.Config{})
	fmt.Printf("%.3f %v\n", sums, err)
	means, err := ot1d.HostCosts(x, y, axes, 2, ot1d.Config{Reduce: ot1d.Mean})
	fmt.Printf("%.3f %v\n", means, err)
	// Output:
	// [20.000 0.000] <nil>
	// [10.000 0.000] <nil>
}

// The Cramer distance of {0, 1} and {2, 5} on the line: F - G is 1/2 on [0, 1), 1 on [1, 2) and
// 1/2 on [2, 5). Energy is twice that.
func ExampleLineCost() {
	x := ot1d.Clouds{Coords: []float32{0, 1}, Batch: 1, Points: 2, Dim: 1}
	y := ot1d.Clouds{Coords: []float32{2, 5}, Batch: 1, Points: 2, Dim: 1}
	for _, cost := range []ot1d.LineCost{ot1d.Cramer, ot1d.Energy, ot1d.EppsPulley} {
		costs, err := ot1d.HostCosts(x, y, []float32{1}, 1, ot1d.Config{Cost: cost})
		fmt.Printf("%s %.4f %v\n", cost, costs, err)
	}
	// Output:
	// cramer [2.0000] <nil>
	// energy [4.0000] <nil>
	// epps-pulley [2.3494] <nil>
}
