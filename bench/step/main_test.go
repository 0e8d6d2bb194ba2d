package main

import (
	"slices"
	"testing"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/train"
)

func TestRows(t *testing.T) {
	if got := rows(3); !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("%v", got)
	}
}

// TestLossAlone: every loss of the benchmark builds without a network, and runs the requested
// steps.
func TestLossAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make check")
	}
	e, err := engine.Open("")
	if err != nil {
		t.Fatal(err)
	}
	set, err := datasets.Shapes{Train: 1, Points: 64, Classes: []string{"car", "chair", "mug"}}.Generate()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"sw", "max-sw", "v-dsw", "la", "ea", "a", "chamfer", "emd"} {
		c := train.DefaultConfig()
		c.Points, c.Batch, c.Slices, c.AscentSteps, c.Steps = 64, 3, 4, 2, 2
		c.Loss, c.Amortizer = lossOf(name)
		if name == "max-sw" {
			c.Slices = 1
		}
		n := 0
		if err := lossAlone(e, c, set, func(float64) { n++ }); err != nil || n != 2 {
			t.Errorf("%s: %d steps, %v", name, n, err)
		}
	}
}
