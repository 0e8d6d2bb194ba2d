package flow

import (
	"slices"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

// Distance is the loss of that name (loss.Names) to x, by swlab.Distance, per point. Every step
// uses the seed o.Seed. Directions that do not depend on the clouds are therefore fixed, and the
// gradient is that of one function.
func Distance(name string, x *datasets.Set, o swlab.DistanceConfig) Loss {
	o.Gradient, o.Reduce = true, loss.Mean
	return func(y *datasets.Set, _ int) (float64, []float32, error) {
		d, err := swlab.Distance(name, x, y, o)
		if err != nil {
			return 0, nil, err
		}
		return d.Value, d.Gradient, nil
	}
}

// Fresh is Distance with new directions in every step, with seed o.Seed plus the step number: a
// stochastic gradient.
func Fresh(name string, x *datasets.Set, o swlab.DistanceConfig) Loss {
	first := o.Seed
	return func(y *datasets.Set, step int) (float64, []float32, error) {
		o.Seed = first + uint64(step)
		return Distance(name, x, o)(y, step)
	}
}

// Max is the largest cost of a slice among given directions [L, d], that is Max-SW by search
// instead of ascent,
//
//	value(y) = max over l of (1/n) sum_i (a_(i) - b_(i))^2,   a = theta_l'x, b = theta_l'y
//
// with the gradient of the largest slice.
func Max(x *datasets.Set, directions []float32, o swlab.DistanceConfig) Loss {
	along := func(values []float32, gradient bool, y *datasets.Set) (*swlab.Result, error) {
		o.Directions = &swlab.Directions{Values: values, Shape: []int{len(values) / x.Dim, x.Dim}}
		o.Gradient, o.Reduce = gradient, loss.Mean
		return swlab.Distance("sw", x, y, o)
	}
	return func(y *datasets.Set, _ int) (float64, []float32, error) {
		all, err := along(directions, false, y)
		if err != nil {
			return 0, nil, err
		}
		best := slices.Index(all.Costs, slices.Max(all.Costs))
		d, err := along(directions[best*x.Dim:(best+1)*x.Dim], true, y)
		if err != nil {
			return 0, nil, err
		}
		return d.Value, d.Gradient, nil
	}
}
