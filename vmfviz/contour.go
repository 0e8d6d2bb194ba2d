package vmfviz

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// contours is a plotter: lines of equal value of a function on the sphere, by marching
// triangles on a grid over each disc. plotter.Contour draws its paths in an order that
// changes from run to run, and has no discs.
type contours struct {
	projection
	f      func(vec3) float64
	levels []float64
	style  func(level float64) draw.LineStyle
}

// Plot strokes one path for each level.
func (o *contours) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, d := range o.discs() {
		grid := o.grid(d)
		for _, level := range o.levels {
			var path vg.Path
			for _, s := range grid.segments(level) {
				path.Move(vg.Point{X: x(d.X + s[0].X), Y: y(d.Y + s[0].Y)})
				path.Line(vg.Point{X: x(d.X + s[1].X), Y: y(d.Y + s[1].Y)})
			}
			c.SetLineStyle(o.style(level))
			c.Stroke(path)
		}
	}
}

// grid samples the function over a disc, [−1, 1]² of the plane; outside of it the value is
// that at the nearest place of the edge.
func (o *contours) grid(d disc) contourGrid {
	const n = 160
	g := make(contourGrid, n+1)
	for i := range g {
		for j := range n + 1 {
			at := plotter.XYZ{X: 2*float64(j)/n - 1, Y: 2*float64(i)/n - 1}
			r := math.Max(1, math.Hypot(at.X, at.Y))
			at.Z = o.f(d.back(at.X/r, at.Y/r))
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

// contourLevels are the values at which contours are drawn: round numbers
// inside the range.
func contourLevels(lo, hi float64) (levels []float64) {
	for _, t := range marks(lo, hi, 10) {
		if u := scaleTo(lo, hi, t.Value); lo < hi && u > 1e-9 && u < 1-1e-9 {
			levels = append(levels, t.Value)
		}
	}
	return levels
}
