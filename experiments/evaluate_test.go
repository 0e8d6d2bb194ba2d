package experiments

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/train"
	"github.com/sliced-wasserstein/lab/swlab/vmf"
)

// TestEvaluate compares the scores with plain Go on the same reconstructions, over a number of clouds that is no
// multiple of the batch.
func TestEvaluate(t *testing.T) {
	const m = 64
	set, err := datasets.Shapes{Train: 0, Test: 2, Points: m, Classes: datasets.ShapeClasses()[:18]}.Generate()
	if err != nil {
		t.Fatal(err)
	}
	set = set.Select(rand.New(rand.NewPCG(1, 1)).Perm(set.N)[:35])
	if set.N%batchFor(m) == 0 {
		t.Fatalf("%d clouds are whole batches of %d: the test wants a partial one", set.N, batchFor(m))
	}
	e, err := engine.Open("")
	if err != nil {
		t.Fatal(err)
	}
	net, err := pointnet.New(m)
	if err != nil {
		t.Fatal(err)
	}
	c := train.DefaultConfig()
	c.Points = m
	w, err := c.Start()
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	s, err := Evaluate(e, net, w, set, EvaluateOptions{Seed: 1, Progress: func(done, total int) { calls++ }})
	if err != nil {
		t.Fatal(err)
	}
	network, err := swlab.NewNetwork(w)
	if err != nil {
		t.Fatal(err)
	}
	y, err := network.Reconstruct(set, swlab.NetworkOptions{Engine: e})
	if err != nil {
		t.Fatal(err)
	}
	if s.N != set.N || calls != 2 {
		t.Errorf("%d clouds in %d calls", s.N, calls)
	}
	cd, sw := make([]float64, set.N), make([]float64, set.N)
	theta := vmf.Uniform(rand.New(rand.NewPCG(2, 2)), 3, 1000)
	for i := range set.N {
		a, b := set.Cloud(i), y[i*3*m:(i+1)*3*m]
		cd[i] = nearestMean(a, b) + nearestMean(b, a)
		sw[i] = math.Sqrt(sliced(a, b, theta))
	}
	want, got := NewScore(cd), s.CD
	if math.Abs(got.Mean-want.Mean) > 1e-5*want.Mean || math.Abs(got.StdErr-want.StdErr) > 1e-4*want.StdErr {
		t.Errorf("CD %v, plain Go %v", got, want)
	}
	// 35 clouds with 100 directions each: the mean is known to better than 2 %.
	if want := NewScore(sw); math.Abs(s.SW.Mean-want.Mean) > 0.02*want.Mean {
		t.Errorf("SW %v, plain Go %v", s.SW, want)
	}
	// The approximate EMD is not symmetric: the reconstruction comes first.
	emd := func(x, y []float32) float64 {
		set := func(v []float32) *datasets.Set { return &datasets.Set{N: set.N, M: m, D: 3, Points: v} }
		d, err := swlab.Distance("emd-approx", set(x), set(y), swlab.DistanceOptions{Settings: loss.Defaults(), Engine: e})
		if err != nil {
			t.Fatal(err)
		}
		return d.Value
	}
	if want, other := emd(y, set.Points), emd(set.Points, y); math.Abs(s.EMD.Mean-want) > 1e-5*want || math.Abs(other-want) < 1e-4*want {
		t.Errorf("EMD %v, the front door says %v, and %v with the arguments exchanged", s.EMD, want, other)
	}
	again, err := Evaluate(e, net, w, set, EvaluateOptions{Seed: 1, ExactEMD: true})
	if err != nil {
		t.Fatal(err)
	}
	exact, err := loss.ExactEMD{}.Compare(ot1d.Clouds{Points: set.Points, Batch: set.N, N: m, Dim: 3}, ot1d.Clouds{Points: y, Batch: set.N, N: m, Dim: 3}, false)
	if err != nil {
		t.Fatal(err)
	}
	if want := NewScore(exact.Pairs).Mean; math.Abs(again.ExactEMD.Mean/want-1) > 1e-5 || again.ExactEMD.Mean > again.EMD.Mean {
		t.Errorf("exact EMD %v, want %v; approximate %v", again.ExactEMD, want, again.EMD)
	}
	if again.ExactEMD = nil; again != s {
		t.Errorf("a second evaluation: %v, then %v", s, again)
	}
}

func TestScore(t *testing.T) {
	if s := NewScore([]float64{1, 2, 3, 6}); s.Mean != 3 || math.Abs(s.StdErr-math.Sqrt(14./3/4)) > 1e-12 {
		t.Errorf("%+v", s)
	}
	if s := NewScore([]float64{5}); s != (Score{Mean: 5}) {
		t.Errorf("one cloud: %+v", s)
	}
}

func nearestMean(a, b []float32) float64 {
	sum := 0.0
	for i := 0; i < len(a); i += 3 {
		best := math.Inf(1)
		for j := 0; j < len(b); j += 3 {
			d := 0.0
			for c := range 3 {
				v := float64(a[i+c] - b[j+c])
				d += v * v
			}
			best = math.Min(best, d)
		}
		sum += best
	}
	return sum / float64(len(a)/3)
}

func sliced(a, b []float32, theta []float64) float64 {
	sum := 0.0
	for l := 0; l < len(theta); l += 3 {
		p, q := project(a, theta[l:l+3]), project(b, theta[l:l+3])
		for i := range p {
			sum += (p[i] - q[i]) * (p[i] - q[i])
		}
	}
	return sum / float64(len(theta)/3)
}

func TestWrongCalls(t *testing.T) {
	set, err := datasets.Shapes{Train: 1, Test: 1, Points: 16, Classes: datasets.ShapeClasses()[:2]}.Generate()
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.Open("")
	if err != nil {
		t.Fatal(err)
	}
	c := train.DefaultConfig()
	c.Points = 32
	w, err := c.Start()
	if err != nil {
		t.Fatal(err)
	}
	net := &pointnet.Autoencoder{Points: 32}
	if _, err := Evaluate(e, net, w, set, EvaluateOptions{}); err == nil || !strings.Contains(err.Error(), "32 points of dimension 3, found 16") {
		t.Errorf("error %v", err)
	}
	if _, err := Evaluate(e, &pointnet.Autoencoder{Points: 16}, w, set, EvaluateOptions{}); err == nil || !strings.Contains(err.Error(), "decoder.fc3.weight: expected [48 1024], found [96 1024]") {
		t.Errorf("error %v", err)
	}
}

func project(a []float32, theta []float64) []float64 {
	out := make([]float64, len(a)/3)
	for i := range out {
		for c := range 3 {
			out[i] += theta[c] * float64(a[3*i+c])
		}
	}
	slices.Sort(out)
	return out
}
