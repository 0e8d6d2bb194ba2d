package loss

import (
	"fmt"

	"github.com/sliced-wasserstein/lab/swlab/ot"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
)

// ExactEMD is the earth mover's distance of two clouds of m points by an optimal assignment,
//
//	cost(x, y) = min over permutations s of sum_k ||x_k - y_s(k)||_2^p
//
// a SUM over points (Reduce: Mean divides by m), with a certificate of optimality. The gradient
// holds the assignment fixed. It is computed on the host, so no network can be trained on it.
type ExactEMD struct {
	P      float64   // 0 means 1: unsquared distances
	Reduce Reduction // over points; 0: Sum
}

func (ExactEMD) Name() string { return "EMD exact" }

func (ExactEMD) Check(m, n, _ int) error {
	if m != n {
		return fmt.Errorf("an assignment needs clouds of equally many points, found %d and %d", m, n)
	}
	return nil
}

// Exponent is p.
func (e ExactEMD) Exponent() float64 {
	if e.P == 0 {
		return 1
	}
	return e.P
}

func (e ExactEMD) Convention() string {
	over := "sum"
	if e.Reduce == Mean {
		over = "mean"
	}
	switch e.Exponent() {
	case 1:
		return "optimal assignment, unsquared Euclidean distance, " + over + " over points"
	case 2:
		return "optimal assignment, squared Euclidean distance, " + over + " over points, no root"
	}
	return fmt.Sprintf("optimal assignment, Euclidean distance to the power %g, %s over points, no root", e.Exponent(), over)
}

// Compare solves one assignment per pair.
func (e ExactEMD) Compare(x, y ot1d.Clouds, gradient bool) (Comparison, error) {
	var out Comparison
	if err := checkPaired(x, y); err != nil {
		return out, err
	}
	if x.Points != y.Points {
		return out, fmt.Errorf("expected clouds of equally many points, found %d and %d", x.Points, y.Points)
	}
	share := 1.0
	if e.Reduce == Mean {
		share = 1 / float64(x.Points)
	}
	size := x.Points * x.Dim
	for b := range x.Batch {
		cx, cy := x.Coords[b*size:(b+1)*size], y.Coords[b*size:(b+1)*size]
		a, err := ot.EMD(cx, cy, x.Dim, e.Exponent())
		if err != nil {
			return Comparison{}, fmt.Errorf("pair %d: %w", b, err)
		}
		out.Pairs = append(out.Pairs, share*a.Cost)
		out.DualityGap = append(out.DualityGap, share*(max(a.DualityGap, 0)+float64(x.Points)*a.Slack))
		if gradient {
			gx, gy := a.Gradient(cx, cy, x.Dim, e.Exponent())
			for i := range gy {
				out.GradientX = append(out.GradientX, share*gx[i])
				out.GradientY = append(out.GradientY, share*gy[i])
			}
		}
	}
	return out, nil
}
