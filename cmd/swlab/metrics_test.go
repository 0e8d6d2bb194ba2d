package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sliced-wasserstein/lab/datasets/format"
	"github.com/sliced-wasserstein/lab/swlab/engine"
)

// TestMetrics: the reference numbers through the command line, halved by using an existing store.
func TestMetrics(t *testing.T) {
	if testing.Short() {
		t.Skip("minutes on the Go backend")
	}
	t.Setenv(engine.Variable, "auto")
	golden := filepath.Join("..", "..", "..", "shared", "golden", "metrics.npz")
	if _, err := os.Stat(golden); err != nil {
		t.Skipf("the golden set is not here: %v", err)
	}
	dir := t.TempDir()
	path := map[string]string{}
	for _, key := range []string{"gen", "real"} {
		v, shape, err := format.ReadNPZ(golden, key)
		if err != nil {
			t.Fatal(err)
		}
		path[key] = filepath.Join(dir, key+".npy")
		if err := format.WriteNPY(path[key], v, shape...); err != nil {
			t.Fatal(err)
		}
	}
	number := func(key string) float64 {
		v, _, err := format.ReadNPZ(golden, key)
		if err != nil {
			t.Fatal(err)
		}
		return float64(v[0])
	}
	call := []string{"metrics", "--reference", path["real"], "--generated", path["gen"], "--store", filepath.Join(dir, "store")}
	got := object(t, call...)
	has(t, got, "jsd", "jsd_scaled", "n_reference", "n_generated", "seed", "backend", "seconds")
	if _, there := got["emd-exact"]; there || got["n_reference"] != 20.0 || got["n_generated"] != 24.0 {
		t.Errorf("%v", got)
	}
	close := func(what string, v any, key string, tol float64) {
		t.Helper()
		x, _ := v.(float64)
		if want := number(key); !(math.Abs(x-want) <= tol*want) {
			t.Errorf("%s: %v, want %v", what, v, want)
		}
	}
	close("jsd", got["jsd"], "jsd", 1e-6)
	close("jsd_scaled", got["jsd_scaled"], "jsd_half", 1e-6)
	for name, key := range map[string]string{"cd": "cd", "emd-approx": "emd"} {
		s, _ := got[name].(map[string]any)
		for k, c := range map[string]struct {
			key string
			tol float64
		}{
			"mmd_paper": {"_mmd_code", 5e-5}, "mmd_standard": {"_mmd_std", 5e-5}, "cov_paper": {"_cov_code", 1e-7}, "cov_standard": {"_cov_std", 1e-7},
			"nna": {"_nna", 1e-7}, "nna_generated": {"_nna_gen", 1e-7}, "nna_reference": {"_nna_real", 1e-7},
		} {
			close(name+" "+k, s[k], key+c.key, c.tol)
		}
	}
	// Text shows both orientations, and is read from the store.
	code, out, errs := command(t, call...)
	if code != 0 || !strings.Contains(out, "24 generated, 20 reference") || strings.Count(out, "as in the paper; standard:") != 4 {
		t.Errorf("%d, %s, %s", code, out, errs)
	}
}
