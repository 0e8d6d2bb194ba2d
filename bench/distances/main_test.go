package main

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab"
)

// TestSliced: the timed value equals the reference, and directions are unit vectors with mean 0.
func TestSliced(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	const slices = 2000
	set := func() *datasets.Set { return &datasets.Set{Coords: uniform(r, 50), Clouds: 1, Points: 50, Dim: 3} }
	x, y, theta := set(), set(), uniform(r, slices)
	got, err := distance(x, y, slices, theta, swlab.AutoPath)
	if err != nil {
		t.Fatal(err)
	}
	if want := reference(x.Coords, y.Coords, theta); math.Abs(got-want) > 1e-9*want {
		t.Errorf("%v, reference %v", got, want)
	}
	var mean [3]float64
	for l := 0; l < len(theta); l += 3 {
		length := 0.0
		for j, v := range theta[l : l+3] {
			length += float64(v) * float64(v)
			mean[j] += float64(v) / float64(slices)
		}
		if math.Abs(length-1) > 1e-6 {
			t.Fatalf("direction %d has length^2 %v", l/3, length)
		}
	}
	for _, v := range mean {
		if math.Abs(v) > 5/math.Sqrt(3*float64(slices)) {
			t.Errorf("mean of the directions %v", mean)
		}
	}
}

// TestRun: what is written can be timed; what is missing is named.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	if err := run(dir, 30, 5, 0, false); err == nil || !strings.Contains(err.Error(), "30-x.npy") {
		t.Errorf("%v", err)
	}
	for _, slices := range []int{0, 5} {
		if err := run(dir, 30, slices, 0, slices > 0); err != nil {
			t.Fatal(err)
		}
	}
}
