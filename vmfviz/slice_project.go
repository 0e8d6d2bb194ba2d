package vmfviz

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// alongPage is the camera nearest to that of the slice for which theta lies in the
// picture plane, so that a foot line is at right angles to theta on the page too.
func (c *sliced) alongPage() camera {
	fore := c.cam.fore.sub(c.theta.scale(dot(c.cam.fore, c.theta)))
	if dot(fore, fore) < 1e-6 { // theta points at the reader
		fore = c.cam.right
	}
	fore = fore.unit()
	up := c.cam.up.sub(fore.scale(dot(c.cam.up, fore)))
	if dot(up, up) < 1e-6 {
		up = c.cam.right.sub(fore.scale(dot(c.cam.right, fore)))
	}
	up = up.unit()
	cam := camera{right: cross(up, fore), up: up, fore: fore}
	if !c.planar && !c.opt.View.set && dot(cam.right, c.theta) < 0 {
		cam.right, cam.fore = cam.right.scale(-1), cam.fore.scale(-1) // from behind
	}
	return cam
}

// projectionPlot draws the clouds, the direction beside them, and the way of some
// points to it. Its axes are those of the picture plane, in units of the clouds.
func (c *sliced) projectionPlot(t *Theme) *plot.Plot {
	p := t.bare()
	p.HideAxes()
	p.Add(&equalAspect{})
	cam := c.alongPage()
	flat := func(cloud []vec3) plotter.XYs {
		out := make(plotter.XYs, len(cloud))
		for i, q := range cloud {
			v := cam.apply(q)
			out[i] = plotter.XY{X: v[0], Y: v[1]}
		}
		return out
	}
	x, y, along := flat(c.x), flat(c.y), flat([]vec3{c.theta})[0]
	line := beside(append(append(plotter.XYs(nil), x...), y...), along)

	small := vg.Length(math.Max(0.8, math.Min(2.4, 2.4*math.Sqrt(60/float64(len(x))))))
	opacity := 1.0
	if len(x) > maxPairs {
		opacity = 0.45
	}
	var marked, feet [2]plotter.XYs
	for k, cloud := range []plotter.XYs{x, y} {
		role := Input + Role(k)
		g := t.glyph(role, small)
		g.Color = faded(g.Color, opacity)
		p.Add(&plotter.Scatter{XYs: cloud, GlyphStyle: g})
		for _, rank := range c.pairs {
			i, at := c.pa[rank], c.a
			if k == 1 {
				i, at = c.pb[rank], c.b
			}
			marked[k] = append(marked[k], cloud[i])
			feet[k] = append(feet[k], line.mark(at[i], float64(2*k-1)))
			style := draw.LineStyle{Color: faded(t.color(role, 0), 0.75), Width: 0.75, Dashes: []vg.Length{2.2, 1.8}}
			p.Add(&plotter.Line{XYs: plotter.XYs{cloud[i], line.foot(at[i])}, LineStyle: style})
		}
	}
	p.Add(&arrow{From: line.tail, To: line.tip, Color: t.Direction, Casing: t.dark(t.Direction), Width: 1.9})
	for k := range marked {
		mark, seam := t.glyph(Input+Role(k), 2.6), t.glyph(Input+Role(k), 3.2)
		seam.Color = t.Background
		s := &plotter.Scatter{XYs: marked[k], GlyphStyle: mark}
		p.Add(&plotter.Scatter{XYs: marked[k], GlyphStyle: seam}, s)
		mark.Radius, seam.Radius = 2, 2.5
		p.Add(&plotter.Scatter{XYs: feet[k], GlyphStyle: seam}, &plotter.Scatter{XYs: feet[k], GlyphStyle: mark})
		p.Legend.Add([]string{"cloud X", "cloud Y"}[k], s)
	}
	s := italic(bold(t.style(12.75, t.dark(t.Direction))))
	label(t, p, line.tip, "θ", s, vg.Point{X: vg.Length(9 * along.X), Y: vg.Length(9 * along.Y)}, false)
	p.X.Label.Text = fmt.Sprintf("aᵢ = θ·xᵢ,  bᵢ = θ·yᵢ,  i = 1 … %d", len(x))
	p.Legend.Top, p.Legend.Left = true, true
	p.Y.Max = at(&p.Y, 1.15) // room for the legend
	return p
}

// sideLine is the line of a direction in the picture plane, drawn beside points so
// that it hides none of them; only its direction matters for what is projected.
type sideLine struct {
	along, side plotter.XY // unit vectors
	reach, size float64    // distance of the line from the origin, extent of the points along it
	tail, tip   plotter.XY // of its arrow
}

// beside places the line of a direction below points or to the right of them.
func beside(points plotter.XYs, along plotter.XY) sideLine {
	l := sideLine{along: along, side: plotter.XY{X: along.Y, Y: -along.X}, reach: math.Inf(-1)}
	if l.side.Y > 0.05 || (math.Abs(l.side.Y) <= 0.05 && l.side.X < 0) {
		l.side = plotter.XY{X: -l.side.X, Y: -l.side.Y}
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, q := range points {
		s := q.X*along.X + q.Y*along.Y
		lo, hi = math.Min(lo, s), math.Max(hi, s)
		l.reach = math.Max(l.reach, q.X*l.side.X+q.Y*l.side.Y)
	}
	l.size = math.Max(hi-lo, 1e-9)
	l.reach += 0.13 * l.size
	l.tail, l.tip = l.foot(lo-0.06*l.size), l.foot(hi+0.15*l.size)
	return l
}

// foot returns the place of the projection s.
func (l sideLine) foot(s float64) plotter.XY {
	return plotter.XY{X: s*l.along.X + l.reach*l.side.X, Y: s*l.along.Y + l.reach*l.side.Y}
}

// mark returns the place of a mark at the foot of s, a little off the line so that none
// hides another: on the side of the points for −1, beyond the line for 1.
func (l sideLine) mark(s, side float64) plotter.XY {
	f, off := l.foot(s), 0.018*side*l.size
	return plotter.XY{X: f.X + off*l.side.X, Y: f.Y + off*l.side.Y}
}
