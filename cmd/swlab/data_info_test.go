package main

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"github.com/sliced-wasserstein/lab/datasets/format"
)

func TestDataInfo(t *testing.T) {
	dir := folder(t)
	v := object(t, "data", "info", dir, "--seed", "9")
	has(t, v, "path", "kind", "clouds", "points", "dim", "classes", "class_names", "per_class", "train", "test", "val", "split_seed",
		"min", "max", "min_radius", "max_radius", "duplicates", "non_finite", "degenerate_faces")
	if v["clouds"] != 14.0 || v["test"] != 4.0 || v["val"] != 0.0 || v["split_seed"] != nil || v["duplicates"] != 0.0 {
		t.Errorf("%v", v)
	}
	v = object(t, "data", "info", dir, "--seed", "9", "--val", "0.15", "--test", "0.3")
	if v["train"] != 8.0 || v["test"] != 4.0 || v["val"] != 2.0 || v["split_seed"] != 9.0 {
		t.Errorf("parts drawn: %v", v)
	}
	v = object(t, "data", "info", dir, "--classes", "2,0")
	if v["clouds"] != 9.0 || v["classes"] != 2.0 || fmt.Sprint(v["per_class"]) != "[5 0 4]" || len(v["class_names"].([]any)) != 3 {
		t.Errorf("two classes: %v", v)
	}

	file := filepath.Join(t.TempDir(), "sick.npy")
	sick := []float32{0, 0, 0, 0, 0, 0, 1, 2, float32(math.NaN()), -4, float32(math.Inf(1)), 0}
	must.M(format.WriteNPY(file, sick, 4, 3))
	v = object(t, "data", "info", file)
	if v["non_finite"] != 2.0 || v["duplicates"] != 1.0 || fmt.Sprint(v["min"], v["max"]) != "[-4 0 0] [1 2 0]" || !strings.Contains(fmt.Sprint(v["warnings"]), "3.4e38") {
		t.Errorf("numbers that are none: %v", v)
	}
	lists := t.TempDir()
	put(t, filepath.Join(lists, "a.xyz"), []byte(strings.Repeat("1 2 3\n", 6)))
	put(t, filepath.Join(lists, "b.xyz"), []byte(strings.Repeat("1 2 3\n", 5)))
	for _, call := range [][]string{{"data", "info", lists}, {"distance", lists, lists, "--loss", "chamfer"}} {
		if v := object(t, call...); !strings.Contains(fmt.Sprint(v["warnings"]), filepath.Join(lists, "b.xyz")) {
			t.Errorf("%v of files of 6 and 5 points: %v", call, v)
		}
	}
	code, text, _ := command(t, "data", "info", dir, "--val", "0.5", "--seed", "4")
	if code != 0 || !strings.Contains(text, "7, 0, 7, drawn with seed 4") {
		t.Errorf("text: %s", text)
	}
}
