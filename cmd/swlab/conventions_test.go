package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// Every call that prints a distance says whether it is summed or averaged over points, in text and
// in JSON.
func TestDistancesSayWhatTheyAre(t *testing.T) {
	dir := misuseFiles(t)
	run := func(call string) string {
		t.Helper()
		cmd := process(strings.Fields(call + " --backend go")...)
		cmd.Dir = dir
		var out, errs strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Run(); err != nil {
			t.Fatalf("%s: %v: %s", call, err, errs.String())
		}
		return out.String()
	}
	scores := []string{"mean over points", "sum over points", "unsquared"}
	for _, c := range []struct {
		call string
		want []string
	}{
		{"distance --loss sw --x x.npy --y y.npy", []string{"sum over points, mean over slices, no root"}},
		{"distance --loss sw --x x.npy --y y.npy --reduce mean --root", []string{"mean over points, mean over slices, square root"}},
		{"distance --loss chamfer --x x.npy --y y.npy", []string{"squared Euclidean distance to the nearest neighbour, mean over points, both ways added"}},
		{"evaluate --run run --data data", scores},
		{"compare --run run --run run --data data --split all", scores},
		{"metrics --reference x.npy --generated y.npy --distances cd,emd-exact", []string{"squared", "unsquared", "mean over points"}},
	} {
		for _, format := range []string{"text", "json"} {
			out := run(c.call + " --format " + format)
			for _, want := range c.want {
				if !strings.Contains(out, want) {
					t.Errorf("%s --format %s lacks %q: %s", c.call, format, want, out)
				}
			}
		}
	}
	if out := run("train --data data --loss sw --points 32 --batch 4 --steps 1 --out trained"); !strings.Contains(out, "sum over points, mean over slices, no root") {
		t.Errorf("train does not say what its loss is: %s", out)
	}
	var scored struct {
		Conventions map[string]string `json:"conventions"`
	}
	if err := json.Unmarshal([]byte(run("evaluate --run run --data data --format json")), &scored); err != nil || len(scored.Conventions) != 4 {
		t.Errorf("conventions of evaluate: %v %v", scored, err)
	}
}
