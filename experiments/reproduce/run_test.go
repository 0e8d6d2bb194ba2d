package reproduce

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/experiments/runs"
	"github.com/sliced-wasserstein/lab/experiments/table"
)

// TestFill: missing seeds are reported with their reason, and the others count.
func TestFill(t *testing.T) {
	l := &runs.Store{Dir: t.TempDir()}
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
	f := must.M1(plan.Fill(l, map[string]string{"sw/2": "the loss is NaN"}))
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
	must.M(os.WriteFile(result, []byte("{"), 0o644))
	if len(plan.Missing(l)) != 5 {
		t.Error("a damaged result counts as done")
	}
	wantError(t, failure(plan.Fill(l, nil)), result)
}

// TestDo: a failing job does not stop the others, and a cancelled call stops.
func TestDo(t *testing.T) {
	// An unknown backend: missing work fails.
	l := &runs.Store{Dir: t.TempDir(), Backend: "none"}
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

// TestLeft: every missing run counts once, and the exact EMD is computed only where it is shown.
func TestLeft(t *testing.T) {
	l := &runs.Store{Dir: t.TempDir()}
	p := preset(t, "paper") // on 64 train and 32 test clouds of 16 points
	count := func(schedules ...*Schedule) [2]int {
		all, trainings := Left(l, schedules...)
		return [2]int{all, trainings}
	}
	if n := count(plan(t, l, "short_reconstruction_result", p, "la-v-dsw")); n[1] != 8*3 {
		t.Errorf("LA of eight widths and three seeds: %d trainings", n[1])
	}
	p.Select = selectNone
	some := plan(t, l, "short_reconstruction_result", p, "sw", "chamfer", "chamfer-summed", "la-sorted-v-dsw")
	if n := count(some, some); n != [2]int{4 * 3 * 5, 12} {
		t.Errorf("%v left", n)
	}
	for _, j := range some.Jobs {
		for _, r := range j.Runs {
			pretend(t, l, r.Run)
		}
	}
	if n := count(some); n != [2]int{} {
		t.Errorf("nothing is missing: %v", n)
	}
	// Scores with the exact EMD, done already, serve a table that does not show it.
	plain := must.M1(NewSchedule(l, "short_reconstruction_result", p, []string{"sw", "asw"}, false))
	if n := count(plain); n != [2]int{3 * 3, 3} {
		t.Errorf("without ours, SW done: %v", n)
	}
	for _, j := range plain.Jobs[3:] {
		if s := j.Runs[1].Run.(runs.Scores); s.Exact || len(j.Runs) != 3 {
			t.Errorf("%s computes what the table does not show: %+v", j.Name(), j.Runs)
		}
	}
}

// TestLeftOfAll: before any data set has been fetched, a training of several of the nine tables of the
// preset paper counts once.
func TestLeftOfAll(t *testing.T) {
	t.Setenv("SWLAB_CACHE", t.TempDir())
	l := &runs.Store{Dir: t.TempDir()}
	p := must.M1(PresetOf("paper"))
	var all []*Schedule
	hashes, sum := map[string]bool{}, 0
	for _, name := range table.Names() {
		s := must.M1(NewSchedule(l, name, p, nil, true))
		if err := Ready(s); err == nil || !strings.Contains(err.Error(), "swlab data fetch shapenet-") {
			t.Errorf("%s: ready without its data: %v", name, err)
		}
		for _, j := range s.Jobs {
			if s.Table.Study != "gap" {
				hashes[runs.Hash(*j.training())] = true
			}
		}
		_, trainings := Left(l, s)
		all, sum = append(all, s), sum+trainings
	}
	if _, trainings := Left(l, all...); trainings != len(hashes) || sum <= trainings {
		t.Errorf("%d trainings, expected %d; %d table by table", trainings, len(hashes), sum)
	}
}
