package reproduce

import (
	"slices"
	"strings"
	"testing"

	"github.com/sliced-wasserstein/lab/experiments/runs"
	"github.com/sliced-wasserstein/lab/swlab/latent"
)

// TestPaperPreset: protocol sections 5 and 6, by hand. What no preset holds (rates, momentum, decay) is the default that the runs get.
func TestPaperPreset(t *testing.T) {
	p, err := PresetOf("paper")
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Settings("reconstruction"))+len(p.Settings("generation"))+len(p.Settings("shapes"))+len(p.Settings("gap")) != 0 {
		t.Error("the paper's preset differs from itself")
	}
	want := Preset{Name: "paper", Seeds: p.Seeds, Data: "shapenet-core55", Test: "modelnet40-hdf5", Chairs: "shapenet-chairs", Points: 2048, Batch: 128, Epochs: 301, DK: 64, K: 64,
		ClassifierEpochs: 500, ClassifierBatch: 256, ChairEpochs: 101, ChairBatch: 128, GeneratorEpochs: 25, GeneratorBatch: 64, Sinkhorn: "log",
		GapBatches: 10, GapPairs: 100, GapHeldOut: 1000, GapCommon: 1000, GapPoints: 2048, GapPasses: 20}
	if got := want.differences(p); got != "" || !slices.Equal(p.Seeds, []uint64{1, 2, 3}) {
		t.Errorf("%s; seeds %v", got, p.Seeds)
	}
	l := &runs.Lab{Dir: t.TempDir()}
	defer l.Close()
	small := preset(t, "paper")
	reconstruction := plan(t, l, "short_reconstruction_result", small, "sw").Jobs[1]
	if a := reconstruction.Runs[3].Run.(runs.Accuracy); a.Config != (latent.ClassifierConfig{Epochs: 500, Batch: 256, Rate: 1e-3, Momentum: 0.9, Decay: 5e-3, Dropout: 0.5, Seed: 123}) ||
		a.State != "best" || a.Train.Split != "train" || a.Test.Split != "test" {
		t.Errorf("classifier: %+v", a)
	}
	if s := reconstruction.Runs[1].Run.(runs.Scores); s.State != "best" || !s.Exact || s.Data.Split != "test" || s.Seed != 1 {
		t.Errorf("scores: %+v", s)
	}
	g := plan(t, l, "short_generation_result", small, "sw").Jobs[1].Runs[0].Run.(runs.Generation)
	if g.Config != (latent.GeneratorConfig{Epochs: 25, Batch: 64, Rate: 1e-4, Beta2: 0.9, Seed: 2, Sinkhorn: "log", Reg: 1e-3, Rounds: 1001}) || g.State != "best" || g.Count != 0 ||
		g.Of.Validation == nil || g.Of.Validation.Split != "val" || g.Train.Split != "train" || g.Test.Split != "test" || g.Of.Data.Val != 0.05 {
		t.Errorf("generation: %+v", g)
	}
	six := plan(t, l, "full_reconstruction_quantitative", small, "sw").Jobs[0].Runs[0].Run.(runs.Scores)
	if !six.Six || six.State != "best" || six.Data.Split != "train" {
		t.Errorf("six shapes: %+v", six)
	}
}

// differences are the fields in which two presets differ, whatever the study.
func (p Preset) differences(q Preset) string {
	var out []string
	for _, f := range p.fields() {
		if x, y := f.value(p), f.value(q); x != y {
			out = append(out, f.name)
		}
	}
	return strings.Join(out, " ")
}

// TestTestSet: with clouds of its own the test is on all of them, and the classifier learns on their train part (protocol 6.1, 5.4, D18).
func TestTestSet(t *testing.T) {
	l := &runs.Lab{Dir: t.TempDir()}
	defer l.Close()
	p := preset(t, "smoke")
	p.Test = "builtin"
	j := plan(t, l, "short_reconstruction_result", p, "sw").Jobs[0]
	a := j.Runs[3].Run.(runs.Accuracy)
	if s := j.Runs[1].Run.(runs.Scores); s.Data.Split != "all" || a.Train.Split != "train" || a.Test.Split != "test" {
		t.Errorf("scores on %s, classifier on %s and %s", s.Data, a.Train, a.Test)
	}
}

// TestSettings: everything in which a preset, or a call, differs from the paper is said, of the study at hand.
func TestSettings(t *testing.T) {
	for _, name := range []string{"smoke", "quick"} {
		p, err := PresetOf(name)
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		for _, study := range []string{"reconstruction", "shapes", "gap", "generation"} {
			said += " " + strings.Join(p.Settings(study), " | ") + " |"
		}
		for _, field := range strings.Fields(p.differences(paper())) {
			if !strings.Contains(said, " "+field+" ") {
				t.Errorf("%s differs in %s and says so nowhere: %s", name, field, said)
			}
		}
	}
	p, err := PresetOf("quick")
	if err != nil {
		t.Fatal(err)
	}
	p.Seeds = p.Seeds[:1]
	if err := p.Override("batch", "8"); err != nil {
		t.Fatal(err)
	}
	p.Clouds("mine.npy", "yours.npy")
	got := strings.Join(p.Settings("shapes"), "\n")
	want := "data mine.npy (paper: shapenet-core55)\npoints 256 (paper: 2048)\nbatch 8 (paper: 128)\nepochs 3 (paper: 301)\n1 seed(s) (paper: 3)\n" +
		"override batch=8\noverride data=mine.npy\noverride test=yours.npy"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if q, _ := PresetOf("smoke"); !strings.Contains(strings.Join(q.Settings("reconstruction"), "\n"), "test the test part of data (paper: modelnet40-hdf5)") {
		t.Errorf("%v", q.Settings("reconstruction"))
	}
	if p.Chairs != "mine.npy" || p.Test != "yours.npy" {
		t.Errorf("clouds of a call: chairs %s, test %s", p.Chairs, p.Test)
	}
	p.Clouds("other.npy", "")
	if p.Test != "" {
		t.Errorf("data alone bring their own test part, found %s", p.Test)
	}
	for _, p := range Presets() {
		if p.What() == "" {
			t.Errorf("%s says nothing of itself", p.Name)
		}
	}
}

// TestOverride: every field by its name, and wrong calls.
func TestOverride(t *testing.T) {
	for _, f := range (Preset{}).fields() {
		p := paper()
		p.Sinkhorn, p.Seeds = "released", []uint64{1}
		value := "7"
		if f.name == "sinkhorn" {
			value = "log"
		}
		if err := p.Override(f.name, value); err != nil || f.text(p) != value {
			t.Errorf("%s: %s, %v", f.name, f.text(p), err)
		}
		if err := p.check(); err != nil {
			t.Errorf("%s=%s: %v", f.name, value, err)
		}
	}
	p := paper()
	for _, bad := range [][3]string{
		{"epoch", "3", `unknown setting "epoch", expected one of data, test, chairs, points`}, {"epochs", "many", `epochs: expected a whole number, found "many"`},
		{"epochs", "1.5", `found "1.5"`}, {"epochs", "3]", `found "3]"`}, {"epochs", "null", `found "null"`}, {"epochs", "", `found ""`}, {"Name", "x", "unknown setting"}, {"-", "x", "unknown setting"},
	} {
		if err := p.Override(bad[0], bad[1]); err == nil || !strings.Contains(err.Error(), bad[2]) {
			t.Errorf("%s=%s: %v, expected %q", bad[0], bad[1], err, bad[2])
		}
	}
	if d := p.differences(paper()); d != "" || len(p.overrides) != 0 {
		t.Errorf("a wrong call has changed %s", d)
	}
	for _, bad := range [][3]string{{"epochs", "0", "epochs: expected at least 1, found 0"}, {"generated", "-1", "generated: expected at least 0"}, {"sinkhorn", "fast", `found "fast"`}} {
		p := paper()
		if err := p.Override(bad[0], bad[1]); err != nil {
			t.Fatal(err)
		}
		if err := p.check(); err == nil || !strings.Contains(err.Error(), bad[2]) {
			t.Errorf("%s=%s: %v, expected %q", bad[0], bad[1], err, bad[2])
		}
	}
	if _, err := PresetOf("tiny"); err == nil || !strings.Contains(err.Error(), `expected smoke, quick, paper, found "tiny"`) {
		t.Error(err)
	}
}
