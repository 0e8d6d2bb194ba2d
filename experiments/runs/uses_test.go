package runs

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/experiments"
	"github.com/sliced-wasserstein/lab/experiments/gap"
	"github.com/sliced-wasserstein/lab/internal/durable"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/latent"
	"github.com/sliced-wasserstein/lab/swlab/metric"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// TestUses: what uses a training's weights. One training serves all.
func TestUses(t *testing.T) {
	l := in(t)
	d := toy(t, l)
	r := sw(d)
	r.Config.Steps = 2
	do(t, l, r)
	t.Run("scores", func(t *testing.T) { scores(t, l, r) })
	t.Run("accuracy", func(t *testing.T) { accuracy(t, l, r) })
	t.Run("generation", func(t *testing.T) { generation(t, l, r) })
}

// scores: equal to experiments.Evaluate on the run's folder, also for the six shapes.
func scores(t *testing.T, l *Store, r Training) {
	test := r.Data.Part("test")
	s := Scores{Of: r, State: "last", Data: test, Exact: true, Seed: 3}
	do(t, l, s)
	var got experiments.Scores
	must.M(l.Result(s, &got))
	w := must.M1(weights.ReadSafetensors(filepath.Join(l.Folder(r), RunFolder, "weights.safetensors")))
	e := must.M1(l.Engine())
	clouds := must.M1(l.Clouds(test))
	o := experiments.EvaluateOptions{Seed: 3, ExactEMD: true, PerCloud: true}
	want := must.M1(experiments.Evaluate(e, &pointnet.Autoencoder{Points: 32}, w, clouds, o))
	if !reflect.DeepEqual(got, want) || got.N != 8 {
		t.Errorf("%+v, want %+v", got, want)
	}
	many := r.Data
	many.Train = 13 // the six are among the first 50
	six := Scores{Of: r, State: "last", Data: many, Six: true, Seed: 3}
	do(t, l, six)
	chosen, _ := must.M2(experiments.SixShapes(must.M1(l.Clouds(many))))
	digest := chosen.Digest()
	if err := l.Result(six, &got); err != nil || got.N != 6 || got.PerCloud.Digest != digest {
		t.Errorf("six clouds: %+v, %v", got, err)
	}
	bad := s
	bad.State = "worst"
	if err := l.Do(context.Background(), bad); err == nil || !strings.Contains(err.Error(), `found "worst"`) {
		t.Errorf("unknown state: %v", err)
	}
}

// network is that of the weights, and the engine of the store.
func network(t *testing.T, l *Store, w *weights.Set) (*swlab.Network, *engine.Engine) {
	t.Helper()
	return must.M1(swlab.NewNetwork(w)), must.M1(l.Engine())
}

// accuracy: the fraction of right answers of the classifier that latent.Classify trains on the
// codes.
func accuracy(t *testing.T, l *Store, r Training) {
	c := latent.DefaultClassifier(0)
	c.Epochs, c.Batch = 30, 6
	a := Accuracy{Coded: Coded{Of: r, State: "last", Train: r.Data, Test: r.Data.Part("test")}, Config: c}
	do(t, l, a)
	var v AccuracyResult
	must.M(l.Result(a, &v))
	right := 0
	for _, ok := range v.Correct {
		if ok {
			right++
		}
	}
	if v.NTrain != 12 || v.NTest != 8 || len(v.Correct) != 8 || v.Accuracy != float64(right)/8 {
		t.Errorf("%+v, %d right", v, right)
	}
	w := must.M1(l.weights(r, "last"))
	train := must.M1(l.codes(context.Background(), w, a.Train))
	test := must.M1(l.codes(context.Background(), w, a.Test))
	c.Classes = 4
	want := must.M1(latent.Classify(context.Background(), must.M1(l.Engine()), train, test, c, nil))
	if v.Loss != want.Loss || !reflect.DeepEqual(v.Correct, want.Correct) {
		t.Errorf("%+v, latent.Classify: %+v", v, want)
	}

	s := SVMAccuracy{Coded: a.Coded, Config: latent.DefaultSVM(0)}
	do(t, l, s)
	var svm SVMAccuracyResult
	must.M(l.Result(s, &svm))
	wanted, err := latent.ClassifySVM(context.Background(), train, test, latent.DefaultSVM(4), nil)
	if err != nil || svm.C != wanted.C || svm.NTest != 8 || svm.Accuracy != wanted.Accuracy || !reflect.DeepEqual(svm.Correct, wanted.Correct) {
		t.Errorf("%+v, latent.ClassifySVM: %+v, %v", svm, wanted, err)
	}
}

// generation: the comparison is the same if interrupted after its clouds were made, which are then
// not made again.
func generation(t *testing.T, l *Store, r Training) {
	c := latent.DefaultGenerator()
	c.Epochs, c.Batch, c.Iterations = 2, 6, 20
	g := Generation{Of: r, State: "last", Train: r.Data, Test: r.Data.Part("test"), Config: c, Count: 5, Seed: 2, Distances: []string{"cd"}}
	do(t, l, g)
	var first, second metric.Report
	must.M(l.Result(g, &first))
	made, err := datasets.Load(filepath.Join(l.Folder(g), GeneratedFile), datasets.Options{Raw: true})
	if err != nil || made.Clouds != 5 || made.Points != 32 {
		t.Fatalf("%v, %v", made, err)
	}
	var log struct{ Losses []float64 }
	if _, err := durable.ReadJSON(filepath.Join(l.Folder(g), generatorFile), &log); err != nil || len(log.Losses) != c.Epochs {
		t.Errorf("losses of %d epochs: %v, %v", c.Epochs, log, err)
	}
	afresh(t, l, g, made)
	cd := first.Scores("cd")
	if !(first.JSD > 0 && first.JSD <= 1) || !(cd.MMDPaper > 0) || !(cd.NNA >= 0 && cd.NNA <= 1) || !(cd.COVPaper > 0 && cd.COVPaper <= 1) {
		t.Errorf("%+v", first)
	}
	for _, gone := range []string{filepath.Join(l.Folder(g), resultFile), filepath.Join(l.Dir, "distances")} {
		must.M(os.RemoveAll(gone))
	}
	trained := false
	l.Progress = func(what string, _, _ int) { trained = trained || strings.HasPrefix(what, "generator") }
	do(t, l, g)
	if err := l.Result(g, &second); err != nil || trained || !reflect.DeepEqual(first, second) {
		t.Errorf("cut off: trained again %v, %+v, was %+v, %v", trained, second, first, err)
	}
	g.Count = 0
	do(t, l, g)
	if made, err = datasets.Load(filepath.Join(l.Folder(g), GeneratedFile), datasets.Options{Raw: true}); err != nil || made.Clouds != 8 {
		t.Errorf("as many as real ones: %v, %v", made, err)
	}
	controls(t, l, g)
}

// controls: the chosen clouds are as many different clouds of the training set; those from codes are
// their reconstructions. Compared with themselves, clouds have no distance.
func controls(t *testing.T, l *Store, g Generation) {
	g.From, g.Count, g.Test = FromClouds, 8, g.Train
	do(t, l, g)
	real, err := datasets.Load(filepath.Join(l.Folder(g), GeneratedFile), datasets.Options{Raw: true})
	if err != nil || real.Clouds != 8 || len(g.Needs()) != 0 {
		t.Fatalf("%v, %v", real, err)
	}
	var report metric.Report
	must.M(l.Result(g, &report))
	all := must.M1(l.Clouds(g.Train))
	if s, n := report.Scores("cd"), all.Clouds; s.MMDPaper > 1e-6 || s.COVPaper != 1 || s.COVStandard != 8/float64(n) {
		t.Errorf("%d of %d clouds: %+v", real.Clouds, n, s)
	}
	g.From = FromCodes
	do(t, l, g)
	made := must.M1(datasets.Load(filepath.Join(l.Folder(g), GeneratedFile), datasets.Options{Raw: true}))
	net, e := network(t, l, must.M1(l.weights(g.Of, g.State)))
	want := must.M1(net.Reconstruct(real, swlab.NetworkOptions{Engine: e}))
	for i := range want {
		if d := want[i] - made.Coords[i]; !(math.Abs(float64(d)) < 1e-5) {
			t.Fatalf("number %d: %g, want %g", i, made.Coords[i], want[i])
		}
	}
	g.Count = 1000
	if err := l.Do(context.Background(), g); err == nil || !strings.Contains(err.Error(), "found 1000") {
		t.Errorf("more clouds than there are: %v", err)
	}
}

// afresh: the clouds are those of the packages' own calls, which compile for themselves.
func afresh(t *testing.T, l *Store, g Generation, made *datasets.Set) {
	w := must.M1(l.weights(g.Of, g.State))
	net, e := network(t, l, w)
	codes := must.M1(l.codes(context.Background(), w, g.Train))
	generator := must.M1(latent.TrainGenerator(context.Background(), e, codes, g.Config, nil))
	drawn := must.M1(latent.Generate(e, generator.Weights, g.Count, g.Seed))
	want := must.M1(net.Decode(drawn, swlab.NetworkOptions{Engine: e}))
	if len(want) != len(made.Coords) {
		t.Fatalf("%d numbers, want %d", len(made.Coords), len(want))
	}
	for i := range want {
		if d := want[i] - made.Coords[i]; d > 1e-5 || d < -1e-5 {
			t.Fatalf("number %d: %g, want %g", i, made.Coords[i], want[i])
		}
	}
}

// TestGap: a row of the study is gap.Study's, seconds aside, and its harmonics serve the next row.
func TestGap(t *testing.T) {
	l := in(t)
	c := gap.Paper()
	c.Pairs, c.HeldOut, c.Common = 2, 10, 100
	c.Method, c.Batches, c.Pairs, c.HeldOut, c.Common = gap.Uniform, 2, 2, 2, 10
	g := Gap{Data: toy(t, l), Config: c}
	do(t, l, g)
	var got gap.Result
	must.M(l.Result(g, &got))
	set := must.M1(l.Clouds(g.Data))
	want := must.M1(gap.Study(context.Background(), must.M1(l.Engine()), set, c, gap.Options{}))
	got.Paper, want.Paper = gap.PaperProtocol{Distance: got.Paper.Distance}, gap.PaperProtocol{Distance: want.Paper.Distance}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	harmonics := filepath.Join(l.Dir, "harmonics")
	before, err := os.ReadDir(harmonics)
	if err != nil || len(before) == 0 {
		t.Fatalf("%v, %v", before, err)
	}
	g.Config.Seed++
	do(t, l, g)
	if after, _ := os.ReadDir(harmonics); len(after) != len(before) {
		t.Errorf("another seed expanded the pairs again: %d files, were %d", len(after), len(before))
	}
}
