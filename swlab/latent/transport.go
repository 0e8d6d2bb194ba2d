package latent

import (
	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
)

// Sinkhorns are the forms of the generator's loss, the transport cost sum_ij P_ij ||x_i - g_j||^2
// between real codes x and generated codes g of equal masses:
//
//	log       P after Iterations iterations in logarithms from potentials 0; gradient in g with P held fixed
//	released  P of the stabilised loop of the released code, its gradient back-propagated through all iterations
var Sinkhorns = []string{"log", "released"}

// transport computes the loss of a step between real [n, 256] and generated [n, 256] codes and its gradient
// in the generated ones: that of SW, or the transport cost. short: the stabilised loop ended on an absorption, which makes both
// numbers n^2 times too small, as in the released code.
func (c GeneratorConfig) transport(real, generated []float32, step int) (cost float64, grad []float64, short bool, err error) {
	if c.Slices > 0 {
		cost, grad, err = c.sliced(real, generated, step)
		return cost, grad, false, err
	}
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

// sliced is SW² along new directions, a mean over codes, and its gradient.
func (c GeneratorConfig) sliced(real, generated []float32, step int) (float64, []float64, error) {
	n := len(real) / pointnet.LatentSize
	set := func(codes []float32) *datasets.Set {
		return &datasets.Set{Clouds: 1, Points: n, Dim: pointnet.LatentSize, Coords: codes}
	}
	o := swlab.DistanceConfig{Config: loss.Defaults(), Seed: c.Seed + uint64(step), Gradient: true}
	o.Slices, o.Reduce = c.Slices, loss.Mean
	d, err := swlab.Distance("sw", set(real), set(generated), o)
	if err != nil {
		return 0, nil, err
	}
	return d.Value, vec.To[float64](d.Gradient), nil
}
