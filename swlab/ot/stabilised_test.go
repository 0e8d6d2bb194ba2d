package ot

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
)

// TestStabilisedGradient differentiates the whole loop numerically: without absorption, with some, and where the last
// iteration absorbs.
func TestStabilisedGradient(t *testing.T) {
	r := source(20)
	const n, k, dim = 5, 6, 2
	x, y := normal(r, n*dim, 0.5), normal(r, k*dim, 0.5)
	absorbed, last := false, false
	for _, c := range []struct {
		reg        float64
		iterations int
	}{{0.5, 30}, {0.05, 3}, {0.05, 60}, {0.01, 1}, {0.01, 2}, {0.01, 40}} {
		name := fmt.Sprintf("reg %v, %d iterations", c.reg, c.iterations)
		run := func(x, y []float32) *Stabilised { return must.M1(StabilisedSinkhorn(x, y, dim, c.reg, c.iterations)) }
		s := run(x, y)
		absorbed, last = absorbed || s.Absorptions > 1, last || s.LastAbsorbed
		size := slices.Max(s.GradX) - slices.Min(s.GradX)
		cost := func() float64 { return run(x, y).Cost }
		checkGradient(t, name+", x", x, s.GradX, 1e-4, 2e-4*min(1, size), cost)
		checkGradient(t, name+", y", y, s.GradY, 1e-4, 2e-4*min(1, size), cost)
	}
	if !absorbed || !last {
		t.Errorf("several absorptions: %v, one in the last iteration: %v; expected both among the cases", absorbed, last)
	}
}

// TestStabilisedConverges: with a large reg and without absorptions the loop is the ordinary Sinkhorn algorithm.
func TestStabilisedConverges(t *testing.T) {
	r := source(21)
	x, y := normal(r, 3*20, 0.3), normal(r, 3*30, 0.3)
	s := must.M1(StabilisedSinkhorn(x, y, 3, 1, 300))
	plan := must.M1(Sinkhorn{Reg: 1}.Solve(x, y, 3))
	near(t, "cost", s.Cost, plan.Cost, 1e-9)
	// Where an absorption ends the loop the plan lacks the factor n k.
	s1, _ := StabilisedSinkhorn(x, y, 3, 0.01, 1)
	if !s1.LastAbsorbed || s1.Absorptions != 1 {
		t.Fatalf("one iteration with reg = 0.01: %+v", s1)
	}
}

func TestReferenceStabilised(t *testing.T) {
	z := graphtest.Golden(t, "sinkhorn.npz")
	const n, dim = 64, 256
	costs, grads := graphtest.Values(z["cost_authors"]), graphtest.Values(z["grad_authors"])
	for b := range 2 {
		x, y := tensors.MustCopyFlatData[float32](z["real"])[b*n*dim:(b+1)*n*dim],
			tensors.MustCopyFlatData[float32](z["gen"])[b*n*dim:(b+1)*n*dim]
		s := must.M1(StabilisedSinkhorn(x, y, dim, 1e-3, StabilisedIterations))
		near(t, "cost", s.Cost, costs[b], 1e-10*costs[b])
		graphtest.Close(t, "gradient", s.GradY, grads[b*n*dim:(b+1)*n*dim], 1e-6)
		if b == 1 {
			short := must.M1(StabilisedSinkhorn(x, y, dim, 1e-3, StabilisedIterations-1))
			if !short.LastAbsorbed {
				t.Error("iteration 1000 of case 1 should absorb")
			}
			near(t, "cost after an absorption", short.Cost*n*n/s.Cost, 1, 1e-2)
		}
	}
}

func TestStabilisedErrors(t *testing.T) {
	x := []float32{1, 2}
	call := func(y []float32, dim int, reg float64, iterations int) func() error {
		return func() error { _, err := StabilisedSinkhorn(x, y, dim, reg, iterations); return err }
	}
	refuses(t, map[string]func() error{
		"found reg = 0, iterations = 5":                  call(x, 2, 0, 5),
		"found reg = +Inf":                               call(x, 2, math.Inf(1), 5),
		"iterations >= 1, found reg = 1, iterations = 0": call(x, 2, 1, 0),
		"dim = 3, 2 and 2 numbers":                       call(x, 3, 1, 1),
		"coordinate 1 of point 0 of cloud y is +Inf":     call([]float32{1, float32(math.Inf(1))}, 2, 1, 1),
	})
}
