package vmfviz

import (
	"math"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"gonum.org/v1/plot/plotter"
)

// TestQuantileArea: the steps that are drawn enclose W₁, which is |θ·s| for a
// cloud and its shift by s, and the exact integral for clouds that cross. The cost of a shift is
// (θ·s)² a point.
func TestQuantileArea(t *testing.T) {
	theta := []float32{0.48, 0.6, 0.64}
	shift := func(v []float32) []float32 {
		out := append([]float32(nil), v...)
		for i := range out {
			out[i] += []float32{1, 2, -1}[i%3]
		}
		return out
	}
	x := torus(1, 300, 0)
	for _, c := range []struct {
		y    []float32
		want float64 // NaN: only the drawn area is compared
	}{{x, 0}, {shift(x), 0.48 + 1.2 - 0.64}, {boxes(2, 300, 0), math.NaN()}} {
		s := newSliced(SliceOptions{}, x, c.y, theta, 1)
		if got := s.w1(); !math.IsNaN(c.want) && math.Abs(got-c.want) > 1e-6 {
			t.Errorf("W₁ = %g, expected %g", got, c.want)
		}
		mean := newSliced(SliceOptions{Convention: MeanOverPoints}, x, c.y, theta, 1)
		if want := c.want * c.want; math.Abs(mean.cost-want) > 1e-5 || math.Abs(s.cost-300*want) > 3e-3 {
			t.Errorf("mean %g, sum %g, expected %g and %g", mean.cost, s.cost, want, 300*want)
		}
		a, b := s.x.steps(), s.y.steps()
		area := 0.0
		for i := 0; i < len(a); i += 2 {
			if a[i].X != b[i].X || a[i].Y != a[i+1].Y || (i > 0 && (a[i].X != a[i-1].X || a[i].Y < a[i-1].Y)) {
				t.Fatalf("corner %d: %v, %v", i, a[i], a[i+1])
			}
			area += (a[i+1].X - a[i].X) * math.Abs(a[i].Y-b[i].Y)
		}
		if math.Abs(area-s.w1()) > 1e-9 || a[0].X != 0 || a[len(a)-1].X != 1 {
			t.Errorf("the drawn area is %g from %g to %g, W₁ = %g", area, a[0].X, a[len(a)-1].X, s.w1())
		}
	}
	big := newSliced(SliceOptions{}, torus(1, 5000, 0), boxes(1, 5000, 0), theta, 1)
	a, b := big.x.steps(), big.y.steps()
	area := 0.0
	for i := 0; i < len(a); i += 2 {
		area += math.Abs(a[i].Y-b[i].Y) / maxSteps
	}
	if len(a) != 2*maxSteps || math.Abs(area-big.w1()) > 0.01*big.w1() {
		t.Errorf("5000 points: %d corners, area %g, W₁ = %g", len(a), area, big.w1())
	}
}

// TestSliceRanks: on a line a pair joins equal ranks, and no order of the rows matters.
func TestSliceRanks(t *testing.T) {
	x := []float32{3, 0, 1, 0, 2, 0}
	y := []float32{10, 5, 30, 5, 20, 5}
	c := newSliced(SliceOptions{}, x, y, []float32{1, 0}, 1)
	for rank := range 3 {
		p, q := c.x.points[c.x.order[rank]], c.y.points[c.y.order[rank]]
		if p[0] != float64(rank+1) || q[0] != 10*float64(rank+1) {
			t.Errorf("rank %d joins %v and %v", rank, p, q)
		}
	}
}

// TestSliceStdErr: the spread of the values makes no standard error. It is drawn and written if the
// caller gives it.
func TestSliceStdErr(t *testing.T) {
	x, y := torus(1, 20, 0), boxes(1, 20, 0)
	for _, c := range []struct {
		stderr float64
		text   string
	}{{0, "2.5"}, {math.NaN(), "2.5"}, {0.65, "2.50 ± 0.65"}} {
		p := must.M1(Slice(SliceOptions{StdErr: c.stderr}, x, y, up, []float64{1, 2, 3, 4}))
		if text := p.Plots[0][2].X.Label.Text; !strings.HasSuffix(text, "\nm SW² = "+c.text) {
			t.Errorf("standard error %g: %q, expected the mean as %q", c.stderr, text, c.text)
		}
		svg, _ := p.SVG()
		if drawn := strings.Contains(string(svg), "mean ± standard error"); drawn != (c.stderr > 0) {
			t.Errorf("standard error %g: it is drawn: %v", c.stderr, drawn)
		}
	}
}

// TestSlicePage: on the page of the first part theta has its full length, foot lines are
// at right angles to it and a foot lies as far along it as the projection says; the axis
// of the second part runs to the side to which the arrow points.
func TestSlicePage(t *testing.T) {
	views := []View{{}, From(30, 20), From(-120, 70), From(0, 90)}
	thetas := append(vmf(5, 60, [3]float64{0, 0, 1}, 0), 0, 1, 0, 0, -1, 0, 1, 0, 0, -1, 0, 0, 0, 0, 1)
	plane := []float32{1, 0, -1, 0, 0, 1, -0.8, 0.6}
	check := func(o SliceOptions, x, y, theta []float32) {
		t.Helper()
		c := newSliced(o, x, y, theta, 1)
		cam := c.cam
		for _, v := range []float64{dot(cam.right, cam.right) - 1, dot(cam.up, cam.up) - 1, dot(cam.right, cam.up), dot(cam.fore, c.theta),
			dot(cross(cam.right, cam.up), cam.fore) - 1} {
			if math.Abs(v) > 1e-9 {
				t.Fatalf("theta %v, view %v: camera %v", theta, o.View, cam)
			}
		}
		page, q := cam.flat(c.x.points), cam.apply(c.theta)
		line := beside(page, plotter.XY{X: q[0], Y: q[1]})
		for i, p := range page {
			f := line.foot(dot(c.x.points[i], c.theta), 0)
			if along := (p.X-f.X)*q[0] + (p.Y-f.Y)*q[1]; math.Abs(along) > 1e-9 {
				t.Fatalf("theta %v, view %v: the foot line of point %d leans by %g", theta, o.View, i, along)
			}
		}
		if rises := line.tip.X > line.tail.X-1e-9; !o.View.set && len(theta) == 3 && !rises {
			t.Errorf("theta %v: the arrow points to the left", theta)
		}
		p := must.M1(Slice(o, x, y, theta, nil))
		if axis := &p.Plots[0][1].X; math.Abs(q[0]) > 1e-3 && (axis.Norm(axis.Max) > axis.Norm(axis.Min)) != (q[0] > 0) {
			t.Errorf("theta %v, view %v: the arrow points to %g, the axis does not", theta, o.View, q[0])
		}
	}
	for i := 0; i < len(thetas); i += 3 {
		check(SliceOptions{View: views[i/3%len(views)]}, torus(1, 30, 0), boxes(1, 30, 0), thetas[i:i+3])
	}
	for i := 0; i < len(plane); i += 2 {
		check(SliceOptions{}, plane, plane, plane[i:i+2])
	}
}
