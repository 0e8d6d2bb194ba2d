package vmfviz

import (
	"math"
	"testing"

	"gonum.org/v1/plot/plotter"
)

// TestContours: lines that go on, of the expected length, on which the function has the value:
// circles around a pole and an axis, through a pole and over the rim of a map.
func TestContours(t *testing.T) {
	axis := vec3{0.3, -0.5, 0.8}.unit()
	for _, c := range []struct {
		name   string
		f      func(p [3]float64) float64
		level  float64
		length float64 // of all
	}{
		{"parallel", func(p [3]float64) float64 { return p[2] }, 0.4, 2 * math.Pi * math.Sqrt(1-0.16)},
		{"equator", func(p [3]float64) float64 { return p[2] }, 0, 2 * math.Pi},
		{"small circle", func(p [3]float64) float64 { return dot(p, axis) }, 0.9, 2 * math.Pi * math.Sqrt(1-0.81)},
		{"two circles", func(p [3]float64) float64 { return p[0] * p[0] }, 0.5, 4 * math.Pi * math.Sqrt(0.5)},
		{"through the poles", func(p [3]float64) float64 { return p[1] }, 0, 2 * math.Pi},
		{"near a pole", func(p [3]float64) float64 { return p[0] }, 0.01, 2 * math.Pi},
		{"nowhere", func(p [3]float64) float64 { return p[2] }, 2, 0},
		{"constant", func(p [3]float64) float64 { return 1 }, 1, 0},
	} {
		o := contours{projection: From(33, 21).projection(true), f: heatOf("", 60, c.f).sampler()}
		length, ends := 0.0, map[plotter.XY]int{}
		for _, s := range o.grid().segments(c.level) {
			a, b := o.back(s[0].X, s[0].Y), o.back(s[1].X, s[1].Y)
			inside := math.Hypot(s[0].X, s[0].Y) < 1 && math.Hypot(s[1].X, s[1].Y) < 1
			most := 5e-3
			if math.Abs(a[2]) > 0.99 { // shapes are stretched at a pole of the map
				most = 2e-2
			}
			if v := c.f(a); inside && math.Abs(v-c.level) > most {
				t.Fatalf("%s: the function is %g at %v, expected %g", c.name, v, a, c.level)
			}
			step := b.sub(a)
			length += math.Sqrt(dot(step, step))
			for _, e := range s {
				ends[e]++
			}
		}
		for e, n := range ends { // a curve goes on, except over the rim
			if r := math.Hypot(e.X, e.Y); n != 2 && r < 0.97 {
				t.Errorf("%s: a line ends at %v", c.name, e)
			}
		}
		if math.Abs(length-c.length) > 0.02*c.length || c.length == 0 && len(ends) > 0 {
			t.Errorf("%s: length %.4f, expected %.4f", c.name, length, c.length)
		}
	}
	if n := len(contourLevels(1, 1)); n != 0 {
		t.Errorf("%d levels of a constant", n)
	}
}
