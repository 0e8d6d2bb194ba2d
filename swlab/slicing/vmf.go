package slicing

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/vmf"
)

// VMF is the von Mises-Fisher distribution of concentration Kappa >= 0, any d >= 2, reparameterised
// by a Householder reflection of the location; package vmf has its formulas.
type VMF struct {
	Kappa      float64
	Reflection vmf.Reflection // vmf.Released: as in the released code
}

func (v VMF) Name() string      { return fmt.Sprintf("vmf(%g)", v.Kappa) }
func (VMF) HasLocation() bool   { return true }
func (VMF) Check(dim int) error { return atLeastTwo("vmf", dim) }

func (v VMF) Draw(r Request) *graph.Node {
	return drawVMF(r.Source, r.Location, r.Slices, v.Kappa, v.Reflection)
}

// drawVMF draws [n, slices, dim] directions around locations [n, dim]: by the closed form at d = 3,
// by Wood's rejection elsewhere.
func drawVMF(src Source, location *graph.Node, slices int, kappa float64, refl vmf.Reflection) *graph.Node {
	n, dim := location.Shape().Dimensions[0], location.Shape().Dimensions[1]
	if dim == 3 {
		u := src.Uniform(n, slices)
		return vmf.FromNoise(location, u, src.Normal(n, slices, dim-1), kappa, refl)
	}
	u := src.Uniform(n, slices, vmf.WoodProposals, 3)
	return vmf.FromWood(location, u, src.Normal(n, slices, dim-1), kappa, refl)
}
