package vmfviz

import (
	"cmp"
	"image/color"
	"math"
	"math/cmplx"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// axisReach is how far the axes stand out of the unit sphere, from its centre.
const axisReach = 1.16

var (
	axes      = []vec3{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
	axisNames = []string{"x", "y", "z"}
)

// spheres is what the plots of a picture share.
type spheres struct {
	projection
	heatScale
	unit  float64 // points of a radius on the page
	small bool    // the plots are
}

// spherePlot is the plot of one panel while it is drawn.
type spherePlot struct {
	spheres
	SpherePanel
	*plot.Plot
	busy plotter.XYs // places that letters keep clear of
}

// plot draws one panel, from back to front.
func (s spheres) plot(panel SpherePanel) *plot.Plot {
	p := spherePlot{s, panel, theme.bare(), nil}
	p.HideAxes()
	p.Title.Text = panel.Caption
	p.Add(&equalAspect{})
	p.occupy()
	p.halfAxes(false)
	p.location(false)
	p.ground()
	if p.Heat == nil {
		p.lines(false)
	}
	if p.Heat == nil {
		p.points(false)
		p.marks(false)
		p.circles(false)
		p.paths(false)
	}
	p.lines(true)
	if p.Heat != nil && p.Heat.Contours {
		p.Add(&contours{p.projection, p.Heat.sampler(), p.levels,
			func(v float64) draw.LineStyle { return contourStyle(p.color(v)) }})
	}
	rim := draw.LineStyle{Color: theme.Axis, Width: 0.9}
	p.Add(&plotter.Polygon{XYs: []plotter.XYs{p.rim()}, LineStyle: rim})
	p.circles(true)
	p.location(true)
	p.points(true)
	p.marks(true)
	p.halfAxes(true)
	p.paths(true)
	p.target()
	if p.area {
		p.crosses()
	}
	return p.Plot
}

// rim is the edge of the picture of the sphere.
func (g projection) rim() (c plotter.XYs) {
	for i := range 180 {
		sin, cos := math.Sincos(float64(i) * math.Pi / 90)
		c = append(c, plotter.XY{X: g.wide() * cos, Y: sin})
	}
	return c
}

// ground fills the sphere, with the colours of the function if there is one.
func (p *spherePlot) ground() {
	if p.Heat != nil {
		pixels, w := int(2*p.unit*screenScale*96/72), p.wide()
		p.Add(plotter.NewImage(p.Heat.paint(min(pixels, 640), p.projection, p.heatScale), -w, -1, w, 1))
		return
	}
	pale := faded(blend(theme.Background, theme.Grid, 0.4), 0.75) // an arrow behind shines through
	p.Add(&plotter.Polygon{XYs: []plotter.XYs{p.rim()}, Color: pale})
}

// curve draws the parts of a curve on the half in front, or behind.
func (p *spherePlot) curve(c []vec3, front bool, style draw.LineStyle) {
	parts, behind := p.split(c)
	if !front {
		parts = behind
	}
	add(p.Plot, parts, style)
}

// lines draws the graticule.
func (p *spherePlot) lines(front bool) {
	style := draw.LineStyle{Color: theme.Edge, Width: 0.6}
	switch {
	case p.Heat != nil:
		style.Color = color.NRGBA{0xFF, 0xFF, 0xFF, 0x48}
	case !front:
		style.Color = theme.Grid
	}
	for _, l := range graticule() {
		p.curve(l, front, style)
	}
}

// points draws the directions of one half. Dots have no seam of their own: where they lie close
// they join, so that the densest place is the fullest.
func (p *spherePlot) points(front bool) {
	n := len(p.Points) / 3
	r := vg.Length(math.Max(0.9, math.Min(2.8, 2.3*math.Sqrt(300/float64(n)))))
	if p.small {
		r = max(0.8, 0.7*r)
	}
	opacity := 0.75
	if !front {
		opacity = 0.22
	}
	dots := &plotter.Scatter{}
	var styles []draw.GlyphStyle
	for i := range n {
		d := row3(p.Points, i).unit()
		if p.front(d) != front {
			continue
		}
		style := round(faded(theme.Input, opacity), r)
		if p.Heat != nil {
			style.Color = color3(0x111111)
		}
		if p.Groups != nil {
			style.Color, style.Shape = faded(theme.color(Auto, p.Groups[i]), opacity), shapes[p.Groups[i]%len(shapes)]
		}
		dots.XYs, styles = append(dots.XYs, p.at(d)), append(styles, style)
	}
	dots.GlyphStyleFunc = func(i int) draw.GlyphStyle { return styles[i] }
	if p.Heat != nil { // all seams lie below all dots
		p.Add(&plotter.Scatter{XYs: dots.XYs, GlyphStyle: round(white, r+0.6)})
	}
	p.Add(dots)
}

// marks draws a ring around each marked direction of one half.
func (p *spherePlot) marks(front bool) {
	for i := range len(p.Marks) / 3 {
		if d := row3(p.Marks, i).unit(); p.front(d) == front {
			ink := theme.dark(theme.Output)
			if p.Heat != nil { // seen on dark and light values
				p.Add(mark(p.at(d), 5, p.behind(theme.Text, front), ring{3}))
				ink = white
			}
			p.Add(mark(p.at(d), 5, p.behind(ink, front), ring{1.3}))
		}
	}
}

// circles draws the great circle orthogonal to each direction on one half.
func (p *spherePlot) circles(front bool) {
	style := draw.LineStyle{Color: p.behind(theme.dark(theme.Output), front), Width: 1.4, Dashes: []vg.Length{4, 3}}
	if p.Heat != nil {
		style.Color = white
	}
	for _, d := range rows(p.Circles, 3) {
		right, up := circleAxes(d.unit())
		var curve []vec3
		for i := range 181 {
			sin, cos := math.Sincos(float64(i) * math.Pi / 90)
			curve = append(curve, right.scale(cos).add(up.scale(sin)))
		}
		p.curve(curve, front, style)
	}
}

// behind is a colour on one half: pale where that is seen through the sphere.
func (p *spherePlot) behind(c color.Color, front bool) color.Color {
	if front {
		return c
	}
	return faded(c, 0.35)
}

// paths draws the path, and the others, on one half.
func (p *spherePlot) paths(front bool) {
	for _, path := range append([][]float32{p.Path}, p.Paths...) {
		p.path(path, front)
	}
}

// path draws a path on one half. An open end is where it starts, a filled one where it ends. On
// the colours of a function it has a white seam outside the dark one: it meets every lightness
// there. A path of many steps, which may go to and fro, has a dot for each on a thin line.
func (p *spherePlot) path(path []float32, front bool) {
	var curve []vec3
	var places plotter.XYs
	steps := rows(path, 3)
	for i, d := range steps {
		if i > 0 {
			curve = append(curve, greatCircle(steps[i-1].unit(), d.unit())...)
		}
		if p.front(d) == front {
			places = append(places, p.at(d.unit()))
		}
	}
	seam, casing, inside := color.Color(white), p.behind(theme.dark(theme.Direction), front),
		p.behind(theme.Direction, front)
	if p.Heat == nil {
		seam = color.Transparent
	}
	for i, c := range []color.Color{seam, casing, inside} {
		if len(steps) <= 40 {
			p.curve(curve, front, draw.LineStyle{Color: c, Width: []vg.Length{4.4, 3, 1.8}[i]})
			continue
		}
		p.curve(curve, front, draw.LineStyle{Color: c, Width: []vg.Length{1.6, 0.5, 0}[i]})
		p.Add(&plotter.Scatter{XYs: places, GlyphStyle: round(c, []vg.Length{1.5, 1.1, 0.7}[i])})
	}
	for i, d := range steps {
		fill := theme.Background
		if i > 0 {
			fill = inside
		}
		if at := p.at(d.unit()); (i == 0 || i == len(steps)-1) && p.front(d) == front {
			p.Add(disk(at, 4.15, seam), disk(at, 3.4, casing), disk(at, 2.4, fill))
		}
	}
}

// tip returns the ends of the arrow of a location. It is longer in space where it points at the
// reader, so that it can be seen; where even that leaves it short, ok is false.
func (s spheres) tip(location []float32) (from, to plotter.XY, ok bool) {
	from = s.at(row3(location, 0).unit())
	out := math.Hypot(from.X, from.Y)
	length := 1 + math.Min(1.1, 0.3/math.Max(out, 1e-9))
	return from, plotter.XY{X: from.X * length, Y: from.Y * length}, !s.area && out*(length-1) > 0.12
}

// location draws the location on one half: an arrow from the surface outwards, or a disc where it
// points at the reader and on a map. Points lie over it.
func (p *spherePlot) location(front bool) {
	if p.Location == nil || p.front(row3(p.Location, 0)) != front {
		return
	}
	from, to, ok := p.tip(p.Location)
	if !ok {
		p.Add(disk(from, 5.2, theme.Direction))
		return
	}
	a := &arrow{From: from, To: to, Color: theme.Direction, Width: 2.6}
	if p.small {
		a.Width = 2
	}
	if p.Heat != nil && front {
		a.Edges = append(a.Edges, draw.LineStyle{Color: white, Width: 3.2})
	}
	a.Edges = append(a.Edges, draw.LineStyle{Color: theme.dark(theme.Direction), Width: 1.5})
	p.Add(a, disk(from, 3.2, theme.Direction))
}

// target marks where the location is, over all points around it, and writes its letter, which would
// hide those around a location that points at the reader.
func (p *spherePlot) target() {
	if p.Location == nil {
		return
	}
	from, to, ok := p.tip(p.Location)
	dark := theme.dark(theme.Direction)
	r, size := vg.Length(5.2), vg.Length(13.5)
	at, offset := from, vg.Point{X: 11, Y: 9}
	if ok {
		d := vg.Length(9 / math.Hypot(to.X, to.Y))
		r, at, offset = 3.2, to, vg.Point{X: d * vg.Length(to.X), Y: d * vg.Length(to.Y)}
	}
	if p.front(row3(p.Location, 0)) {
		p.Add(mark(from, r+0.6, white, ring{1}), mark(from, r, dark, ring{1.4}))
	}
	if !ok && !p.area && p.Points != nil {
		return
	}
	if p.small {
		size = 12
	}
	label(p.Plot, at, cmp.Or(p.LocationLabel, "ε"), bold(theme.style(size, dark)), p.beside(at, offset),
		p.Heat != nil || p.Points != nil)
}

// occupy notes where the path and the location are seen.
func (p *spherePlot) occupy() {
	for _, d := range rows(p.Path, 3) {
		if p.front(d) {
			p.busy = append(p.busy, p.at(d.unit()))
		}
	}
	if p.Location != nil {
		from, to, ok := p.tip(p.Location)
		for t := 0.0; t == 0 || ok && t <= 1; t += 0.125 {
			p.busy = append(p.busy, plotter.XY{X: from.X + t*(to.X-from.X), Y: from.Y + t*(to.Y-from.Y)})
		}
	}
}

// beside returns an offset for a letter at a place: the one given, or that turned until the letter
// is clear of the path and the location, and inside of a map.
func (p *spherePlot) beside(at plotter.XY, offset vg.Point) vg.Point {
	best, most := offset, -1.0
	for _, turn := range []float64{0, 1, -1, 2, -2, 3, -3, 4} {
		o := complex(float64(offset.X), float64(offset.Y)) * cmplx.Rect(1, turn*math.Pi/4)
		x, y := at.X+real(o)/p.unit, at.Y+imag(o)/p.unit
		room := math.Inf(1)
		for _, b := range p.busy {
			room = math.Min(room, p.unit*math.Hypot(x-b.X, y-b.Y))
		}
		if p.area && math.Hypot(x/p.wide(), y) > 1-5/p.unit {
			room = 0
		}
		if room > most {
			best, most = vg.Point{X: vg.Length(real(o)), Y: vg.Length(imag(o))}, room
		}
		if most > 8.5 {
			break
		}
	}
	p.busy = append(p.busy, plotter.XY{X: at.X + float64(best.X)/p.unit, Y: at.Y + float64(best.Y)/p.unit})
	return best
}

// halfAxes draws the half axes outside the sphere, of one half, with their names.
func (p *spherePlot) halfAxes(front bool) {
	for k, e := range axes {
		if p.area || p.front(e) != front {
			continue
		}
		a, b := p.at(e), p.at(e.scale(axisReach))
		p.Add(segment(a.X, a.Y, b.X, b.Y, draw.LineStyle{Color: theme.Axis, Width: 1}))
		offset := vg.Point{X: 7, Y: 7}
		if n := math.Hypot(b.X, b.Y); n > 0.05 {
			offset = vg.Point{X: vg.Length(7 * b.X / n), Y: vg.Length(7 * b.Y / n)}
		}
		label(p.Plot, b, axisNames[k], italic(theme.style(pointsLabel, theme.Text)), p.beside(b, offset),
			front && p.Heat != nil)
	}
}

// crosses marks the ends of the axes on a map.
func (p *spherePlot) crosses() {
	for k, axis := range axes {
		for i, name := range []string{axisNames[k], "−" + axisNames[k]} {
			e := axis.scale(float64(1 - 2*i))
			at, col := p.at(e), theme.Axis
			if p.Heat != nil {
				col = white
			}
			p.Add(mark(at, 3, col, draw.PlusGlyph{}))
			offset := p.beside(at, vg.Point{X: 8, Y: 7})
			label(p.Plot, at, name, italic(theme.style(pointsTick, theme.Text)), offset, true)
		}
	}
}
