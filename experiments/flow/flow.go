// Package flow moves a cloud to another down the gradient of a loss between them, point by point,
// without a network. This shows directly what a loss asks for.
package flow

import (
	"context"
	"fmt"
	"math"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
)

// Loss returns the value of a loss between the target and the moving cloud y [1, n, d], a mean over
// points with mass 1, and its gradient [n, d] with respect to y. step is for losses that draw new
// directions.
type Loss func(y *datasets.Set, step int) (value float64, gradient []float32, err error)

// Config configures Descend.
type Config struct {
	Steps        int     // number of steps
	LearningRate float64 // eta, the step size
	// Every is the number of steps between frames; 0: 1. The first and the last state are always
	// frames.
	Every int
}

// Frame is one state of a flow.
type Frame struct {
	Step   int
	Points []float32 // [n, d] of the moving cloud, relative to its origin (datasets.Set.Origins)
	EMD    float64   // W_2 to the target, from an optimal assignment, in units of the coordinates
}

// Flow is the trajectory of a cloud.
type Flow struct {
	Frames []Frame
	Losses []float64 // [Steps+1] the loss before step 0, ..., and after the last
}

// Descend moves y [1, n, d] to x [1, n, d] by the explicit Euler scheme of the gradient flow of a
// loss,
//
//	y_i <- y_i - eta (n/2) dLoss/dy_i
//
// The factor n is that of a flow of masses 1/n. With 1/2, the step eta = 1 takes the squared
// distance W_2^2 to its end at once. Every loss that is a minimum over matchings of sums of squares
// falls in every step if eta < 2/lambda, with curvature lambda. It is 1 for W_2^2. For the sliced
// distance over fixed directions it is the largest eigenvalue of the mean of theta theta' (about
// 1/d). For Chamfer it is 1 + c, where c counts the points of x whose neighbour is the same point
// of y.
func Descend(ctx context.Context, x, y *datasets.Set, l Loss, o Config) (*Flow, error) {
	if err := checkPair(x, y); err != nil {
		return nil, err
	}
	if o.Steps < 0 || !(o.LearningRate > 0) || math.IsInf(o.LearningRate, 0) {
		return nil, fmt.Errorf("expected steps from 0 and a positive learning rate, found %d and %v", o.Steps, o.LearningRate)
	}
	every := max(1, o.Every)
	moving := *y
	moving.Coords = append([]float32(nil), y.Coords...)
	f := &Flow{}
	for step := 0; ; step++ {
		if err := ctx.Err(); err != nil {
			return f, err
		}
		value, gradient, err := l(&moving, step)
		if err != nil {
			return f, fmt.Errorf("step %d: %w", step, err)
		}
		f.Losses = append(f.Losses, value)
		if step%every == 0 || step == o.Steps {
			distance, err := EMD(x, &moving)
			if err != nil {
				return f, fmt.Errorf("step %d: %w", step, err)
			}
			f.Frames = append(f.Frames, Frame{step, append([]float32(nil), moving.Coords...), distance})
		}
		if step == o.Steps {
			return f, nil
		}
		for i, g := range gradient {
			moving.Coords[i] -= float32(o.LearningRate * float64(y.Points) / 2 * float64(g))
		}
	}
}

// EMD returns W_2 between two clouds of equal size, (min over permutations s of (1/n) sum_i ||x_i -
// y_s(i)||^2)^(1/2), by an optimal assignment.
func EMD(x, y *datasets.Set) (float64, error) {
	if err := checkPair(x, y); err != nil {
		return 0, err
	}
	x, y = datasets.Aligned(x, y)
	r, err := (loss.ExactEMD{P: 2, Reduce: loss.Mean}).Compare(cloud(x), cloud(y), false)
	if err != nil {
		return 0, err
	}
	return math.Sqrt(math.Max(0, r.Pairs[0])), nil
}

func cloud(s *datasets.Set) ot1d.Clouds {
	return ot1d.Clouds{Coords: s.Coords, Batch: s.Clouds, Points: s.Points, Dim: s.Dim}
}

// checkPair returns an error unless x and y are one cloud each, of equal size.
func checkPair(x, y *datasets.Set) error {
	switch {
	case x.Clouds != 1 || y.Clouds != 1:
		return fmt.Errorf("expected one cloud to move and one target, found %d and %d", y.Clouds, x.Clouds)
	case x.Points != y.Points || x.Dim != y.Dim:
		return fmt.Errorf("expected clouds of one size, found [%d, %d] to move to [%d, %d]", y.Points, y.Dim, x.Points, x.Dim)
	}
	return nil
}
