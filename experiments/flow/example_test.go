package flow_test

import (
	"context"
	"fmt"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/experiments/flow"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

// A step of size 1 along the gradient of the squared W_2 takes every point to its partner.
func ExampleDescend() {
	x, _ := datasets.New([]float32{0, 0, 0, 1, 0, 0}, 2, 3)
	y, _ := datasets.New([]float32{0, 2, 0, 1, 2, 0}, 2, 3)
	emd := flow.Distance("emd-exact", x, swlab.DistanceConfig{Config: loss.Config{P: 2}})
	f, err := flow.Descend(context.Background(), x, y, emd, flow.Config{Steps: 1, LearningRate: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Losses, f.Frames[1].Points)
	// Output: [4 0] [0 0 0 1 0 0]
}
