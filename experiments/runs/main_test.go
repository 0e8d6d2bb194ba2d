package runs

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/datasets/format"
	"github.com/sliced-wasserstein/lab/swlab/train"
)

// bench is the Store of all tests. What it has compiled serves all of them, each in a folder of its
// own.
var bench = &Store{}

// in returns bench with a new folder.
func in(t *testing.T) *Store {
	t.Helper()
	bench.Dir, bench.Progress = t.TempDir(), nil
	return bench
}

// do runs a task, or fails the test.
func do(t *testing.T, l *Store, r Task) {
	t.Helper()
	must.M(l.Do(context.Background(), r))
}

// toy has 12 train and 8 test clouds of four classes.
func toy(t *testing.T, l *Store) Data {
	t.Helper()
	return must.M1(l.Data(Data{Path: datasets.Builtin, Split: "train", Points: 32, Classes: datasets.ShapeClasses()[:4], Train: 3, Test: 2}))
}

// sw is a training of 6 steps in 2 epochs.
func sw(d Data) Training {
	c := train.DefaultConfig()
	c.Batch, c.Epochs, c.Slices = 4, 2, 10
	return NewTraining(d, c)
}

// stored writes 20 clouds as a folder with labels and parts, 12 of them for training.
func stored(t *testing.T, dir string, seed uint64) string {
	t.Helper()
	set := must.M1(datasets.Shapes{Train: 3, Test: 2, Points: 40, Classes: datasets.ShapeClasses()[:4], Seed: seed}.Generate())
	split := make([]int32, set.Clouds)
	for i, p := range set.Split {
		split[i] = int32(p)
	}
	names := ""
	for _, c := range set.Classes {
		names += c + "\n"
	}
	must.M(errors.Join(
		os.MkdirAll(dir, 0o755),
		format.WriteNPY(filepath.Join(dir, "points.npy"), set.Coords, set.Clouds, set.Points, 3),
		format.WriteNPYInts(filepath.Join(dir, "labels.npy"), set.Labels, set.Clouds),
		format.WriteNPYInts(filepath.Join(dir, "split.npy"), split, set.Clouds),
		os.WriteFile(filepath.Join(dir, "classes.txt"), []byte(names), 0o644),
	))
	return dir
}
