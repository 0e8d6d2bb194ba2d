package all

import (
	"github.com/sliced-wasserstein/lab/experiments/calls"
	"github.com/sliced-wasserstein/lab/swlab"
)

// normality calls swlab.Normality.
func normality(r *calls.Request, a *calls.Answer) error {
	c := swlab.NormalityConfig{Seed: r.Seed}
	if err := r.Apply(&c); err != nil {
		return err
	}
	x, dim, err := r.Points("x")
	if err != nil {
		return err
	}
	if c.Directions, err = r.Directions(dim); err != nil {
		return err
	}
	s, err := swlab.Normality(x, dim, c)
	if err != nil {
		return err
	}
	calls.Add(a, "statistics", s.Statistics, len(s.Statistics))
	calls.Add(a, "value", []float64{s.Value})
	return nil
}
