package vmfviz

import "math"

// sliceLine is the line of a direction, drawn beside the clouds so that it hides
// none of them; only its direction matters for what is projected.
type sliceLine struct {
	lo, hi    float64 // extent of the projections, lo < hi
	side      vec3    // from the clouds towards the line, a unit vector
	origin    vec3    // perpendicular to theta
	theta     vec3
	tail, tip vec3 // of the arrow
}

// foot returns the place of the projection t.
func (l sliceLine) foot(t float64) vec3 { return l.origin.add(l.theta.scale(t)) }

// beside places the line of a slice below its clouds or to the right of them, in
// the middle of their depth.
func (c *sliced) beside() sliceLine {
	all := append(append([]vec3(nil), c.x...), c.y...)
	side := cross(c.cam.fore, c.theta)
	if dot(side, side) < 1e-6 {
		side = c.cam.up.scale(-1)
	}
	side = side.unit()
	if q := c.cam.apply(side); q[1] > 0.05 || (math.Abs(q[1]) <= 0.05 && q[0] < 0) {
		side = side.scale(-1)
	}
	l := sliceLine{side: side, theta: c.theta}
	l.lo, l.hi = bounds(c.a, c.b)
	l.hi = math.Max(l.hi, l.lo+1e-9)
	size, reach := l.hi-l.lo, math.Inf(-1)
	for _, p := range all {
		reach = math.Max(reach, dot(p, side))
	}
	l.origin = side.scale(reach + 0.13*size)
	ahead := c.cam.fore.sub(c.theta.scale(dot(c.cam.fore, c.theta)))
	if n := dot(ahead, ahead); n > 1e-9 {
		ahead = ahead.unit()
		depth := 0.0
		for _, p := range all {
			depth += dot(p, ahead) / float64(len(all))
		}
		l.origin = l.origin.add(ahead.scale(depth))
	}
	l.tail, l.tip = l.foot(l.lo-0.06*size), l.foot(l.hi+0.2*size)
	return l
}

// fitBox returns the parallel projection by a camera that fits the points into
// the box.
func fitBox(cam camera, b box, points []vec3) func(vec3) pt {
	flat := func(p vec3) pt { q := cam.apply(p); return pt{q[0], -q[1]} }
	x0, x1, y0, y1 := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, p := range points {
		q := flat(p)
		x0, x1 = math.Min(x0, q.x), math.Max(x1, q.x)
		y0, y1 = math.Min(y0, q.y), math.Max(y1, q.y)
	}
	const edge = 12
	k := math.Min((b.w-2*edge)/math.Max(x1-x0, 1e-9), (b.h-2*edge)/math.Max(y1-y0, 1e-9))
	return func(p vec3) pt {
		q := flat(p)
		return pt{b.x + b.w/2 + k*(q.x-(x0+x1)/2), b.y + b.h/2 + k*(q.y-(y0+y1)/2)}
	}
}

// cloudLegend names the marks of the two clouds of a slice and returns its
// length.
func (s *page) cloudLegend(p pt) float64 {
	l := textStyle{size: sizeLabel}
	x := p.x
	s.disc(pt{x, p.y - 4.5}, 4, blue)
	s.text(pt{x + 9, p.y}, l, plain("cloud "), it("X"))
	x += 9 + textWidth(l, plain("cloud "), it("X")) + 22
	s.diamond(pt{x, p.y - 4.5}, 5, vermilion)
	s.text(pt{x + 9, p.y}, l, plain("cloud "), it("Y"))
	return x + 9 + textWidth(l, plain("cloud "), it("Y")) - p.x
}
