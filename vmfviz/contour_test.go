package vmfviz

import (
	"math"
	"testing"
)

// TestContours: closed curves of the expected number and length, on which the
// function has the value: circles around a pole and an axis, through a pole and
// over the seam of the longitudes, and a saddle.
func TestContours(t *testing.T) {
	axis := vec3{0.3, -0.5, 0.8}.unit()
	for _, c := range []struct {
		name   string
		f      func(p [3]float64) float64
		level  float64
		curves int
		length float64 // of all; 0: not known
	}{
		{"parallel", func(p [3]float64) float64 { return p[2] }, 0.4, 1, 2 * math.Pi * math.Sqrt(1-0.16)},
		{"equator", func(p [3]float64) float64 { return p[2] }, 0, 1, 2 * math.Pi},
		{"small circle", func(p [3]float64) float64 { return dot(p, axis) }, 0.9, 1, 2 * math.Pi * math.Sqrt(1-0.81)},
		{"two circles", func(p [3]float64) float64 { return p[0] * p[0] }, 0.5, 2, 4 * math.Pi * math.Sqrt(0.5)},
		{"through the poles", func(p [3]float64) float64 { return p[1] }, 0, 1, 2 * math.Pi},
		{"near a pole", func(p [3]float64) float64 { return p[0] }, 0.01, 1, 2 * math.Pi},
		{"saddle", func(p [3]float64) float64 { return p[0] * p[1] }, 0.02, 2, 0},
		{"nowhere", func(p [3]float64) float64 { return p[2] }, 2, 0, 0},
		{"constant", func(p [3]float64) float64 { return 1 }, 1, 0, 0},
	} {
		curves := HeatOf("", 60, c.f).contours(c.level)
		length := 0.0
		for _, curve := range curves {
			if d := curve[0].sub(curve[len(curve)-1]); dot(d, d) != 0 {
				t.Errorf("%s: a curve of %d points is open", c.name, len(curve))
			}
			for i, p := range curve {
				if math.Abs(c.f(p)-c.level) > 3e-3 || math.Abs(dot(p, p)-1) > 1e-12 {
					t.Fatalf("%s: the function is %g at %v, expected %g", c.name, c.f(p), p, c.level)
				}
				if i > 0 {
					d := p.sub(curve[i-1])
					length += math.Sqrt(dot(d, d))
				}
			}
		}
		if len(curves) != c.curves || (c.length > 0 && math.Abs(length-c.length) > 0.01*c.length) {
			t.Errorf("%s: %d curves of length %.4f, expected %d of %.4f", c.name, len(curves), length, c.curves, c.length)
		}
	}
	// Whatever the values, also on a coarse grid full of saddles, curves end.
	r := testRand(4)
	for range 50 {
		h := &Heat{Values: make([]float64, 2*5*5)}
		for i := range h.Values {
			h.Values[i] = math.Round(3 * r.Float64())
		}
		for _, level := range []float64{0.5, 1, 2} {
			for _, curve := range h.contours(level) {
				if len(curve) < 3 {
					t.Fatalf("a curve of %d points", len(curve))
				}
			}
		}
	}
	if n := len(contourLevels(1, 1)); n != 0 {
		t.Errorf("%d levels of a constant", n)
	}
}
