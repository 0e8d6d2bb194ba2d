package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"github.com/sliced-wasserstein/lab/datasets/format"
)

// TestReplacedData: every call that works on a run's clouds says when these are not what the run was
// trained on; other clouds, asked for by name, are no reason to say it.
func TestReplacedData(t *testing.T) {
	t.Setenv("SWLAB_BACKEND", "go")
	data, other, dir := folder(t), folder(t), t.TempDir()
	run, second := filepath.Join(dir, "run"), filepath.Join(dir, "second")
	for _, out := range []string{run, second} {
		// a seeded subset of the points
		object(t, "train", "--data", data, "--loss", "sw", "--batch", "5", "--steps", "0", "--points", "8", "--seed", "3", "--out", out)
	}
	calls := [][]string{
		{"evaluate", "--run", run, "--exact-emd=false"},
		{"compare", "--run", run, "--run", second, "--exact-emd=false"},
		{"classify", "--run", run, "--epochs", "1"},
		{"encode", "--run", run, "--x", data, "--points", "8", "--out", filepath.Join(dir, "codes.npy"), "--force"},
		{"reconstruct", "--run", run, "--x", data, "--points", "8", "--out", filepath.Join(dir, "made.npy"), "--force"},
	}
	said := func(args []string) string {
		t.Helper()
		var out []string
		if all, ok := object(t, args...)["warnings"].([]any); ok {
			for _, w := range all {
				out = append(out, fmt.Sprint(w))
			}
		}
		return strings.Join(out, "\n")
	}
	silent := func(when string, args []string) {
		t.Helper()
		if warnings := said(args); strings.Contains(warnings, "replaced") || strings.Contains(warnings, "no longer") {
			t.Errorf("%v %s: %s", args, when, warnings)
		}
	}
	silent("on its own clouds", calls[0])
	write := func(clouds, points int) {
		t.Helper()
		values := make([]float32, clouds*points*3)
		for i := range values {
			values[i] = float32(i*i%97) + float32(i%7)
		}
		must.M(format.WriteNPY(filepath.Join(data, "points.npy"), values, clouds, points, 3))
	}
	write(14, 40)
	for _, args := range calls {
		warnings := said(args)
		if !strings.Contains(warnings, data+" has been replaced since the run "+run) {
			t.Errorf("%v after the clouds were replaced: %q", args, warnings)
		}
		if args[0] == "compare" && !strings.Contains(warnings, second) {
			t.Errorf("%v says nothing of the second run", args)
		}
	}
	code, _, errs := command(t, calls[0]...)
	if code != 0 || !strings.Contains(errs, "swlab: warning: "+data+" has been replaced since") {
		t.Errorf("exit code %d, %s", code, errs)
	}
	silent("on other clouds", []string{"evaluate", "--run", run, "--data", other, "--exact-emd=false"})
	silent("on other clouds", []string{"reconstruct", "--run", run, "--x", other, "--points", "8", "--out", filepath.Join(dir, "made.npy"), "--force"})
	link := filepath.Join(dir, "linked.npy") // the same file by another name
	if err := os.Symlink(data, link); err == nil {
		if warnings := said([]string{"evaluate", "--run", run, "--data", link, "--exact-emd=false"}); !strings.Contains(warnings, "replaced") {
			t.Errorf("by another name: %q", warnings)
		}
	}
	must.M(format.WriteNPY(filepath.Join(data, "split.npy"), []float32{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1}, 14))
	if warnings := said(calls[0]); !strings.Contains(warnings, "has 6 clouds to train on, and the run "+run+" was trained on 10") {
		t.Errorf("with fewer clouds to train on: %q", warnings)
	}
}
