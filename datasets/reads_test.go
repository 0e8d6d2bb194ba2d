package datasets

import (
	"os"
	"path/filepath"
	"testing"
)

// TestReads: which files a folder of each kind is read from, existing or not.
func TestReads(t *testing.T) {
	dir := t.TempDir()
	file := func(path string, content string) {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file("array/points.npy", "")
	file("tree/chair/train/a.off", "")
	file("modelnet/train_files.txt", "x/a.h5\n")
	file("modelnet/test_files.txt", "x/a.h5\n")
	file("modelnet/a.h5", "")
	for _, c := range []struct {
		in, path string
		want     bool
	}{
		{"array/points.npy", "array/points.npy", true},
		{"array/points.npy", "array/other.npy", false},
		{"array", "array/points.npy", true},
		{"array", "array/labels.npy", true},
		{"array", "array/codes.npy", false},
		{"array", "array/sub/points.npy", false},
		{"tree", "tree/new.npy", true},
		{"tree", "tree/chair/points.npy", true},
		{"tree", "tree/new.XYZ", true},
		{"tree", "tree/new.png", false},
		{"tree", "tree/.runs/new.npy", false},
		{"tree", "new.npy", false},
		{"tree", "treehouse.npy", false},
		{"tree", "tree", false},
		{"modelnet", "modelnet/b.h5", true},
		{"modelnet", "modelnet/b.npy", false},
		{"none", "none/b.npy", false},
	} {
		if got := Reads(filepath.Join(dir, c.in), filepath.Join(dir, c.path)); got != c.want {
			t.Errorf("Reads(%q, %q) is %v", c.in, c.path, got)
		}
	}
}
