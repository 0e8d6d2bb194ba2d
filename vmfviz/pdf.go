package vmfviz

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	stddraw "image/draw"
	"image/png"
	"io"
	"math"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The format "pdf" of gonum/plot, for Save and WriterTo of a [plot.Plot] too, is drawn by pdfFile:
// docs/upstream.md says what vgpdf lacks.
func init() {
	draw.RegisterFormat("pdf", func(w, h vg.Length) vg.CanvasWriterTo { return newPDF(w, h) })
}

// pdfFile is vgpdf.Canvas with Unicode text, translucent colours, arcs within paths, and bytes that
// depend on the drawing only.
type pdfFile struct {
	doc    *fpdf.Fpdf
	w, h   vg.Length
	images map[int]bool // widths in pixels
	widths []vg.Length  // of lines; one for each Push
}

func newPDF(w, h vg.Length) *pdfFile {
	c := &pdfFile{w: w, h: h, images: map[int]bool{}, widths: []vg.Length{1}, doc: fpdf.NewCustom(&fpdf.InitType{
		UnitStr: "pt", Size: fpdf.SizeType{Wd: w.Points(), Ht: h.Points()},
	})}
	c.doc.SetCatalogSort(true)
	c.doc.SetCreationDate(time.Unix(0, 0).UTC())
	c.doc.SetModificationDate(time.Unix(0, 0).UTC())
	c.doc.SetMargins(0, 0, 0)
	c.doc.SetAutoPageBreak(false, 0)
	c.doc.AddPage()
	c.Push()
	c.Translate(vg.Point{Y: h})
	c.Scale(1, -1)
	vg.Initialize(c)
	return c
}

func (c *pdfFile) Size() (w, h vg.Length) { return c.w, c.h }
func (c *pdfFile) Rotate(angle float64)   { c.doc.TransformRotate(-angle*180/math.Pi, 0, 0) }
func (c *pdfFile) Translate(p vg.Point)   { c.doc.TransformTranslate(p.X.Points(), p.Y.Points()) }
func (c *pdfFile) Scale(x, y float64)     { c.doc.TransformScale(100*x, 100*y, 0, 0) }
func (c *pdfFile) Fill(path vg.Path)      { c.draw(path, "F") }

func (c *pdfFile) SetLineWidth(w vg.Length) {
	c.widths[len(c.widths)-1] = w
	c.doc.SetLineWidth(w.Points())
}

func (c *pdfFile) Push() {
	c.widths = append(c.widths, c.widths[len(c.widths)-1])
	c.doc.TransformBegin()
}

func (c *pdfFile) Pop() {
	c.widths = c.widths[:len(c.widths)-1]
	c.doc.TransformEnd()
}

func (c *pdfFile) Stroke(path vg.Path) {
	if c.widths[len(c.widths)-1] > 0 { // a width of 0 is the thinnest line in PDF
		c.draw(path, "D")
	}
}

func (c *pdfFile) SetLineDash(dashes []vg.Length, offset vg.Length) {
	d := make([]float64, len(dashes))
	for i, v := range dashes {
		d[i] = v.Points()
	}
	c.doc.SetDashPattern(d, offset.Points())
}

func (c *pdfFile) SetColor(col color.Color) {
	n := nrgba(col)
	r, g, b := int(n.R), int(n.G), int(n.B)
	c.doc.SetFillColor(r, g, b)
	c.doc.SetDrawColor(r, g, b)
	c.doc.SetTextColor(r, g, b)
	c.doc.SetAlpha(float64(n.A)/255, "Normal")
}

func (c *pdfFile) draw(path vg.Path, style string) {
	var start vg.Point
	for i, p := range path {
		x, y := p.Pos.X.Points(), p.Pos.Y.Points()
		switch p.Type {
		case vg.MoveComp:
			start = p.Pos
			c.doc.MoveTo(x, y)
		case vg.LineComp:
			c.doc.LineTo(x, y)
		case vg.ArcComp:
			r, start, quarter := p.Radius.Points(), -p.Start*180/math.Pi, -p.Angle*45/math.Pi
			if i == 0 {
				c.doc.MoveTo(x+r*math.Cos(p.Start), y+r*math.Sin(p.Start))
			}
			for k := 0.0; k < 4; k++ { // ArcTo takes two curves for an arc that turns this way
				c.doc.ArcTo(x, y, r, r, 0, start+k*quarter, start+(k+1)*quarter)
			}
		case vg.CurveComp:
			q := p.Control[0]
			if len(p.Control) == 1 {
				c.doc.CurveTo(q.X.Points(), q.Y.Points(), x, y)
			} else {
				r := p.Control[1]
				c.doc.CurveBezierCubicTo(q.X.Points(), q.Y.Points(), r.X.Points(), r.Y.Points(), x, y)
			}
		case vg.CloseComp:
			c.doc.LineTo(start.X.Points(), start.Y.Points())
			c.doc.ClosePath()
		}
	}
	c.doc.DrawPath(style)
}

// FillString writes text in an embedded TrueType font with its letters' Unicode numbers, so that it
// can be searched and copied.
func (c *pdfFile) FillString(f font.Face, at vg.Point, s string) {
	if f.Font.Size == 0 || s == "" {
		return
	}
	var raw bytes.Buffer
	if _, err := f.Face.WriteSourceTo(nil, &raw); err != nil {
		c.doc.SetError(fmt.Errorf("vmfviz: PDF: font %s: %w", f.Name(), err))
		return
	}
	c.doc.AddUTF8FontFromBytes(f.Name(), "", raw.Bytes()) // once: fpdf knows it by its name
	c.doc.SetFont(f.Name(), "", f.Font.Size.Points())
	c.Push()
	defer c.Pop()
	c.Translate(at)
	c.Scale(1, -1)
	c.doc.Text(0, 0, s)
}

// DrawImage gives every image a width of its own, by clear columns at its right: fpdf orders images
// by their widths, and those of one width by chance.
func (c *pdfFile) DrawImage(r vg.Rectangle, img image.Image) {
	from := img.Bounds()
	to := from
	for c.images[to.Dx()] {
		to.Max.X++
	}
	c.images[to.Dx()] = true
	wide := image.NewNRGBA(to)
	stddraw.Draw(wide, from, img, from.Min, stddraw.Src)
	width := r.Size().X * vg.Length(to.Dx()) / vg.Length(from.Dx())
	var buf bytes.Buffer
	if err := png.Encode(&buf, wide); err != nil {
		c.doc.SetError(fmt.Errorf("vmfviz: PDF: %w", err))
		return
	}
	name := fmt.Sprint("image", to.Dx())
	o := fpdf.ImageOptions{ImageType: "png"}
	c.doc.RegisterImageOptionsReader(name, o, &buf)
	c.Push()
	defer c.Pop()
	c.Translate(vg.Point{X: r.Min.X, Y: r.Max.Y})
	c.Scale(1, -1)
	c.doc.ImageOptions(name, 0, 0, width.Points(), r.Size().Y.Points(), false, o, 0, "")
}

// WriteTo writes the file. Nothing can be drawn afterwards.
func (c *pdfFile) WriteTo(w io.Writer) (int64, error) {
	c.Pop()
	var buf bytes.Buffer
	if err := c.doc.Output(&buf); err != nil {
		return 0, err
	}
	return buf.WriteTo(w)
}
