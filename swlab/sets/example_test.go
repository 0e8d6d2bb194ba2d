package sets_test

import (
	"fmt"
	"log"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/sets"
)

// Three clouds of two points: the second is the first moved by 1, the third by 10.
func Example() {
	clouds, err := datasets.FromSlices([][][]float64{{{0, 0}, {2, 0}}, {{1, 0}, {3, 0}}, {{10, 0}, {12, 0}}})
	if err != nil {
		log.Fatal(err)
	}
	e, err := sets.Embed(clouds, sets.Config{Directions: []float64{1, 0}})
	if err != nil {
		log.Fatal(err)
	}
	distances, err := e.Distances()
	if err != nil {
		log.Fatal(err)
	}
	nearest, _, err := e.Neighbours(1)
	if err != nil {
		log.Fatal(err)
	}
	clusters, err := e.Cluster(sets.ClusterConfig{K: 2})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.1f\n%v %v\n", distances, nearest, clusters.Labels)
	// Output:
	// [0.0 1.0 10.0 1.0 0.0 9.0 10.0 9.0 0.0]
	// [1 0 1] [0 0 1]
}
