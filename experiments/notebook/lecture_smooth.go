package notebook

import (
	"fmt"
	"math"

	"github.com/sliced-wasserstein/lab/swlab/vmf"
	"github.com/sliced-wasserstein/lab/vmfviz"
)

// Smooth turns F on the directions of vmfviz.SphereGrid(rows) into the landscape that a location of concentration kappa sees, at the same
// places: J(eps) = E[F(theta)], theta of vMF(eps, kappa), by quadrature over the grid,
//
//	J(eps) = sum_j w_j F(theta_j) / sum_j w_j,   w_j = sin(polar angle of theta_j) exp(kappa (eps'theta_j - 1))
//
// kappa = 0 gives the mean of F everywhere. The grid is too coarse for bumps narrower than its spacing: beyond kappa = (rows/pi)^2 J is F.
func Smooth(values []float64, rows int, kappa float64) ([]float64, error) {
	grid := vmfviz.SphereGrid(rows)
	if len(values) != len(grid)/3 {
		return nil, fmt.Errorf("smooth: expected the %d values of a grid of %d rows, found %d", len(grid)/3, rows, len(values))
	}
	if err := vmf.CheckKappa(kappa); err != nil {
		return nil, err
	}
	out := make([]float64, len(values))
	for i := range out {
		e, sum, mass := grid[3*i:3*i+3], 0.0, 0.0
		for j, f := range values {
			t := grid[3*j : 3*j+3]
			dot := float64(e[0]*t[0] + e[1]*t[1] + e[2]*t[2])
			area := math.Sqrt(max(0, 1-float64(t[2])*float64(t[2])))
			w := area * math.Exp(kappa*(dot-1))
			sum, mass = sum+w*f, mass+w
		}
		out[i] = sum / mass
	}
	return out, nil
}
