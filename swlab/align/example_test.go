package align_test

import (
	"fmt"
	"log"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/align"
)

// The barycenter of two translates of a triangle lies half-way between them.
func ExampleBarycenter() {
	set, err := datasets.FromSlices([][][]float64{{{0, 0}, {2, 0}, {0, 1}}, {{4, 2}, {6, 2}, {4, 3}}})
	if err != nil {
		log.Fatal(err)
	}
	m, err := align.Barycenter(set, align.BarycenterConfig{Steps: 20, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f\n", m.Points)
	// Output: [2.00 1.00 4.00 1.00 2.00 2.00]
}

// A cloud turned by a right angle, its rows in another order, and one outlier.
func ExampleRegister() {
	a, err := datasets.FromSlices([][][]float64{{{0, 0}, {3, 0}, {0, 1}, {2, 2}, {5, 1}}})
	if err != nil {
		log.Fatal(err)
	}
	b, err := datasets.FromSlices([][][]float64{{{9, 5}, {10, 3}, {10, 0}, {8, 2}, {0, 0}}})
	if err != nil {
		log.Fatal(err)
	}
	m, err := align.Register(a, b, align.RegisterConfig{Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.1f degrees, share %.1f\n", m.Degrees, m.Share)
	// Output: 90.0 degrees, share 0.8
}
