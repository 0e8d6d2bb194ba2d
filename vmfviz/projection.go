package vmfviz

import (
	"math"

	"gonum.org/v1/plot/plotter"
)

type vec3 [3]float64

func row3(v []float32, i int) vec3 {
	return vec3{float64(v[3*i]), float64(v[3*i+1]), float64(v[3*i+2])}
}

// rows returns the rows of v, of 2 or 3 numbers, as points; a third coordinate that is missing is
// 0.
func rows(v []float32, d int) []vec3 {
	out := make([]vec3, len(v)/d)
	for i := range out {
		for k := range d {
			out[i][k] = float64(v[i*d+k])
		}
	}
	return out
}

func dot(a, b vec3) float64         { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
func (a vec3) scale(s float64) vec3 { return vec3{s * a[0], s * a[1], s * a[2]} }
func (a vec3) add(b vec3) vec3      { return vec3{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }
func (a vec3) sub(b vec3) vec3      { return a.add(b.scale(-1)) }

func cross(a, b vec3) vec3 {
	return vec3{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

func (a vec3) unit() vec3 {
	n := math.Sqrt(dot(a, a))
	if n == 0 {
		return vec3{0, 0, 1}
	}
	return a.scale(1 / n)
}

// View is a place to look from. The zero View is the picture's own choice; others come from [From].
type View struct {
	azimuth, elevation float64
	set                bool
}

// From looks at the centre from a place given in degrees. Elevation is the height above the
// horizon. For [Sphere] the z axis points up and azimuth 0 is on the x axis, 90 on the y axis. For
// [Clouds], [Gallery] and [Slice] the y axis points up and azimuth 0 is on the z axis, 90 on the x
// axis.
func From(azimuth, elevation float64) View { return View{azimuth, elevation, true} }

func (v View) or(w View) View {
	if v.set {
		return v
	}
	return w
}

// camera is an orthonormal frame: right and up span the picture, fore points at the reader.
type camera struct{ right, up, fore vec3 }

// cameraZ is the camera of a view where z points up.
func (v View) cameraZ() camera {
	sa, ca := math.Sincos(v.azimuth * math.Pi / 180)
	se, ce := math.Sincos(v.elevation * math.Pi / 180)
	return camera{
		right: vec3{-sa, ca, 0},
		up:    vec3{-se * ca, -se * sa, ce},
		fore:  vec3{ce * ca, ce * sa, se},
	}
}

// cameraY is the camera of a view where y points up.
func (v View) cameraY() camera {
	c := v.cameraZ()
	turn := func(a vec3) vec3 { return vec3{a[1], a[2], a[0]} }
	return camera{turn(c.right), turn(c.up), turn(c.fore)}
}

// apply returns the coordinates of p in the frame: to the right, up, towards the reader.
func (c camera) apply(p vec3) vec3 { return vec3{dot(c.right, p), dot(c.up, p), dot(c.fore, p)} }

// back is the inverse of apply.
func (c camera) back(q vec3) vec3 {
	return c.right.scale(q[0]).add(c.up.scale(q[1])).add(c.fore.scale(q[2]))
}

// projection maps the unit sphere to the plane of a plot. Orthographic, the half in front of the
// camera is the unit disc, and the half behind lies under it. With area it is J. H. Lambert's
// azimuthal equal-area projection (1772) of both halves, two unit discs side by side: a direction
// at the angle α from the centre of its disc lies at the distance √2·sin(α/2), 1 at the edge.
type projection struct {
	cam  camera
	area bool
}

// discShift is how far the centres of the two discs of a map lie from x = 0.
const discShift = 1.01

// disc is a half of the sphere on the page.
type disc struct {
	plotter.XY                         // its centre
	back       func(x, y float64) vec3 // the direction at a place from the centre
}

// discs returns the discs, the front one first.
func (g projection) discs() []disc {
	if !g.area {
		return []disc{{back: func(x, y float64) vec3 {
			return g.cam.back(vec3{x, y, math.Sqrt(math.Max(0, 1-x*x-y*y))})
		}}}
	}
	half := func(x float64, c camera) disc {
		return disc{plotter.XY{X: x}, func(x, y float64) vec3 { return c.back(lambertBack(x, y)) }}
	}
	return []disc{half(-discShift, g.cam), half(discShift, g.cam.behind())}
}

// front reports whether a direction lies on the half that the camera sees.
func (g projection) front(p vec3) bool { return dot(g.cam.fore, p) >= 0 }

// shown reports whether things on that half are drawn as visible: on a map all are.
func (g projection) shown(front bool) bool { return front || g.area }

// at returns the place of a direction.
func (g projection) at(p vec3) plotter.XY { return g.on(p, g.front(p)) }

// on returns the place of a direction on the disc of a half, where it lies or at whose edge it is.
func (g projection) on(p vec3, front bool) plotter.XY {
	switch q := g.cam.apply(p); {
	case !g.area:
		return plotter.XY{X: q[0], Y: q[1]}
	case front:
		x, y := lambert(q)
		return plotter.XY{X: x - discShift, Y: y}
	default:
		x, y := lambert(g.cam.behind().apply(p))
		return plotter.XY{X: x + discShift, Y: y}
	}
}

// split returns the parts of a curve, given by close directions, on the half in front and on the
// half behind; each ends at the edge where the curve leaves.
func (g projection) split(curve []vec3) (front, back []plotter.XYs) {
	var part plotter.XYs
	parts := map[bool][]plotter.XYs{}
	for i, p := range curve {
		now := g.front(p)
		if i > 0 && now != g.front(curve[i-1]) {
			edge := g.edge(curve[i-1], p)
			parts[!now] = append(parts[!now], append(part, g.on(edge, !now)))
			part = plotter.XYs{g.on(edge, now)}
		}
		if part = append(part, g.on(p, now)); i == len(curve)-1 {
			parts[now] = append(parts[now], part)
		}
	}
	return parts[true], parts[false]
}

// edge returns where the great circle through two directions on different halves crosses the edge
// between them.
func (g projection) edge(a, b vec3) vec3 {
	da, db := dot(g.cam.fore, a), dot(g.cam.fore, b)
	p := a.scale(db).sub(b.scale(da)).scale(1 / (db - da))
	p = p.sub(g.cam.fore.scale(dot(g.cam.fore, p)))
	if dot(p, p) < 1e-18 {
		return g.cam.right // a and b are opposite: any way round is as short
	}
	return p.unit()
}

// lambert returns the place of the unit vector p, given in a camera's frame with p[2] >= 0: to the
// right and up, in the unit disc. A region of area A on the sphere covers A/2.
func lambert(p vec3) (x, y float64) {
	// sin(α/2)·√2 = √(1 - cos α), written so that it does not cancel.
	k := 1 / math.Sqrt(1+math.Max(0, p[2]))
	return k * p[0], k * p[1]
}

// lambertBack is the inverse of lambert on the closed unit disc.
func lambertBack(x, y float64) vec3 {
	d := x*x + y*y
	k := math.Sqrt(math.Max(0, 2-d))
	return vec3{k * x, k * y, 1 - d}
}

// behind is the camera on the opposite side, with the same way up. Its left edge is the right edge
// of c, so that two maps side by side touch in one direction.
func (c camera) behind() camera {
	return camera{right: c.right.scale(-1), up: c.up, fore: c.fore.scale(-1)}
}

// greatCircle returns close points on the shortest arc from a to b.
func greatCircle(a, b vec3) []vec3 {
	angle := math.Acos(math.Max(-1, math.Min(1, dot(a, b))))
	n := 1 + int(angle/0.04)
	if math.Sin(angle) < 1e-6 {
		return []vec3{a, b}
	}
	out := make([]vec3, n+1)
	for i := range out {
		t := float64(i) / float64(n)
		out[i] = a.scale(math.Sin((1 - t) * angle)).add(b.scale(math.Sin(t * angle))).unit()
	}
	return out
}

// graticule returns meridians and parallels every 30 degrees.
func graticule() (lines [][]vec3) {
	for k := range 6 {
		angle := float64(k) * math.Pi / 6
		var meridian, parallel []vec3
		for i := range 97 {
			t := 2 * math.Pi * float64(i) / 96
			meridian, parallel = append(meridian, direction(t, angle)), append(parallel, direction(angle, t))
		}
		if lines = append(lines, meridian); k > 0 {
			lines = append(lines, parallel)
		}
	}
	return lines
}

// direction returns the direction at a polar angle from the z axis and an azimuth from the x axis.
func direction(polar, azimuth float64) vec3 {
	sp, cp := math.Sincos(polar)
	sa, ca := math.Sincos(azimuth)
	return vec3{sp * ca, sp * sa, cp}
}
