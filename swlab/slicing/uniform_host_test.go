package slicing

import (
	"math"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
)

// TestDrawOnHost: directions made on all cores are those of the graph on the pure-Go backend, to the
// last bit.
func TestDrawOnHost(t *testing.T) {
	for seed, shape := range [][3]int{{1, 1, 2}, {3, 7, 3}, {2, 101, 5}} {
		rng := must.M1(graph.RNGStateFromSeed(int64(seed)))
		cloud := tensors.FromFlatDataAndDimensions(make([]float32, shape[0]*shape[2]), shape[0], 1, shape[2])
		want := graphtest.CallOn(t, "go", func(in []*graph.Node) []*graph.Node {
			return []*graph.Node{Uniform{}.Draw(Request{Source: Seeded(in[0]), X: in[1], Y: in[1], Slices: shape[1]})}
		}, rng, cloud)[0]
		state := tensors.MustCopyFlatData[uint64](rng)
		if got := (Uniform{}).DrawOnHost(state, shape[0], shape[1], shape[2]); !slices.Equal(got,
			tensors.MustCopyFlatData[float32](want)) {
			t.Errorf("%v: %v, expected %v", shape, got, want.Value())
		}
	}
	// The smallest numbers: no infinite radius, and a row of zeros is the first axis.
	x := make([]float32, 4)
	if unitNormals(x, []uint32{0, 1 << 31, math.MaxUint32, math.MaxUint32}, []uint32{0, 1 << 30, 1 << 30, 1 << 30},
		2); x[0] < 0.99 || x[2]*x[2]+x[3]*x[3] < 0.99 {
		t.Errorf("%v", x)
	}
}
