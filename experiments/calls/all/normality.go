package all

import (
	"fmt"

	"github.com/sliced-wasserstein/lab/experiments/calls"
	"github.com/sliced-wasserstein/lab/swlab"
)

// normality calls swlab.Normality.
func normality(r *calls.Request, a *calls.Answer) error {
	c := swlab.NormalityConfig{Seed: r.Seed}
	if err := r.Apply(&c); err != nil {
		return err
	}
	x, shape := r.Wide("x")
	if len(shape) != 2 {
		return fmt.Errorf("x: expected an array [points, dim], found shape %v", shape)
	}
	theta, given := r.Wide("directions")
	if given != nil && (len(given) != 2 || given[1] != shape[1]) {
		return fmt.Errorf("directions: expected shape [L, %d], found %v", shape[1], given)
	}
	c.Directions = theta
	s, err := swlab.Normality(x, shape[1], c)
	if err != nil {
		return err
	}
	calls.Add(a, "statistics", s.Statistics, len(s.Statistics))
	calls.Add(a, "value", []float64{s.Value})
	return nil
}
