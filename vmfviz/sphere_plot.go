package vmfviz

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// axisReach is how far the axes stand out of the unit sphere, from its centre.
const axisReach = 1.16

// spherePlot is the plot of one panel while it is drawn.
type spherePlot struct {
	spheres
	SpherePanel
	*plot.Plot
}

// plot draws one panel, from back to front.
func (s spheres) plot(panel SpherePanel) *plot.Plot {
	p := spherePlot{s, panel, s.theme.bare()}
	p.HideAxes()
	p.Title.Text = panel.Caption
	p.Add(&equalAspect{})
	p.axes(false)
	p.arrow(false)
	p.ground()
	if p.Heat == nil {
		p.lines(false)
	}
	if p.Heat == nil || p.area {
		p.points(false)
		p.marks(false)
		p.path(false)
	}
	p.lines(true)
	p.contours()
	p.edges()
	p.arrow(true)
	p.points(true)
	p.marks(true)
	p.path(true)
	p.target()
	p.axes(true)
	p.crosses()
	p.name()
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = s.limits.Min.X, s.limits.Max.X, s.limits.Min.Y, s.limits.Max.Y
	return p.Plot
}

// reach returns the range that the panels need: one for all, so that all spheres
// have one size.
func (s spheres) reach(panels []SpherePanel) (r limits) {
	if s.area {
		return limits{plotter.XY{X: -1.01 - discShift, Y: -1.02}, plotter.XY{X: 1.01 + discShift, Y: 1.02}}
	}
	r = limits{plotter.XY{X: -1.05, Y: -1.03}, plotter.XY{X: 1.05, Y: 1.03}}
	const letter = 0.1
	see := func(q plotter.XY) {
		r.Min.X, r.Max.X = math.Min(r.Min.X, q.X-letter), math.Max(r.Max.X, q.X+letter)
		r.Min.Y, r.Max.Y = math.Min(r.Min.Y, q.Y-letter), math.Max(r.Max.Y, q.Y+letter)
	}
	for k := range 3 {
		var e vec3
		e[k] = axisReach
		see(s.at(e))
	}
	for _, panel := range panels {
		if panel.Location != nil {
			_, to, _, _ := (spherePlot{spheres: s, SpherePanel: panel}).tip()
			see(to)
		}
	}
	return r
}

// limits are the corners of a range.
type limits struct{ Min, Max plotter.XY }

// circle is the edge of a disc.
func circle(center plotter.XY) plotter.XYs {
	var c plotter.XYs
	for i := range 180 {
		sin, cos := math.Sincos(float64(i) * math.Pi / 90)
		c = append(c, plotter.XY{X: center.X + cos, Y: center.Y + sin})
	}
	return c
}

// ground fills the discs, with the colours of the function if there is one.
func (p spherePlot) ground() {
	centers, back := p.discs()
	for i, c := range centers {
		if p.Heat == nil {
			p.Add(fill(circle(c), faded(blend(p.theme.Background, p.theme.Grid, 0.4), 0.75), draw.LineStyle{})) // an arrow behind shines through
			continue
		}
		img := p.Heat.disc(p.pixels, p.lo, p.hi, p.colors, back[i])
		p.Add(plotter.NewImage(img, c.X-1, c.Y-1, c.X+1, c.Y+1))
	}
}

func (p spherePlot) edges() {
	centers, _ := p.discs()
	for _, c := range centers {
		p.Add(fill(circle(c), nil, draw.LineStyle{Color: p.theme.Axis, Width: 0.9}))
	}
}

// add draws the parts of a curve on the half in front, or behind. On a map all of
// it belongs to the front.
func (p spherePlot) curve(c []vec3, front bool, style draw.LineStyle) {
	near, far := p.split(c)
	switch {
	case p.area && front:
		near = append(near, far...)
	case p.area:
		return
	case !front:
		near = far
	}
	add(p.Plot, near, style)
}

// lines draws the graticule.
func (p spherePlot) lines(front bool) {
	style := draw.LineStyle{Color: p.theme.Edge, Width: 0.6}
	switch {
	case p.Heat != nil:
		style.Color = color.NRGBA{0xFF, 0xFF, 0xFF, 0x48}
	case !front:
		style.Color = p.theme.Grid
	}
	for _, l := range graticule() {
		p.curve(l, front, style)
	}
}

// contours draws lines of equal value.
func (p spherePlot) contours() {
	if p.Heat == nil || !p.Heat.Contours {
		return
	}
	fine := p.Heat.refined(1 + 100/p.Heat.rows())
	for _, level := range p.levels {
		t := scaleTo(p.lo, p.hi, level)
		style := contourStyle(p.colors[int(t*float64(len(p.colors)-1)+0.5)])
		for _, c := range fine.contours(level) {
			p.curve(c, true, style)
		}
	}
}

// points draws the directions of one half. Dots have no seam of their own: where
// they lie close they join, so that the densest place is the fullest.
func (p spherePlot) points(front bool) {
	var at plotter.XYs
	var groups []int
	for i := range len(p.Points) / 3 {
		if d := row3(p.Points, i).unit(); p.front(d) == front {
			at = append(at, p.at(d))
			if p.Groups != nil {
				groups = append(groups, p.Groups[i])
			}
		}
	}
	if len(at) == 0 {
		return
	}
	n := float64(len(p.Points) / 3)
	r := vg.Length(math.Max(0.9, math.Min(2.8, 2.3*math.Sqrt(300/n))))
	if p.small {
		r = max(0.8, 0.7*r)
	}
	dots := func(col color.Color, r vg.Length) {
		s := &plotter.Scatter{XYs: at, GlyphStyle: draw.GlyphStyle{Color: col, Radius: r, Shape: draw.CircleGlyph{}}}
		if groups != nil && col != white {
			s.GlyphStyleFunc = func(i int) draw.GlyphStyle {
				g := s.GlyphStyle
				g.Color = faded(p.theme.color(Auto, groups[i]), opacity(col))
				return g
			}
		}
		p.Add(s)
	}
	switch {
	case p.Heat != nil: // all seams lie below all dots
		dots(white, r+0.6)
		dots(color3(0x111111), r)
	case p.shown(front):
		dots(faded(p.theme.Input, 0.75), r)
	default:
		dots(faded(p.theme.Input, 0.22), r)
	}
}

// opacity is that of a colour, from 0 to 1.
func opacity(c color.Color) float64 {
	_, _, _, a := c.RGBA()
	return float64(a) / 0xFFFF
}

// marks draws a ring around each marked direction of one half.
func (p spherePlot) marks(front bool) {
	col := p.theme.dark(p.theme.Output)
	if !p.shown(front) {
		col = faded(col, 0.35)
	}
	for i := range len(p.Marks) / 3 {
		if d := row3(p.Marks, i).unit(); p.front(d) == front {
			p.Add(mark(p.at(d), 5, col, ring{1.3}))
		}
	}
}

// path draws the path on one half. An open end is where it starts, a filled one
// where it ends. On the colours of a function it has a white seam outside the
// dark one: it meets every lightness there.
func (p spherePlot) path(front bool) {
	if p.Path == nil {
		return
	}
	col, casing := p.theme.Direction, p.theme.dark(p.theme.Direction)
	if !p.shown(front) {
		col, casing = faded(col, 0.35), faded(casing, 0.35)
	}
	var curve []vec3
	for i := 1; i < len(p.Path)/3; i++ {
		curve = append(curve, greatCircle(row3(p.Path, i-1).unit(), row3(p.Path, i).unit())...)
	}
	if p.Heat != nil {
		p.curve(curve, front, draw.LineStyle{Color: white, Width: 4.4})
	}
	p.curve(curve, front, draw.LineStyle{Color: casing, Width: 3})
	p.curve(curve, front, draw.LineStyle{Color: col, Width: 1.8})
	first, last := row3(p.Path, 0).unit(), row3(p.Path, len(p.Path)/3-1).unit()
	for i, d := range []vec3{first, last} {
		if p.front(d) != front {
			continue
		}
		inside := p.theme.Background
		if i == 1 {
			inside = col
		}
		p.bead(p.at(d), 3.4, casing, inside, p.Heat != nil)
	}
}

// bead draws a dot with an edge, and a white seam around it.
func (p spherePlot) bead(at plotter.XY, r vg.Length, edge, inside color.Color, seam bool) {
	if seam {
		p.Add(mark(at, r+0.75, white, draw.CircleGlyph{}))
	}
	p.Add(mark(at, r, edge, draw.CircleGlyph{}), mark(at, r-1, inside, draw.CircleGlyph{}))
}

// tip returns the ends of the arrow of the location. It is longer in space where it
// points at the reader, so that it can be seen; where even that leaves it short,
// ok is false.
func (p spherePlot) tip() (from, to plotter.XY, near, ok bool) {
	d := row3(p.Location, 0).unit()
	from = p.at(d)
	out := math.Hypot(from.X, from.Y)
	length := 1 + math.Min(1.1, 0.3/math.Max(out, 1e-9))
	to = plotter.XY{X: from.X * length, Y: from.Y * length}
	return from, to, p.front(d), !p.area && out*(length-1) > 0.12
}

// arrow draws the location on one half: an arrow from the surface outwards, or a
// ring where it points at the reader and on a map. Points lie over it.
func (p spherePlot) arrow(front bool) {
	if p.Location == nil {
		return
	}
	from, to, near, ok := p.tip()
	if near != front && !p.area || p.area && !front {
		return
	}
	col, casing := p.theme.Direction, p.theme.dark(p.theme.Direction)
	if ok {
		a := &arrow{From: from, To: to, Color: col, Width: 2.6, Casing: casing}
		if p.small {
			a.Width = 2
		}
		if p.Heat != nil && near {
			a.Seam = white
		}
		p.Add(a)
		p.bead(from, 3.2, casing, col, p.Heat != nil && near)
		return
	}
	p.bead(from, 5.2, casing, col, true)
}

// target marks where the location is, over all points around it.
func (p spherePlot) target() {
	if p.Location == nil {
		return
	}
	from, _, near, ok := p.tip()
	if !p.shown(near) {
		return
	}
	r := vg.Length(5.2)
	if ok {
		r = 3.2
	}
	p.Add(mark(from, r+0.6, white, ring{1}), mark(from, r, p.theme.dark(p.theme.Direction), ring{1.4}))
}

// name writes the letter of the location beside it.
func (p spherePlot) name() {
	if p.Location == nil {
		return
	}
	letter := p.LocationLabel
	if letter == "" {
		letter = "ε"
	}
	from, to, near, ok := p.tip()
	size := vg.Length(13.5)
	if p.small {
		size = 12
	}
	s := bold(p.theme.style(size, p.theme.dark(p.theme.Direction)))
	at, offset := from, vg.Point{X: 11, Y: 9}
	if ok {
		r := math.Hypot(to.X, to.Y)
		at, offset = to, vg.Point{X: vg.Length(9 * to.X / r), Y: vg.Length(9 * to.Y / r)}
	} else if p.area { // inside its disc
		middle := discShift
		if near {
			middle = -middle
		}
		if from.X-middle > 0.7 {
			offset.X = -offset.X
		}
		if from.Y > 0.7 {
			offset.Y = -offset.Y
		}
	}
	label(p.theme, p.Plot, at, letter, s, offset, p.Heat != nil || p.Points != nil)
}

// axes draws the half axes outside the sphere, of one half, with their names.
func (p spherePlot) axes(front bool) {
	if p.area {
		return
	}
	for k, name := range []string{"x", "y", "z"} {
		var e vec3
		e[k] = 1
		if p.front(e) != front {
			continue
		}
		a, b := p.at(e), p.at(e.scale(axisReach))
		p.Add(&plotter.Line{XYs: plotter.XYs{a, b}, LineStyle: draw.LineStyle{Color: p.theme.Axis, Width: 1}})
		out := vg.Point{X: vg.Length(b.X), Y: vg.Length(b.Y)}
		if n := math.Hypot(b.X, b.Y); n > 0.05 {
			out = out.Scale(vg.Length(7 / n))
		} else {
			out = vg.Point{X: 7, Y: 7}
		}
		label(p.theme, p.Plot, b, name, italic(p.theme.style(pointsLabel, p.theme.Text)), out, front && p.Heat != nil)
	}
}

// crosses marks the ends of the axes on a map. One on the rim is marked on the near
// disc only.
func (p spherePlot) crosses() {
	if !p.area {
		return
	}
	for k, name := range []string{"x", "y", "z"} {
		for _, sign := range []float64{1, -1} {
			var e vec3
			e[k] = sign
			at := p.at(e)
			if d := dot(p.cam.fore, e); math.Abs(d) < 1e-9 {
				at = p.on(e, true)
			}
			g := draw.GlyphStyle{Color: p.theme.Axis, Radius: 3, Shape: draw.PlusGlyph{}}
			if p.Heat != nil {
				g.Color = white
			}
			p.Add(&plotter.Scatter{XYs: plotter.XYs{at}, GlyphStyle: g})
			text := name
			if sign < 0 {
				text = "−" + name
			}
			offset := vg.Point{X: 8, Y: 7}
			if math.Abs(at.X) > 0.75+discShift || (at.X < 0 && at.X > -0.15) {
				offset.X = -offset.X
			}
			if at.Y > 0.85 {
				offset.Y = -offset.Y
			}
			label(p.theme, p.Plot, at, text, italic(p.theme.style(pointsTick, p.theme.Text)), offset, true)
		}
	}
}
