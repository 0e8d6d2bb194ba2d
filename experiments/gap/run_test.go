package gap

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/engine"
)

// little is a study that takes seconds.
func little() Config {
	return Config{Seed: 123, PairSeed: 123, Batches: 2, Pairs: 4, HeldOut: 6, Slices: 10, Common: 50, Kappa: 1}
}

// TestRun: rows of every kind. The optimum is above every value, and the converged ascent mostly
// reaches it. The reference values are the same in all rows. Rows are the same when run again, with
// or without the cache.
func TestRun(t *testing.T) {
	set, e, dir := must.M1(datasets.Shapes{Test: 1, Points: 64}.Generate()), must.M1(engine.Open("")), t.TempDir()
	rows := append(PaperRows(little()), OurRows(little(), 2)...)
	want := map[string]bool{"l-v-dsw-L10": true, "v-dsw-T1-L10": true, "v-dsw-T10-L10": true,
		Uniform: true, Constant: true, Converged: true, "ea-v-dsw-L10-adam-2": true}
	constant := 0.0 // value of the best constant location on the training pairs
	var first Result
	for _, c := range rows {
		if !want[c.ID()] {
			continue
		}
		delete(want, c.ID())
		r, err := Study(context.Background(), e, set, c, Options{Cache: dir})
		if err != nil {
			t.Fatalf("%s: %v", c.ID(), err)
		}
		if first.ID == "" {
			first = r
		}
		for name, sides := range map[string][2]VersusOptimum{"training": {r.Training, first.Training}, "held out": {r.HeldOut, first.HeldOut}} {
			a, other := sides[0], sides[1]
			if a.Optimum != other.Optimum || a.Uniform != other.Uniform {
				t.Errorf("%s, %s: optimum and SW %v, %v; of %s %v, %v", c.ID(), name, a.Optimum, a.Uniform, first.ID, other.Optimum, other.Uniform)
			}
			if a.Gap.Mean < -1e-9 || a.Exact.Mean > a.Optimum.Mean+1e-9 || len(a.PerPair) != a.Pairs {
				t.Errorf("%s, %s: value %v, optimum %v, %d values of %d pairs", c.ID(), name, a.Exact, a.Optimum, len(a.PerPair), a.Pairs)
			}
			if math.Abs(a.MonteCarlo.Mean-a.Exact.Mean) > 4*a.MonteCarlo.SliceErr {
				t.Errorf("%s, %s: exact %v, common slices %v", c.ID(), name, a.Exact, a.MonteCarlo)
			}
			// An ascent may end in a local maximum.
			if c.Method == Converged && (a.FractionConverged < 0.8 || a.NormalizedGap.Mean > 0.1 || a.AscentAngle.Mean < 10) {
				t.Errorf("%s, %s: reached %g, gap %v, turn %v", c.ID(), name, a.FractionConverged, a.NormalizedGap, a.AscentAngle)
			}
		}
		if c.Method == Constant {
			constant = r.Training.Exact.Mean
		}
		if r.Paper.Distance.Mean <= 0 || (c.Method != Uniform && r.Paper.SearchSeconds <= 0) || r.Paper.EvaluateSeconds <= 0 {
			t.Errorf("%s: %+v", c.ID(), r.Paper)
		}
		again := must.M1(Study(context.Background(), e, set, c, Options{}))
		checkTimes(t, e.Name, r)
		for _, x := range []*Result{&r, &again} {
			x.Times = nil
			x.Paper.SearchSeconds, x.Paper.PredictSeconds, x.Paper.EvaluateSeconds = 0, 0, 0
		}
		if !reflect.DeepEqual(r, again) {
			t.Errorf("%s: run again: %+v and %+v", c.ID(), r, again)
		}
		text, err := json.Marshal(r)
		var back Result
		if err != nil || json.Unmarshal(text, &back) != nil || !reflect.DeepEqual(r, back) {
			t.Errorf("%s: does not survive JSON: %v", c.ID(), err)
		}
	}
	p, _ := must.M2(draw(set, little()))
	j := must.M1(newOptima(context.Background(), p, 1, dir, quiet))
	for _, eps := range randomLocations(rand.New(rand.NewPCG(1, 2)), 100) {
		sum := 0.0
		for _, h := range j.smoothed {
			sum += h.At(eps) / float64(p.n)
		}
		if sum > constant {
			t.Errorf("the best constant location has %g, a random one %g", constant, sum)
		}
	}
	if len(want) > 0 {
		t.Errorf("no rows %v", want)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "*")); len(files) != 2 {
		t.Errorf("cache: %v, expected a file for each part", files)
	}
}

func TestSampled(t *testing.T) {
	if got, want := sampled([]float64{1, 3}, []float64{4, 5}), (SampleMean{2, 1, 1.5}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestPaperRows: a study of any size has valid rows, and a pair's step is the paper's for any batch.
func TestPaperRows(t *testing.T) {
	for _, study := range []Config{Paper(), little()} {
		for _, c := range append(PaperRows(study), OurRows(study, 3)...) {
			must.M(c.Check())
			if step := c.LearningRate / float64(c.Pairs); c.Method == VDSW && (step < 0.999e-3 || step > 1.001e-3) {
				t.Errorf("%s: %g per pair", c.ID(), step)
			}
		}
	}
}

// TestPairs: no cloud twice, training and held-out pairs disjoint, the same for every method,
// another order for another seed.
func TestPairs(t *testing.T) {
	set := must.M1(datasets.Shapes{Test: 1, Points: 16}.Generate())
	c := little()
	training, heldOut := must.M2(draw(set, c))
	seen := map[float32]bool{}
	for _, p := range []pairs{training, heldOut} {
		for _, v := range [][]float32{p.first, p.second} {
			for at := 0; at < len(v); at += 16 * 3 {
				if seen[v[at]] {
					t.Error("a cloud is in two pairs")
				}
				seen[v[at]] = true
			}
		}
	}
	if training.n != 8 || heldOut.n != 6 {
		t.Errorf("%d and %d pairs", training.n, heldOut.n)
	}
	c.Seed, c.Method = 5, "la"
	if again, _, _ := draw(set, c); !reflect.DeepEqual(again, training) {
		t.Error("the pairs depend on the method's seed")
	}
	c.PairSeed = 5
	if again, _, _ := draw(set, c); reflect.DeepEqual(again, training) {
		t.Error("the pairs do not depend on the study's seed")
	}
}
