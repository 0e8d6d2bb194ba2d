package vmfviz

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// projectionPlot draws the clouds, the direction beside them, and the way of some points to it. Its
// axes are those of the picture plane, in units of the clouds.
func (c *sliced) projectionPlot(t *Theme) *plot.Plot {
	p := t.bare()
	p.HideAxes()
	p.Add(&equalAspect{})
	n := len(c.x.points)
	line := beside(c.cam.flat(append(slices.Clone(c.x.points), c.y.points...)), c.cam.flat([]vec3{c.theta})[0])
	var marked, feet [2]plotter.XYs
	for k, cloud := range []projected{c.x, c.y} {
		role, page := Input+Role(k), c.cam.flat(cloud.points)
		g := t.glyph(role, dotRadius(n))
		if n > len(c.pairs) {
			g.Color = faded(g.Color, 0.45)
		}
		p.Add(&plotter.Scatter{XYs: page, GlyphStyle: g})
		for _, rank := range c.pairs {
			at, s := page[cloud.order[rank]], cloud.ranked(rank)
			marked[k], feet[k] = append(marked[k], at), append(feet[k], line.mark(s, float64(2*k-1)))
			style := draw.LineStyle{Color: faded(t.color(role, 0), 0.75), Width: 0.75, Dashes: []vg.Length{2.2, 1.8}}
			p.Add(&plotter.Line{XYs: plotter.XYs{at, line.foot(s)}, LineStyle: style})
		}
	}
	line.draw(t, p, 1.9)
	for k := range marked {
		p.Legend.Add([]string{"cloud X", "cloud Y"}[k], seamed(p, t, marked[k], Input+Role(k), 2.6))
		seamed(p, t, feet[k], Input+Role(k), 2)
	}
	p.X.Label.Text = fmt.Sprintf("aᵢ = θ·xᵢ,  bᵢ = θ·yᵢ,  i = 1 … %d", n)
	p.Legend.Top, p.Legend.Left = true, true
	p.Y.Max = at(&p.Y, 1.15) // room for the legend
	return p
}

// sideLine is the line of a direction in the picture plane, drawn beside points so that it hides
// none of them; only its direction matters for what is projected.
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

// mark returns the place of a mark at the foot of s, a little off the line so that none hides
// another: on the side of the points for −1, beyond the line for 1.
func (l sideLine) mark(s, side float64) plotter.XY {
	f, off := l.foot(s), 0.018*side*l.size
	return plotter.XY{X: f.X + off*l.side.X, Y: f.Y + off*l.side.Y}
}

// draw draws the line as an arrow with its letter.
func (l sideLine) draw(t *Theme, p *plot.Plot, width vg.Length) {
	dark := t.dark(t.Direction)
	p.Add(&arrow{From: l.tail, To: l.tip, Color: t.Direction, Width: width, Edges: []draw.LineStyle{{Color: dark, Width: 1.5}}})
	label(t, p, l.tip, "θ", italic(bold(t.style(13, dark))), vg.Point{X: vg.Length(9.5 * l.along.X), Y: vg.Length(9.5 * l.along.Y)}, false)
}
