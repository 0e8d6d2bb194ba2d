package vec

import (
	"math"
	"testing"
)

func TestVec(t *testing.T) {
	if n := Norm([]float64{3e200, 4e200}); math.Abs(n/5e200-1) > 1e-15 {
		t.Errorf("the length of (3e200, 4e200) is %g", n)
	}
	if u := Unit([]float64{3e-200, 4e-200}); math.Abs(u[0]-0.6) > 1e-15 || math.Abs(u[1]-0.8) > 1e-15 {
		t.Errorf("the direction of (3e-200, 4e-200) is %v", u)
	}
	inf := math.Inf(1)
	if !Finite(math.MaxFloat64, 0) || Finite(0, math.NaN()) || Finite(-inf) || !Finite[float32]() {
		t.Error("Finite")
	}
	if i := NotFinite([]float64{1, inf, math.NaN()}); i != 1 {
		t.Errorf("of 1, Inf, NaN number %d is the first that is not finite", i)
	}
	if top := Largest([]float32{1, -3, 2}); top != 3 {
		t.Errorf("the largest of 1, -3, 2 is %g", top)
	}
	if v := To[float64]([]float32{0.5}); v[0] != 0.5 {
		t.Errorf("0.5 became %g", v[0])
	}
}
