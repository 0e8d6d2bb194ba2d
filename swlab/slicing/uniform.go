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

// Common is the uniform distribution with the same directions for all pairs of a call. In training
// every step draws new ones for its batch.
type Common struct{}

func (Common) Name() string        { return "common" }
func (Common) HasLocation() bool   { return false }
func (Common) Check(dim int) error { return atLeastTwo("common", dim) }

func (Common) Draw(r Request) *graph.Node {
	return Fixed{vmf.UniformFromNormals(r.Source.Normal(r.Slices, r.Dim()))}.Draw(r)
}

// EveryCall makes the distribution Shared.
func (Common) EveryCall() bool { return false }
