package main

import (
	"os"
	"testing"
)

// TestDraw: every picture of the documentation can be drawn.
func TestDraw(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := drawAll(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"classes.png", "slice.png", "vmf.png", "architecture.png", "invariance.png"} {
		if fi, err := os.Stat(name); err != nil || fi.Size() < 10000 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
