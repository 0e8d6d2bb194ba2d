package swlab

import (
	"math"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/swlab/slicing"
)

// TestUniformDirections: directions made on all cores are those of the distribution's graph, to the
// last bit.
func TestUniformDirections(t *testing.T) {
	e, err := goBackend()
	if err != nil {
		t.Fatal(err)
	}
	for seed, shape := range [][3]int{{1, 1, 2}, {3, 7, 3}, {2, 101, 5}} {
		rng, err := graph.RNGStateFromSeed(int64(seed))
		if err != nil {
			t.Fatal(err)
		}
		cloud := tensors.FromFlatDataAndDimensions(make([]float32, shape[0]*shape[2]), shape[0], 1, shape[2])
		want, err := call(e, "directions of a test", shape, values{Noise: rng, X: cloud}, func(in nodes) nodes {
			return nodes{Directions: slicing.Uniform{}.Draw(slicing.Request{Source: slicing.Seeded(in.Noise), X: in.X, Y: in.X, Slices: shape[1]})}
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := uniformDirections(rng, shape[0], shape[1], shape[2]); !slices.Equal(got, float32s(want.Directions)) {
			t.Errorf("%v: %v, expected %v", shape, got, want.Directions.Value())
		}
	}
	// The smallest numbers: no infinite radius, and a row of zeros is the first axis.
	x := make([]float32, 4)
	if unitNormals(x, []uint32{0, 1 << 31, math.MaxUint32, math.MaxUint32}, []uint32{0, 1 << 30, 1 << 30, 1 << 30}, 2); x[0] < 0.99 || x[2]*x[2]+x[3]*x[3] < 0.99 {
		t.Errorf("%v", x)
	}
}
