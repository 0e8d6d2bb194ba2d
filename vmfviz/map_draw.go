package vmfviz

import "math"

// sphereMap draws one panel.
func (s *page) sphereMap(near, far mapFrame, p SpherePanel, lo, hi float64) {
	frames := []mapFrame{near, far}
	lines := stroke{width: 1, color: color3(0xB9C0C8)}
	for _, f := range frames {
		if p.Heat != nil {
			n := int(2 * screenScale * f.r)
			s.image(box{f.c.x - f.r, f.c.y - f.r, 2 * f.r, 2 * f.r}, p.Heat.disc(n, lo, hi, func(x, y float64) vec3 { return f.cam.back(lambertBack(x, y)) }))
			lines = stroke{width: 0.8, color: alpha(white, 0.28)}
			p.Heat.contourLines(lo, hi, func(c []vec3, st stroke) {
				for _, part := range f.cut(c) {
					s.line(st, part...)
				}
			})
		} else {
			s.disc(f.c, f.r, shadow)
		}
		for _, l := range graticule() {
			for _, part := range f.cut(l) {
				s.line(lines, part...)
			}
		}
		s.ring(f.c, f.r, stroke{width: 1.2, color: axis})
	}
	for _, f := range frames {
		s.mapPoints(f, p)
	}
	for _, f := range frames {
		s.mapAxes(f, f.cam == near.cam, p.Heat != nil)
	}
	for _, f := range frames {
		s.mapPath(f, p)
	}
	if p.Location != nil {
		eps, f := row3(p.Location, 0).unit(), near
		if _, in := near.at(eps); !in {
			f = far
		}
		s.mapLocation(f, eps, p.LocationLabel)
	}
}

// mapAxes marks the ends of the axes. One on the rim is marked on the near map
// only.
func (s *page) mapAxes(f mapFrame, near, heat bool) {
	col, casing := axis, white
	if heat {
		col, casing = white, color3(0x30363D)
	}
	for k, name := range []string{"x", "y", "z"} {
		for _, sign := range []float64{1, -1} {
			var e vec3
			e[k] = sign
			q, _ := f.at(e)
			d := dot(f.cam.fore, e)
			if d < -1e-9 || (d < 1e-9 && !near) {
				continue
			}
			const h = 4
			for _, st := range []stroke{{width: 3.4, color: alpha(casing, 0.6)}, {width: 1.5, color: col}} {
				s.line(st, pt{q.x - h, q.y}, pt{q.x + h, q.y})
				s.line(st, pt{q.x, q.y - h}, pt{q.x, q.y + h})
			}
			label := []span{it(name)}
			if sign < 0 {
				label = []span{plain("−"), it(name)}
			}
			t := pt{q.x + 10, q.y - 8}
			if q.x-f.c.x > 0.85*f.r { // keep inside the disc
				t.x = q.x - 12
			}
			if f.c.y-q.y > 0.85*f.r {
				t.y = q.y + 16
			}
			s.text(t, textStyle{size: 13.5, align: 0.5, color: soft, halo: true}, label...)
		}
	}
}

// mapPoints draws the directions of one hemisphere.
func (s *page) mapPoints(f mapFrame, p SpherePanel) {
	n := len(p.Points) / 3
	r := math.Max(1.2, math.Min(2.8, 0.016*f.r*math.Sqrt(300/math.Max(float64(n), 1))))
	rim, col := white, blue
	if p.Heat != nil {
		col = color3(0x111111)
	}
	for i := range n {
		if q, in := f.at(row3(p.Points, i).unit()); in {
			s.disc(q, r+0.7, rim)
			s.disc(q, r, col)
		}
	}
}

// mapPath draws the part of a path on one hemisphere.
func (s *page) mapPath(f mapFrame, p SpherePanel) {
	if p.Path == nil {
		return
	}
	parts := f.cut(pathCurve(p.Path))
	s.path3(p.Path, pathLook{purple, dark(purple), p.Heat != nil}, func(st stroke) {
		for _, part := range parts {
			s.line(st, part...)
		}
	}, f.at)
}

// mapLocation marks a location with its letter.
func (s *page) mapLocation(f mapFrame, eps vec3, label string) {
	if label == "" {
		label = "ε"
	}
	q, _ := f.at(eps)
	s.disc(q, 7.8, white)
	s.disc(q, 6.8, dark(purple))
	s.disc(q, 5.4, purple)
	s.disc(q, 1.9, white)
	out := pt{16, -12}
	if q.x > f.c.x+0.7*f.r {
		out.x = -16
	}
	if q.y < f.c.y-0.7*f.r {
		out.y = 20
	}
	l := textStyle{size: 18, color: dark(purple), align: 0.5, bold: true, halo: true}
	s.text(pt{q.x + out.x, q.y + out.y + 0.3*l.size}, l, plain(label))
}
