package slicing

import (
	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/vmf"
)

// Uniform is the uniform distribution on the sphere S^{d-1}, any d >= 2: independent normals
// divided by their norm (SW; Bonneel, Rabin, Peyre and Pfister 2015).
type Uniform struct{}

func (Uniform) Name() string        { return "uniform" }
func (Uniform) HasLocation() bool   { return false }
func (Uniform) Check(dim int) error { return atLeastTwo("uniform", dim) }

func (Uniform) Draw(r Request) *graph.Node {
	return vmf.UniformFromNormals(r.Source.Normal(r.Batch(), r.Slices, r.Dim()))
}
