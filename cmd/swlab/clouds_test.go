package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/janpfeifer/must"
	"github.com/sliced-wasserstein/lab/swlab/train"
)

// TestKeyOfARun: a run knows the key of the array that it was trained on.
func TestKeyOfARun(t *testing.T) {
	data, out := filepath.Join(t.TempDir(), "packed.npz"), filepath.Join(t.TempDir(), "run")
	writeZip(t, data, "shapes.npy", content(t, filepath.Join(folder(t), "points.npy")))
	object(t, "train", "--data", data, "--key", "shapes", "--split", "all", "--loss", "chamfer", "--points", "16", "--batch", "7", "--steps", "0", "--out", out)
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
	dir, data := t.TempDir(), folder(t)
	x, link, other := cloudFile(t, 1, 2, 200, 3), filepath.Join(dir, "link.npy"), filepath.Join(dir, "clouds1.npy")
	must.M(os.Symlink(x, link))
	put(t, other, content(t, x))
	for _, c := range []struct {
		x, y string
		zero bool
	}{{x, x, true}, {x, link, true}, {data, filepath.Join(data, "points.npy"), true}, {x, other, false}} {
		v := object(t, "distance", c.x, c.y, "--loss", "chamfer", "--points", "32")["value"].(float64)
		m := object(t, "metrics", c.x, c.y, "--points", "32", "--distances", "cd")["cd"].(map[string]any)["mmd_standard"].(float64)
		if (v == 0) != c.zero || (m == 0) != c.zero {
			t.Errorf("%s and %s have the distance %v, as sets %v", c.x, c.y, v, m)
		}
	}
}
