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
	x, dim, err := r.Points("x")
	if err != nil {
		return err
	}
	y, other, err := r.Points("y")
	if err == nil && dim != other {
		err = fmt.Errorf("x and y: expected clouds of one dimension, found %d and %d", dim, other)
	}
	if err != nil {
		return err
	}
	if c.Directions, err = r.Directions(dim); err != nil {
		return err
	}
	t, err := swlab.TwoSampleTest(x, y, dim, c)
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
