package loss

import (
	"cmp"
	"fmt"

	"github.com/sliced-wasserstein/lab/swlab/ot"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
)

// ExactEMD is the earth mover's distance of two clouds of m points by an optimal assignment,
//
//	cost(x, y) = min over permutations s of sum_k ||x_k - y_s(k)||_2^p
//
// a SUM over points, with a certificate of optimality. Reduce: Mean divides by m, which gives W_p^p;
// it also takes clouds of unequal sizes and with masses, whose optimal plan P has the masses as its
// row and column sums,
//
//	cost(x, y) = min over P of sum_kl P_kl ||x_k - y_l||_2^p
//
// The gradient holds the assignment or the plan fixed. It is computed on the host, so no network can
// be trained on it.
type ExactEMD struct {
	P      float64   // 0 means 1: unsquared distances
	Ground ot.Ground // the norm, ||.||_2 above; ot.PNorm: ||.||_p^p, the sum over coordinates
	Reduce Reduction // over points; 0: Sum
}

func (ExactEMD) Name() string { return "EMD exact" }

// Check returns an error for a sum over the points of clouds of unequal sizes.
func (e ExactEMD) Check(m, n, _ int) error {
	if m != n && e.Reduce != Mean {
		return fmt.Errorf(
			"a sum over points needs clouds of equally many points, found %d and %d: take the mean over points (--reduce mean, in Go Reduce: loss.Mean)",
			m, n)
	}
	return nil
}

// CheckMasses returns an error for a sum over points.
func (e ExactEMD) CheckMasses() error { return meanMasses(e.Reduce) }

// Exponent is p.
func (e ExactEMD) Exponent() float64 {
	return cmp.Or(e.P, 1)
}

func (e ExactEMD) Convention() Convention {
	return Convention{Cost: "optimal assignment, " + costWords(e.Ground, e.Exponent()), Exponent: e.Exponent(),
		Reduce: cmp.Or(e.Reduce, Sum)}
}

// costWords names the cost of a matched pair of points.
func costWords(g ot.Ground, p float64) string {
	switch {
	case g == ot.PNorm:
		return fmt.Sprintf("p-norm of the difference to the power p = %g", p)
	case p == 1:
		return "unsquared Euclidean distance"
	case p == 2:
		return "squared Euclidean distance"
	}
	return fmt.Sprintf("Euclidean distance to the power %g", p)
}

// Compare solves one problem per pair: an assignment between clouds of one size without masses, else
// a transport problem.
func (e ExactEMD) Compare(x, y ot1d.Clouds, gradient bool) (Comparison, error) {
	var out Comparison
	if err := checkPaired(x, y); err != nil {
		return out, err
	}
	if err := e.Check(x.Points, y.Points, x.Dim); err != nil {
		return out, err
	}
	if x.Mass != nil || y.Mass != nil {
		if err := e.CheckMasses(); err != nil {
			return out, fmt.Errorf("masses: %w", err)
		}
	}
	for b := range x.Batch {
		cx, wx := pairOf(x, b)
		cy, wy := pairOf(y, b)
		var err error
		if x.Points == y.Points && wx == nil && wy == nil {
			err = e.assign(&out, cx, cy, x.Dim, gradient)
		} else {
			err = e.transport(&out, cx, cy, x.Dim, wx, wy, gradient)
		}
		if err != nil {
			return Comparison{}, fmt.Errorf("pair %d: %w", b, err)
		}
	}
	return out, nil
}

// pairOf is a cloud of a batch and its masses, or nil.
func pairOf(c ot1d.Clouds, b int) (coords []float32, mass []float64) {
	if c.Mass != nil {
		mass = c.Mass[b*c.Points : (b+1)*c.Points]
	}
	return c.Coords[b*c.Points*c.Dim : (b+1)*c.Points*c.Dim], mass
}

func (e ExactEMD) assign(out *Comparison, x, y []float32, dim int, gradient bool) error {
	a, err := e.Ground.EMD(x, y, dim, e.Exponent())
	if err != nil {
		return err
	}
	m := float64(len(a.Match))
	value, gap, share := a.Cost, a.DualityGap+m*a.Slack, 1.0
	if e.Reduce == Mean {
		share = 1 / m
		value *= share
		gap = gap*share + 0x1p-51*value // the rounding of both products
	}
	out.Pairs, out.DualityGap = append(out.Pairs, value), append(out.DualityGap, gap)
	if gradient {
		gx, gy := a.Gradient(x, y, dim, e.Exponent())
		for i := range gy {
			out.GradientX = append(out.GradientX, share*gx[i])
			out.GradientY = append(out.GradientY, share*gy[i])
		}
	}
	return nil
}

func (e ExactEMD) transport(out *Comparison, x, y []float32, dim int, massX, massY []float64, gradient bool) error {
	plan, err := e.Ground.Transport(x, y, dim, e.Exponent(), massX, massY)
	if err != nil {
		return err
	}
	out.Pairs, out.DualityGap = append(out.Pairs, plan.Cost), append(out.DualityGap, plan.DualityGap)
	if gradient {
		gx, gy := plan.Gradient(x, y, dim, e.Exponent())
		out.GradientX, out.GradientY = append(out.GradientX, gx...), append(out.GradientY, gy...)
	}
	return nil
}
