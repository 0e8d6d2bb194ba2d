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

// TestOtherCalls: the mean of all distances is that of the reference, the best plan costs at most the mean of
// the plans, both at least W_2^2 along a direction, and every call runs.
func TestOtherCalls(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	const points = 40
	x, theta := &datasets.Set{Coords: uniform(r, 3*points), Clouds: 3, Points: points, Dim: 3}, uniform(r, 20)
	value := func(loss string) float64 {
		v, err := options{loss: loss, points: points}.distance(x, x.Select([]int{2, 0, 1}), theta)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	want := 0.0
	for i := range 3 {
		want += math.Sqrt(reference(x.Select([]int{i}), x.Select([]int{(i + 1) % 3}), theta)) / 3
	}
	if got := value("pairwise"); math.Abs(got-want) > 1e-6*want {
		t.Errorf("pairwise: %v, reference %v", got, want)
	}
	sliced := reference(x.Select([]int{0}), x.Select([]int{2}), theta)
	if best, mean := value("min-swgg"), value("expected-plan"); !(sliced < best && best < mean) {
		t.Errorf("the best plan costs %v, the expected one %v, sliced %v", best, mean, sliced)
	}
	if all, half := value("ssw"), value("partial-sw"); !(all > 0 && half > 0) {
		t.Errorf("ssw %v, partial %v", all, half)
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
