package vmfviz

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// arrow is a plotter: an arrow from From to To in data coordinates.
type arrow struct {
	From, To plotter.XY
	Color    color.Color
	Width    vg.Length
	// Casing, if not nil, is the colour of an outline that keeps the arrow visible
	// on its ground.
	Casing color.Color
	// Seam, if not nil, is the colour of a line around the casing.
	Seam color.Color
}

// Plot draws the arrow.
func (a *arrow) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	from, to := vg.Point{X: x(a.From.X), Y: y(a.From.Y)}, vg.Point{X: x(a.To.X), Y: y(a.To.Y)}
	d := to.Sub(from)
	length := vg.Length(math.Hypot(float64(d.X), float64(d.Y)))
	if length == 0 {
		return
	}
	d = d.Scale(1 / length)
	across := vg.Point{X: -d.Y, Y: d.X}
	head := min(4.2*a.Width, length/1.6)
	body := func(col color.Color, grow vg.Length) {
		w, hw := a.Width/2+grow, 0.45*head+1.5*grow
		base := to.Sub(d.Scale(head))
		shaft, wing, tail := base, base.Sub(d.Scale(grow)), from.Sub(d.Scale(grow))
		c.FillPolygon(col, []vg.Point{
			tail.Add(across.Scale(w)), shaft.Add(across.Scale(w)), wing.Add(across.Scale(hw)), to.Add(d.Scale(1.8 * grow)),
			wing.Sub(across.Scale(hw)), shaft.Sub(across.Scale(w)), tail.Sub(across.Scale(w)),
		})
	}
	if a.Seam != nil {
		body(a.Seam, 1.6)
	}
	if a.Casing != nil {
		body(a.Casing, 0.75)
	}
	body(a.Color, 0)
}

// DataRange returns the range of both ends.
func (a *arrow) DataRange() (xmin, xmax, ymin, ymax float64) {
	return plotter.XYRange(plotter.XYs{a.From, a.To})
}

// GlyphBoxes makes room for the head.
func (a *arrow) GlyphBoxes(p *plot.Plot) []plot.GlyphBox {
	r := 2 * a.Width
	return []plot.GlyphBox{{X: p.X.Norm(a.To.X), Y: p.Y.Norm(a.To.Y), Rectangle: vg.Rectangle{
		Min: vg.Point{X: -r, Y: -r}, Max: vg.Point{X: r, Y: r},
	}}}
}

// Thumbnail draws the arrow from left to right.
func (a *arrow) Thumbnail(c *draw.Canvas) {
	flat := *a
	flat.From, flat.To = plotter.XY{X: 0, Y: 0.5}, plotter.XY{X: 1, Y: 0.5}
	p := plot.New()
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1
	flat.Plot(*c, p)
}

// label writes a text at a place, shifted by an offset, on a pale disc of the
// background that lets it be read on any ground.
func label(t *Theme, p *plot.Plot, at plotter.XY, txt string, s draw.TextStyle, offset vg.Point, ground bool) {
	s.XAlign, s.YAlign = draw.XCenter, draw.YCenter
	if ground {
		p.Add(&disc{at, offset, faded(t.Background, 0.8), 0.62 * s.Font.Size})
	}
	p.Add(&plotter.Labels{XYs: plotter.XYs{at}, Labels: []string{txt}, TextStyle: []draw.TextStyle{s}, Offset: offset})
}

// circleAt is a plotter: the outline of a circle at a place.
type circleAt struct {
	At     plotter.XY
	Radius vg.Length
	draw.LineStyle
}

// Plot draws the circle.
func (o *circleAt) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	at := vg.Point{X: x(o.At.X), Y: y(o.At.Y)}
	var path vg.Path
	path.Move(at.Add(vg.Point{X: o.Radius}))
	path.Arc(at, o.Radius, 0, 2*math.Pi)
	path.Close()
	c.SetLineStyle(o.LineStyle)
	c.Stroke(path)
}

// disc is a plotter: a disc at a place shifted by an offset.
type disc struct {
	At     plotter.XY
	Offset vg.Point
	Color  color.Color
	Radius vg.Length
}

// Plot draws the disc.
func (d *disc) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	at := vg.Point{X: x(d.At.X), Y: y(d.At.Y)}.Add(d.Offset)
	c.DrawGlyphNoClip(draw.GlyphStyle{Color: d.Color, Radius: d.Radius, Shape: draw.CircleGlyph{}}, at)
}
