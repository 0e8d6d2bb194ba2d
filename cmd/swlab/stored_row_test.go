package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/sliced-wasserstein/lab/experiments/table"
)

// TestStoredRow: the row of SW in the stored results of the preset desk can be made again, to the last
// digit of every seed. Times are left out. Processors of another kind, or another backend, may round
// differently.
func TestStoredRow(t *testing.T) {
	if os.Getenv("SWLAB_TEST_LONG") == "" {
		t.Skip("runs in make test-long")
	}
	read := func(file string) (map[string]table.Cell, string) {
		f, err := table.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		row := f.Cells["sw"]
		delete(row, "time")
		settings, err := json.Marshal([]any{f.Settings, f.Data, f.Backend})
		if err != nil {
			t.Fatal(err)
		}
		return row, string(settings)
	}
	want, wantSettings := read("../../docs/results/short_reconstruction_result-desk.json")
	out := t.TempDir()
	root := newRoot()
	root.SetArgs([]string{"table", "run", "short_reconstruction_result", "--preset", "desk", "--rows", "sw", "--out", out})
	quiet(t)
	if err := root.Execute(); err != nil {
		t.Fatal(err)
	}
	got, gotSettings := read(filepath.Join(out, "tables", "short_reconstruction_result-desk.json"))
	if gotSettings != wantSettings {
		t.Errorf("settings %s, stored %s", gotSettings, wantSettings)
	}
	if len(want) < 8 || !reflect.DeepEqual(got, want) {
		t.Errorf("the row is\n%+v\nstored, by an AMD EPYC (other kinds of processors differ in the last digits)\n%+v", got, want)
	}
}
