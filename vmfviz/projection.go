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
// camera is the unit disc, and the half behind lies under it. With area it is K. B. Mollweide's
// equal-area projection (1805) of the whole sphere: an ellipse twice as wide as high, in whose middle
// is what the camera faces. With longitude λ and latitude φ in its frame,
//
//	x = 2λ/π·cos t,  y = sin t,  2t + sin 2t = π sin φ.
type projection struct {
	cam  camera
	area bool
}

// projection is that of a view. On a map the poles are at the top and the bottom.
func (v View) projection(area bool) projection {
	if area {
		v.elevation = 0
	}
	return projection{v.cameraZ(), area}
}

// wide is how far the picture of the sphere reaches to the right; it is 1 high.
func (g projection) wide() float64 {
	if g.area {
		return 2
	}
	return 1
}

// front reports whether a direction is seen from in front: on a map all are.
func (g projection) front(p vec3) bool { return g.area || g.side(p) }

// side tells the two sides of the seam from each other: orthographic the edge, on a map the meridian
// behind.
func (g projection) side(p vec3) bool { return dot(g.across(), p) >= 0 }

// across is the direction that leads across the seam.
func (g projection) across() vec3 {
	if g.area {
		return g.cam.right
	}
	return g.cam.fore
}

// at returns the place of a direction.
func (g projection) at(p vec3) plotter.XY { return g.on(p, g.side(p)) }

// on returns the place of a direction; if it is on the seam, as the end of that side.
func (g projection) on(p vec3, side bool) plotter.XY {
	q := g.cam.apply(p)
	if !g.area {
		return plotter.XY{X: q[0], Y: q[1]}
	}
	t := mollweide(math.Asin(math.Max(-1, math.Min(1, q[1]))))
	x := 2 / math.Pi * math.Atan2(q[0], q[2]) * math.Cos(t)
	if side != (x >= 0) {
		x = -x
	}
	return plotter.XY{X: x, Y: math.Sin(t)}
}

// back is the inverse of at for a place in front, given as one of the unit disc: X/wide and Y.
func (g projection) back(u, v float64) vec3 {
	if !g.area {
		return g.cam.back(vec3{u, v, math.Sqrt(math.Max(0, 1-u*u-v*v))})
	}
	t := math.Asin(math.Max(-1, math.Min(1, v)))
	y := (2*t + math.Sin(2*t)) / math.Pi
	sin, cos := math.Sincos(math.Pi * math.Max(-1, math.Min(1, u/math.Max(math.Cos(t), 1e-12))))
	r := math.Sqrt(math.Max(0, 1-y*y))
	return g.cam.back(vec3{r * sin, y, r * cos})
}

// mollweide returns t of a latitude. From a pole on, with s = π/2 − t, 2s − sin 2s is convex, and
// Newton's steps fall monotonically after the first.
func mollweide(latitude float64) float64 {
	far := math.Pi/2 - math.Abs(latitude)
	s := math.Cbrt(3 * math.Pi / 8 * far * far)
	for i := 0; i < 8 && s > 1e-6; i++ {
		sin := math.Sin(s)
		s -= (2*s - math.Sin(2*s) - 2*math.Pi*math.Pow(math.Sin(far/2), 2)) / (4 * sin * sin)
	}
	return math.Copysign(math.Pi/2-s, latitude)
}

// split returns the parts of a curve, given by close directions, in front and behind; each ends at
// the seam where the curve leaves.
func (g projection) split(curve []vec3) (front, back []plotter.XYs) {
	var part plotter.XYs
	parts := map[bool][]plotter.XYs{}
	for i, p := range curve {
		side := g.side(p)
		if i > 0 && side != g.side(curve[i-1]) {
			if edge := g.edge(curve[i-1], p); !g.area || dot(g.cam.fore, edge) < 0 {
				from := g.front(curve[i-1])
				parts[from] = append(parts[from], append(part, g.on(edge, !side)))
				part = plotter.XYs{g.on(edge, side)}
			}
		}
		if part = append(part, g.at(p)); i == len(curve)-1 {
			parts[g.front(p)] = append(parts[g.front(p)], part)
		}
	}
	return parts[true], parts[false]
}

// edge returns where the great circle through two directions on different sides crosses the seam, or
// on a map its other half.
func (g projection) edge(a, b vec3) vec3 {
	n := g.across()
	da, db := dot(n, a), dot(n, b)
	p := a.scale(db).sub(b.scale(da)).scale(1 / (db - da))
	p = p.sub(n.scale(dot(n, p)))
	if dot(p, p) < 1e-18 {
		return g.cam.up // a and b are opposite: any way round is as short
	}
	return p.unit()
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
