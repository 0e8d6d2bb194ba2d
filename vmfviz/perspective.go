package vmfviz

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/plotter"
)

// middle returns the middle of the bounding box of a cloud.
func middle(cloud []float32) vec3 {
	lo, hi := row3(cloud, 0), row3(cloud, 0)
	for i := range len(cloud) / 3 {
		p := row3(cloud, i)
		for k := range 3 {
			lo[k], hi[k] = math.Min(lo[k], p[k]), math.Max(hi[k], p[k])
		}
	}
	return lo.add(hi).scale(0.5)
}

// perspective is a perspective view that holds several clouds at one scale.
type perspective struct {
	cam    camera
	parts  []lensPart
	radius float64 // of the largest cloud around its centre
	x, y   float64 // half the range that all clouds need, set by cell
}

type lensPart struct {
	cloud  []float32
	center vec3
}

// eyeDistance is how far the reader stands, in radii of the largest cloud.
const eyeDistance = 4.5

func newLens(cam camera) *perspective { return &perspective{cam: cam} }

// include makes room for a cloud.
func (l *perspective) include(cloud []float32, center vec3) {
	l.parts = append(l.parts, lensPart{cloud, center})
	for i := range len(cloud) / 3 {
		d := row3(cloud, i).sub(center)
		l.radius = math.Max(l.radius, math.Sqrt(dot(d, d)))
	}
}

// project returns the place of p in the plane through the centre, the depth towards
// the reader (-1 to 1, in radii of the largest cloud) and the magnification there.
func (l *perspective) project(p, center vec3) (at plotter.XY, depth, magnify float64) {
	r := l.radius
	if r == 0 {
		r = 1
	}
	q := l.cam.apply(p.sub(center))
	magnify = eyeDistance / (eyeDistance - q[2]/r)
	return plotter.XY{X: q[0] * magnify, Y: q[1] * magnify}, q[2] / r, magnify
}

// limits returns half the range that all clouds need.
func (l *perspective) limits() (x, y float64) {
	for _, part := range l.parts {
		for i := range len(part.cloud) / 3 {
			at, _, _ := l.project(row3(part.cloud, i), part.center)
			x, y = math.Max(x, math.Abs(at.X)), math.Max(y, math.Abs(at.Y))
		}
	}
	least := 0.3 * math.Max(l.radius, 1e-30)
	return 1.04 * math.Max(x, least), 1.04 * math.Max(y, least)
}

// cloud returns the plotter of a cloud; tint is the colour of point i, which is at
// the back for near = 0 and in front for near = 1.
func (l *perspective) cloud(points []float32, center vec3, tint func(i int, near float64) color.Color) *cloud {
	n := len(points) / 3
	c := &cloud{XYs: make(plotter.XYs, n), depth: make([]float64, n), size: make([]float64, n), color: make([]color.Color, n)}
	first, last := math.Inf(1), math.Inf(-1)
	for i := range n {
		c.XYs[i], c.depth[i], c.size[i] = l.project(row3(points, i), center)
		first, last = math.Min(first, c.depth[i]), math.Max(last, c.depth[i])
	}
	// A flat cloud is not shaded as if it were deep.
	middle, span := (first+last)/2, math.Max(last-first, 0.5)
	for i := range n {
		// Shade in steps: fewer colours, smaller files, no visible difference.
		t := math.Round(((c.depth[i]-middle)/span+0.5)*24) / 24
		c.size[i] *= 0.8 + 0.4*t
		c.color[i] = tint(i, t)
	}
	return c
}

// shading returns the tint of a cloud of one colour: near points are darker.
func shading(c color.Color) func(i int, near float64) color.Color {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	near, far := mix(n, color.NRGBA{A: 0xFF}, 0.35), mix(n, white, 0.62)
	return func(_ int, t float64) color.Color { return mix(far, near, t) }
}
