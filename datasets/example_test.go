package datasets_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/datasets/format"
)

// A NumPy file of two clouds of three points, read without normalising.
func ExampleLoad() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "clouds.npy")
	if err := format.WriteNPY(path, []float32{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 1, 0, 2, 0, 1, 2}, 2, 3, 3); err != nil {
		fmt.Println(err)
		return
	}
	set, err := datasets.Load(path, datasets.Options{Raw: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(set.Kind, set.Clouds, set.Points, set.Dim, set.Cloud(1))
	// Output: npy 2 3 3 [0 0 2 1 0 2 0 1 2]
}

// The built-in shapes need no file.
func ExampleLoad_builtin() {
	set, err := datasets.Load(datasets.Builtin, datasets.Options{Points: 64})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(set.Clouds, "clouds of", set.Points, "points,", len(set.Classes), "classes")
	// Output: 1280 clouds of 64 points, 32 classes
}

// Clouds from values, [clouds][points][coordinates].
func ExampleFromSlices() {
	set, err := datasets.FromSlices([][][]float32{{{0, 0}, {1, 0}, {0, 1}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(set.Clouds, set.Points, set.Dim)
	// Output: 1 3 2
}
