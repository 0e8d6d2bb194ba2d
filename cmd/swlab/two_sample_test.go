package main

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets/format"
)

// TestTestCommand: shifted clouds of unequal sizes differ, and a cloud does not from itself.
func TestTestCommand(t *testing.T) {
	dir, r := t.TempDir(), rand.New(rand.NewPCG(1, 1))
	write := func(name string, shift float64, shape ...int) string {
		size := 1
		for _, k := range shape {
			size *= k
		}
		values := make([]float64, size)
		for i := range values {
			values[i] = r.NormFloat64() + shift
		}
		path := filepath.Join(dir, name)
		must.M(format.WriteNPYFloat64(path, values, shape...))
		return path
	}
	x, y := write("x.npy", 0, 30, 3), write("y.npy", 1, 40, 3)
	v := object(t, "test", x, y, "--slices", "20", "--permutations", "99")
	has(t, v, "p_value", "p_value_stderr", "statistic", "slices", "permutations", "points", "seed", "seconds")
	if v["p_value"] != 0.01 || v["permutations"] != 99. || v["slices"] != 20. || !(v["statistic"].(float64) > 0.5) {
		t.Errorf("%v", v)
	}
	if same := object(t, "test", x, x); same["p_value"] != 1. || same["permutations"] != 999. {
		t.Errorf("a cloud and itself: %v", same)
	}
	wantCall(t, 2, []string{"test", x, y, "--permutations", "0"}, "--permutations: expected")
	wantCall(t, 2, []string{"test", x, write("d2.npy", 0, 5, 2)}, "expected clouds of one dimension, found 3")
	wantCall(t, 2, []string{"test", x, write("two.npy", 0, 2, 5, 3)}, "expected one cloud in each file, found 1")
	wantCall(t, 2, []string{"test", x, y, "--slicing", "random-path"}, "looks at two clouds")
}
