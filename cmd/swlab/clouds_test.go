package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sliced-wasserstein/lab/swlab/train"
)

// packed makes a compressed archive of the clouds of folder under the key "shapes".
func packed(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(folder(t), "points.npy"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "big.npz")
	writeZip(t, path, "shapes.npy", raw)
	return path
}

// TestLargeFile: train and evaluate give the same on a file too large to be loaded. The file is
// unpacked once, and the run knows the key of its array.
func TestLargeFile(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make check")
	}
	t.Setenv("SWLAB_CACHE", t.TempDir())
	data := packed(t)
	call := func(out string) []string {
		return []string{"train", "--data", data, "--key", "shapes", "--split", "all", "--loss", "chamfer", "--points", "16", "--batch", "7", "--epochs", "1", "--out", out}
	}
	small, large := filepath.Join(t.TempDir(), "small"), filepath.Join(t.TempDir(), "large")
	want := object(t, call(small)...)
	t.Setenv("SWLAB_TEST_STREAMS", "1")
	code, _, errs := command(t, call(large)...)
	if code != 0 || !strings.Contains(errs, "unpacking "+data) || !strings.Contains(errs, "SWLAB_CACHE") || !strings.Contains(errs, "checking "+data) {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	got, err := train.ReadResult(large)
	if err != nil {
		t.Fatal(err)
	}
	if got.Loss != want["loss"] {
		t.Errorf("loss %v, expected %v", got.Loss, want["loss"])
	}
	config := func(run string) train.Config {
		c, err := train.ReadConfig(run)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	if a, b := config(small), config(large); a != b || a.Key != "shapes" || a.Split != "all" {
		t.Errorf("configurations %+v and %+v", a, b)
	}
	code, out, errs := command(t, "evaluate", "--run", large, "--format", "json", "--exact-emd=false")
	if code != 0 || !strings.Contains(out, `"n":14`) && !strings.Contains(out, `"n": 14`) || strings.Contains(errs, "unpacking") || !strings.Contains(errs, "was trained on") {
		t.Errorf("exit code %d: %s %s", code, out, errs)
	}
}

// TestUnseen: the part that is evaluated by default.
func TestUnseen(t *testing.T) {
	for trained, want := range map[string]string{"": "test", "val": "test", "test": "train", "all": "all"} {
		if got := unseen(train.Config{Split: trained}); got != want {
			t.Errorf("trained on %q: %q, expected %q", trained, got, want)
		}
	}
}

// TestOneFileOneSubset: a file given twice has one subset of its points, under any of its names.
// Other files have other subsets, with their own fixed seeds.
func TestOneFileOneSubset(t *testing.T) {
	dir := t.TempDir()
	x, link, other := cloudFile(t, 1, 2, 200, 3), filepath.Join(dir, "link.npy"), filepath.Join(dir, "clouds1.npy")
	if err := os.Symlink(x, link); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(x)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(other, raw, 0o644); err != nil {
		t.Fatal(err)
	}
	value := func(y string) float64 {
		t.Helper()
		return object(t, "distance", "--loss", "chamfer", "--x", x, "--y", y, "--points", "32", "--backend", "go")["value"].(float64)
	}
	for _, y := range []string{x, link} {
		if v := value(y); v != 0 {
			t.Errorf("%s has the distance %v from itself", y, v)
		}
	}
	data := folder(t)
	if v := object(t, "distance", "--loss", "chamfer", "--x", data, "--y", filepath.Join(data, "points.npy"), "--points", "32", "--backend", "go")["value"]; v != 0.0 {
		t.Errorf("a folder and the array in it: %v", v)
	}
	if v := value(other); !(v > 0) {
		t.Errorf("two files with subsets of their own: %v", v)
	}
	if v := object(t, "metrics", "--reference", x, "--generated", link, "--points", "32", "--distances", "cd", "--backend", "go"); v["cd"].(map[string]any)["mmd_standard"] != 0.0 {
		t.Errorf("a set against itself: %v", v["cd"])
	}
	out := filepath.Join(dir, "out.npy")
	direction := func(y string) []float32 {
		t.Helper()
		object(t, "direction", "--amortizer", "l", "--x", x, "--y", y, "--points", "32", "--backend", "go", "--out", out, "--force")
		return array(t, out, 2, 3)
	}
	if same, linked := direction(x), direction(link); !slices.Equal(same, linked) {
		t.Errorf("directions %v and %v of a file and a link to it", same, linked)
	}
	if same, copied := direction(x), direction(other); slices.Equal(same, copied) {
		t.Errorf("directions %v of two files with subsets of their own", same)
	}
}
