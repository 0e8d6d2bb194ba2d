package all

import (
	"fmt"

	"github.com/sliced-wasserstein/lab/experiments/calls"
	"github.com/sliced-wasserstein/lab/swlab/plan"
)

// plans calls plan.New.
func plans(r *calls.Request, a *calls.Answer) error {
	c := plan.Config{Seed: r.Seed}
	if err := r.Apply(&c); err != nil {
		return err
	}
	var x, y []float64
	dim := 0
	for _, in := range []struct {
		name   string
		values *[]float64
		rows   bool
	}{{"x", &x, true}, {"y", &y, true}, {"directions", &c.Directions, true}, {"mass_x", &c.MassX, false}, {"mass_y", &c.MassY, false}} {
		values, shape := r.Wide(in.name)
		if shape == nil {
			continue // without clouds, plan.New says what is missing
		}
		if in.rows && (len(shape) != 2 || dim != 0 && shape[1] != dim) {
			return fmt.Errorf("%s: expected rows of as many coordinates as the points of x have, %d, found shape %v", in.name, dim, shape)
		}
		if in.rows {
			dim = shape[1]
		}
		*in.values = values
	}
	s, err := plan.New(x, y, dim, c)
	if err != nil {
		return err
	}
	expected, err := s.Expected()
	if err != nil {
		return err
	}
	calls.Add(a, "costs", s.Costs, len(s.Costs))
	calls.Add(a, "cost", []float64{s.Cost})
	calls.Add(a, "best", []int32{int32(s.Best)})
	calls.Add(a, "expected_cost", []float64{s.ExpectedCost})
	calls.Add(a, "plan", plan.Rows(s.Plan), len(s.Plan), 3)
	calls.Add(a, "expected_plan", plan.Rows(expected), len(expected), 3)
	return nil
}
