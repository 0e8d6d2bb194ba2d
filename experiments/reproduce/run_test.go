package reproduce

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sliced-wasserstein/lab/experiments/runs"
	"github.com/sliced-wasserstein/lab/experiments/table"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
)

// TestFill: missing seeds are reported with their reason, and the others count.
func TestFill(t *testing.T) {
	l := &runs.Store{Dir: t.TempDir()}
	defer l.Close()
	p := preset(t, "quick")
	plan := plan(t, l, "ablation_kappa", p, "la-v-dsw", "sw")
	for _, i := range []int{0, 2} { // seeds 1 and 3 of la-v-dsw
		for _, r := range plan.Jobs[i].Runs {
			pretend(t, l, r.Run)
		}
	}
	pretend(t, l, plan.Jobs[1].Runs[0].Run) // trained and not scored
	var missing []string
	for _, j := range plan.Missing(l) {
		missing = append(missing, j.Name())
	}
	if got := strings.Join(missing, " "); got != "la-v-dsw/2 sw/1 sw/2 sw/3" {
		t.Errorf("missing: %s", got)
	}
	f, err := plan.Fill(l, map[string]string{"sw/2": "the loss is NaN"})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := f.Failed["la-v-dsw"], "seed 2: not finished"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := f.Failed["sw"], "seed 1: not finished; seed 2: the loss is NaN; seed 3: not finished"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if c := f.Cells["la-v-dsw"]["cd"]; c.N != 2 || c.Mean != 1 || *c.SD != 0 {
		t.Errorf("%+v", c)
	}
	if len(f.Cells["sw"]) != 0 {
		t.Errorf("%+v", f.Cells["sw"])
	}
	if err := table.Write(new(strings.Builder), f, "text"); err != nil {
		t.Error(err)
	}
	result := filepath.Join(l.Folder(plan.Jobs[0].Runs[1].Run), "result.json")
	if err := os.WriteFile(result, []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if len(plan.Missing(l)) != 5 {
		t.Error("a damaged result counts as done")
	}
	if _, err := plan.Fill(l, nil); err == nil || !strings.Contains(err.Error(), result) {
		t.Errorf("the error does not name the damaged file: %v", err)
	}
}

// TestDo: a failing job does not stop the others, and a cancelled call stops.
func TestDo(t *testing.T) {
	// An unknown backend: missing work fails.
	l := &runs.Store{Dir: t.TempDir(), Backend: "none"}
	defer l.Close()
	p := preset(t, "quick")
	plan := plan(t, l, "ablation_kappa", p, "sw")
	for _, r := range plan.Jobs[1].Runs {
		pretend(t, l, r.Run)
	}
	var began []string
	failures := map[string]string{}
	err := Do(context.Background(), l, plan.Jobs, func(i int, j Item) { began = append(began, j.Name()) }, failures)
	if !slices.Equal(began, []string{"sw/1", "sw/2", "sw/3"}) || len(failures) != 2 || !strings.Contains(failures["sw/3"], `backend "none" is unknown`) || failures["sw/2"] != "" {
		t.Errorf("began %v, failures %v", began, failures)
	}
	if err == nil || !strings.Contains(err.Error(), "sw/1: train sw-s1: ") || !strings.Contains(err.Error(), "sw/3: ") || strings.Contains(err.Error(), "sw/2: ") {
		t.Errorf("error %v", err)
	}
	stopped, stop := context.WithCancel(context.Background())
	began = nil
	err = Do(stopped, l, plan.Jobs, func(_ int, j Item) { began = append(began, j.Name()); stop() }, nil)
	if !errors.Is(err, context.Canceled) || len(began) != 1 {
		t.Errorf("stopped after %v: %v", began, err)
	}
}

// TestEstimate: each missing training counts once, with the paper's own seconds per epoch.
func TestEstimate(t *testing.T) {
	l := &runs.Store{Dir: t.TempDir()}
	defer l.Close()
	p := preset(t, "paper")
	plan := plan(t, l, "short_reconstruction_result", p, "sw", "chamfer")
	var seconds float64
	for _, r := range plan.Table.Rows {
		seconds += 301 * 3 * r.Paper["time"].Mean
	}
	size := int64(4 * (&pointnet.Autoencoder{Points: p.Points}).Parameters())
	want := Estimate{Trainings: 6, Epochs: 6 * 301, V100: time.Duration(seconds * 1e9), Disk: (2*6 + 4) * size}
	if got := plan.Estimate(l); got.Trainings != want.Trainings || got.Epochs != want.Epochs || (got.V100-want.V100).Abs() > time.Second || got.Disk != want.Disk {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := plan.Estimate(l).String(); !strings.Contains(got, "6 trainings, 1806 epochs") || !strings.Contains(got, "one V100") {
		t.Error(got)
	}
	for _, j := range plan.Jobs[:2] {
		pretend(t, l, *j.training())
	}
	if got := plan.Estimate(l); got.Trainings != 4 {
		t.Errorf("%d trainings after two are done", got.Trainings)
	}
	for _, j := range plan.Jobs {
		for _, r := range j.Runs {
			pretend(t, l, r.Run)
		}
	}
	if got := plan.Estimate(l); got != (Estimate{}) {
		t.Errorf("nothing is missing: %+v", got)
	}
	if got := (Estimate{}).String(); strings.Contains(got, "V100") {
		t.Error(got)
	}
}
