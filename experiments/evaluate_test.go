package experiments

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/train"
	"github.com/sliced-wasserstein/lab/swlab/vmf"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// TestEvaluate compares the scores with plain Go on the same reconstructions, for a number of
// clouds that is not a multiple of the batch.
func TestEvaluate(t *testing.T) {
	const m = 64
	set := must.M1(datasets.Shapes{Train: 0, Test: 2, Points: m, Classes: datasets.ShapeClasses()[:18]}.Generate())
	set = set.Select(rand.New(rand.NewPCG(1, 1)).Perm(set.Clouds)[:35])
	if set.Clouds%batchFor(m, 0) == 0 {
		t.Fatalf("%d clouds are whole batches of %d: the test wants a partial one", set.Clouds, batchFor(m, 0))
	}
	e := must.M1(engine.Open(""))
	net := must.M1(pointnet.New(m))
	c := train.DefaultConfig()
	c.Points = m
	w := must.M1(c.Start())
	calls := 0
	s := must.M1(Evaluate(e, net, w, set, EvaluateOptions{Seed: 1, Progress: func(done, total int) { calls++ }}))
	y := must.M1(must.M1(swlab.NewNetwork(w)).Reconstruct(set, swlab.NetworkOptions{Engine: e}))
	batches := 2 // on a GPU all clouds are one
	if e.IsCUDA() {
		batches = 1
	}
	if s.N != set.Clouds || calls != batches {
		t.Errorf("%d clouds in %d calls, want %d", s.N, calls, batches)
	}
	cd, sw := make([]float64, set.Clouds), make([]float64, set.Clouds)
	theta := vmf.Uniform(rand.New(rand.NewPCG(2, 2)), 3, 1000)
	for i := range set.Clouds {
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
		set := func(v []float32) *datasets.Set {
			return &datasets.Set{Clouds: set.Clouds, Points: m, Dim: 3, Coords: v}
		}
		d := must.M1(swlab.Distance("emd-approx", set(x), set(y), swlab.DistanceConfig{Config: loss.Defaults(), Engine: e}))
		return d.Value
	}
	if want, other := emd(y, set.Coords), emd(set.Coords, y); math.Abs(s.EMD.Mean-want) > 1e-5*want || math.Abs(other-want) < 1e-4*want {
		t.Errorf("EMD %v, the front door says %v, and %v with the arguments exchanged", s.EMD, want, other)
	}
	again := must.M1(Evaluate(e, net, w, set, EvaluateOptions{Seed: 1, ExactEMD: true}))
	exact := must.M1(loss.ExactEMD{}.Compare(ot1d.Clouds{Coords: set.Coords, Batch: set.Clouds, Points: m, Dim: 3}, ot1d.Clouds{Coords: y, Batch: set.Clouds, Points: m, Dim: 3}, false))
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

// TestEvaluateAgain runs all of the following on one engine, since compilation dominates the time.
func TestEvaluateAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles several programs")
	}
	const points = 48
	set := must.M1(datasets.Shapes{Train: 0, Test: 2, Points: points, Classes: datasets.ShapeClasses()[:20]}.Generate())
	s := subject{e: must.M1(engine.Open("")), set: set}
	s.net = must.M1(pointnet.New(points))
	for i := range s.w {
		c := train.DefaultConfig()
		c.Points, c.Seed = points, uint64(i+1)
		s.w[i] = must.M1(c.Start())
	}
	t.Run("serves all", s.servesAll)
	t.Run("stops", s.stops)
	t.Run("directions", s.directions)
}

// subject is a network with clouds, one full and one partial batch, and the initial weights of two
// seeds.
type subject struct {
	e   *engine.Engine
	net *pointnet.Autoencoder
	set *datasets.Set
	w   [2]*weights.Set
}

func (s subject) evaluate(t *testing.T, w *weights.Set, clouds *datasets.Set, o EvaluateOptions) Scores {
	t.Helper()
	return must.M1(Evaluate(s.e, s.net, w, clouds, o))
}

// servesAll: one compiled graph gives two networks the same scores again, bit for bit, and the
// first clouds alone the same values as among the others. The values per cloud average to the
// scores.
func (s subject) servesAll(t *testing.T) {
	set, w := s.set, s.w
	o := EvaluateOptions{Seed: 3, ExactEMD: true, PerCloud: true}
	digest := set.Digest()
	var first *PerCloud
	before := s.e.Compilations()
	for _, w := range w {
		got := s.evaluate(t, w, set, o)
		if again := s.evaluate(t, w, set, o); !reflect.DeepEqual(got, again) {
			t.Errorf("%+v, evaluated again %+v", got, again)
		}
		if got.PerCloud.Digest != digest || got.PerCloud.Seed != 3 || got.N != set.Clouds {
			t.Errorf("%d clouds, seed %d, digest %s, want %s", got.N, got.PerCloud.Seed, got.PerCloud.Digest, digest)
		}
		if first == nil {
			first = got.PerCloud
		} else if got.PerCloud.CD[0] == first.CD[0] {
			t.Errorf("two networks with the CD %v", first.CD[0])
		}
		for _, m := range []struct {
			values []float64
			score  Score
		}{{got.PerCloud.CD, got.CD}, {got.PerCloud.SW, got.SW}, {got.PerCloud.EMD, got.EMD}, {got.PerCloud.ExactEMD, *got.ExactEMD}} {
			sum := 0.0
			for _, x := range m.values {
				sum += x
			}
			if n := float64(set.Clouds); len(m.values) != set.Clouds || math.Abs(sum/n-m.score.Mean) > 1e-12*m.score.Mean {
				t.Errorf("%d values with mean %v, score %v", len(m.values), sum/n, m.score)
			}
		}
	}
	few := set.Select([]int{0, 1, 2})
	if p := s.evaluate(t, w[0], few, o).PerCloud; !slices.Equal(p.CD, first.CD[:3]) || !slices.Equal(p.SW, first.SW[:3]) || !slices.Equal(p.EMD, first.EMD[:3]) || p.Digest == digest {
		t.Errorf("three clouds alone %+v, among the others %+v", *p, *first)
	}
	if plain := s.evaluate(t, w[0], few, EvaluateOptions{}); plain.PerCloud != nil || plain.ExactEMD != nil {
		t.Errorf("nothing was asked for: %+v", plain)
	}
	if n := s.e.Compilations() - before; n != 1 {
		t.Errorf("%d graphs were built", n)
	}
}

// directions: a cloud has the same values in batches of any size and after any other clouds. SW's
// directions depend on (seed, position), and are on the sphere.
func (s subject) directions(t *testing.T) {
	set := s.set
	per := func(seed uint64, clouds *datasets.Set) *PerCloud {
		return s.evaluate(t, s.w[0], clouds, EvaluateOptions{Seed: seed, PerCloud: true}).PerCloud
	}
	whole, other := per(1, set), per(2, set)
	if !slices.Equal(whole.CD, other.CD) || slices.Equal(whole.SW, other.SW) {
		t.Error("the seed steers the directions of SW, and nothing else")
	}
	order := make([]int, set.Clouds) // all others exchanged, the last in its place
	for i := range order {
		order[i] = set.Clouds - 2 - i
	}
	order[set.Clouds-1] = set.Clouds - 1
	if turned := per(1, set.Select(order)); turned.SW[set.Clouds-1] != whole.SW[set.Clouds-1] || turned.CD[0] != whole.CD[set.Clouds-2] || turned.SW[0] == whole.SW[set.Clouds-2] {
		t.Errorf("SW of the last cloud %v, then %v", whole.SW[set.Clouds-1], turned.SW[set.Clouds-1])
	}
	small := must.M1(evaluate(s.e, s.net, s.w[0], set, EvaluateOptions{Seed: 1, PerCloud: true}, 7))
	for i, sw := range small.PerCloud.SW {
		// Other batches may round differently; other directions differ by some 5 %.
		if math.Abs(sw/whole.SW[i]-1) > 1e-5 {
			t.Errorf("cloud %d: SW %v in batches of 7, else %v", i, sw, whole.SW[i])
		}
	}
	theta := evaluationDirections(1, 4)
	if slices.Equal(theta, evaluationDirections(1, 5)) || slices.Equal(theta, evaluationDirections(5, 4)) {
		t.Error("equal directions for another cloud or seed")
	}
	for i := 0; i < len(theta); i += 3 {
		if n := math.Hypot(math.Hypot(float64(theta[i]), float64(theta[i+1])), float64(theta[i+2])); math.Abs(n-1) > 1e-6 {
			t.Fatalf("direction %d has length %v", i/3, n)
		}
	}
}

// stops: a context that ends during a batch ends the evaluation after it.
func (s subject) stops(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	calls := 0
	_, err := Evaluate(s.e, s.net, s.w[0], s.set, EvaluateOptions{Context: ctx, Progress: func(done, total int) { calls++; stop() }})
	if !errors.Is(err, context.Canceled) || calls != 1 {
		t.Errorf("%d batches, error %v", calls, err)
	}
}

// TestBatchFor: the batches on which stored results depend, and those of a GPU, by its memory.
func TestBatchFor(t *testing.T) {
	const gb = 1 << 30
	for _, c := range []struct {
		points int
		device int64
		want   int
	}{
		{64, 0, 32}, {256, 0, 32}, {512, 0, 8}, {2048, 0, 1}, {1 << 20, 0, 1},
		{64, 8 * gb, 128}, {2048, 8 * gb, 128}, {2048, 4 * gb, 111}, {8192, 8 * gb, 55},
		{8192, 80 * gb, 128}, {1 << 20, 8 * gb, 1}, {1 << 20, 80 * gb, 4},
	} {
		if got := batchFor(c.points, c.device); got != c.want {
			t.Errorf("%d points, %d bytes: %d clouds, want %d", c.points, c.device, got, c.want)
		}
	}
}
