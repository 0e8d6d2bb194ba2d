package vmfviz

import (
	"math"
	"testing"
)

// TestSmooth: a constant stays, weights are those of the formula, gaps stay.
func TestSmooth(t *testing.T) {
	for _, v := range smooth([]float64{4, 4, 4, 4}, 0.9) {
		if math.Abs(v-4) > 1e-12 {
			t.Errorf("a constant 4 becomes %g", v)
		}
	}
	got := smooth([]float64{1, math.NaN(), 3}, 0.5)
	if want := (0.25*1 + 0.5*3) / 0.75; got[0] != 1 || !math.IsNaN(got[1]) || math.Abs(got[2]-want) > 1e-12 {
		t.Errorf("smooth = %v, expected [1 NaN %g]", got, want)
	}
}

// TestThin: few points, same extent, no peak lost.
func TestThin(t *testing.T) {
	r := testRand(2)
	p := make([]pt, 50000)
	for i := range p {
		p[i] = pt{float64(i) / 100, r.NormFloat64()}
	}
	p[31234].y = 99
	q := thin(p)
	if len(q) > 4100 || q[0] != p[0] || q[len(q)-1] != p[len(p)-1] {
		t.Errorf("%d points from %v to %v", len(q), q[0], q[len(q)-1])
	}
	top := 0.0
	for i := range q {
		top = math.Max(top, q[i].y)
		if i > 0 && q[i].x < q[i-1].x {
			t.Fatal("points are out of order")
		}
	}
	if top != 99 {
		t.Error("a peak was lost")
	}
}
