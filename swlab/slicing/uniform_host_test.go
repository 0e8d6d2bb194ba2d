package slicing

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
)

// TestDrawOnHost: directions made on all cores are those of the graph on the pure-Go backend, where no tabled
// function is rounded the other way, which is one number in millions.
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

// TestTables: the tabled logarithm and cosine are those of package math, for numbers of every size.
func TestTables(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const below1 = 1 - 1.0/(1<<24)
	for i := range 200_000 {
		u := min(float32(r.Float64()*math.Exp2(float64(-(i%33)))), below1)
		for _, u := range []float32{u, 1 - u} {
			if u = min(u, below1); u == 0 {
				continue
			}
			if got, want := logUniform(u), math.Log(float64(u)); math.Abs(got/want-1) > 1e-12 {
				t.Fatalf("log %v: %v, expected %v", u, got, want)
			}
			angle := float64(u * float32(2*math.Pi))
			if got, want := cosTurn(angle), math.Cos(angle); math.Abs(got-want) > 1e-14 {
				t.Fatalf("cos %v: %v, expected %v", angle, got, want)
			}
		}
	}
}
