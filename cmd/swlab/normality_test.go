package main

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets/format"
)

// TestNormalityCommand: a statistic per direction and their mean, in float64 as the file holds the points.
func TestNormalityCommand(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, values []float64, shape ...int) string {
		path := filepath.Join(dir, name)
		must.M(format.WriteNPYFloat64(path, values, shape...))
		return path
	}
	x := write("x.npy", []float64{-1, 0, 0, 0, 1, 0, 2, 0}, 4, 2)
	axes := write("axes.npy", []float64{1, 0, 0, 1}, 2, 2)
	v := object(t, "normality", x, "--directions", axes)
	has(t, v, "statistics", "value", "slices", "points", "seed")
	want := []float64{0.55819035, 4 * 0.40204758}
	for l, s := range v["statistics"].([]any) {
		if math.Abs(s.(float64)-want[l]) > 2e-8 {
			t.Errorf("direction %d: %v, expected %v", l, s, want[l])
		}
	}
	if math.Abs(v["value"].(float64)-(want[0]+want[1])/2) > 2e-8 {
		t.Errorf("value %v", v["value"])
	}
	if drawn := object(t, "normality", x, "-L", "7", "--slicing", "qmc", "--seed", "3"); len(drawn["statistics"].([]any)) != 7 {
		t.Errorf("%v", drawn)
	}
	wantCall(t, 2, []string{"normality", x, "--directions", axes, "-L", "3"}, "--slices would do nothing")
	wantCall(t, 2, []string{"normality", x, "--directions", write("d3.npy", make([]float64, 3), 1, 3)}, "expected shape [L, 2], found [1 3]")
	wantCall(t, 2, []string{"normality", x, "--slicing", "random-path"}, "looks at two clouds")
	wantCall(t, 2, []string{"normality", write("two.npy", make([]float64, 4), 2, 1, 2)}, "expected one cloud, found 2")
}

// TestCostFlag: the answer names the cost of a direction; the energy distance is twice Cramer's, for clouds
// of two sizes.
func TestCostFlag(t *testing.T) {
	dir := t.TempDir()
	x, y := filepath.Join(dir, "x.npy"), filepath.Join(dir, "y.npy")
	must.M(format.WriteNPYFloat64(x, []float64{0, 0, 1, 1, 2, 1}, 3, 2))
	must.M(format.WriteNPYFloat64(y, []float64{5, 3, 1, 1}, 2, 2))
	cramer := object(t, "distance", x, y, "--cost", "cramer")
	energy := object(t, "distance", x, y, "--cost", "energy")
	if cramer["line_cost"] != "cramer" || energy["line_cost"] != "energy" || cramer["p"] != 1.0 ||
		math.Abs(energy["value"].(float64)/cramer["value"].(float64)-2) > 1e-12 {
		t.Errorf("%v\n%v", cramer, energy)
	}
	if plain := object(t, "distance", x, x); plain["line_cost"] != "wasserstein" {
		t.Errorf("%v", plain)
	}
	if chamfer := object(t, "distance", x, y, "--loss", "chamfer"); chamfer["line_cost"] != nil {
		t.Errorf("%v", chamfer)
	}
}
