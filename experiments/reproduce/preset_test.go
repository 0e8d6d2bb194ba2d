package reproduce

import (
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/experiments/runs"
)

// TestPaperPreset: protocol sections 5 and 6, by hand, and what other presets say of it.
func TestPaperPreset(t *testing.T) {
	p := must.M1(PresetOf("paper"))
	if quick := preset(t, "quick").Settings("generation"); !slices.Contains(quick, "sinkhorn log (paper: released)") {
		t.Errorf("the quick preset does not say that its Sinkhorn loop is not the paper's: %q", quick)
	}
	if len(p.Settings("reconstruction"))+len(p.Settings("generation"))+len(p.Settings("shapes"))+len(p.Settings("gap")) != 0 {
		t.Error("the paper's preset differs from itself")
	}
	if p.Select != "test" || !slices.Equal(p.Seeds, []uint64{1, 2, 3}) || p.Data != "shapenet-core55" || p.Test != "modelnet40-hdf5" || p.Chairs != "shapenet-chairs" || p.Points != 2048 || p.GapPoints != 2048 {
		t.Errorf("the paper's preset, whose other sizes TestRows has: %+v", p)
	}
}

// TestDesk: the rows that a claim is about have five seeds, against kappa ten, in the gap study
// twelve, the others three, and clouds of their own choose the best epoch.
func TestDesk(t *testing.T) {
	l := &runs.Store{Dir: t.TempDir()}
	desk := must.M1(PresetOf("desk"))
	var training runs.Training
	seeds := map[string]int{} // of a row, by table
	for _, name := range []string{"full_reconstruction_result", "ablation_T", "ablation_kappa", "vDSW_approximation"} {
		for _, j := range plan(t, l, name, desk).Jobs {
			seeds[name+" "+j.Row]++
			if name == "vDSW_approximation" {
				continue
			}
			training = j.Runs[0].Run.(runs.Training)
			if v := training.Validation; v == nil || v.Split != "val" || training.Data.Val != 0.2 || training.Data.Train != 40 || training.Config.Epochs != 30 {
				t.Fatalf("%s: %+v", j.Name(), training)
			}
		}
	}
	met := map[string]bool{}
	for key, n := range seeds {
		name, row, _ := strings.Cut(key, " ")
		want := 3
		if met[row] = true; slices.Contains(desk.ClaimRows, row) {
			want = max(5, map[string]int{"ablation_kappa": 10, "vDSW_approximation": 12}[name])
		}
		if n != want {
			t.Errorf("%s: %d seeds, expected %d", key, n, want)
		}
	}
	for _, row := range desk.ClaimRows {
		if !met[row] {
			t.Errorf("%s: in none of these tables", row)
		}
	}
	if n := len(plan(t, l, "short_generation_result", desk, "sw").Jobs); n != 3 {
		t.Errorf("generation: %d seeds", n)
	}
	held, err := l.Clouds(training.Validation.Part("val"))
	if err != nil || held.Clouds != 256 {
		t.Errorf("validation clouds: %v, %v", held, err)
	}
}

// TestGapPairs: the built-in shapes of every preset suffice for its pairs, of which no two share a
// cloud.
func TestGapPairs(t *testing.T) {
	l := &runs.Store{Dir: t.TempDir()}
	for _, name := range []string{"smoke", "quick", "desk"} {
		gap := plan(t, l, "vDSW_approximation", preset(t, name), "uniform").Jobs[0].Runs[0].Run.(runs.Gap)
		set := must.M1(l.Clouds(gap.Data))
		if set.Clouds < gap.Config.Clouds() {
			t.Errorf("%s: %d clouds for %d pairs", name, set.Clouds, gap.Config.Clouds()/2)
		}
	}
}

// differences lists the fields in which two presets differ, for any study.
func (p Preset) differences(q Preset) string {
	var out []string
	others := q.fields()
	for i, f := range p.fields() {
		if f.Value() != others[i].Value() {
			out = append(out, f.Name)
		}
	}
	return strings.Join(out, " ")
}

// TestTestSet: a test set of its own is scored completely, and the classifier learns on its train
// part (protocol 6.1, 5.4, D18).
func TestTestSet(t *testing.T) {
	l := &runs.Store{Dir: t.TempDir()}
	p := preset(t, "smoke")
	p.Test = "builtin"
	j := plan(t, l, "short_reconstruction_result", p, "sw").Jobs[0]
	a := j.Runs[3].Run.(runs.Accuracy)
	if s := j.Runs[1].Run.(runs.Scores); s.Data.Split != "all" || a.Train.Split != "train" || a.Test.Split != "test" {
		t.Errorf("scores on %s, classifier on %s and %s", s.Data, a.Train, a.Test)
	}
}

// TestSettings: every difference of a preset or a call from the paper is reported, for the given
// study.
func TestSettings(t *testing.T) {
	for _, name := range []string{"smoke", "quick", "desk"} {
		p := must.M1(PresetOf(name))
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
	p := must.M1(PresetOf("quick"))
	p.Seeds = p.Seeds[:1]
	must.M(p.Override("batch", "8"))
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
		if p.What == "" {
			t.Errorf("%s says nothing of itself", p.Name)
		}
	}
}

// TestOverride: every field by its name, and wrong calls.
func TestOverride(t *testing.T) {
	for i, name := range new(Preset).fields().Names() {
		p := paper()
		p.Seeds = []uint64{1}
		value := "7"
		if name == "sinkhorn" {
			value = "log"
		} else if name == "val" {
			value = "0.5"
		}
		if err := p.Override(name, value); err != nil || p.fields()[i].Text() != value {
			t.Errorf("%s: %s, %v", name, p.fields()[i].Text(), err)
		}
		if err := p.check(); err != nil {
			t.Errorf("%s=%s: %v", name, value, err)
		}
	}
	p := paper()
	for _, bad := range [][3]string{
		{"epoch", "3", `unknown setting "epoch", expected one of data, test, chairs, points`}, {"epochs", "many", `epochs: expected a whole number, found "many"`},
		{"epochs", "0", `epochs: expected at least 1, found "0"`}, {"val", "1", `found "1"`}, {"epochs", "1.5", `found "1.5"`}, {"epochs", "3]", `found "3]"`}, {"epochs", "null", `found "null"`}, {"epochs", "", `found ""`}, {"Name", "x", "unknown setting"}, {"-", "x", "unknown setting"},
	} {
		if err := p.Override(bad[0], bad[1]); err == nil || !strings.Contains(err.Error(), bad[2]) {
			t.Errorf("%s=%s: %v, expected %q", bad[0], bad[1], err, bad[2])
		}
	}
	if d := p.differences(paper()); d != "" || len(p.overrides) != 0 {
		t.Errorf("a wrong call has changed %s", d)
	}
	l := &runs.Store{Dir: t.TempDir()}
	small := preset(t, "smoke")
	for _, o := range [][2]string{{"learning_rate", "0.5"}, {"amortizer_steps", "2"}, {"ascent_rate", "0.25"}} {
		must.M(small.Override(o[0], o[1]))
		rows, says := []string{"la-v-dsw", "sw"}, "row sw: amortizer-steps: loss sw has no amortizer to train"
		switch o[0] {
		case "learning_rate":
			says = ""
		case "ascent_rate":
			rows, says = []string{"la-v-dsw"}, "override ascent_rate: it would do nothing, no row reads it"
		}
		_, err := NewSchedule(l, "short_reconstruction_result", small, rows, true)
		if (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%v: %v, expected %q", o, err, says)
		}
	}
	set := preset(t, "smoke")
	must.M(set.Override("momentum", "0.25"))
	if c := plan(t, l, "ablation_T", set, "sw").Jobs[0].training().Config; c.Momentum != 0.25 || set.Settings("reconstruction")[len(set.Settings("reconstruction"))-1] != "override momentum=0.25" {
		t.Errorf("a setting of the trainings: %+v, %v", c, set.Settings("reconstruction"))
	}
	for name, says := range map[string]string{"kappa": "override kappa: row la-v-dsw has a value of its own, 1", "optimizer": `unknown setting "optimizer"`} {
		p := preset(t, "smoke")
		err := p.Override(name, "5")
		if err == nil {
			_, err = NewSchedule(l, "ablation_T", p, []string{"la-v-dsw"}, true)
		}
		wantError(t, err, says)
	}
	if Reads("gap", "kappa") || !Reads("shapes", "momentum") || Reads("reconstruction", "chair_epochs") {
		t.Error("which study reads which setting")
	}
	p.Sinkhorn = "fast"
	if err := p.check(); err == nil || !strings.Contains(err.Error(), `found "fast"`) {
		t.Error(err)
	}
	wantError(t, failure(PresetOf("tiny")), `expected smoke, quick, desk, paper, found "tiny"`)
}
