package calls

import (
	"fmt"

	"github.com/sliced-wasserstein/lab/swlab"
)

// twoSampleTest calls swlab.TwoSampleTest.
func twoSampleTest(r *Request, a *Answer) error {
	c := swlab.TwoSampleConfig{Seed: r.Seed}
	if err := r.apply(&c); err != nil {
		return err
	}
	x, shape := r.wide("x")
	y, other := r.wide("y")
	if len(shape) != 2 || len(other) != 2 || shape[1] != other[1] {
		return fmt.Errorf("x and y: expected arrays [points, dim] of one dimension, found shapes %v and %v",
			shape, other)
	}
	theta, given := r.wide("directions")
	if given != nil && (len(given) != 2 || given[1] != shape[1]) {
		return fmt.Errorf("directions: expected shape [L, %d], found %v", shape[1], given)
	}
	c.Directions = theta
	t, err := swlab.TwoSampleTest(x, y, shape[1], c)
	if err != nil {
		return err
	}
	add(a, "p_value", []float64{t.PValue})
	add(a, "p_value_stderr", []float64{t.PValueStdErr})
	add(a, "statistic", []float64{t.Statistic})
	add(a, "slices", []int32{int32(t.Slices)})
	add(a, "permutations", []int32{int32(t.Permutations)})
	return nil
}
