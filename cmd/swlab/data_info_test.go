package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
	if err := format.WriteNPY(file, []float32{0, 0, 0, 0, 0, 0, 1, 2, float32(math.NaN()), -4, float32(math.Inf(1)), 0}, 4, 3); err != nil {
		t.Fatal(err)
	}
	v = object(t, "data", "info", file)
	if v["non_finite"] != 2.0 || v["duplicates"] != 1.0 || fmt.Sprint(v["min"], v["max"]) != "[-4 0 0] [1 2 0]" {
		t.Errorf("numbers that are none: %v", v)
	}
	if w := fmt.Sprint(v["warnings"]); !strings.Contains(w, "3.4e38") || !strings.Contains(w, file) {
		t.Errorf("warnings %s", w)
	}

	lists := t.TempDir()
	for name, points := range map[string]int{"a.xyz": 6, "b.xyz": 5} {
		if err := os.WriteFile(filepath.Join(lists, name), []byte(strings.Repeat("1 2 3\n4 5 6\n", 3)[:6*points]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if v := object(t, "data", "info", lists); v["points"] != 5.0 || !strings.Contains(fmt.Sprint(v["warnings"]), filepath.Join(lists, "b.xyz")) {
		t.Errorf("files of 6 and 5 points: %v", v)
	}
	if v := object(t, "distance", "--loss", "chamfer", "--x", lists, "--y", lists); !strings.Contains(fmt.Sprint(v["warnings"]), filepath.Join(lists, "b.xyz")) {
		t.Errorf("distance of files of 6 and 5 points: %v", v)
	}
	wantCall(t, 2, []string{"data", "info", lists, "--points", "6"}, "b.xyz", "6 points", "has 5")

	mesh := filepath.Join(t.TempDir(), "a.off")
	if err := os.WriteFile(mesh, []byte("OFF4 3 0\n0 0 0\n1 0 0\n0 1 0\n2 0 0\n3 0 1 2\n3 0 1 3\n3 1 1 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if v := object(t, "data", "info", mesh, "--points", "7"); v["kind"] != "mesh" || v["points"] != 7.0 || v["degenerate_faces"] != 2.0 || v["classes"] != 0.0 {
		t.Errorf("mesh: %v", v)
	}

	code, text, _ := command(t, "data", "info", dir, "--val", "0.5", "--seed", "4")
	if code != 0 || !strings.Contains(text, "7, 0, 7, drawn with seed 4") {
		t.Errorf("text: %s", text)
	}
}
