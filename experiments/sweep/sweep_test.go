package sweep

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/experiments"
	"github.com/sliced-wasserstein/lab/experiments/reproduce"
	"github.com/sliced-wasserstein/lab/experiments/runs"
	"github.com/sliced-wasserstein/lab/experiments/table"
	"github.com/sliced-wasserstein/lab/internal/memory"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/train"
)

// tiny is a sweep of the smallest size that trains: 32 clouds of 16 points, 2 steps, 32 clouds to
// score on.
func tiny(t *testing.T, vary ...string) Config {
	t.Helper()
	c := Default()
	c.Base.Points, c.Base.Batch, c.Base.Epochs, c.Base.Slices, c.Base.AscentSteps = 16, 16, 1, 4, 1
	c.PerClass, c.PerTest = 1, 1
	c.Vary = must.M1(Parse(vary...))
	return c
}

func TestGridOrder(t *testing.T) {
	c := tiny(t, "kappa=0.1, 1", "amortizer=none,la", "slices=10,5,7")
	p := must.M1(NewGrid(&runs.Store{Dir: t.TempDir(), Backend: "go"}, c))
	var got []string
	r := must.M1(p.Result(&runs.Store{Dir: t.TempDir(), Backend: "go"}))
	for i := range r.Rows {
		got = append(got, strings.Join(r.Records()[1+5*i][:3], " "))
	}
	want := "0.1 none 10|0.1 none 5|0.1 none 7|0.1 la 10|0.1 la 5|0.1 la 7|1 none 10|1 none 5|1 none 7|1 la 10|1 la 5|1 la 7"
	if strings.Join(got, "|") != want {
		t.Errorf("grid %s", strings.Join(got, "|"))
	}
	if last := p.Points[10].Config; last.Kappa != 1 || last.Amortizer != "la" || last.Slices != 5 || last.Points != 16 {
		t.Errorf("point 10: %+v", last)
	}
}

// TestEverySettingCanBeVaried: each of the names is read by its type.
func TestEverySettingCanBeVaried(t *testing.T) {
	values := map[string]string{"loss": "sw", "slicing": "vmf", "control": "lower", "amortizer": "la", "variant": "paper", "reflection": "exact",
		"reduce": "mean", "root": "true", "cost": "cramer", "ascent_tangent": "true", "ascent_sgd": "true", "fine_tune": "true",
		"simultaneous": "true", "common_slices": "true", "location_gradient": "true", "other_location": "true",
		"objective": "plan", "momentum": "0.7", "amortizer_beta1": "0.7", "amortizer_beta2": "0.7"}
	for _, name := range Names() {
		value := values[name]
		if value == "" {
			value = "7"
		}
		c, text, err := with(train.Config{}, name, value)
		if err != nil || text != value {
			t.Errorf("%s = %s: %s, %v", name, value, text, err)
		}
		if _, err := strconv.ParseFloat(value, 64); numeric(name) != (err == nil) {
			t.Errorf("%s a number: %t", name, numeric(name))
		}
		if diff := c.Differences(train.Config{}); len(diff) != 1 || !strings.HasPrefix(diff[0], name+":") {
			t.Errorf("%s = %s changes %v", name, value, diff)
		}
	}
	for _, name := range strings.Fields("loss amortizer slicing kappa slices ascent_steps ascent_rate dk k batch epochs points p chain control epsilon") {
		if !slices.Contains(Names(), name) {
			t.Errorf("%s cannot be varied", name)
		}
	}
}

func TestWrongSweeps(t *testing.T) {
	l := &runs.Store{Dir: t.TempDir(), Backend: "go"}
	for _, x := range []struct {
		vary []string
		want string
	}{
		{nil, "expected a setting"},
		{[]string{"kapa=1,2"}, `unknown setting "kapa", expected one of points, batch,`},
		{[]string{"kappa=nan"}, `vary kappa: expected a number, found "nan"`},
		{[]string{"kappa=1,1.0"}, "1.0 twice"},
		{[]string{"amortizer=x,y"}, `"x"`}, // no point is left
		{[]string{"batch=64,128"}, "larger than the 32 training clouds"},
	} {
		if _, err := NewGrid(l, tiny(t, x.vary...)); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%v: %v, expected %s", x.vary, err, x.want)
		}
	}
	if _, err := Parse("kappa"); err == nil || !strings.Contains(err.Error(), "NAME=V1,V2") {
		t.Errorf("no values: %v", err)
	}
	for want, change := range map[string]func(*Config){
		"seeds: 1 twice":                   func(c *Config) { c.Seeds = []uint64{1, 1} },
		"no-such-file":                     func(c *Config) { c.Test = "no-such-file.npy" },
		"expected a number from 0 to 1e+1": func(c *Config) { c.Base.Kappa = -1 },
	} {
		c := tiny(t, "slices=1,2")
		change(&c)
		if _, err := NewGrid(l, c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %s", err, want)
		}
	}
}

// TestNoMemory: a point beyond this machine's memory is refused before any other is trained, also
// if the backend is still to be chosen.
func TestNoMemory(t *testing.T) {
	for _, backend := range []string{"go", "xla:cpu", "auto"} {
		if backend == "auto" && engine.Nvidia() {
			continue // the memory of a GPU is not counted
		}
		dir := t.TempDir()
		if _, err := NewGrid(&runs.Store{Dir: dir, Backend: backend}, tiny(t, "slices=2,1000000000000")); !errors.As(err, new(*memory.Error)) {
			t.Errorf("%s: %v", backend, err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%s: written: %v, %v", backend, left, err)
		}
	}
}

// TestTablesShareRuns: a grid point with a table's settings is the table's run. (Without our columns
// a table has scores of its own, without the exact EMD.)
func TestTablesShareRuns(t *testing.T) {
	preset := must.M1(reproduce.PresetOf("smoke"))
	l := &runs.Store{Dir: t.TempDir(), Backend: "go"}
	c := Default()
	c.Base.Points, c.Base.Batch, c.Base.Epochs, c.Base.DK, c.Base.K = preset.Points, preset.Batch, preset.Epochs, preset.DK, preset.K
	c.PerClass, c.PerTest = preset.PerClass, preset.PerTest
	for _, x := range []struct {
		table, vary string
		change      func(*Config)
		rows        int // of the grid that are in the table
	}{
		{"ablation_kappa", "kappa=0.1,1,10", func(c *Config) { c.Base.Amortizer = "la" }, 3},
		{"ablation_T", "ascent_steps=1,10,50,7", func(*Config) {}, 3},
		{"short_reconstruction_result", "loss=chamfer,emd-approx,sw,max-sw,asw,v-dsw", func(*Config) {}, 6},
	} {
		reproduction := must.M1(reproduce.NewSchedule(l, x.table, preset, nil, true))
		hashes := map[string]bool{}
		for _, j := range reproduction.Jobs {
			for _, reading := range j.Runs {
				hashes[runs.Hash(reading.Run)] = true
			}
		}
		s := c
		s.Vary = must.M1(Parse(x.vary))
		x.change(&s)
		shared := 0
		for _, point := range must.M1(NewGrid(l, s)).Points {
			if hashes[runs.Hash(point.jobs[0].Runs[0].Run)] && hashes[runs.Hash(point.jobs[0].Runs[1].Run)] {
				shared++
			}
		}
		if shared != x.rows {
			t.Errorf("%s by %s: %d runs shared, expected %d", x.table, x.vary, shared, x.rows)
		}
	}
}

// TestResume: a sweep interrupted after its first point does the rest in the next call, and nothing
// in the one after it. One of its points is invalid: its row says so, and the others are done.
func TestResume(t *testing.T) {
	dir := t.TempDir()
	c := tiny(t, "loss=v-dsw,sw", "amortizer=l,none")
	c.Seeds = []uint64{1, 2}
	first := &runs.Store{Dir: dir, Backend: "go"}
	ctx, cancel := context.WithCancel(context.Background())
	p := must.M1(NewGrid(first, c))
	var seen []int
	r, err := p.Run(ctx, first, func(r *Result, row int) {
		seen = append(seen, row)
		if row >= 0 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || !reflect.DeepEqual(seen, []int{-1, 0}) || r.Count(Done) != 1 || r.Count(Pending) != 2 {
		t.Fatalf("cut off: %v, heard %v, %d done", err, seen, r.Count(Done))
	}
	times := func() map[string]int64 {
		out := map[string]int64{}
		files, _ := filepath.Glob(filepath.Join(dir, "runs", "*", "result.json"))
		for _, f := range files {
			out[f] = must.M1(os.Stat(f)).ModTime().UnixNano()
		}
		return out
	}
	before := times()
	second := &runs.Store{Dir: dir, Backend: "go"}
	trained := map[string]bool{}
	second.Progress = func(what string, _, _ int) { trained[what] = true }
	r = must.M1(must.M1(NewGrid(second, c)).Run(context.Background(), second, nil))
	after := times()
	for f, at := range before {
		if after[f] != at {
			t.Errorf("%s was made again", f)
		}
	}
	if len(before) != 4 || len(after) != 12 || trained["training l-v-dsw-slices4-s1"] || !trained["training sw-slices4-s2"] {
		t.Errorf("%d results, then %d; done %v", len(before), len(after), trained)
	}
	if r.Rows[2].State != Refused || !strings.Contains(r.Rows[2].Reason, "would do nothing") || r.Count(Done) != 3 {
		t.Errorf("rows %+v", r.Rows)
	}
	third := &runs.Store{Dir: dir, Backend: "go"}
	third.Progress = func(what string, _, _ int) { t.Errorf("third call: %s", what) }
	again, err := must.M1(NewGrid(third, c)).Run(context.Background(), third, nil)
	if err != nil || !reflect.DeepEqual(r, again) {
		t.Errorf("third call: %v\n%+v\n%+v", err, again, r)
	}
	written(t, r)
	picture, err := r.Plot() // over names
	if err != nil || picture == nil {
		t.Errorf("plot: %v", err)
	}
}

// written checks the formats of the result of TestResume.
func written(t *testing.T, r *Result) {
	t.Helper()
	for _, format := range table.Formats() {
		var b bytes.Buffer
		must.M(table.Write(&b, r, format))
		if !strings.Contains(b.String(), "would do nothing") || !strings.Contains(b.String(), "refused") || strings.Contains(b.String(), "NaN") || strings.Contains(b.String(), "×0") {
			t.Errorf("%s: %s", format, b.String())
		}
		switch format {
		case "csv":
			lines, err := csv.NewReader(&b).ReadAll()
			if err != nil || len(lines) != 1+4*5 || lines[0][0] != "loss" || lines[0][1] != "amortizer" || lines[1][2] != "cd" {
				t.Errorf("csv: %v, %v", err, lines)
			}
		case "json":
			var v struct {
				Rows []struct {
					Settings   map[string]any
					State      string
					Values     map[string]struct{ Values []float64 }
					Difference map[string]struct{ Mean, Low, High, SD float64 }
				}
			}
			if err := json.Unmarshal(b.Bytes(), &v); err != nil || len(v.Rows) != 4 {
				t.Fatalf("json: %v, %+v", err, v)
			}
			if x := v.Rows[3]; x.Settings["loss"] != "sw" || x.Settings["amortizer"] != "" || x.State != "done" || len(x.Values["time"].Values) != 2 || x.Difference["sw"].High <= x.Difference["sw"].Low {
				t.Errorf("json: %+v", x)
			}
			if v.Rows[0].Difference != nil || v.Rows[2].Difference != nil {
				t.Error("json: differences of the first row, or of a refused one")
			}
		}
	}
}

// TestCommonRandomNumbers: two points whose settings hardly differ have nearly the same steps,
// which requires the same clouds in the same order, the same bootstrap, weights and directions.
// Other seeds do not. Evaluations have the same clouds and directions.
func TestCommonRandomNumbers(t *testing.T) {
	c := tiny(t, "kappa=1,1.001")
	c.Seeds = []uint64{1, 2}
	l := &runs.Store{Dir: t.TempDir(), Backend: "go"}
	p := must.M1(NewGrid(l, c))
	r := must.M1(p.Run(context.Background(), l, nil))
	losses := func(point, seed int) (out []float64) {
		raw := must.M1(os.ReadFile(filepath.Join(l.Folder(p.Points[point].jobs[seed].Runs[0].Run), runs.RunFolder, "log.jsonl")))
		for line := range bytes.Lines(raw) {
			var v train.Record
			if err := json.Unmarshal(line, &v); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			out = append(out, v.Loss)
		}
		return out
	}
	apart := func(a, b []float64) (far float64) {
		for i := range a {
			far = max(far, math.Abs(a[i]-b[i]))
		}
		return far
	}
	other := apart(losses(0, 0), losses(0, 1))
	for seed := range 2 {
		a, b := losses(0, seed), losses(1, seed)
		if d := apart(a, b); len(a) != 2 || len(b) != 2 || d == 0 || d > other/50 {
			t.Errorf("seed %d: losses %v and %v; of other seeds %v", seed+1, a, b, other)
		}
	}
	for k := range 2 {
		a, errA := p.Points[0].jobs[k].Runs[0].Run.(runs.Training).Config.Start()
		b, errB := p.Points[1].jobs[k].Runs[0].Run.(runs.Training).Config.Start()
		if errA != nil || errB != nil || !reflect.DeepEqual(a, b) {
			t.Errorf("seed %d: initial weights differ, %v, %v", k+1, errA, errB)
		}
	}

	// The paired difference by hand.
	scores := func(point, seed int) experiments.Scores {
		var s experiments.Scores
		must.M(l.Result(p.Points[point].jobs[seed].Runs[1].Run, &s))
		return s
	}
	n, mean, square := 32, 0.0, 0.0
	for pass := range 2 {
		for i := range n {
			d := 0.0
			for seed := range 2 {
				a, b := scores(1, seed).PerCloud, scores(0, seed).PerCloud
				if a.Digest != b.Digest || a.Seed != b.Seed {
					t.Fatal("other clouds or directions")
				}
				d += (a.ExactEMD[i] - b.ExactEMD[i]) / 2
			}
			if pass == 0 {
				mean += d / float64(n)
			} else {
				square += (d - mean) * (d - mean)
			}
		}
	}
	half := 2.0395134 * math.Sqrt(square/31/32) // t of 31 degrees of freedom, 0.975
	d := r.Rows[1].Difference["emd_exact"]
	close := func(a, b float64) bool { return math.Abs(a-b) <= 1e-6*math.Abs(b)+1e-12 }
	if !close(d.Mean, mean) || !close(d.Low, mean-half) || !close(d.High, mean+half) || d.Clouds != n || d.N != 2 || d.SD == nil {
		t.Errorf("difference %+v, by hand %v ± %v", d, mean, half)
	}
	if v := r.Rows[1].Values["emd_exact"].Mean - r.Rows[0].Values["emd_exact"].Mean; math.Abs(v-d.Mean) > 1e-9 {
		t.Errorf("difference %v of means %v", d.Mean, v)
	}
	if r.Rows[0].Difference != nil {
		t.Error("the first row differs from itself")
	}
}

// TestFailure: if the work of a point fails, its row says why, the others are done, and the call
// fails.
func TestFailure(t *testing.T) {
	l := &runs.Store{Dir: t.TempDir(), Backend: "go"}
	p := must.M1(NewGrid(l, tiny(t, "slices=1,2,3")))
	dir := filepath.Join(l.Folder(p.Points[1].jobs[0].Runs[0].Run), runs.RunFolder)
	must.M(os.MkdirAll(dir, 0o755))
	// No run, and not empty.
	must.M(os.WriteFile(filepath.Join(dir, "config.json"), []byte("{"), 0o644))
	r, err := p.Run(context.Background(), l, nil)
	if err == nil || !strings.Contains(err.Error(), "slices 2: seed/1: ") {
		t.Errorf("error %v", err)
	}
	if r.Rows[0].State != Done || r.Rows[1].State != Failed || r.Rows[1].Reason == "" || r.Rows[2].State != Done || r.Rows[2].Difference == nil {
		t.Errorf("rows %+v", r.Rows)
	}
	var b bytes.Buffer
	if err := table.Write(&b, r, "text"); err != nil || !strings.Contains(b.String(), "failed, slices 2: ") || strings.Count(b.String(), "\n2 ") != 1 {
		t.Errorf("%v\n%s", err, b.String())
	}
}

// TestOtherClouds: rows scored on other clouds have values but no differences.
func TestOtherClouds(t *testing.T) {
	l := &runs.Store{Dir: t.TempDir(), Backend: "go"}
	r := must.M1(must.M1(NewGrid(l, tiny(t, "points=16,24"))).Run(context.Background(), l, nil))
	if r.Count(Done) != 2 || r.Rows[1].Difference != nil {
		t.Errorf("rows %+v", r.Rows)
	}
	if text := strings.Join(r.Sheet().Legend, " "); !strings.Contains(text, "Other points are other clouds") || strings.Contains(text, "Differences") {
		t.Errorf("legend %s", text)
	}
}

// A metric is described the same way on an axis and in words.
func TestConventions(t *testing.T) {
	for _, m := range metrics {
		if c := experiments.Conventions()[m.key]; !strings.Contains(c, m.over) {
			t.Errorf("%s: the axis says %q, the convention %q", m.key, m.over, c)
		}
	}
}
