package lab

import (
	"math"
	"testing"
)

// TestLandscape: two points and the same, moved by (0, 0, 2): F is (2z)², its mean 4/3, and J that of the second moment
// under a von Mises-Fisher distribution.
func TestLandscape(t *testing.T) {
	withProcess(t, "")
	d := SW(Points([][]float64{{0, 0, 0}, {1, 0, 0}}), Points([][]float64{{0, 0, 2}, {1, 0, 2}}), Slices(5))
	if f := d.F(0, 0, 3); math.Abs(f-4) > 1e-6 {
		t.Errorf("F is %v along the move", f)
	}
	l := d.Landscape()
	if math.Abs(l.Mean-4.0/3) > 1e-4 || math.Abs(l.Highest-4) > 1e-5 || l.Lowest > 1e-6 || math.Abs(l.Best[2]*l.Best[2]-1) > 1e-4 || math.Abs(l.Worst[2]) > 1e-3 {
		t.Errorf("%+v", l)
	}
	const kappa = 10
	j, second := d.Landscape(kappa), 1-2*(1/math.Tanh(kappa)-1.0/kappa)/kappa
	if math.Abs(j.At(0, 0, 1)-4*second) > 1e-3 || math.Abs(j.Highest-4*second) > 1e-3 || math.Abs(j.Mean-l.Mean) > 1e-12 {
		t.Errorf("J is %v at the move, at most %v, expected %v", j.At(0, 0, 1), j.Highest, 4*second)
	}
	if plane := SW(Points([][]float64{{0, 0}}), Points([][]float64{{1, 0}})).Landscape(); math.Abs(plane.Mean-0.5) > 1e-6 || len(plane.Values()) != 720 {
		t.Errorf("in the plane: %+v", plane)
	}
}

// TestValue: as many digits as the error allows.
func TestValue(t *testing.T) {
	for text, v := range map[string]Value{"0.0532 ± 0.0014": {0.05317, 0.00141}, "81.7 ± 1.2": {81.69, 1.23}, "1235": {1234.6, 0}} {
		if v.String() != text {
			t.Errorf("%s, expected %s", v, text)
		}
	}
	c := Columns("a", "b")
	c.Row("x", Percent(0.5))
	c.Row(1, 0.123456)
	if text := textTable(c.rows[0], c.rows[1:]); text != "a  b\nx  50 %\n1  0.1235\n" {
		t.Errorf("%q", text)
	}
}
