package weights_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// Initial weights depend on the seed, and survive a file bit for bit.
func ExampleInit() {
	specs := []weights.Spec{{Name: "layer.weight", Shape: []int{2, 3}, Init: weights.FanIn(3)}}
	set := weights.Init(specs, 1)
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "w.safetensors")
	if err := weights.WriteSafetensors(path, set); err != nil {
		fmt.Println(err)
		return
	}
	back, err := weights.ReadSafetensors(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	w, _ := set.Get("layer.weight")
	r, ok := back.Get("layer.weight")
	fmt.Println(back.Names(), r.Shape, ok, w.Data[0] == r.Data[0])
	// Output: [layer.weight] [2 3] true true
}
