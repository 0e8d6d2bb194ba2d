package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestDraw: the pictures can be drawn; those of tables are compared with the stored ones in experiments/notebook.
func TestDraw(t *testing.T) {
	folder := t.TempDir()
	if err := draw(folder); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"classes.png", "slice.png", "vmf.png"} {
		if fi, err := os.Stat(filepath.Join(folder, name)); err != nil || fi.Size() < 10000 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
