package main

import (
	"math"
	"path/filepath"
	"testing"
)

func TestMeanNorm(t *testing.T) {
	if got := meanNorm([]float32{3, 4, 0, 0, 0, 1}); math.Abs(got-3) > 1e-12 {
		t.Errorf("%v", got)
	}
}

// TestRead: what is written is read batch by batch; a batch that the file cannot fill is refused.
func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "set.npy")
	if err := write(path, 10, 20); err != nil {
		t.Fatal(err)
	}
	if err := read(path, 4, 1); err != nil {
		t.Error(err)
	}
	if err := read(path, 11, 1); err == nil {
		t.Error("11 of 10 clouds")
	}
}
