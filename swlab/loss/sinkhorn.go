package loss

import (
	"cmp"
	"fmt"

	"github.com/sliced-wasserstein/lab/swlab/ot"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
)

// Sinkhorn is entropic optimal transport between whole clouds with mass 1 each,
// c_ij = ||x_i - y_j||_2^p, solved until the plan's marginals are right to 1e-9 (package ot; Cuturi
// 2013):
//
//	P = argmin sum_ij P_ij c_ij + Reg sum_ij P_ij log P_ij,   value = sum_ij P_ij c_ij
//
// This is the transport part: above W_p^p, and not zero between equal clouds. Its gradient holds
// the plan fixed. Debiased is the Sinkhorn divergence OT(x, y) - (OT(x, x) + OT(y, y))/2 of the
// objectives with the entropy relative to the product of the marginals (Feydy et al. 2019). It is
// zero between equal clouds, and its gradient is exact. The clouds may differ in size and have
// masses; points of mass 0 are left out. Both are computed on the host, so no network can be trained
// on them.
type Sinkhorn struct {
	Reg      float64   // in units of the cost
	P        float64   // 0 means 2
	Ground   ot.Ground // the norm, ||.||_2 above; ot.PNorm: ||.||_p^p, the sum over coordinates
	Debiased bool
}

func (s Sinkhorn) Name() string {
	if s.Debiased {
		return "Sinkhorn divergence"
	}
	return "Sinkhorn"
}

func (s Sinkhorn) Check(_, _, _ int) error { return nil }

// CheckMasses accepts masses: the value is a mean over them.
func (s Sinkhorn) CheckMasses() error { return nil }

// Exponent is p.
func (s Sinkhorn) Exponent() float64 {
	return cmp.Or(s.P, 2)
}

func (s Sinkhorn) Convention() Convention {
	what := "transport part of entropic optimal transport"
	if s.Debiased {
		what = "Sinkhorn divergence"
	}
	cost := fmt.Sprintf("%s, %s, regularisation %g", what, costWords(s.Ground, s.Exponent()), s.Reg)
	return Convention{Cost: cost, Exponent: s.Exponent(), Reduce: Mean}
}

// Compare solves one problem per pair; the divergence needs three.
func (s Sinkhorn) Compare(x, y ot1d.Clouds, gradient bool) (Comparison, error) {
	var out Comparison
	if err := checkPaired(x, y); err != nil {
		return out, err
	}
	for b := range x.Batch {
		solver := ot.Sinkhorn{Reg: s.Reg, P: s.Exponent(), Ground: s.Ground}
		var cx, cy []float32
		var atX, atY []int
		cx, solver.A, atX = support(x, b)
		cy, solver.B, atY = support(y, b)
		value, gx, gy, err := s.pair(solver, cx, cy, x.Dim, gradient)
		if err != nil {
			return Comparison{}, fmt.Errorf("pair %d: %w", b, err)
		}
		out.Pairs = append(out.Pairs, value)
		if gradient {
			out.GradientX = append(out.GradientX, spreadTo(x, atX, gx)...)
			out.GradientY = append(out.GradientY, spreadTo(y, atY, gy)...)
		}
	}
	return out, nil
}

// support is a cloud of a batch without its points of mass 0, with masses that sum to 1 and the
// numbers of its points; without masses, nil and nil.
func support(c ot1d.Clouds, b int) (coords []float32, mass []float64, at []int) {
	coords, given := pairOf(c, b)
	if given == nil {
		return coords, nil, nil
	}
	sum := 0.0
	for _, w := range given {
		sum += w
	}
	var kept []float32
	for i, w := range given {
		if w /= sum; w > 0 {
			kept = append(kept, coords[i*c.Dim:(i+1)*c.Dim]...)
			mass, at = append(mass, w), append(at, i)
		}
	}
	return kept, mass, at
}

// spreadTo gives the points of a cloud the gradients of those that support kept.
func spreadTo(c ot1d.Clouds, at []int, gradient []float64) []float64 {
	if at == nil {
		return gradient
	}
	out := make([]float64, c.Points*c.Dim)
	for n, i := range at {
		copy(out[i*c.Dim:(i+1)*c.Dim], gradient[n*c.Dim:(n+1)*c.Dim])
	}
	return out
}

func (s Sinkhorn) pair(solver ot.Sinkhorn, x, y []float32, dim int, gradient bool) (value float64, gx, gy []float64,
	err error) {
	if s.Debiased {
		d, err := solver.Divergence(x, y, dim)
		if err != nil {
			return 0, nil, nil, err
		}
		if !d.Converged {
			return 0, nil, nil, notConverged(s.Reg)
		}
		if gradient {
			gx, gy = d.GradX, d.GradY
		}
		return d.Value, gx, gy, nil
	}
	p, err := solver.Solve(x, y, dim)
	if err != nil {
		return 0, nil, nil, err
	}
	if !p.Converged {
		return 0, nil, nil, notConverged(s.Reg)
	}
	if gradient {
		gx, gy = p.Gradient()
	}
	return p.Cost, gx, gy, nil
}

func notConverged(reg float64) error {
	return fmt.Errorf("sinkhorn has not converged with a regularisation of %g: take a larger one", reg)
}

// checkPaired checks that two batches hold the numbers that their sizes say and can be compared in
// pairs.
func checkPaired(x, y ot1d.Clouds) error {
	for _, c := range []ot1d.Clouds{x, y} {
		if c.Batch < 1 || c.Points < 1 || c.Dim < 1 || len(c.Coords)/c.Batch/c.Points != c.Dim ||
			len(c.Coords)%(c.Batch*c.Points) != 0 {
			return fmt.Errorf("expected the coordinates of [batch, points, dim], found %d for [%d, %d, %d]", len(c.Coords),
				c.Batch, c.Points, c.Dim)
		}
	}
	for _, c := range []ot1d.Clouds{x, y} {
		if c.Mass != nil && len(c.Mass) != c.Batch*c.Points {
			return fmt.Errorf("expected masses [%d, %d], found %d", c.Batch, c.Points, len(c.Mass))
		}
	}
	if x.Batch != y.Batch || x.Dim != y.Dim {
		return fmt.Errorf(
			"expected as many clouds in x as in y, of one dimension, found %d of dimension %d and %d of dimension %d",
			x.Batch, x.Dim, y.Batch, y.Dim)
	}
	return nil
}
