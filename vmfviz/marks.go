package vmfviz

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// arrow is a plotter: an arrow from From to To in data coordinates.
type arrow struct {
	From, To plotter.XY
	Color    color.Color
	Width    vg.Length
	// Edges are outlines that keep the arrow visible on its ground, wide ones first.
	Edges []draw.LineStyle
}

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
	base := to.Sub(d.Scale(head))
	shaft, wing := across.Scale(a.Width/2), across.Scale(0.45*head)
	path := polygon(from.Add(shaft), base.Add(shaft), base.Add(wing), to, base.Sub(wing), base.Sub(shaft), from.Sub(shaft))
	for _, e := range a.Edges {
		c.SetLineStyle(e)
		c.Stroke(path)
	}
	c.SetColor(a.Color)
	c.Fill(path)
}

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

// polygon is the closed path through corners.
func polygon(corners ...vg.Point) (path vg.Path) {
	path.Move(corners[0])
	for _, q := range corners[1:] {
		path.Line(q)
	}
	path.Close()
	return path
}

// label writes a text at a place, shifted by an offset; with ground, on a pale disc of the
// background that lets it be read on any colour.
func label(p *plot.Plot, at plotter.XY, txt string, s draw.TextStyle, offset vg.Point, ground bool) {
	s.XAlign, s.YAlign = draw.XCenter, draw.YCenter
	if ground {
		s.Handler = grounded{s.Handler, faded(theme.Background, 0.8)}
	}
	p.Add(&plotter.Labels{XYs: plotter.XYs{at}, Labels: []string{txt}, TextStyle: []draw.TextStyle{s}, Offset: offset})
}

// grounded is a handler of single letters, each on a disc.
type grounded struct {
	text.Handler
	ground color.Color
}

func (h grounded) Draw(c vg.Canvas, txt string, s text.Style, at vg.Point) {
	c.SetColor(h.ground)
	c.Fill(circlePath(at, 0.7*s.Font.Size))
	h.Handler.Draw(c, txt, s, at)
}

func circlePath(at vg.Point, r vg.Length) (path vg.Path) {
	path.Move(at.Add(vg.Point{X: r}))
	path.Arc(at, r, 0, 2*math.Pi)
	path.Close()
	return path
}

// segment is a straight line between two places.
func segment(x0, y0, x1, y1 float64, style draw.LineStyle) *plotter.Line {
	return &plotter.Line{XYs: plotter.XYs{{X: x0, Y: y0}, {X: x1, Y: y1}}, LineStyle: style}
}

// mark returns one glyph.
func mark(at plotter.XY, r vg.Length, col color.Color, shape draw.GlyphDrawer) *plotter.Scatter {
	return &plotter.Scatter{XYs: plotter.XYs{at}, GlyphStyle: draw.GlyphStyle{Color: col, Radius: r, Shape: shape}}
}

// round is a disc.
func round(c color.Color, r vg.Length) draw.GlyphStyle {
	return draw.GlyphStyle{Color: c, Radius: r, Shape: draw.CircleGlyph{}}
}

func disk(at plotter.XY, r vg.Length, c color.Color) *plotter.Scatter {
	return mark(at, r, c, draw.CircleGlyph{})
}

// shapes tell roles and groups apart without colour; the first four are those of the roles.
var shapes = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, saltire{}, diamond{}}

// ring is a glyph: a circle of a line width; that of draw.RingGlyph is half a point.
type ring struct{ width vg.Length }

func (g ring) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	c.SetLineStyle(draw.LineStyle{Color: s.Color, Width: g.width})
	c.Stroke(circlePath(at, s.Radius))
}

// diamond is an open square that stands on its corner.
type diamond struct{}

func (diamond) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	c.SetLineStyle(draw.LineStyle{Color: s.Color, Width: 1.3})
	r := s.Radius
	c.Stroke(polygon(at.Sub(vg.Point{X: r}), at.Add(vg.Point{Y: r}), at.Add(vg.Point{X: r}), at.Sub(vg.Point{Y: r})))
}

// saltire is a diagonal cross, thick enough to be seen on a bar; draw.CrossGlyph is not.
type saltire struct{}

func (saltire) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	r, style := s.Radius, draw.LineStyle{Color: s.Color, Width: 1.6}
	c.StrokeLine2(style, at.X-r, at.Y-r, at.X+r, at.Y+r)
	c.StrokeLine2(style, at.X-r, at.Y+r, at.X+r, at.Y-r)
}

// name is a label for points.
type name struct {
	label  string
	style  text.Style
	points plotter.XYs
}

// names is a plotter: each label stands beside one of its points, where it covers the fewest points and no other label.
type names []name

func (n names) Plot(c draw.Canvas, p *plot.Plot) {
	for i, r := range n.places(c, p) {
		c.FillText(n[i].style, vg.Point{X: (r.Min.X + r.Max.X) / 2, Y: (r.Min.Y + r.Max.Y) / 2}, n[i].label)
	}
}

// places are the rectangles of the labels. Those of few points choose first.
func (n names) places(c draw.Canvas, p *plot.Plot) []vg.Rectangle {
	x, y := p.Transforms(&c)
	var all []vg.Point
	order := make([]int, len(n))
	for i, l := range n {
		order[i] = i
		for _, q := range l.points {
			all = append(all, vg.Point{X: x(q.X), Y: y(q.Y)})
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(len(n[i].points), len(n[j].points)) })
	chosen, places := []vg.Rectangle{}, make([]vg.Rectangle, len(n))
	for _, i := range order {
		if n[i].label == "" {
			continue
		}
		half, least := vg.Point{X: n[i].style.Width(n[i].label)/2 + 2, Y: n[i].style.Font.Size/2 + 2}, math.MaxInt
		for k := 0; k < len(n[i].points); k += 1 + len(n[i].points)/60 {
			q := n[i].points[k]
			for _, side := range [][2]vg.Length{{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, 1}, {-1, -1}, {1, -1}} {
				middle := vg.Point{X: x(q.X) + side[0]*(half.X+4), Y: y(q.Y) + side[1]*(half.Y+4)}
				r := vg.Rectangle{Min: middle.Sub(half), Max: middle.Add(half)}
				if cost := covered(r, c.Rectangle, all, chosen); cost < least {
					least, places[i] = cost, r
				}
			}
		}
		chosen = append(chosen, places[i])
	}
	return places
}

// covered counts the points that a label covers. Another label, and the edge of the plot, count as a thousand.
func covered(r, plot vg.Rectangle, points []vg.Point, labels []vg.Rectangle) (cost int) {
	for _, q := range points {
		if q.X > r.Min.X-2 && q.X < r.Max.X+2 && q.Y > r.Min.Y-2 && q.Y < r.Max.Y+2 {
			cost++
		}
	}
	for _, l := range labels {
		if r.Min.X < l.Max.X && l.Min.X < r.Max.X && r.Min.Y < l.Max.Y && l.Min.Y < r.Max.Y {
			cost += 1000
		}
	}
	if r.Min.X < plot.Min.X || r.Min.Y < plot.Min.Y || r.Max.X > plot.Max.X || r.Max.Y > plot.Max.Y {
		cost += 1000
	}
	return cost
}
