package ot_test

import (
	"fmt"

	"github.com/sliced-wasserstein/lab/swlab/ot"
)

// Two points change places, and one of them moves by 1: the optimal matching crosses. Cost is a sum over points.
func ExampleEMD() {
	a, err := ot.EMD([]float32{0, 0, 0, 5, 0, 0}, []float32{5, 0, 0, 0, 0, 1}, 3, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("cost %.1f, matching %v, proved: %t\n", a.Cost, a.Match, a.DualityGap < 1e-12)
	// Output: cost 1.0, matching [1 0], proved: true
}

// With little regularisation the entropic plan is nearly the optimal matching, and its transport
// cost nearly the least one: here 1/2, a mean over points.
func ExampleSinkhorn_Solve() {
	s := ot.Sinkhorn{Reg: 0.01, P: 1}
	plan, err := s.Solve([]float32{0, 0, 0, 5, 0, 0}, []float32{5, 0, 0, 0, 0, 1}, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("converged: %t, cost %.3f, plan %.2f\n", plan.Converged, plan.Cost, plan.Matrix())
	// Output: converged: true, cost 0.500, plan [0.00 0.50 0.50 0.00]
}
