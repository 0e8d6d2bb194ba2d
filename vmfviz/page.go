package vmfviz

import (
	"image"
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
)

// cardWidth is the width of a full picture: what a notebook column shows
// without scaling.
const cardWidth = 900.0

// margin is the space between the rim of the card and its content.
const margin = 22.0

// px converts CSS pixels (1/96 inch) to the points (1/72 inch) of vg.
func px(x float64) vg.Length { return vg.Length(0.75 * x) }

// pt is a place on a sheet in pixels; x grows to the right and y downwards.
type pt struct{ x, y float64 }

func (a pt) add(b pt) pt           { return pt{a.x + b.x, a.y + b.y} }
func (a pt) sub(b pt) pt           { return pt{a.x - b.x, a.y - b.y} }
func (a pt) scale(s float64) pt    { return pt{s * a.x, s * a.y} }
func (a pt) norm() float64         { return math.Hypot(a.x, a.y) }
func (a pt) to(b pt, t float64) pt { return pt{a.x + t*(b.x-a.x), a.y + t*(b.y-a.y)} }
func (a pt) towards(b pt, d float64) pt {
	n := b.sub(a).norm()
	if n == 0 {
		return a
	}
	return a.to(b, d/n)
}

// box is a rectangle on a sheet.
type box struct{ x, y, w, h float64 }

// page is a canvas in pixels with y downwards, on which a white card lies.
type page struct {
	c    vg.Canvas
	w, h float64
	// lengths of the pieces of text written so far, in points
	lengths []vg.Length
}

func newSheet(c vg.Canvas, w, h float64) *page {
	s := &page{c: c, w: w, h: h}
	s.roundRect(box{0.5, 0.5, w - 1, h - 1}, 9, white, rim)
	return s
}

func (s *page) vg(p pt) vg.Point { return vg.Point{X: px(p.x), Y: px(s.h - p.y)} }

// stroke describes a line.
type stroke struct {
	width float64
	color color.NRGBA
	dash  []float64
}

func (s *page) path(pts []pt, closed bool) vg.Path {
	var p vg.Path
	for i, q := range pts {
		if i == 0 {
			p.Move(s.vg(q))
		} else {
			p.Line(s.vg(q))
		}
	}
	if closed {
		p.Close()
	}
	return p
}

// line draws an open polygon.
func (s *page) line(st stroke, pts ...pt) {
	if len(pts) < 2 {
		return
	}
	s.c.SetColor(s.tone(st.color))
	s.c.SetLineWidth(px(st.width))
	dash := make([]vg.Length, len(st.dash))
	for i, d := range st.dash {
		dash[i] = px(d)
	}
	s.c.SetLineDash(dash, 0)
	s.c.Stroke(s.path(pts, false))
}

// fill draws a closed polygon.
func (s *page) fill(col color.NRGBA, pts ...pt) {
	s.c.SetColor(s.tone(col))
	s.c.Fill(s.path(pts, true))
}

// disc draws a filled circle.
func (s *page) disc(p pt, r float64, col color.NRGBA) {
	s.c.SetColor(s.tone(col))
	s.c.Fill(s.circle(p, r))
}

// ring draws the outline of a circle.
func (s *page) ring(p pt, r float64, st stroke) {
	s.c.SetColor(s.tone(st.color))
	s.c.SetLineWidth(px(st.width))
	s.c.SetLineDash(nil, 0)
	s.c.Stroke(s.circle(p, r))
}

func (s *page) circle(p pt, r float64) vg.Path {
	var path vg.Path
	path.Move(s.vg(pt{p.x + r, p.y}))
	path.Arc(s.vg(p), px(r), 0, 2*math.Pi)
	path.Close()
	return path
}

// diamond draws a filled square that stands on its corner.
func (s *page) diamond(p pt, r float64, col color.NRGBA) {
	s.fill(col, pt{p.x - r, p.y}, pt{p.x, p.y - r}, pt{p.x + r, p.y}, pt{p.x, p.y + r})
}

func (s *page) rect(b box, col color.NRGBA) {
	s.fill(col, pt{b.x, b.y}, pt{b.x + b.w, b.y}, pt{b.x + b.w, b.y + b.h}, pt{b.x, b.y + b.h})
}

func (s *page) roundRect(b box, r float64, fill, edge color.NRGBA) {
	var p vg.Path
	corner := func(x, y, start float64) { p.Arc(s.vg(pt{x, y}), px(r), start, math.Pi/2) }
	p.Move(s.vg(pt{b.x + b.w, b.y + r}))
	corner(b.x+b.w-r, b.y+r, 0)
	corner(b.x+r, b.y+r, math.Pi/2)
	corner(b.x+r, b.y+b.h-r, math.Pi)
	corner(b.x+b.w-r, b.y+b.h-r, 3*math.Pi/2)
	p.Close()
	s.c.SetColor(s.tone(fill))
	s.c.Fill(p)
	s.c.SetColor(s.tone(edge))
	s.c.SetLineWidth(px(1))
	s.c.SetLineDash(nil, 0)
	s.c.Stroke(p)
}

// arrow draws a line with a filled head at its end; casing is the colour of an
// outline, as wide as outline says, that keeps it visible on its ground.
func (s *page) arrow(from, to pt, width float64, col, casing color.NRGBA, outline float64) {
	head := 4.2 * width
	if l := to.sub(from).norm(); l < 1.6*head {
		head = l / 1.6
	}
	d := to.sub(from)
	n := d.norm()
	if n == 0 {
		return
	}
	d = d.scale(1 / n)
	q := pt{-d.y, d.x}
	base := to.sub(d.scale(head))
	body := func(w, grow float64, c color.NRGBA) {
		a, b := from.sub(d.scale(grow)), base
		tip := to.add(d.scale(1.8 * grow))
		hw := head*0.45 + 1.5*grow
		back := base.sub(d.scale(grow))
		s.fill(c, a.add(q.scale(w/2)), b.add(q.scale(w/2)), back.add(q.scale(hw)), tip,
			back.sub(q.scale(hw)), b.sub(q.scale(w/2)), a.sub(q.scale(w/2)))
	}
	body(width+2*outline, outline, casing)
	body(width, 0, col)
}

// image places img, whose colours are final, so that it fills b.
func (s *page) image(b box, img image.Image) {
	s.c.DrawImage(vg.Rectangle{Min: s.vg(pt{b.x, b.y + b.h}), Max: s.vg(pt{b.x + b.w, b.y})}, img)
}

// outline draws the edge of b.
func (s *page) outline(b box, st stroke) {
	s.line(st, pt{b.x, b.y}, pt{b.x + b.w, b.y}, pt{b.x + b.w, b.y + b.h}, pt{b.x, b.y + b.h}, pt{b.x, b.y - st.width/2})
}

// title writes the title of a card, if there is one, and returns where the
// content begins.
func (s *page) title(title string) (top float64) {
	if title != "" {
		s.text(pt{margin, margin + sizeTitle*0.85}, textStyle{size: sizeTitle, bold: true, maxLen: s.w - 2*margin}, plain(title))
	}
	return titleHeight(title)
}

// titleHeight is where the content of a card with that title begins.
func titleHeight(title string) float64 {
	if title == "" {
		return margin
	}
	return margin + sizeTitle + 14
}

func (s *page) tone(c color.NRGBA) color.NRGBA { return c }
func (s *page) exact(draw func())              { draw() }
