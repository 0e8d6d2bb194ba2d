package main

import (
	"math"
	"testing"

	"github.com/sliced-wasserstein/lab/bench/timing"
	"github.com/sliced-wasserstein/lab/swlab/amortizer"
)

// TestMeasure: every amortizer is timed, and A's stored scores change its memory only.
func TestMeasure(t *testing.T) {
	c := amortizer.Config{Points: 40, DK: 8, K: 8}
	of := map[string]timing.Result{}
	for _, name := range []string{"a", "ea", "la"} {
		r, err := measure("go", name, 2, 0, c, false)
		if err != nil || len(r.Seconds) < 2 || !(r.Value > 0) || r.Version != "go" {
			t.Fatalf("%s: %+v, %v", name, r, err)
		}
		of[name] = r
	}
	stored, err := measure("go", "a", 2, 0, c, true)
	if err != nil || math.Abs(stored.Value-of["a"].Value) > 1e-4*stored.Value {
		t.Errorf("stored scores: %v, in blocks of rows %v, %v", stored.Value, of["a"].Value, err)
	}
	if _, err := measure("go", "la", 2, 0, c, true); err == nil {
		t.Error("LA has no scores to store")
	}
	if _, err := measure("go", "la", 0, 0, c, false); err == nil {
		t.Error("no pairs")
	}
}
