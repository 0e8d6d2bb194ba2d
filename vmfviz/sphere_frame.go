package vmfviz

import "math"

// sphereFrame maps the unit ball to the sheet.
type sphereFrame struct {
	c   pt
	r   float64
	cam camera
}

func (f sphereFrame) at(p vec3) (pt, float64) {
	q := f.cam.apply(p)
	return pt{f.c.x + f.r*q[0], f.c.y - f.r*q[1]}, q[2]
}

// arc draws the parts of a curve on the sphere that lie on the near (or far)
// side; the curve is given by close points.
func (s *page) arc(f sphereFrame, curve []vec3, near bool, st stroke) {
	var part []pt
	flush := func() {
		s.line(st, part...)
		part = nil
	}
	for i, p := range curve {
		q, d := f.at(p)
		if (d >= 0) == near {
			if part == nil && i > 0 {
				part = append(part, f.horizon(curve[i-1], p))
			}
			part = append(part, q)
			continue
		}
		if part != nil {
			part = append(part, f.horizon(curve[i-1], p))
		}
		flush()
	}
	flush()
}

// horizon returns where the chord from a to b crosses the picture plane.
func (f sphereFrame) horizon(a, b vec3) pt {
	pa, da := f.at(a)
	pb, db := f.at(b)
	if da == db {
		return pa
	}
	return pa.to(pb, math.Max(0, math.Min(1, da/(da-db))))
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
func graticule() [][]vec3 {
	const steps = 96
	circle := func(f func(t float64) vec3) []vec3 {
		c := make([]vec3, steps+1)
		for i := range c {
			c[i] = f(2 * math.Pi * float64(i) / steps)
		}
		return c
	}
	var lines [][]vec3
	for k := range 6 {
		sl, cl := math.Sincos(float64(k) * math.Pi / 6)
		lines = append(lines, circle(func(t float64) vec3 {
			st, ct := math.Sincos(t)
			return vec3{st * cl, st * sl, ct}
		}))
	}
	for k := -2; k <= 2; k++ {
		z, r := math.Sincos(float64(k) * math.Pi / 6)
		lines = append(lines, circle(func(t float64) vec3 {
			st, ct := math.Sincos(t)
			return vec3{r * ct, r * st, z}
		}))
	}
	return lines
}
