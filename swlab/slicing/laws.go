package slicing

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/vmf"
)

// Uniform is the uniform law on the sphere S^{d-1}, any d: normals divided by their norm.
type Uniform struct{}

func (Uniform) Name() string  { return "uniform" }
func (Uniform) Located() bool { return false }

func (Uniform) Fits(dim int) error { return atLeastTwo("uniform", dim) }

// atLeastTwo refuses dimension 1, whose sphere is two points.
func atLeastTwo(law string, dim int) error {
	if dim < 2 {
		return fmt.Errorf("the %s slicing rule needs clouds of dimension 2 or more, found %d", law, dim)
	}
	return nil
}

func (Uniform) Draw(src Source, _ *graph.Node, batch, slices, dim int) *graph.Node {
	return vmf.UniformFromNormals(src.Normal(batch, slices, dim))
}

// VMF is the von Mises-Fisher law of concentration Kappa >= 0 on S^2 (d = 3), reparameterised by a Householder
// reflection of the location; package vmf has its formulas.
type VMF struct {
	Kappa      float64
	Reflection vmf.Reflection // vmf.Coded reproduces the released code
}

func (v VMF) Name() string { return fmt.Sprintf("vmf(%g)", v.Kappa) }
func (VMF) Located() bool  { return true }

func (v VMF) Fits(dim int) error {
	if dim != 3 {
		return fmt.Errorf("the vMF slicing rule draws in the graph for clouds of dimension 3, found %d", dim)
	}
	return nil
}

func (v VMF) Draw(src Source, location *graph.Node, batch, slices, dim int) *graph.Node {
	if err := v.Fits(dim); err != nil {
		panic(err)
	}
	u := src.Uniform(batch, slices)
	return vmf.FromNoise(location, u, src.Normal(batch, slices, dim-1), v.Kappa, v.Reflection)
}

// Point is all mass at the location: one direction, whatever number of slices is asked for (Max-SW).
type Point struct{}

func (Point) Name() string  { return "point" }
func (Point) Located() bool { return true }

func (Point) Fits(dim int) error { return atLeastTwo("point", dim) }

func (Point) Draw(_ Source, location *graph.Node, batch, _, dim int) *graph.Node {
	return graph.Reshape(location, batch, 1, dim)
}

// Fixed takes the directions given, [slices, dim] or [batch, slices, dim], as they are.
type Fixed struct{ Directions *graph.Node }

func (Fixed) Name() string  { return "fixed" }
func (Fixed) Located() bool { return false }

func (f Fixed) Fits(dim int) error {
	if got := f.Directions.Shape().Dim(-1); got != dim {
		return fmt.Errorf("directions: expected dimension %d like the clouds, found %d", dim, got)
	}
	return nil
}

func (f Fixed) Draw(_ Source, _ *graph.Node, batch, _, dim int) *graph.Node {
	s := f.Directions.Shape()
	if s.Rank() < 2 || s.Rank() > 3 || s.Dim(-1) != dim || (s.Rank() == 3 && s.Dimensions[0] != batch) {
		panic(fmt.Errorf("slicing: expected directions [slices, %d] or [%d, slices, %d], found %s", dim, batch, dim, s))
	}
	if s.Rank() == 3 {
		return f.Directions
	}
	return graph.BroadcastToDims(graph.InsertAxes(f.Directions, 0), batch, s.Dimensions[0], dim)
}
