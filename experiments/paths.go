package experiments

import (
	"fmt"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
)

// AscentPaths follows the slicer's ascent on the location, step by step. x and y hold one cloud
// each. It returns one path [1 + slicer.Ascent.Steps, dim] for every start; starts are unit vectors
// [starts, dim]. The objective is the training loss of that slicer: F of one direction
// (slicing.Point: Max-SW), or its mean over slicer.Slices directions around the location
// (slicing.VMF: v-DSW), drawn with seed.
func AscentPaths(e *engine.Engine, x, y *datasets.Set, slicer slicing.Slicer, starts []float32, seed uint64) ([][]float32, error) {
	if x.Clouds != 1 || y.Clouds != 1 || len(starts)%x.Dim != 0 {
		return nil, fmt.Errorf("ascent paths: expected one cloud in x and one in y, and starts of %d coordinates, found %d and %d, and %d numbers",
			x.Dim, x.Clouds, y.Clouds, len(starts))
	}
	maximizer, err := loss.Sliced{Slicer: slicer}.Maximizer(e, nil)
	if err != nil {
		return nil, err
	}
	n := len(starts) / x.Dim
	from := tensors.FromFlatDataAndDimensions(starts, n, x.Dim)
	defer from.FinalizeAll()
	var clouds [2]*tensors.Tensor // one pair for every start
	for i, set := range []*datasets.Set{x, y} {
		many := set.Select(make([]int, n))
		clouds[i] = tensors.FromFlatDataAndDimensions(many.Coords, n, set.Points, set.Dim)
		defer clouds[i].FinalizeAll()
	}
	steps, err := maximizer.Path(int64(seed), from, clouds[0], clouds[1])
	paths := make([][]float32, n)
	for _, at := range steps {
		for i := range paths {
			paths[i] = append(paths[i], at[i*x.Dim:(i+1)*x.Dim]...)
		}
	}
	return paths, err
}
