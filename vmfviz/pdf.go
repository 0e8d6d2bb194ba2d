package vmfviz

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"math"
	"strconv"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// pdfCanvas draws on the one page of a PDF file, version 1.4. Letters are drawn
// as outlines, so that the file needs no font. (ISO 32000-1, sections 7.5, 8.4
// to 8.9 and 11.6.)
//
// gonum's vgpdf is not used: it embeds Western letters only, no θ, and darkens
// translucent colours. A canvas around it that draws outlines and undoes the
// darkening would be shorter, but its files hold the time at which they were
// made and no title, and its library would be one more to build.
type pdfCanvas struct {
	w, h   vg.Length
	page   bytes.Buffer
	alphas []uint8 // opacities used, 255 for 1
	images []image.Image
}

// num writes numbers to a thousandth of a point, each with a space behind it.
func (c *pdfCanvas) num(v ...float64) {
	for _, x := range v {
		c.page.WriteString(strconv.FormatFloat(math.Round(x*1000)/1000+0, 'f', -1, 64))
		c.page.WriteByte(' ')
	}
}

func (c *pdfCanvas) op(name string, v ...float64) {
	c.num(v...)
	c.page.WriteString(name)
	c.page.WriteByte('\n')
}

func (c *pdfCanvas) Size() (w, h vg.Length)     { return c.w, c.h }
func (c *pdfCanvas) Push()                      { c.op("q") }
func (c *pdfCanvas) Pop()                       { c.op("Q") }
func (c *pdfCanvas) SetLineWidth(w vg.Length)   { c.op("w", w.Points()) }
func (c *pdfCanvas) Translate(p vg.Point)       { c.op("cm", 1, 0, 0, 1, p.X.Points(), p.Y.Points()) }
func (c *pdfCanvas) Scale(x, y float64)         { c.op("cm", x, 0, 0, y, 0, 0) }
func (c *pdfCanvas) Stroke(p vg.Path)           { c.path(p); c.op("S") }
func (c *pdfCanvas) Fill(p vg.Path)             { c.path(p); c.op("f") }
func (c *pdfCanvas) point(p vg.Point) []float64 { return []float64{p.X.Points(), p.Y.Points()} }

func (c *pdfCanvas) Rotate(angle float64) {
	s, k := math.Sincos(angle)
	// More digits than num gives: a long line must not end beside its place.
	fmt.Fprintf(&c.page, "%.8f %.8f %.8f %.8f 0 0 cm\n", k, s, -s, k)
}

func (c *pdfCanvas) SetLineDash(pattern []vg.Length, offset vg.Length) {
	c.page.WriteByte('[')
	for _, d := range pattern {
		c.num(d.Points())
	}
	c.page.WriteString("] ")
	c.op("d", offset.Points())
}

func (c *pdfCanvas) SetColor(col color.Color) {
	n := color.NRGBAModel.Convert(col).(color.NRGBA)
	r, g, b := float64(n.R)/255, float64(n.G)/255, float64(n.B)/255
	c.op("rg", r, g, b)
	c.op("RG", r, g, b)
	at := bytes.IndexByte(c.alphas, n.A)
	if at < 0 {
		at = len(c.alphas)
		c.alphas = append(c.alphas, n.A)
	}
	fmt.Fprintf(&c.page, "/G%d gs\n", at)
}

func (c *pdfCanvas) path(path vg.Path) {
	begun := false
	for _, p := range path {
		switch p.Type {
		case vg.MoveComp:
			c.op("m", c.point(p.Pos)...)
		case vg.LineComp:
			c.op("l", c.point(p.Pos)...)
		case vg.ArcComp:
			c.arc(p, begun)
		case vg.CurveComp:
			c.op("c", append(append(c.point(p.Control[0]), c.point(p.Control[1])...), c.point(p.Pos)...)...)
		case vg.CloseComp:
			c.op("h")
		}
		begun = true
	}
}

// arc writes an arc as cubic curves of a quarter circle at most, which are right
// to 3 parts in 10000 of the radius.
func (c *pdfCanvas) arc(p vg.PathComp, begun bool) {
	x, y, r := p.Pos.X.Points(), p.Pos.Y.Points(), p.Radius.Points()
	n := int(math.Ceil(math.Abs(p.Angle)/(math.Pi/2) - 1e-9))
	if n < 1 {
		return
	}
	step := p.Angle / float64(n)
	k := 4.0 / 3 * math.Tan(step/4) * r
	at := func(a float64) (px, py, tx, ty float64) {
		s, c := math.Sincos(a)
		return x + r*c, y + r*s, -k * s, k * c
	}
	for i := range n {
		x0, y0, u0, v0 := at(p.Start + float64(i)*step)
		x1, y1, u1, v1 := at(p.Start + float64(i+1)*step)
		if i == 0 && begun {
			c.op("l", x0, y0)
		} else if i == 0 {
			c.op("m", x0, y0)
		}
		c.op("c", x0+u0, y0+v0, x1-u1, y1-v1, x1, y1)
	}
}

// FillString draws the outlines of the letters, placed as font.Face.Width counts.
func (c *pdfCanvas) FillString(f font.Face, p vg.Point, text string) {
	em := fixed.Int26_6(f.Face.UnitsPerEm())
	scale := f.Font.Size.Points() / float64(em)
	x, y := p.X.Points(), p.Y.Points()
	var buf sfnt.Buffer
	var last sfnt.GlyphIndex
	for i, r := range text {
		glyph, err := f.Face.GlyphIndex(&buf, r)
		if err != nil {
			continue // texts are checked for letters that the font lacks
		}
		if i > 0 {
			if kern, err := f.Face.Kern(&buf, last, glyph, em, 0); err == nil {
				x += float64(kern) * scale
			}
		}
		at := func(q fixed.Point26_6) (float64, float64) { return x + float64(q.X)*scale, y - float64(q.Y)*scale }
		outline, err := f.Face.LoadGlyph(&buf, glyph, em, nil)
		if err == nil && len(outline) > 0 {
			c.outline(outline, at)
		}
		if w, err := f.Face.GlyphAdvance(&buf, glyph, em, 0); err == nil {
			x += float64(w) * scale
		}
		last = glyph
	}
}

// outline fills one glyph; its quadratic curves become cubic ones.
func (c *pdfCanvas) outline(segments sfnt.Segments, at func(fixed.Point26_6) (x, y float64)) {
	var px, py float64
	for _, s := range segments {
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			px, py = at(s.Args[0])
			c.op("m", px, py)
		case sfnt.SegmentOpLineTo:
			px, py = at(s.Args[0])
			c.op("l", px, py)
		case sfnt.SegmentOpQuadTo:
			qx, qy := at(s.Args[0])
			x, y := at(s.Args[1])
			c.op("c", px+2*(qx-px)/3, py+2*(qy-py)/3, x+2*(qx-x)/3, y+2*(qy-y)/3, x, y)
			px, py = x, y
		case sfnt.SegmentOpCubeTo:
			ax, ay := at(s.Args[0])
			bx, by := at(s.Args[1])
			px, py = at(s.Args[2])
			c.op("c", ax, ay, bx, by, px, py)
		}
	}
	c.op("f")
}

func (c *pdfCanvas) DrawImage(r vg.Rectangle, img image.Image) {
	c.op("q")
	// An image has the opacity of its own pixels only.
	c.SetColor(color.NRGBA{A: 255})
	size := r.Size()
	c.op("cm", size.X.Points(), 0, 0, size.Y.Points(), r.Min.X.Points(), r.Min.Y.Points())
	fmt.Fprintf(&c.page, "/I%d Do\nQ\n", len(c.images))
	c.images = append(c.images, img)
}
