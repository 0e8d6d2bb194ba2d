package slicing

import (
	"fmt"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/vmf"
)

// Fixed takes the given directions, [slices, dim] or [batch, slices, dim], as they are. Without
// Directions it has uniform ones, drawn once and for all: they are the same in every call, for
// every pair and for every seed.
type Fixed struct{ Directions *graph.Node }

func (Fixed) Name() string      { return "fixed" }
func (Fixed) HasLocation() bool { return false }

// EveryCall makes the distribution Shared.
func (Fixed) EveryCall() bool { return true }

func (f Fixed) Check(dim int) error {
	if f.Directions == nil {
		return atLeastTwo("fixed", dim)
	}
	if got := f.Directions.Shape().Dim(-1); got != dim {
		return fmt.Errorf("directions: expected dimension %d like the clouds, found %d", dim, got)
	}
	return nil
}

func (f Fixed) Draw(r Request) *graph.Node {
	if f.Directions == nil {
		rng := rand.New(rand.NewPCG(1, 1))
		normals := make([][]float32, r.Slices)
		for i := range normals {
			normals[i] = make([]float32, r.Dim())
			for j := range normals[i] {
				normals[i][j] = float32(rng.NormFloat64())
			}
		}
		f.Directions = vmf.UniformFromNormals(graph.Const(r.X.Graph(), normals))
	}
	s, batch, dim := f.Directions.Shape(), r.Batch(), r.Dim()
	if s.Rank() < 2 || s.Rank() > 3 || s.Dim(-1) != dim || (s.Rank() == 3 && s.Dimensions[0] != batch) {
		panic(fmt.Errorf("slicing: expected directions [slices, %d] or [%d, slices, %d], found %s", dim, batch, dim, s))
	}
	if s.Rank() == 3 {
		return f.Directions
	}
	return graph.BroadcastToDims(graph.InsertAxes(f.Directions, 0), batch, s.Dimensions[0], dim)
}
