package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestDraw: every picture of the documentation can be drawn.
func TestDraw(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make check")
	}
	to := t.TempDir()
	for _, folder := range []string{"pictures", "results"} {
		if err := os.Mkdir(filepath.Join(to, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := drawAll("..", to); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pictures/classes.png", "pictures/slice.png", "pictures/vmf.png", "results/ablation_L-desk-emd.png"} {
		if fi, err := os.Stat(filepath.Join(to, name)); err != nil || fi.Size() < 10000 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
