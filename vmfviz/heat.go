package vmfviz

import (
	"cmp"
	"image"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Heat is a function on the unit sphere, known on the grid of [SphereGrid].
type Heat struct {
	// Values has one number for each direction of SphereGrid(rows): 2·rows² numbers for some rows
	// >= 4.
	Values []float64
	// Label names the quantity and its convention beside the colour bar, for example "F(θ), sum
	// over points".
	Label string
	// Contours adds lines of equal value at round numbers, which the colour bar shows too.
	// SphereHTML leaves them out.
	Contours bool
}

// SphereGrid returns 2·rows² directions [2·rows², 3] on the unit sphere: rows circles of latitude
// from north to south at polar angles (i+½)·π/rows, with 2·rows directions each at longitudes
// (j+½)·π/rows from the x axis. The z axis points north. Compute a function on them in one batch
// and give the result to [Heat]; 40 rows (3200 directions) are enough for a smooth picture.
func SphereGrid(rows int) []float32 {
	grid := make([]float32, 0, 6*rows*rows)
	step := math.Pi / float64(rows)
	for i := range rows {
		for j := range 2 * rows {
			d := direction((float64(i)+0.5)*step, (float64(j)+0.5)*step)
			grid = append(grid, float32(d[0]), float32(d[1]), float32(d[2]))
		}
	}
	return grid
}

func (h *Heat) rows() int { return int(math.Round(math.Sqrt(float64(len(h.Values)) / 2))) }

func (h *Heat) check(name string) error {
	if h == nil {
		return nil
	}
	r := h.rows()
	return cmp.Or(checkFinite(name+".Values", h.Values),
		errorIf(r < 4 || 2*r*r != len(h.Values), "%s.Values has length %d, expected 2·rows² with rows >= 4, one number for each direction of SphereGrid(rows)", name, len(h.Values)))
}

// sampler returns the bicubic interpolation of the values (E. Catmull and R. Rom, 1974). Beyond a
// pole the grid goes on at the opposite longitude.
func (h *Heat) sampler() func(vec3) float64 {
	rows := h.rows()
	cols := 2 * rows
	at := func(i, j int) float64 {
		if i < 0 {
			i, j = -1-i, j+rows
		} else if i >= rows {
			i, j = cols-1-i, j+rows
		}
		return h.Values[i*cols+(j+2*cols)%cols]
	}
	weights := func(t float64) [4]float64 { // of the values at -1, 0, 1 and 2 for a place in [0, 1]
		return [4]float64{t * (t*(1-t/2) - 0.5), 1 + t*t*(1.5*t-2.5), t * (0.5 + t*(2-1.5*t)), t * t * (t - 1) / 2}
	}
	return func(t vec3) float64 {
		u := math.Acos(math.Max(-1, math.Min(1, t[2])))/math.Pi*float64(rows) - 0.5
		v := math.Atan2(t[1], t[0])/math.Pi*float64(rows) - 0.5
		i, j := math.Floor(u), math.Floor(v)
		a, b := weights(u-i), weights(v-j)
		sum := 0.0
		for k := range 4 {
			for l := range 4 {
				sum += a[k] * b[l] * at(int(i)+k-1, int(j)+l-1)
			}
		}
		return sum
	}
}

// heatScale is the range of the functions of all panels, with its colours.
type heatScale struct {
	lo, hi float64
	label  string        // the first there is
	levels []float64     // of contours, if a function has them
	colors []color.Color // from lo to hi
	bar    *plot.Plot
}

// newHeatScale returns the scale of the panels; it has no colours if they have no function.
func newHeatScale(panels []SpherePanel) (s heatScale) {
	var values [][]float64
	contours := false
	for _, p := range panels {
		if p.Heat != nil {
			values, s.label, contours = append(values, p.Heat.Values), cmp.Or(s.label, p.Heat.Label), contours || p.Heat.Contours
		}
	}
	if values == nil {
		return s
	}
	s.lo, s.hi = bounds(values...)
	if contours {
		s.levels = contourLevels(s.lo, s.hi)
	}
	bar, m := theme.colorBar(theme.Map, s.lo, s.hi, s.label, s.levels)
	s.bar, s.colors = bar, m.Palette(shades).Colors()
	return s
}

// color returns the colour of a value.
func (s heatScale) color(v float64) color.Color {
	t := math.Min(1, math.Max(0, scaleTo(s.lo, s.hi, v)))
	return s.colors[int(t*float64(len(s.colors)-1)+0.5)]
}

// scaleTo maps [lo, hi] to [0, 1]; a constant maps to the middle.
func scaleTo(lo, hi, v float64) float64 {
	if hi/2-lo/2 <= 1e-12*math.Max(math.Abs(lo), math.Abs(hi))/2 {
		return 0.5
	}
	return (v/2 - lo/2) / (hi/2 - lo/2)
}

// paint paints the sphere, n pixels high.
func (h *Heat) paint(n int, g projection, s heatScale) image.Image {
	wide := n * int(g.wide())
	img := image.NewNRGBA(image.Rect(0, 0, wide, n))
	f := h.sampler()
	r, half := float64(n)/2, float64(wide)/2
	for i := range n {
		for j := range wide {
			x, y := (float64(j)+0.5-half)/half, (r-float64(i)-0.5)/r
			d := math.Hypot(x, y)
			if cover := math.Min(1, (1-d)*r+0.5); cover > 0 {
				d = math.Max(d, 1)
				img.Set(j, i, faded(s.color(f(g.back(x/d, y/d))), cover))
			}
		}
	}
	return img
}

// contours is a plotter: lines of equal value of a function on the sphere, by marching triangles on
// a grid over the picture of the sphere. plotter.Contour draws its paths in an order that changes from
// run to run, and has no rim.
type contours struct {
	projection
	f      func(vec3) float64
	levels []float64
	style  func(level float64) draw.LineStyle
}

// Plot strokes one path for each level.
func (o *contours) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	grid, w := o.grid(), o.wide()
	for _, level := range o.levels {
		var path vg.Path
		for _, s := range grid.segments(level) {
			path.Move(vg.Point{X: x(w * s[0].X), Y: y(s[0].Y)})
			path.Line(vg.Point{X: x(w * s[1].X), Y: y(s[1].Y)})
		}
		c.SetLineStyle(o.style(level))
		c.Stroke(path)
	}
}

// grid samples the function over the unit disc of back, in [−1, 1]² of the plane; outside of it the
// value is that at the nearest place of the edge.
func (o *contours) grid() contourGrid {
	n := 160*int(o.wide()) + 1 // odd: no line of nodes is the equator
	g := make(contourGrid, n+1)
	for i := range g {
		for j := range n + 1 {
			at := plotter.XYZ{X: 2*float64(j)/float64(n) - 1, Y: 2*float64(i)/float64(n) - 1}
			r := math.Max(1, math.Hypot(at.X, at.Y))
			at.Z = o.f(o.back(at.X/r, at.Y/r))
			g[i] = append(g[i], at)
		}
	}
	return g
}

// contourGrid has a value in each place of a square grid.
type contourGrid [][]plotter.XYZ

// segments returns the pieces within the disc of the line on which the function has a value.
func (g contourGrid) segments(level float64) (all [][2]plotter.XY) {
	level += 1e-9 * math.Abs(level) // a function that is constant but for rounding has none
	for i := range len(g) - 1 {
		for j := range len(g) - 1 {
			for _, middle := range []plotter.XYZ{g[i][j+1], g[i+1][j]} { // a square is two triangles
				corners := []plotter.XYZ{g[i][j], middle, g[i+1][j+1], g[i][j]}
				var ends []plotter.XY
				for k, a := range corners[:3] {
					if b := corners[k+1]; (a.Z >= level) != (b.Z >= level) {
						t := (level/2 - a.Z/2) / (b.Z/2 - a.Z/2)
						ends = append(ends, plotter.XY{X: a.X + t*(b.X-a.X), Y: a.Y + t*(b.Y-a.Y)})
					}
				}
				if len(ends) == 2 && math.Hypot(ends[0].X+ends[1].X, ends[0].Y+ends[1].Y) < 2 {
					all = append(all, [2]plotter.XY{ends[0], ends[1]})
				}
			}
		}
	}
	return all
}

// contourLevels are the values at which contours are drawn: round numbers inside the range.
func contourLevels(lo, hi float64) (levels []float64) {
	for _, t := range marks(lo, hi, 10) {
		if u := scaleTo(lo, hi, t.Value); lo < hi && u > 1e-9 && u < 1-1e-9 {
			levels = append(levels, t.Value)
		}
	}
	return levels
}
