package loss

import (
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
// zero between equal clouds, and its gradient is exact. The clouds may differ in size. Both are
// computed on the host, so no network can be trained on them.
type Sinkhorn struct {
	Reg      float64 // in units of the cost
	P        float64 // 0 means 2
	Debiased bool
}

func (s Sinkhorn) Name() string {
	if s.Debiased {
		return "Sinkhorn divergence"
	}
	return "Sinkhorn"
}

func (s Sinkhorn) Check(_, _, _ int) error { return nil }

// Exponent is p.
func (s Sinkhorn) Exponent() float64 {
	if s.P == 0 {
		return 2
	}
	return s.P
}

func (s Sinkhorn) Convention() string {
	what := "transport part of entropic optimal transport"
	if s.Debiased {
		what = "Sinkhorn divergence"
	}
	return fmt.Sprintf("%s, Euclidean distance to the power %g, regularisation %g, mean over points, no root", what, s.Exponent(), s.Reg)
}

// Compare solves one problem per pair; the divergence needs three.
func (s Sinkhorn) Compare(x, y ot1d.Clouds, gradient bool) (Comparison, error) {
	var out Comparison
	if err := checkPaired(x, y); err != nil {
		return out, err
	}
	solver := ot.Sinkhorn{Reg: s.Reg, P: s.Exponent()}
	for b := range x.Batch {
		cx, cy := x.Coords[b*x.Points*x.Dim:(b+1)*x.Points*x.Dim], y.Coords[b*y.Points*y.Dim:(b+1)*y.Points*y.Dim]
		value, gx, gy, err := s.pair(solver, cx, cy, x.Dim, gradient)
		if err != nil {
			return Comparison{}, fmt.Errorf("pair %d: %w", b, err)
		}
		out.Pairs = append(out.Pairs, value)
		out.GradientX = append(out.GradientX, gx...)
		out.GradientY = append(out.GradientY, gy...)
	}
	return out, nil
}

func (s Sinkhorn) pair(solver ot.Sinkhorn, x, y []float32, dim int, gradient bool) (value float64, gx, gy []float64, err error) {
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
		if c.Batch < 1 || c.Points < 1 || c.Dim < 1 || len(c.Coords)/c.Batch/c.Points != c.Dim || len(c.Coords)%(c.Batch*c.Points) != 0 {
			return fmt.Errorf("expected the coordinates of [batch, points, dim], found %d for [%d, %d, %d]", len(c.Coords), c.Batch, c.Points, c.Dim)
		}
	}
	if x.Batch != y.Batch || x.Dim != y.Dim {
		return fmt.Errorf("expected as many clouds in x as in y, of one dimension, found %d of dimension %d and %d of dimension %d", x.Batch, x.Dim, y.Batch, y.Dim)
	}
	return nil
}
