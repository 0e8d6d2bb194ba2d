package all

import (
	"fmt"

	"github.com/sliced-wasserstein/lab/experiments/calls"
	"github.com/sliced-wasserstein/lab/swlab"
)

// twoSampleTest calls swlab.TwoSampleTest.
func twoSampleTest(r *calls.Request, a *calls.Answer) error {
	c := swlab.TwoSampleConfig{Seed: r.Seed}
	if err := r.Apply(&c); err != nil {
		return err
	}
	x, shape := r.Wide("x")
	y, other := r.Wide("y")
	if len(shape) != 2 || len(other) != 2 || shape[1] != other[1] {
		return fmt.Errorf("x and y: expected arrays [points, dim] of one dimension, found shapes %v and %v",
			shape, other)
	}
	theta, given := r.Wide("directions")
	if given != nil && (len(given) != 2 || given[1] != shape[1]) {
		return fmt.Errorf("directions: expected shape [L, %d], found %v", shape[1], given)
	}
	c.Directions = theta
	t, err := swlab.TwoSampleTest(x, y, shape[1], c)
	if err != nil {
		return err
	}
	calls.Add(a, "p_value", []float64{t.PValue})
	calls.Add(a, "p_value_stderr", []float64{t.PValueStdErr})
	calls.Add(a, "statistic", []float64{t.Statistic})
	calls.Add(a, "slices", []int32{int32(t.Slices)})
	calls.Add(a, "permutations", []int32{int32(t.Permutations)})
	return nil
}
