package slicing

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"
)

// Fixed takes the given directions, [slices, dim] or [batch, slices, dim], as they are.
type Fixed struct{ Directions *graph.Node }

func (Fixed) Name() string      { return "fixed" }
func (Fixed) HasLocation() bool { return false }

func (f Fixed) Check(dim int) error {
	if got := f.Directions.Shape().Dim(-1); got != dim {
		return fmt.Errorf("directions: expected dimension %d like the clouds, found %d", dim, got)
	}
	return nil
}

func (f Fixed) Draw(r Request) *graph.Node {
	s, batch, dim := f.Directions.Shape(), r.Batch(), r.Dim()
	if s.Rank() < 2 || s.Rank() > 3 || s.Dim(-1) != dim || (s.Rank() == 3 && s.Dimensions[0] != batch) {
		panic(fmt.Errorf("slicing: expected directions [slices, %d] or [%d, slices, %d], found %s", dim, batch, dim, s))
	}
	if s.Rank() == 3 {
		return f.Directions
	}
	return graph.BroadcastToDims(graph.InsertAxes(f.Directions, 0), batch, s.Dimensions[0], dim)
}
