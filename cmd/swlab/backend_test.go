package main

import (
	"path/filepath"
	"testing"

	"github.com/sliced-wasserstein/lab/swlab/engine"
)

// TestBackendBySize: small work runs on the pure-Go backend, whichever there are, unless the call
// or the environment chooses. The answer says which it was.
func TestBackendBySize(t *testing.T) {
	t.Setenv(engine.Variable, "")
	t.Setenv("GOMLX_BACKEND", "")
	dir := misuseInputs(t)
	x, y := filepath.Join(dir, "x.npy"), filepath.Join(dir, "y.npy")
	for _, args := range [][]string{
		{"distance", "--loss", "chamfer"}, {"distance", "--loss", "emd-exact"},
		{"distance", "--loss", "v-dsw", "--amortizer", "g", "--slices", "5"},
		{"direction", "--amortizer", "g", "--out", filepath.Join(t.TempDir(), "d.npy")},
	} {
		if v := object(t, append(args, "--x", x, "--y", y)...); v["backend"] != "go" {
			t.Errorf("%v: backend %v", args, v["backend"])
		}
	}
	e, err := engine.Open("xla:cpu")
	if err != nil {
		t.Skipf("no second backend here: %v", err)
	}
	e.Close()
	t.Setenv(engine.Variable, "xla:cpu")
	if v := object(t, "distance", "--loss", "chamfer", "--x", x, "--y", y); v["backend"] != "xla:cpu" {
		t.Errorf("by the environment: backend %v", v["backend"])
	}
}
