package calls

import (
	"fmt"

	"github.com/sliced-wasserstein/lab/swlab"
)

// normality calls swlab.Normality.
func normality(r *Request, a *Answer) error {
	c := swlab.NormalityConfig{Seed: r.Seed}
	if err := r.apply(&c); err != nil {
		return err
	}
	x, shape := r.wide("x")
	if len(shape) != 2 {
		return fmt.Errorf("x: expected an array [points, dim], found shape %v", shape)
	}
	theta, given := r.wide("directions")
	if given != nil && (len(given) != 2 || given[1] != shape[1]) {
		return fmt.Errorf("directions: expected shape [L, %d], found %v", shape[1], given)
	}
	c.Directions = theta
	s, err := swlab.Normality(x, shape[1], c)
	if err != nil {
		return err
	}
	add(a, "statistics", s.Statistics, len(s.Statistics))
	add(a, "value", []float64{s.Value})
	return nil
}
