package sphere_test

import (
	"fmt"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/sphere"
)

// A square and the same square, moved by (3, 4): along the move all points go 5 units.
func ExampleMaxSliced() {
	x := ot1d.Clouds{Coords: []float32{0, 0, 1, 0, 0, 1, 1, 1}, Batch: 1, Points: 4, Dim: 2}
	y := ot1d.Clouds{Coords: []float32{3, 4, 4, 4, 3, 5, 4, 5}, Batch: 1, Points: 4, Dim: 2}
	m := must.M1(sphere.MaxSliced(x, y, 2, sphere.Search{Gap: 1e-6}))[0]
	fmt.Printf("%.4f along (%.2f, %.2f), proved: %t\n", m.Value, m.At[0], m.At[1], m.Upper < 5.00001)
	// Output:
	// 5.0000 along (0.60, 0.80), proved: true
}

// The largest square of a coordinate, bounded by its slope, which is at most 1.
func ExampleMaximize() {
	square := func(at []float64) (float64, sphere.Bound) {
		return at[1] * at[1], func(c sphere.Cell) float64 {
			return at[1]*at[1] + c.Farthest(at)
		}
	}
	m := must.M1(sphere.Maximize(2, square, sphere.Search{}))
	fmt.Printf("%.2f, at most %.2f\n", m.Value, m.Upper)
	// Output:
	// 1.00, at most 1.00
}
