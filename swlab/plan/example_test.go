package plan_test

import (
	"fmt"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/plan"
)

// Two points each, and the axes as directions.
func ExampleNew() {
	x, y := []float64{3, 3, 1, 1}, []float64{2, 2.5, 3, 2}
	s := must.M1(plan.New(x, y, 2, plan.Config{Directions: []float64{1, 0, 0, 1}}))
	fmt.Println("costs", s.Costs, "best", s.Cost, "expected plan", s.ExpectedCost)
	for _, m := range s.Plan {
		fmt.Printf("x[%d] to y[%d]: %g\n", m.X, m.Y, m.Mass)
	}
	// Output:
	// costs [2.125 3.125] best 2.125 expected plan 2.625
	// x[0] to y[1]: 0.5
	// x[1] to y[0]: 0.5
}
