package vmfviz

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/internal/canvas/canvastest"
)

// TestSliceHTML: what the script of the page writes for the first direction, and after keys have
// turned it by 6 degrees each, is the cost that Go finds, to the rounding of the coordinates.
func TestSliceHTML(t *testing.T) {
	const degree = math.Pi / 180
	for _, dim := range []int{2, 3} {
		x, y := flat(torus(1, 300, 0.02), dim), flat(boxes(2, 300, 0.02), dim)
		at := func(azimuth, elevation float64) []float32 {
			if dim == 2 {
				return []float32{float32(math.Cos(azimuth)), float32(math.Sin(azimuth))}
			}
			return []float32{float32(math.Cos(elevation) * math.Cos(azimuth)), float32(math.Cos(elevation) * math.Sin(azimuth)), float32(math.Sin(elevation))}
		}
		cost := func(theta []float32) float64 {
			return newSliced(SliceOptions{Convention: MeanOverPoints}, x, y, theta, 12).cost
		}
		var values []float64
		if dim == 2 {
			for j := range 72 {
				values = append(values, cost(at(5*float64(j)*degree, 0)))
			}
		} else {
			for _, q := range rows(SphereGrid(10), 3) {
				values = append(values, cost([]float32{float32(q[0]), float32(q[1]), float32(q[2])}))
			}
		}
		elevation := 0.0
		if dim == 3 {
			elevation = 30 * degree
		}
		page := must.M1(SliceHTML(SliceOptions{Title: "</script>", Convention: MeanOverPoints}, x, y, at(40*degree, elevation), values))
		if len(page) > 300_000 || strings.Contains(page, "</script></") || strings.Contains(page, " id=") || strings.Contains(page, "http") || strings.Contains(page, "{{") {
			t.Errorf("%d-D: expected a closed page of at most 300 kB, found %d bytes", dim, len(page))
		}
		out := canvastest.Drawings(t, page, "keydown ArrowLeft", "keydown ArrowLeft", "keydown ArrowUp")
		var found []float64
		for _, m := range regexp.MustCompile(`text F\(θ\) = ([^;]+); mean`).FindAllStringSubmatch(out, -1) {
			found = append(found, must.M1(strconv.ParseFloat(m[1], 64)))
		}
		turned := elevation - 6*degree // the arrow up turns a sphere up, and the direction down
		if dim == 2 {
			turned = 0
		}
		want := []float64{cost(at(40*degree, elevation)), cost(at(46*degree, elevation)), cost(at(52*degree, elevation)), cost(at(52*degree, turned))}
		if len(found) != len(want) {
			t.Fatalf("%d-D: expected %d costs, found %v", dim, len(want), found)
		}
		for i := range want {
			if math.Abs(found[i]-want[i]) > 1e-3*want[i] {
				t.Errorf("%d-D, direction %d: expected F = %g, found %g", dim, i, want[i], found[i])
			}
		}
	}
}

// flat keeps the first dim coordinates of points in space.
func flat(points []float32, dim int) (out []float32) {
	for i := 0; i < len(points); i += 3 {
		out = append(out, points[i:i+dim]...)
	}
	return out
}

// TestSliceHTMLFeet: the few points of a plane drop on the line at right angles.
func TestSliceHTMLFeet(t *testing.T) {
	page := must.M1(SliceHTML(SliceOptions{Convention: MeanOverPoints}, []float32{0.5, 1}, []float32{-1, 0.25}, []float32{1, 0}, nil))
	out := canvastest.Drawings(t, page)
	for _, want := range []string{ // a card of 520 pixels, of which 100 are a unit
		"stroke rgba(0,114,178,0.65) 1 2 pieces 180.00<180.00<180.00 30.00<80.00<130.00",
		"stroke rgba(213,94,0,0.65) 1 2 pieces 30.00<30.00<30.00 105.00<117.50<130.00",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("nothing drawn is %q:\n%s", want, out)
		}
	}
}
