package vmfviz

import (
	"math"
	"reflect"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// TestSmooth: a line stays, also at the ends and with a gap; weights are those of the
// formula; and a falling exponential stays on a logarithmic axis, where an average of
// the past lags behind.
func TestSmooth(t *testing.T) {
	for _, v := range append(smooth([]float64{4, 4, 4, 4}, 0.9, false), smooth([]float64{4, 4, 4, 4}, 0.9, true)...) {
		if math.Abs(v-4) > 1e-12 {
			t.Errorf("a constant 4 becomes %g", v)
		}
	}
	got := smooth([]float64{1, math.NaN(), 3, 4}, 0.5, false)
	for i, want := range []float64{1, math.NaN(), 3, 4} {
		if math.IsNaN(want) != math.IsNaN(got[i]) || math.Abs(got[i]-want) > 1e-12 {
			t.Errorf("a line with a gap becomes %v", got)
		}
	}
	if got := smooth([]float64{5}, 0.5, false); got[0] != 5 {
		t.Errorf("a single 5 becomes %v", got)
	}
	// The middle: (1 + 0.5·0 + 0.5·0) / 2. The end: a line through 0, 1, 0 at distances 2, 1, 0
	// with weights 1/4, 1/2, 1 has at 0 the value 2/13.
	got = smooth([]float64{0, 1, 0}, 0.5, false)
	if math.Abs(got[1]-0.5) > 1e-12 || math.Abs(got[2]-2.0/13) > 1e-12 || math.Abs(got[0]-2.0/13) > 1e-12 {
		t.Errorf("smooth = %v", got)
	}
	fall := make([]float64, 400)
	for i := range fall {
		fall[i] = math.Exp(-float64(i) / 20)
	}
	for i, v := range smooth(fall, 0.9, true) {
		if math.Abs(v/fall[i]-1) > 1e-9 {
			t.Fatalf("place %d of a falling curve becomes %g times as high", i, v/fall[i])
		}
	}
}

// TestThin: few points, same extent, no peak lost.
func TestThin(t *testing.T) {
	r := testRand(2)
	p := make(plotter.XYs, 50000)
	for i := range p {
		p[i] = plotter.XY{X: float64(i) / 100, Y: r.NormFloat64()}
	}
	p[31234].Y = 99
	q := thin(p)
	if len(q) > 4100 || q[0] != p[0] || q[len(q)-1] != p[len(p)-1] {
		t.Errorf("%d points from %v to %v", len(q), q[0], q[len(q)-1])
	}
	top := 0.0
	for i := range q {
		top = math.Max(top, q[i].Y)
		if i > 0 && q[i].X < q[i-1].X {
			t.Fatal("points are out of order")
		}
	}
	if top != 99 {
		t.Error("a peak was lost")
	}
}

// TestUnlabelled: curves without a label look like the first of their role, whose
// dashes the legend shows.
func TestUnlabelled(t *testing.T) {
	y := []float64{1, 2, 3}
	c := CurvePanel{Series: []Series{{Label: "a", Y: y}, {Label: "b", Y: y}, {Label: "closed form", Y: y, Role: Reference}, {Y: y, Role: Reference}, {Y: y, Role: Reference}, {Y: y}}}
	for _, i := range []int{3, 4} {
		if got, want := c.style(i), c.style(2); !reflect.DeepEqual(got, want) {
			t.Errorf("curve %d looks like %v, expected %v", i, got, want)
		}
	}
	if reflect.DeepEqual(c.style(5).Dashes, c.style(4).Dashes) {
		t.Error("a curve without a role looks like the one before it")
	}
}

// TestCaption: a picture of curves has the caption given.
func TestCaption(t *testing.T) {
	p, err := Curves(CurvesOptions{Caption: "It falls."}, CurvePanel{Series: []Series{{Y: []float64{2, 1}}}})
	if err != nil || p.Caption != "It falls." {
		t.Errorf("found %+v, %v", p, err)
	}
}

// TestSpread: labels keep their distance, their order and the middle of those moved, within the limits.
func TestSpread(t *testing.T) {
	if got := spread([]float64{9, 0, 12}, 2, 0, 9.5); got[1] != 0 || math.Abs(got[0]-7.5) > 1e-3 || got[2] != 9.5 {
		t.Errorf("spread = %v, expected 7.5, 0 and 9.5", got)
	}
	if got := spread([]float64{4, 4.5}, 2, 0, 9); math.Abs(got[0]-3.25) > 1e-9 || math.Abs(got[1]-5.25) > 1e-9 {
		t.Errorf("spread = %v, expected 3.25 and 5.25", got)
	}
}

// TestColumns: dots side by side have their labels below, each in its middle; a labelled line or an overlap is no column.
func TestColumns(t *testing.T) {
	a, b := Series{Label: "a", X: []float64{0, 0}, Y: []float64{1, 2}, Dots: true}, Series{Label: "b", X: []float64{2, 4}, Y: []float64{3, 4}, Dots: true}
	joined := Series{X: []float64{0, 2}, Y: []float64{1, 3}, Thin: true}
	p, err := Curves(CurvesOptions{Direct: true}, CurvePanel{Series: []Series{a, b, joined}})
	if err != nil {
		t.Fatal(err)
	}
	x := p.Plots[0][0].X
	if got := x.Tick.Marker.Ticks(x.Min, x.Max); len(got) != 2 || got[0] != (plot.Tick{Value: 0, Label: "a"}) || got[1] != (plot.Tick{Value: 3, Label: "b"}) {
		t.Errorf("columns %v, expected a at 0 and b at 3", got)
	}
	if x.Min != -1 || x.Max != 5 {
		t.Errorf("axis from %g to %g, expected all dots and half of the gap, 1, beside them", x.Min, x.Max)
	}
	a.X = []float64{0, 2}
	for _, s := range []Series{a, {Label: "line", X: joined.X, Y: joined.Y}} {
		if got, _, _ := (CurvePanel{Series: []Series{s, b}}).columns(); got != nil {
			t.Errorf("%s gives columns %v", s.Label, got)
		}
	}
}

// TestNames: labels of points of a plane cover no point and no other label, and stay inside.
func TestNames(t *testing.T) {
	c := CurvePanel{Series: []Series{
		{Label: "circle", Dots: true}, {Label: "top", X: []float64{0}, Y: []float64{1}, Dots: true},
		{Label: "right", X: []float64{1}, Y: []float64{0}, Dots: true}, {X: []float64{0}, Y: []float64{0}, Dots: true},
	}}
	for a := range 100 {
		sin, cos := math.Sincos(2 * math.Pi * float64(a) / 100)
		c.Series[0].X, c.Series[0].Y = append(c.Series[0].X, cos), append(c.Series[0].Y, sin)
	}
	p, _ := c.plot()
	canvas := draw.NewCanvas(nil, 400, 300)
	x, y := p.Transforms(&canvas)
	places := c.names().places(canvas, p)
	for i, r := range places[:3] {
		if r.Min.X < 0 || r.Min.Y < 0 || r.Max.X > 400 || r.Max.Y > 300 || r.Max.X <= r.Min.X {
			t.Errorf("%q is at %v", c.Series[i].Label, r)
		}
		for j, other := range places[:i] {
			if r.Min.X < other.Max.X && other.Min.X < r.Max.X && r.Min.Y < other.Max.Y && other.Min.Y < r.Max.Y {
				t.Errorf("%q covers %q", c.Series[i].Label, c.Series[j].Label)
			}
		}
		for _, s := range c.Series {
			for k := range s.Y {
				if at := (vg.Point{X: x(s.X[k]), Y: y(s.Y[k])}); at.X > r.Min.X && at.X < r.Max.X && at.Y > r.Min.Y && at.Y < r.Max.Y {
					t.Errorf("%q covers a point at %v", c.Series[i].Label, at)
				}
			}
		}
	}
	if places[3] != (vg.Rectangle{}) {
		t.Errorf("no label has the place %v", places[3])
	}
}
