package vmfviz

import (
	"image/color"
	"math"
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

	scale         float64 // pixels per unit at the centre
	width, height float64 // of a cell
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

// project returns the place of p in radii of the largest cloud, the depth
// towards the reader (-1 to 1) and the magnification there.
func (l *perspective) project(p, center vec3) (x, y, depth, magnify float64) {
	r := l.radius
	if r == 0 {
		r = 1
	}
	q := l.cam.apply(p.sub(center).scale(1 / r))
	magnify = eyeDistance / (eyeDistance - q[2])
	return q[0] * magnify, q[1] * magnify, q[2], magnify
}

// cell fits the scale to cells of the given width and returns their size.
func (l *perspective) cell(width float64) (w, h float64) {
	var mx, my float64
	for _, part := range l.parts {
		for i := range len(part.cloud) / 3 {
			x, y, _, _ := l.project(row3(part.cloud, i), part.center)
			mx, my = math.Max(mx, math.Abs(x)), math.Max(my, math.Abs(y))
		}
	}
	const edge = 5
	mx, my = math.Max(mx, 0.3), math.Max(my, 0.3)
	l.width = width
	l.height = math.Min(width*1.15, math.Ceil(width*my/mx))
	l.scale = math.Min((width/2-edge)/mx, (l.height/2-edge)/my)
	return l.width, l.height
}

// shade3 is the tint of a cloud of one colour: near points are darker.
func shade3(col color.NRGBA) func(i int, near float64) color.NRGBA {
	near, far := mix(col, color.NRGBA{A: 0xFF}, 0.35), mix(col, white, 0.62)
	return func(_ int, t float64) color.NRGBA { return mix(far, near, t) }
}

// cloud paints a cloud into a cell; tint is the colour of point i, which is at
// the back for near = 0 and in front for near = 1.
func (s *page) cloud(b box, l *perspective, cloud []float32, center vec3, tint func(i int, near float64) color.NRGBA) {
	n := len(cloud) / 3
	if n == 0 {
		return
	}
	size := 0.0068 * b.w * math.Min(1.9, math.Max(0.6, math.Pow(2048/float64(n), 0.35)))
	size = math.Max(size, 0.7)
	dots := make([]dot3, n)
	first, last := math.Inf(1), math.Inf(-1)
	for i := range dots {
		x, y, depth, magnify := l.project(row3(cloud, i), center)
		first, last = math.Min(first, depth), math.Max(last, depth)
		dots[i] = dot3{
			x:     (b.w/2 + x*l.scale) * screenScale,
			y:     (b.h/2 - y*l.scale) * screenScale,
			r:     magnify,
			depth: depth,
		}
	}
	// A flat cloud is not shaded as if it were deep.
	middle, span := (first+last)/2, math.Max(last-first, 0.5)
	for i := range dots {
		d := &dots[i]
		// Shade in steps: fewer colours, smaller files, no visible difference.
		t := math.Round(((d.depth-middle)/span+0.5)*24) / 24
		d.r *= size * (0.8 + 0.4*t) * screenScale
		d.col = s.tone(tint(i, t))
	}
	s.image(b, splat(int(b.w*screenScale), int(b.h*screenScale), dots))
}
