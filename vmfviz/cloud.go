package vmfviz

import (
	"image"
	"image/color"
	"math"
	"sort"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// dot3 is a point as it is painted: place and radius in pixels of the image,
// depth towards the reader.
type dot3 struct {
	x, y, r, depth float64
	col            color.NRGBA
}

// cloud is a plotter: points of a cloud as discs, near ones over far ones. It makes a
// unit of X as long as one of Y.
type cloud struct {
	equalAspect
	plotter.XYs
	depth []float64 // towards the reader
	size  []float64 // of the disc, 1 is usual
	color []color.Color
}

// Plot draws the cloud as one image: much faster than paths, and an SVG stays small.
func (o *cloud) Plot(c draw.Canvas, p *plot.Plot) {
	o.equalAspect.Plot(c, p)
	size := c.Size()
	x, y := p.Transforms(&c)
	unit := screenScale * vg.Length(1).Dots(96) // pixels of a point
	r := 0.0068 * math.Min(float64(size.X), 200) * math.Min(1.9, math.Max(0.6, math.Pow(2048/float64(len(o.XYs)), 0.35)))
	dots := make([]dot3, len(o.XYs))
	for i, at := range o.XYs {
		dots[i] = dot3{
			x: unit * float64(x(at.X)-c.Min.X), y: unit * float64(c.Max.Y-y(at.Y)), r: unit * o.size[i] * math.Max(r, 0.55),
			depth: o.depth[i], col: color.NRGBAModel.Convert(o.color[i]).(color.NRGBA),
		}
	}
	c.DrawImage(c.Rectangle, splat(int(unit*float64(size.X)), int(unit*float64(size.Y)), dots))
}

// DataRange returns the range of all points.
func (o *cloud) DataRange() (xmin, xmax, ymin, ymax float64) { return plotter.XYRange(o.XYs) }

// Thumbnail draws one point.
func (o *cloud) Thumbnail(c *draw.Canvas) {
	if len(o.color) > 0 {
		c.DrawGlyph(draw.GlyphStyle{Color: o.color[0], Radius: 3, Shape: draw.CircleGlyph{}}, c.Center())
	}
}

// splat paints discs with soft edges, far ones first, on a transparent image.
func splat(w, h int, dots []dot3) *image.NRGBA {
	sort.SliceStable(dots, func(i, j int) bool { return dots[i].depth < dots[j].depth })
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for _, d := range dots {
		x0, x1 := max(0, int(d.x-d.r-1)), min(w-1, int(d.x+d.r+1))
		y0, y1 := max(0, int(d.y-d.r-1)), min(h-1, int(d.y+d.r+1))
		for y := y0; y <= y1; y++ {
			for x := x0; x <= x1; x++ {
				dist := math.Hypot(float64(x)+0.5-d.x, float64(y)+0.5-d.y)
				cover := math.Min(1, d.r-dist+0.5)
				if cover <= 0 {
					continue
				}
				over(img.Pix[img.PixOffset(x, y):], d.col, cover)
			}
		}
	}
	return img
}

// over lays a colour with the given cover on one pixel (straight alpha).
func over(p []uint8, c color.NRGBA, cover float64) {
	under := float64(p[3]) / 255
	a := cover + under*(1-cover)
	blend := func(top, bottom uint8) uint8 {
		return uint8((float64(top)*cover+float64(bottom)*under*(1-cover))/a + 0.5)
	}
	p[0], p[1], p[2] = blend(c.R, p[0]), blend(c.G, p[1]), blend(c.B, p[2])
	p[3] = uint8(255*a + 0.5)
}
