package latent

import (
	"github.com/sliced-wasserstein/lab/swlab/ot"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
)

// Sinkhorns are the forms of the generator's loss, the transport cost sum_ij P_ij ||x_i - g_j||^2
// between real codes x and generated codes g of equal masses:
//
//	log       P after Iterations iterations in logarithms from potentials 0; gradient in g with P held fixed
//	released  P of the stabilised loop of the released code, its gradient back-propagated through all iterations
var Sinkhorns = []string{"log", "released"}

// transport computes the loss between real [n, 256] and generated [n, 256] codes and its gradient
// in the generated ones. short: the stabilised loop ended on an absorption, which makes both
// numbers n^2 times too small, as in the released code.
func (c GeneratorConfig) transport(real, generated []float32) (cost float64, grad []float64, short bool, err error) {
	if c.Sinkhorn == "released" {
		s, err := ot.StabilisedSinkhorn(real, generated, pointnet.LatentSize, c.Reg, c.Iterations)
		if err != nil {
			return 0, nil, false, err
		}
		return s.Cost, s.GradY, s.LastAbsorbed, nil
	}
	plan, err := ot.Sinkhorn{Reg: c.Reg, Iterations: c.Iterations}.Solve(real, generated, pointnet.LatentSize)
	if err != nil {
		return 0, nil, false, err
	}
	_, grad = plan.Gradient()
	return plan.Cost, grad, false, nil
}
