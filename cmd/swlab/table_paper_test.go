package main

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/scigolib/hdf5"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/datasets/format"
	"github.com/sliced-wasserstein/lab/experiments/table"
)

// TestPaperPreset: all nine tables with the settings of the preset paper, on small data in the
// layouts of its data sets: ShapeNet's archive; ModelNet40's five train and two
// test files of HDF5, with its lists and names; the chairs' three archives. A dry run says what is
// missing, and the commands that it prints fetch it. The process is killed once, among the runs, and
// the same command resumes: ablation_kappa is that of an undisturbed call.
func TestPaperPreset(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make check")
	}
	cache := t.TempDir()
	t.Setenv("SWLAB_TEST_ANY_CLOUDS", "1")
	t.Setenv("SWLAB_CACHE", cache)
	downloads, modelNet := t.TempDir(), modelNetFolder(t)
	set := shapesOf(t, 8, 8)
	writeNPZ(t, filepath.Join(downloads, "shapenet57448xyzonly.npz"), set)
	for part, n := range map[string]int{"train": 32, "val": 4, "test": 6} {
		rows := make([]int, n)
		for i := range rows {
			rows[i] = i + len(part)
		}
		writeNPZ(t, filepath.Join(downloads, part+".npz"), set.Select(rows))
	}
	call := func(name, out string) []string {
		args := []string{"table", "run", name, "--preset", "paper", "--select", "none", "--seeds", "1", "--out", out, "--backend", "go", "--format", "json"}
		own := []string{"test=" + modelNet, "points=16", "batch=64", "epochs=1", "classifier_epochs=1", "classifier_batch=20"}
		if name == "all" {
			own = append(own, "chair_epochs=1", "chair_batch=32", "generator_epochs=1", "generator_batch=32",
				"gap_points=32", "gap_batches=2", "gap_pairs=4", "gap_held_out=4", "gap_common=50", "gap_passes=1")
		}
		for _, s := range own {
			args = append(args, "--set", s)
		}
		return args
	}

	store := filepath.Join(t.TempDir(), "store")
	var report struct {
		Left    struct{ Runs, Trainings int }
		Missing []struct {
			Name     string
			Commands []string
		}
	}
	dry := func() {
		t.Helper()
		code, out, errs := command(t, append(call("all", store), "--dry-run")...)
		if code != 0 {
			t.Fatal(errs)
		}
		report.Missing = nil
		if err := json.Unmarshal([]byte(out), &report); err != nil {
			t.Fatal(err)
		}
	}
	dry()
	if code, _, errs := command(t, call("all", store)...); code != 2 || !strings.Contains(errs, "swlab data fetch shapenet-core55") || !strings.Contains(errs, "swlab data fetch shapenet-chairs") {
		t.Errorf("without its data: exit code %d, %s", code, errs)
	}
	if len(report.Missing) != 2 || report.Left.Trainings != 57 {
		t.Fatalf("%+v", report)
	}
	for _, m := range report.Missing {
		for _, line := range m.Commands {
			if words := strings.Fields(strings.Replace(line, " DIR", " "+downloads, 1)); words[0] == "swlab" {
				if code, _, errs := command(t, words[1:]...); code != 0 {
					t.Fatalf("%s: exit code %d, %s", line, code, errs)
				}
			}
		}
	}
	if dry(); len(report.Missing) != 0 || report.Left.Trainings != 57 {
		t.Errorf("fetched: %+v", report)
	}

	before := killed(t, store, 30, call("all", store)...)
	code, out, errs := command(t, call("all", store)...)
	if code != 0 {
		t.Fatal(errs)
	}
	after := results(t, store)
	for path, written := range before {
		if after[path] != written {
			t.Errorf("%s was computed again", path)
		}
	}
	if len(before) < 30 || len(after) <= len(before) {
		t.Errorf("%d results when killed, %d in the end", len(before), len(after))
	}
	var all struct{ Tables []json.RawMessage }
	if err := json.Unmarshal([]byte(out), &all); err != nil || len(all.Tables) != len(table.Names()) {
		t.Fatalf("%d tables, %v", len(all.Tables), err)
	}
	for i, name := range table.Names() {
		complete(t, name, string(all.Tables[i]))
		if name != "ablation_kappa" {
			continue
		}
		code, want, errs := command(t, call(name, t.TempDir())...)
		if code != 0 {
			t.Fatal(errs)
		}
		if got := string(all.Tables[i]); timeless(t, got) != timeless(t, want) {
			t.Errorf("killed:      %s\nundisturbed: %s", timeless(t, got), timeless(t, want))
		}
	}
	if left := temporary(t, store); left != nil {
		t.Errorf("left: %v", left)
	}
	dry()
	if report.Left.Runs != 0 {
		t.Errorf("left after all is done: %+v", report)
	}
}

// results returns the results in a store, with the times when they were written.
func results(t *testing.T, store string) map[string]time.Time {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(store, "runs", "*", "result.json"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]time.Time{}
	for _, path := range found {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		out[path] = info.ModTime()
	}
	return out
}

// killed starts a call, kills it once the store has n results and files have changed twice more, and
// returns the results.
func killed(t *testing.T, store string, n int, call ...string) map[string]time.Time {
	t.Helper()
	cmd := process(call...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for len(results(t, store)) < n {
		select {
		case err := <-ended:
			t.Fatalf("ended before it was killed: %v", err)
		case <-time.After(5 * time.Millisecond):
		}
	}
	if _, alive := watch(t, store, 2, false, 10*time.Millisecond, ended); !alive {
		t.Fatal("ended before it was killed")
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-ended
	return results(t, store)
}

// shapesOf returns clouds of 40 points of some classes.
func shapesOf(t *testing.T, classes, each int) *datasets.Set {
	t.Helper()
	set, err := datasets.Shapes{Train: each, Points: 40, Classes: datasets.ShapeClasses()[:classes]}.Generate()
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// writeNPZ writes the clouds as numpy.savez_compressed does, under the key data.
func writeNPZ(t *testing.T, path string, set *datasets.Set) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "data.npy")
	if err := format.WriteNPY(file, set.Coords, set.Clouds, set.Points, set.Dim); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	writeZip(t, path, "data.npy", raw)
}

// writeZip writes an archive of one compressed file.
func writeZip(t *testing.T, path, name string, content []byte) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z := zip.NewWriter(f)
	w, err := z.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
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
		few := set.Select([]int{i, i + 7, i + 14, i + 21})
		writeHDF5(t, filepath.Join(dir, name), few)
		lists[part] += "data/modelnet40_ply_hdf5_2048/" + name + "\n"
	}
	for name, text := range map[string]string{"train_files.txt": lists["train"], "test_files.txt": lists["test"], "shape_names.txt": strings.Join(set.Classes[:4], "\n") + "\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// writeHDF5 writes clouds and labels in chunks compressed by gzip, as in PointNet's files.
func writeHDF5(t *testing.T, path string, set *datasets.Set) {
	t.Helper()
	w, err := hdf5.CreateForWrite(path, hdf5.CreateTruncate)
	if err != nil {
		t.Fatal(err)
	}
	n, m := uint64(set.Clouds), uint64(set.Points)
	data, err := w.CreateDataset("/data", hdf5.Float32, []uint64{n, m, 3}, hdf5.WithChunkDims([]uint64{1, m, 3}), hdf5.WithGZIPCompression(4))
	if err != nil {
		t.Fatal(err)
	}
	labels := make([]float32, n)
	for i, l := range set.Labels {
		labels[i] = float32(l)
	}
	label, err := w.CreateDataset("/label", hdf5.Float32, []uint64{n, 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{data.Write(set.Coords), label.Write(labels), w.Close()} {
		if err != nil {
			t.Fatal(err)
		}
	}
}
