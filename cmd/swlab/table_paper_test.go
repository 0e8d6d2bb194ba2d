package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/scigolib/hdf5"

	"github.com/janpfeifer/must"
	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/datasets/format"
	"github.com/sliced-wasserstein/lab/experiments/table"
)

// TestPaperPreset: all nine tables with the settings of the preset paper, on small data in the layouts of its data sets: ShapeNet's
// archive; ModelNet40's five train and two test files of HDF5, with its lists and names; the chairs' three archives. A dry run says what
// is missing, and the commands that it prints fetch it. Every row has all the paper's numbers and our own, and a second call does nothing.
func TestPaperPreset(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make check")
	}
	anyClouds(t)
	t.Setenv("SWLAB_CACHE", t.TempDir())
	downloads, modelNet, store := t.TempDir(), modelNetFolder(t), filepath.Join(t.TempDir(), "store")
	set := shapesOf(t, 8, 7)
	writeNPZ(t, filepath.Join(downloads, "shapenet57448xyzonly.npz"), set)
	for part, n := range map[string]int{"train": 16, "val": 4, "test": 4} {
		rows := make([]int, n)
		for i := range rows {
			rows[i] = i + len(part)
		}
		writeNPZ(t, filepath.Join(downloads, part+".npz"), set.Select(rows))
	}
	call := func(name string, more ...string) []string {
		args := append([]string{"table", "run", name, "--preset", "paper", "--select", "none", "--seeds", "1", "--out", store, "--backend", "go", "--format", "json"}, more...)
		own := []string{"test=" + modelNet, "points=8", "batch=8", "epochs=1", "steps=1", "classifier_epochs=1", "classifier_batch=20"}
		if name == "all" {
			own = append(own, "chair_epochs=1", "chair_batch=16", "generator_epochs=1", "generator_batch=16",
				"gap_points=32", "gap_batches=2", "gap_pairs=4", "gap_held_out=4", "gap_common=50", "gap_passes=1")
		}
		for _, s := range own {
			args = append(args, "--set", s)
		}
		return args
	}
	dry := func(missing int) (left left, commands []string) {
		t.Helper()
		var report dryAnswer
		if code, out, errs := command(t, call("all", "--dry-run")...); code != 0 || json.Unmarshal([]byte(out), &report) != nil {
			t.Fatalf("exit code %d: %s%s", code, out, errs)
		}
		for _, m := range report.Missing {
			commands = append(commands, m.Commands...)
		}
		if len(report.Missing) != missing {
			t.Errorf("missing: %v", report.Missing)
		}
		return report.Left, commands
	}
	before, commands := dry(2)
	wantCall(t, 2, call("all"), "swlab data fetch shapenet-core55", "swlab data fetch shapenet-chairs")
	for _, line := range commands {
		if words := strings.Fields(strings.Replace(line, " DIR", " "+downloads, 1)); words[0] == "swlab" {
			object(t, words[1:]...)
		}
	}
	if after, _ := dry(0); before.Trainings != 57 || after != before {
		t.Errorf("left %+v, fetched %+v", before, after)
	}
	code, out, errs := command(t, call("all")...)
	if code != 0 {
		t.Fatal(errs)
	}
	var all struct{ Tables []json.RawMessage }
	if err := json.Unmarshal([]byte(out), &all); err != nil || len(all.Tables) != len(table.Names()) {
		t.Fatalf("%d tables, %v", len(all.Tables), err)
	}
	for i, name := range table.Names() {
		complete(t, name, string(all.Tables[i]))
	}
	if left, _ := dry(0); left.Runs != 0 {
		t.Errorf("left after all is done: %+v", left)
	}
	code, again, errs := command(t, call("ablation_kappa")...)
	if code != 0 || errs != "" || timeless(t, again) != timeless(t, string(all.Tables[slices.Index(table.Names(), "ablation_kappa")])) {
		t.Errorf("the second call: exit code %d, standard error %q: %s", code, errs, again)
	}
	for _, extension := range []string{"txt", "md", "csv", "tex", "json", "html"} {
		file := filepath.Join(store, "tables", "ablation_kappa-paper."+extension)
		if text := string(content(t, file)); !strings.Contains(text, "paper") || extension == "json" && text != again {
			t.Errorf("%s is not this table", file)
		}
	}
}

// shapesOf returns clouds of 40 points of some classes.
func shapesOf(t *testing.T, classes, each int) *datasets.Set {
	t.Helper()
	return must.M1(datasets.Shapes{Train: each, Points: 40, Classes: datasets.ShapeClasses()[:classes]}.Generate())
}

// writeNPZ writes the clouds as numpy.savez_compressed does, under the key data.
func writeNPZ(t *testing.T, path string, set *datasets.Set) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "data.npy")
	must.M(format.WriteNPY(file, set.Coords, set.Clouds, set.Points, set.Dim))
	writeZip(t, path, "data.npy", content(t, file))
}

// modelNetFolder writes a folder as ModelNet40's archive unpacks: five train and two test files of
// four clouds each, compressed, with labels of four classes.
func modelNetFolder(t *testing.T) string {
	t.Helper()
	dir, set := t.TempDir(), shapesOf(t, 4, 7)
	lists := map[string]string{}
	for i := range 7 {
		part, number := "train", i
		if i >= 5 {
			part, number = "test", i-5
		}
		name := fmt.Sprintf("ply_data_%s%d.h5", part, number)
		writeHDF5(t, filepath.Join(dir, name), set.Select([]int{i, i + 7, i + 14, i + 21}))
		lists[part] += "data/modelnet40_ply_hdf5_2048/" + name + "\n"
	}
	for name, text := range map[string]string{"train_files.txt": lists["train"], "test_files.txt": lists["test"], "shape_names.txt": strings.Join(set.Classes[:4], "\n") + "\n"} {
		put(t, filepath.Join(dir, name), []byte(text))
	}
	return dir
}

// writeHDF5 writes clouds and labels in chunks compressed by gzip, as in PointNet's files.
func writeHDF5(t *testing.T, path string, set *datasets.Set) {
	t.Helper()
	w := must.M1(hdf5.CreateForWrite(path, hdf5.CreateTruncate))
	n, m := uint64(set.Clouds), uint64(set.Points)
	data := must.M1(w.CreateDataset("/data", hdf5.Float32, []uint64{n, m, 3},
		hdf5.WithChunkDims([]uint64{1, m, 3}), hdf5.WithGZIPCompression(4)))
	label := must.M1(w.CreateDataset("/label", hdf5.Float32, []uint64{n, 1}))
	labels := make([]float32, n)
	for i, l := range set.Labels {
		labels[i] = float32(l)
	}
	must.M(errors.Join(data.Write(set.Coords), label.Write(labels), w.Close()))
}
