package main

import (
	"fmt"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sliced-wasserstein/lab/datasets"
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
	if err := datasets.WriteNPY(file, []float32{0, 0, 0, 0, 0, 0, 1, 2, float32(math.NaN()), -4, float32(math.Inf(1)), 0}, 4, 3); err != nil {
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

func TestDataInfoThumbnails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sheet.png")
	object(t, "data", "info", folder(t), "--thumbnails", file)
	in, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	picture, err := png.Decode(in)
	if err != nil {
		t.Fatal(err)
	}
	if size := picture.Bounds().Size(); size.X < 300 || size.Y < 100 {
		t.Errorf("a sheet of %v pixels", size)
	}
	none := filepath.Join(t.TempDir(), "none.png")
	flat := filepath.Join(t.TempDir(), "flat.npy")
	if err := datasets.WriteNPY(flat, make([]float32, 8), 2, 2, 2); err != nil {
		t.Fatal(err)
	}
	dot := filepath.Join(t.TempDir(), "dot.npy")
	if err := datasets.WriteNPY(dot, make([]float32, 6), 2, 3); err != nil {
		t.Fatal(err)
	}
	wantCall(t, 2, []string{"data", "info", flat, "--thumbnails", none}, "--thumbnails", "dimension 3", "found 2")
	wantCall(t, 2, []string{"data", "info", dot, "--thumbnails", none}, "--thumbnails", "dot.npy", "cloud 0", "zero extent")
	wantCall(t, 2, []string{"data", "info", "builtin", "--thumbnails", "sheet.gif"}, "--thumbnails", ".png", "sheet.gif")
	wantCall(t, 2, []string{"data", "info", "builtin", "--classes", "yacht"}, `"yacht"`, "aeroplane")
	wantCall(t, 2, []string{"data", "info", "builtin", "--val", "0.7", "--test", "0.7"}, "at most 1")
	wantCall(t, 2, []string{"data", "info", "builtin", "--points", "-1"}, "-1")
	if _, err := os.Stat(none); err == nil {
		t.Error("a picture was left behind")
	}
}

func TestThumbnailsOf(t *testing.T) {
	set := &datasets.Set{Clouds: 200, Labels: make([]int32, 200), Classes: []string{"cup", "jar"}}
	rows, captions := thumbnails(set) // one class: clouds spread over the set
	if len(rows) != someThumbnails || rows[1] != 8 || captions[1] != "cloud 8" {
		t.Errorf("%v %v", rows, captions)
	}
	set.Labels[120] = 1
	rows, captions = thumbnails(set)
	if fmt.Sprint(rows, captions) != "[0 120] [cup jar]" {
		t.Errorf("%v %v", rows, captions)
	}
	for i := range set.Labels {
		set.Labels[i] = int32(i)
	}
	if rows, captions = thumbnails(set); len(rows) != mostThumbnails || rows[95] != 197 || captions[95] != "class 197" {
		t.Errorf("%v %v", rows, captions)
	}
}
