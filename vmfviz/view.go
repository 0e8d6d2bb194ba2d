package vmfviz

import "math"

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

func (v View) check() error {
	legal := math.Abs(v.azimuth) <= 3600 && math.Abs(v.elevation) <= 3600
	return errorIf(!legal, "View = From(%g, %g), expected angles in degrees", v.azimuth, v.elevation)
}

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
