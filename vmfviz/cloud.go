package vmfviz

import (
	"cmp"
	"image"
	"image/color"
	stddraw "image/draw"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// cloudPoint is a point of a cloud on the page.
type cloudPoint struct {
	plotter.XY
	depth float64 // towards the reader
	size  float64 // of the disc, 1 is usual
	color color.Color
}

// cloudPoints is a [plotter.XYer].
type cloudPoints []cloudPoint

func (o cloudPoints) Len() int                { return len(o) }
func (o cloudPoints) XY(i int) (x, y float64) { return o[i].X, o[i].Y }

// cloud is a plotter: points as discs, near ones over far ones. It makes a unit of X as
// long as one of Y.
type cloud struct {
	equalAspect
	cloudPoints
}

// Plot draws the cloud as one image: much faster than paths, and an SVG stays small.
func (o *cloud) Plot(c draw.Canvas, p *plot.Plot) {
	o.equalAspect.Plot(c, p)
	size := c.Size()
	x, y := p.Transforms(&c)
	unit := screenScale * vg.Length(1).Dots(96) // pixels of a point
	r := 0.0068 * math.Min(float64(size.X), 200) * math.Min(1.9, math.Max(0.6, math.Pow(2048/float64(o.Len()), 0.35)))
	points := slices.Clone(o.cloudPoints)
	for i, q := range points {
		points[i].XY = plotter.XY{X: unit * float64(x(q.X)-c.Min.X), Y: unit * float64(c.Max.Y-y(q.Y))}
		points[i].size *= unit * math.Max(r, 0.55)
	}
	c.DrawImage(c.Rectangle, splat(int(unit*float64(size.X)), int(unit*float64(size.Y)), points))
}

// DataRange returns the range of all points.
func (o *cloud) DataRange() (xmin, xmax, ymin, ymax float64) { return plotter.XYRange(o) }

// splat paints discs with soft edges, far ones first, on a transparent image; places and
// sizes, which are radii, are in pixels.
func splat(w, h int, points cloudPoints) *image.RGBA {
	slices.SortStableFunc(points, func(a, b cloudPoint) int { return cmp.Compare(a.depth, b.depth) })
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for _, d := range points {
		reach := d.size + 1
		box := image.Rect(int(d.X-reach), int(d.Y-reach), int(d.X+reach)+1, int(d.Y+reach)+1).Intersect(img.Rect)
		mask := image.NewAlpha(box)
		for y := box.Min.Y; y < box.Max.Y; y++ {
			for x := box.Min.X; x < box.Max.X; x++ {
				cover := d.size + 0.5 - math.Hypot(float64(x)+0.5-d.X, float64(y)+0.5-d.Y)
				mask.SetAlpha(x, y, color.Alpha{A: uint8(255*math.Min(1, math.Max(0, cover)) + 0.5)})
			}
		}
		stddraw.DrawMask(img, box, image.NewUniform(d.color), image.Point{}, mask, box.Min, stddraw.Over)
	}
	return img
}
