package main

import (
	"math"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sliced-wasserstein/lab/datasets/format"
)

// TestCompareRuns: two runs are compared on the same clouds, with the scores that evaluate gives,
// and a run equals itself.
func TestCompareRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make check")
	}
	data, dir := folder(t), t.TempDir()
	run := func(name, seed string, more ...string) string {
		out := filepath.Join(dir, name)
		object(t, with([]string{"train", "--data", data, "--loss", "sw", "--batch", "5", "--steps", "0", "--points", "40", "--seed", seed, "--out", out}, more...)...)
		return out
	}
	a, b := run("a", "1"), run("b", "2")
	v := object(t, "compare", "--run", a, "--run", b, "--seed", "5")
	has(t, v, "n", "metrics", "runs", "states", "data", "split", "seed")
	if v["n"] != 4.0 || v["split"] != "test" || v["data"] != data || v["seed"] != 5.0 || !strings.Contains(v["uncertainty"].(string), "nothing about other training seeds") {
		t.Errorf("%v", v)
	}
	metrics := v["metrics"].(map[string]any)
	values := filepath.Join(dir, "values.npy")
	alone := object(t, "evaluate", "--run", b, "--seed", "5", "--out-per-cloud", values)
	columns, shape, err := format.ReadNPY(values)
	if err != nil || len(shape) != 2 || shape[0] != 4 || shape[1] != 4 {
		t.Fatalf("values per cloud %v, %v", shape, err)
	}
	if _, there := alone["per_cloud"]; there {
		t.Errorf("values per cloud in the object too: %v", alone)
	}
	for i, key := range []string{"cd", "sw", "emd_approx", "emd_exact"} {
		m := metrics[key].(map[string]any)
		has(t, m, "a", "b", "difference", "stderr", "low", "high", "p", "p_permutation", "a_better", "stderr_unpaired")
		mean := alone[key].(map[string]any)["mean"].(float64)
		column := float64(columns[i]+columns[4+i]+columns[8+i]+columns[12+i]) / 4
		if m["b"] != mean || m["a"] == mean || math.Abs(column/mean-1) > 1e-6 {
			t.Errorf("%s of b: %v compared with %v, %v evaluated, %v in the file", key, m["b"], m["a"], mean, column)
		}
	}
	// As text, a run against itself: no difference, half of the clouds on either side.
	code, out, errs := command(t, "compare", "--run", a, "--run", a, "--split", "all", "--exact-emd=false")
	if code != 0 || !strings.Contains(out, "for these two trainings") || !strings.Contains(out, "clouds             14 of "+data+", all") {
		t.Errorf("exit code %d, %s%s", code, out, errs)
	}
	if rows := regexp.MustCompile(`(?m)  0 \+- 0 +0 to 0 +1 +1 +50\.0 % `).FindAllString(out, -1); len(rows) != 3 {
		t.Errorf("%d of 3 metrics are equal: %s", len(rows), out)
	}
	few := run("few", "1", "--points", "32")
	wantCall(t, 2, []string{"compare", a, few}, "found 40 in "+a+" and 32")
	wantCall(t, 2, []string{"compare", a, run("elsewhere", "1", "--split", "all")}, `--split: the runs have "test" and "all"`)
}
