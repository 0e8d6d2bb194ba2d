package calls

import (
	"fmt"

	"github.com/sliced-wasserstein/lab/swlab/plan"
)

// plans calls plan.New.
func plans(r *Request, a *Answer) error {
	c := plan.Config{Seed: r.Seed}
	if err := r.apply(&c); err != nil {
		return err
	}
	var x, y []float64
	dim := 0
	for _, in := range []struct {
		name   string
		values *[]float64
		rows   bool
	}{{"x", &x, true}, {"y", &y, true}, {"directions", &c.Directions, true}, {"mass_x", &c.MassX, false}, {"mass_y", &c.MassY, false}} {
		values, shape := r.wide(in.name)
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
	add(a, "costs", s.Costs, len(s.Costs))
	add(a, "cost", []float64{s.Cost})
	add(a, "best", []int32{int32(s.Best)})
	add(a, "expected_cost", []float64{s.ExpectedCost})
	add(a, "plan", plan.Rows(s.Plan), len(s.Plan), 3)
	add(a, "expected_plan", plan.Rows(expected), len(expected), 3)
	return nil
}
