package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"github.com/sliced-wasserstein/lab/experiments/table"
)

// TestTableSelect: processes of one job each train the candidates of a row. The table
// names the width that is selected and the rule, and a second call, in one process, finds all runs.
func TestTableSelect(t *testing.T) {
	if testing.Short() {
		t.Skip("trains four widths")
	}
	call := []string{"table", "run", "short_reconstruction_result", "--preset", "smoke", "--rows", "ea-v-dsw", "--select", "validation", "--out", t.TempDir(),
		"--backend", "go", "--format", "json"}
	for _, s := range []string{"points=8", "batch=8", "steps=1", "classifier_epochs=1", "per_test=1"} {
		call = append(call, "--set", s)
	}
	code, out, errs := command(t, append(call, "--jobs", "2")...)
	if code != 0 || !strings.Contains(errs, "4 done") {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	var made struct {
		Settings []string
		Rows     []struct {
			Note     string
			Selected map[string]int
			Values   map[string]struct{ N int }
		}
	}
	must.M(json.Unmarshal([]byte(out), &made))
	row := made.Rows[0]
	small := []string{"table", "run", "short_reconstruction_result", "--preset", "smoke", "--select", "validation", "--data", folder(t), "--out", t.TempDir(), "--set", "batch=5"}
	if code, _, errs := command(t, small...); code != 2 || !strings.Contains(errs, "validation clouds:") || !strings.Contains(errs, "the val part is empty") {
		t.Errorf("a twentieth of ten clouds: exit code %d: %s", code, errs)
	}
	if len(made.Rows) != 1 || row.Selected["dk"] < 16 || row.Values["emd"].N != 1 || !strings.Contains(row.Note, "of 4 candidates the lowest mean EMD on the held out training clouds") ||
		!strings.Contains(strings.Join(made.Settings, "; "), "select validation (paper: test)") {
		t.Errorf("%s", out)
	}
	if code, again, errs := command(t, call...); code != 0 || again != out || errs != "" {
		t.Errorf("the second call: exit code %d, the same table %v, standard error %q", code, again == out, errs)
	}
}

// complete checks that a printed table has every row and column of the paper's, in their order, and that all cells have a number.
func complete(t *testing.T, name, out string) {
	t.Helper()
	paper := must.M1(table.Get(name))
	f := must.M1(table.Read([]byte(out)))
	if f.Table.Name != name || f.Preset != "paper" || len(f.Settings) == 0 || len(f.Failed) > 0 || len(f.Table.Rows) < len(paper.Rows) || len(f.Table.Columns) < len(paper.Columns) {
		t.Fatalf("%s: %s", name, out)
	}
	for i, c := range f.Table.Columns {
		if c.Ours != (i >= len(paper.Columns)) || !c.Ours && c.Key != paper.Columns[i].Key {
			t.Errorf("%s: column %d is %+v", name, i, c)
		}
	}
	for i, r := range f.Table.Rows {
		if r.Ours != (i >= len(paper.Rows)) || !r.Ours && (r.ID != paper.Rows[i].ID || len(r.Paper) != len(paper.Columns)) {
			t.Errorf("%s: row %d is %+v", name, i, r)
		}
		for _, c := range f.Table.Columns {
			searches := r.ID != "uniform" && r.ID != "constant" && r.ID != "v-dsw-converged"
			cell := f.Cells[r.ID][c.Key]
			switch {
			case c.Better == "" && r.Ours: // a setting that the row may not have
			case c.Key == "locate_xla", c.Key == "locate_go" && !searches: // on the pure-Go backend
				if cell.N != 0 {
					t.Errorf("%s: row %s has %s", name, r.ID, c.Key)
				}
			case cell.N != 1 || math.IsNaN(cell.Mean) || cell.Mean < -1e-9:
				t.Errorf("%s: row %s has no %s", name, r.ID, c.Key)
			}
		}
	}
}

// TestDryRun: without any data set, a dry run counts the runs of the paper's preset, says how to get the data, and makes no file.
func TestDryRun(t *testing.T) {
	t.Setenv("SWLAB_CACHE", t.TempDir())
	store := filepath.Join(t.TempDir(), "store")
	code, out, errs := command(t, "table", "run", "all", "--preset", "paper", "--dry-run", "--out", store)
	for _, want := range []string{"366 trainings", "register at https://shapenet.org", "swlab data fetch modelnet40-hdf5 --accept-licence\n", "--from DIR\n"} {
		if code != 0 || strings.Count(out, want) == 0 {
			t.Errorf("exit code %d, no %q in\n%s%s", code, want, out, errs)
		}
	}
	if _, err := os.Stat(store); err == nil {
		t.Error("a dry run made the store")
	}
}

// timeless returns a table without its times.
func timeless(t *testing.T, table string) string {
	t.Helper()
	var v struct {
		Rows []struct {
			ID     string
			Values map[string]any
		}
	}
	must.M(json.Unmarshal([]byte(table), &v))
	for _, r := range v.Rows {
		delete(r.Values, "time")
	}
	return string(must.M1(json.Marshal(v.Rows)))
}

// TestTooFewClouds: clouds that do not fill the study's pairs or a batch are one sentence, before
// anything runs; and --key is named only by a call that has it.
func TestTooFewClouds(t *testing.T) {
	x, arrays := cloudFile(t, 1, 5, 8, 3), filepath.Join(t.TempDir(), "arrays.npz")
	writeZip(t, arrays, "a.npy", content(t, x), "b.npy")
	call := func(table, data string) []string {
		return []string{"table", "run", table, "--preset", "smoke", "--out", t.TempDir(), "--data", data}
	}
	wantCall(t, 2, call("vDSW_approximation", x), "need 60 clouds, found 5; lower gap_batches, gap_pairs or gap_held_out")
	wantCall(t, 2, append(call("ablation_L", x), "--test", x, "--set", "batch=6"), "batch: 6 is larger than the 5 training clouds of "+x)
	_, _, errs := command(t, call("vDSW_approximation", arrays)...)
	if !strings.Contains(errs, `expected an array named "data", found a, b`) || strings.Contains(errs, "--key") {
		t.Errorf("two arrays: %s", errs)
	}
}
