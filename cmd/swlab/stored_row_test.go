package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/janpfeifer/must"
	"github.com/sliced-wasserstein/lab/experiments/table"
)

// TestStoredRow: the row of SW in the stored results of the preset desk can be made again, to the last
// digit of every seed. Times are left out. The scores by approximate EMD are stored from before its
// blocks took the released kernel's exponentials, and equal to 1e-5. Processors of another kind, or
// another backend, may round differently.
func TestStoredRow(t *testing.T) {
	if os.Getenv("SWLAB_TEST_LONG") == "" {
		t.Skip("runs in make test-long")
	}
	read := func(file string) (map[string]table.Cell, string) {
		f := must.M1(table.ReadFile(file))
		row := f.Cells["sw"]
		delete(row, "time")
		return row, string(must.M1(json.Marshal([]any{f.Settings, f.Data, f.Backend})))
	}
	want, wantSettings := read("../../docs/results/short_reconstruction_result-desk.json")
	out := t.TempDir()
	must.M1(executed(t, "table", "run", "short_reconstruction_result", "--preset", "desk", "--rows", "sw", "--out", out))
	got, gotSettings := read(filepath.Join(out, "tables", "short_reconstruction_result-desk.json"))
	if gotSettings != wantSettings {
		t.Errorf("settings %s, stored %s", gotSettings, wantSettings)
	}
	for _, column := range []string{"emd", "emd_last"} {
		for i, v := range want[column].Values {
			if i >= len(got[column].Values) || math.Abs(got[column].Values[i]/v-1) > 1e-5 {
				t.Errorf("%s of seed %d: %v, stored %v", column, i, got[column].Values, v)
			}
		}
		delete(got, column)
		delete(want, column)
	}
	if len(want) < 6 || !reflect.DeepEqual(got, want) {
		t.Errorf("the row is\n%+v\nstored, by an AMD EPYC (other kinds of processors differ in the last digits)\n%+v", got, want)
	}
}
