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

// cloud is a plotter: points as discs, near ones over far ones. It makes a unit of X as long as one
// of Y.
type cloud struct {
	equalAspect
	points []cloudPoint
}

// Plot draws the cloud as one image: much faster than paths, and an SVG stays small.
func (o *cloud) Plot(c draw.Canvas, p *plot.Plot) {
	o.equalAspect.Plot(c, p)
	size := c.Size()
	x, y := p.Transforms(&c)
	unit := screenScale * vg.Length(1).Dots(96) // pixels of a point
	r := 0.0068 * math.Min(float64(size.X), 200) * math.Min(1.9, math.Max(0.6, math.Pow(2048/float64(len(o.points)),
		0.35)))
	points := slices.Clone(o.points)
	for i, q := range points {
		points[i].XY = plotter.XY{X: unit * float64(x(q.X)-c.Min.X), Y: unit * float64(c.Max.Y-y(q.Y))}
		points[i].size *= unit * math.Max(r, 0.55)
	}
	c.DrawImage(c.Rectangle, splat(int(unit*float64(size.X)), int(unit*float64(size.Y)), points))
}

// splat paints discs with soft edges, far ones first, on a transparent image; places and sizes,
// which are radii, are in pixels.
func splat(w, h int, points []cloudPoint) *image.RGBA {
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

// cloudCell is one cloud of a picture of many.
type cloudCell struct {
	points []vec3 // around its centre
	// tint is the colour of point i, which is at the back for near = 0 and in front for near = 1.
	tint func(i int, near float64) color.Color
	// behind is how many points come first that are grey and behind all others.
	behind int
}

// around returns the points of a cloud as seen from a centre.
func around(center vec3, cloud []float32) []vec3 {
	out := rows(cloud, 3)
	for i, q := range out {
		out[i] = q.sub(center)
	}
	return out
}

// middle returns the middle of the bounding box of a cloud.
func middle(cloud []float32) vec3 {
	lo, hi := row3(cloud, 0), row3(cloud, 0)
	for _, p := range rows(cloud, 3) {
		for k := range 3 {
			lo[k], hi[k] = math.Min(lo[k], p[k]), math.Max(hi[k], p[k])
		}
	}
	return lo.add(hi).scale(0.5)
}

const (
	eyeDistance = 4.5              // how far the reader stands, in radii of the largest cloud
	cloudGap    = vg.Length(6)     // between clouds
	maxCloud    = vg.Length(142.5) // the largest width of a cloud
)

// cloudPlots returns a plot of each cell, in the cloud's units around its centre, and the height of
// plots of a width: all in one perspective view, at one scale.
func cloudPlots(cam camera, cells []cloudCell, w vg.Length) (plots []*plot.Plot, h vg.Length) {
	radius := 1e-30 // of the largest cloud around its centre
	for _, c := range cells {
		for _, q := range c.points {
			radius = math.Max(radius, math.Sqrt(dot(q, q)))
		}
	}
	x, y := 0.3*radius, 0.3*radius // half the range that all clouds need
	for _, c := range cells {
		o := newCloud(cam, radius, c)
		for _, q := range o.points {
			x, y = math.Max(x, math.Abs(q.X)), math.Max(y, math.Abs(q.Y))
		}
		p := theme.bare()
		p.HideAxes()
		p.Add(o)
		plots = append(plots, p)
	}
	x, y = 1.04*x, 1.04*y
	for _, p := range plots {
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -x, x, -y, y
	}
	return plots, w * vg.Length(math.Min(1.15, y/x))
}

// newCloud projects the points of a cell to the plane through its centre. Depths are in radii of the
// largest cloud, -1 to 1.
func newCloud(cam camera, radius float64, cell cloudCell) *cloud {
	c := &cloud{}
	var depths []float64
	for _, q := range cell.points {
		q = cam.apply(q)
		depth := q[2] / radius
		magnify := eyeDistance / (eyeDistance - depth)
		c.points = append(c.points, cloudPoint{XY: plotter.XY{X: q[0] * magnify, Y: q[1] * magnify}, depth: depth,
			size: magnify})
		depths = append(depths, depth)
	}
	first, last := bounds(depths)
	// A flat cloud is not shaded as if it were deep.
	middle, span := (first+last)/2, math.Max(last-first, 0.5)
	for i, at := range c.points {
		// Shade in steps: fewer colours, smaller files, no visible difference.
		near := math.Round(((at.depth-middle)/span+0.5)*24) / 24
		c.points[i].size *= 0.8 + 0.4*near
		if i < cell.behind {
			c.points[i].color = theme.Edge
			c.points[i].depth -= 2 * eyeDistance
		} else {
			c.points[i].color = cell.tint(i-cell.behind, near)
		}
	}
	return c
}

// shading returns the tint of a cloud of one colour: near points are darker.
func shading(c color.Color) func(i int, near float64) color.Color {
	near, far := blend(c, color.Black, 0.35), blend(c, white, 0.62)
	return func(_ int, t float64) color.Color { return blend(far, near, t) }
}
