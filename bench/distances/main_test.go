package main

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sliced-wasserstein/lab/datasets"
)

// TestSliced: the timed value equals the reference, and directions are unit vectors with mean 0.
func TestSliced(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	const slices = 2000
	set := func() *datasets.Set { return &datasets.Set{Coords: uniform(r, 50), Clouds: 1, Points: 50, Dim: 3} }
	x, y, theta := set(), set(), uniform(r, slices)
	got, err := options{loss: "sw", slices: slices}.distance(x, y, theta)
	if err != nil {
		t.Fatal(err)
	}
	if want := reference(x, y, theta); math.Abs(got-want) > 1e-9*want {
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
	for _, pairs := range []int{1, 3} {
		o := options{dir: t.TempDir(), points: 30, pairs: pairs, slices: 5, loss: "sw"}
		if err := o.run(); err == nil || !strings.Contains(err.Error(), "30-x.npy") {
			t.Errorf("%v", err)
		}
		for _, o.slices = range []int{0, 5} {
			o.exact = o.slices > 0
			if err := o.run(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestGraphAlone: every loss that the benchmark asks for has a graph, or an ascent, that runs
// without the rest of the call.
func TestGraphAlone(t *testing.T) {
	o := options{dir: t.TempDir(), points: 30, pairs: 2}
	if err := o.run(); err != nil {
		t.Fatal(err)
	}
	o.slices = 5
	for _, o.loss = range []string{"chamfer", "emd-approx", "max-sw", "v-dsw"} {
		for _, o.graphAlone = range []bool{false, true} {
			if err := o.run(); err != nil {
				t.Errorf("%s, graph alone %t: %v", o.loss, o.graphAlone, err)
			}
		}
	}
	if o.loss = "sw"; o.run() == nil {
		t.Error("sw is computed on the host: it has no graph")
	}
}
