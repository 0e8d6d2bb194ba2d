package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/sliced-wasserstein/lab/swlab/train"
)

// TestKeyOfARun: a run knows the key of the array that it was trained on.
func TestKeyOfARun(t *testing.T) {
	data, out := filepath.Join(t.TempDir(), "packed.npz"), filepath.Join(t.TempDir(), "run")
	raw, err := os.ReadFile(filepath.Join(folder(t), "points.npy"))
	if err != nil {
		t.Fatal(err)
	}
	writeZip(t, data, "shapes.npy", raw)
	object(t, "train", "--data", data, "--key", "shapes", "--split", "all", "--loss", "chamfer", "--points", "16", "--batch", "7", "--epochs", "1", "--out", out)
	if v := object(t, "evaluate", "--run", out, "--exact-emd=false"); v["n"] != 14.0 {
		t.Errorf("%v", v)
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
