package experiments

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/train"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// TestEvaluator runs all that follows on one Evaluator: compiling is what takes long.
func TestEvaluator(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles several programs")
	}
	const points = 48
	set, err := datasets.Shapes{Train: 0, Test: 2, Points: points, Classes: datasets.ShapeClasses()[:20]}.Generate()
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.Open("")
	if err != nil {
		t.Fatal(err)
	}
	net, err := pointnet.New(points)
	if err != nil {
		t.Fatal(err)
	}
	v, err := NewEvaluator(e, net)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(v.Close)
	var w [2]*weights.Set
	for i := range w {
		c := train.DefaultConfig()
		c.Points, c.Seed = points, uint64(i+1)
		if w[i], err = c.Start(); err != nil {
			t.Fatal(err)
		}
	}
	s := subject{v, set, w}
	t.Run("serves all", func(t *testing.T) { s.servesAll(t, e) })
	t.Run("stops", s.stops)
	t.Run("directions", s.directions)
}

// subject is an Evaluator with clouds, one batch and a part of another, and the initial weights of two seeds.
type subject struct {
	v   *Evaluator
	set *datasets.Set
	w   [2]*weights.Set
}

// servesAll: one compiled graph (a second is an error) gives two networks the scores of fresh evaluations, bit by bit, and the first clouds alone
// the values that they had among the others; the values per cloud average to the scores.
func (s subject) servesAll(t *testing.T, e *engine.Engine) {
	v, set, w := s.v, s.set, s.w
	o := EvaluateOptions{Seed: 3, ExactEMD: true, PerCloud: true}
	digest, _ := set.Digest()
	var first *PerCloud
	for _, w := range w {
		got, err := v.Evaluate(t.Context(), w, set, o)
		if err != nil {
			t.Fatal(err)
		}
		want, err := Evaluate(e, v.net, w, set, o)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, a fresh evaluation gives %+v", got, want)
		}
		if got.PerCloud.Digest != digest || got.PerCloud.Seed != 3 || got.N != set.N {
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
			if n := float64(set.N); len(m.values) != set.N || math.Abs(sum/n-m.score.Mean) > 1e-12*m.score.Mean {
				t.Errorf("%d values with mean %v, score %v", len(m.values), sum/n, m.score)
			}
		}
	}
	few := set.Select([]int{0, 1, 2})
	alone, err := v.Evaluate(t.Context(), w[0], few, o)
	if err != nil {
		t.Fatal(err)
	}
	if p := alone.PerCloud; !slices.Equal(p.CD, first.CD[:3]) || !slices.Equal(p.SW, first.SW[:3]) || !slices.Equal(p.EMD, first.EMD[:3]) || p.Digest == digest {
		t.Errorf("three clouds alone %+v, among the others %+v", *p, *first)
	}
	plain, err := v.Evaluate(t.Context(), w[0], few, EvaluateOptions{})
	if err != nil || plain.PerCloud != nil || plain.ExactEMD != nil {
		t.Errorf("nothing was asked for: %+v, %v", plain, err)
	}
}

// directions: the values of a cloud are the same in batches of any size and after any clouds before it, SW's
// directions belong to (seed, position), and are on the sphere.
func (s subject) directions(t *testing.T) {
	v, set, w := s.v, s.set, s.w
	per := func(seed uint64, clouds datasets.Clouds) *PerCloud {
		s, err := v.Evaluate(t.Context(), w[0], clouds, EvaluateOptions{Seed: seed, PerCloud: true})
		if err != nil {
			t.Fatal(err)
		}
		return s.PerCloud
	}
	whole, other := per(1, set), per(2, set)
	if !slices.Equal(whole.CD, other.CD) || slices.Equal(whole.SW, other.SW) {
		t.Error("the seed steers the directions of SW, and nothing else")
	}
	order := make([]int, set.N) // all others exchanged, the last in its place
	for i := range order {
		order[i] = set.N - 2 - i
	}
	order[set.N-1] = set.N - 1
	if turned := per(1, set.Select(order)); turned.SW[set.N-1] != whole.SW[set.N-1] || turned.CD[0] != whole.CD[set.N-2] || turned.SW[0] == whole.SW[set.N-2] {
		t.Errorf("SW of the last cloud %v, then %v", whole.SW[set.N-1], turned.SW[set.N-1])
	}
	net := *v
	net.batch = 7
	net.exec.SetMaxCache(2)
	small, err := net.Evaluate(t.Context(), w[0], set, EvaluateOptions{Seed: 1, PerCloud: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, sw := range small.PerCloud.SW {
		if math.Abs(sw/whole.SW[i]-1) > 1e-5 { // other batches may round otherwise; other directions differ by some 5 %
			t.Errorf("cloud %d: SW %v in batches of 7, else %v", i, sw, whole.SW[i])
		}
	}
	theta := evaluationDirections(1, 4)
	if len(theta) != 3*EvaluationSlices || slices.Equal(theta, evaluationDirections(1, 5)) || slices.Equal(theta, evaluationDirections(5, 4)) {
		t.Errorf("%d numbers, or equal ones for another cloud or seed", len(theta))
	}
	for i := 0; i < len(theta); i += 3 {
		if n := length(theta[i : i+3]); math.Abs(n-1) > 1e-12 {
			t.Fatalf("direction %d has length %v", i/3, n)
		}
	}
}

// stops: a context that ends during a batch ends the evaluation after it.
func (s subject) stops(t *testing.T) {
	v, set, w := s.v, s.set, s.w
	ctx, stop := context.WithCancel(t.Context())
	calls := 0
	_, err := v.Evaluate(ctx, w[0], set, EvaluateOptions{Progress: func(done, total int) { calls++; stop() }})
	if !errors.Is(err, context.Canceled) || calls != 1 {
		t.Errorf("%d batches, error %v", calls, err)
	}
}
