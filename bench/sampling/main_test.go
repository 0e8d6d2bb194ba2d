package main

import (
	"math"
	"testing"

	"github.com/sliced-wasserstein/lab/swlab/vmf"
)

// TestSampler: the mean component along the location is A_d(kappa).
func TestSampler(t *testing.T) {
	const n = 40_000
	for _, c := range []struct {
		on    string
		dim   int
		kappa float64
	}{{"host", 3, 1}, {"graph", 3, 1}, {"host", 10, 10.5}} {
		draw, err := sampler(c.on, c.dim, c.kappa, n)
		if err != nil {
			t.Fatal(err)
		}
		got, err := draw()
		if want := vmf.MeanResultantLength(c.dim, c.kappa); err != nil || math.Abs(got-want) > 5/math.Sqrt(n) {
			t.Errorf("%+v: %v, expected %v, %v", c, got, want, err)
		}
	}
	if _, err := sampler("graph", 4, 1, n); err == nil {
		t.Error("graph in dimension 4")
	}
}
