package vmfviz

import "math"

// sliced is one slice of a pair of clouds.
type sliced struct {
	opt    SliceOptions
	x, y   []vec3 // two-dimensional clouds have third coordinate 0
	theta  vec3
	a, b   []float64 // projections
	pa, pb []int     // order: a[pa[i]] is the i-th smallest
	pairs  []int     // ranks drawn
	cost   float64
	planar bool // the clouds are two-dimensional
	cam    camera
}

func newSliced(o SliceOptions, x, y, theta []float32) *sliced {
	d := len(theta)
	c := &sliced{opt: o, x: rows(x, d), y: rows(y, d), theta: rows(theta, d)[0].unit(), planar: d == 2}
	c.a, c.b = project(c.x, c.theta), project(c.y, c.theta)
	c.pa, c.pb = order(c.a), order(c.b)
	for i := range c.a {
		e := c.a[c.pa[i]] - c.b[c.pb[i]]
		c.cost += e * e
	}
	m := len(c.a)
	if o.Convention == MeanOverPoints {
		c.cost /= float64(m)
	}
	k := min(m, maxPairs)
	for i := range k {
		c.pairs = append(c.pairs, int((float64(i)+0.5)*float64(m)/float64(k)))
	}
	switch {
	case c.planar:
		c.cam = camera{vec3{1, 0, 0}, vec3{0, 1, 0}, vec3{0, 0, 1}}
	case o.View.set:
		c.cam = o.View.cameraY()
	default:
		best := -1.0
		for _, az := range []float64{38, -38, 80, -10} {
			cam := From(az, 20).cameraY()
			if q := cam.apply(c.theta); math.Hypot(q[0], q[1]) > best+0.05 {
				best, c.cam = math.Hypot(q[0], q[1]), cam
			}
		}
	}
	return c
}

// rows returns the rows of v, of 2 or 3 numbers, as points.
func rows(v []float32, d int) []vec3 {
	out := make([]vec3, len(v)/d)
	for i := range out {
		for k := range d {
			out[i][k] = float64(v[i*d+k])
		}
	}
	return out
}

func project(p []vec3, theta vec3) []float64 {
	out := make([]float64, len(p))
	for i := range p {
		out[i] = dot(p[i], theta)
	}
	return out
}

func bounds(lists ...[]float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, l := range lists {
		for _, v := range l {
			lo, hi = math.Min(lo, v), math.Max(hi, v)
		}
	}
	return lo, hi
}
