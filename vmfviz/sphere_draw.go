package vmfviz

import (
	"math"
	"sort"
)

// sphere draws one panel.
func (s *page) sphere(f sphereFrame, p SpherePanel, lo, hi float64) {
	s.axes(f, false, false)
	if p.Location != nil {
		s.location(f, p, false) // what stands out beyond the edge
	}

	near, far := stroke{width: 1, color: color3(0xB9C0C8)}, stroke{width: 0.8, color: color3(0xDDE1E6)}
	if p.Heat != nil {
		n := int(2 * screenScale * f.r)
		s.image(box{f.c.x - f.r, f.c.y - f.r, 2 * f.r, 2 * f.r}, p.Heat.image(f.cam, n, lo, hi))
		near = stroke{width: 0.8, color: alpha(white, 0.28)}
		p.Heat.contourLines(lo, hi, func(c []vec3, st stroke) { s.exact(func() { s.arc(f, c, true, st) }) })
	} else {
		s.disc(f.c, f.r, shadow)
		for _, l := range graticule() {
			s.arc(f, l, false, far)
		}
	}
	s.points(f, p, false)
	if p.Heat == nil {
		s.spherePath(f, p, false)
	}
	if p.Location != nil {
		s.ghost(f, p)
	}
	onMap := func(draw func()) { // on the colours of a function, which are exact
		if p.Heat != nil {
			s.exact(draw)
		} else {
			draw()
		}
	}
	onMap(func() {
		for _, l := range graticule() {
			s.arc(f, l, true, near)
		}
	})
	s.ring(f.c, f.r, stroke{width: 1.2, color: axis})
	onMap(func() {
		s.points(f, p, true)
		s.spherePath(f, p, true)
	})
	s.axes(f, true, p.Heat != nil)
	if p.Location != nil {
		s.location(f, p, true)
		s.locationLabel(f, p)
	}
}

// axes draws the near or the far half axes outside the sphere with their names.
func (s *page) axes(f sphereFrame, near, heat bool) {
	size := 14.0
	if f.small() {
		size = 12.5
	}
	for k, name := range []string{"x", "y", "z"} {
		var e vec3
		e[k] = 1
		a, d := f.at(e)
		if (d >= 0) != near {
			continue
		}
		b, _ := f.at(e.scale(axisReach))
		q := b
		if out := b.sub(f.c); out.norm() > 1 {
			q = b.towards(b.add(out), 9)
		} else {
			q = pt{b.x + 9, b.y - 9}
		}
		s.overMap(f, heat, q, func() {
			s.line(stroke{width: 1.3, color: axis}, a, b)
			s.text(pt{q.x, q.y + 0.3*size}, textStyle{size: size, color: soft, align: 0.5, halo: near}, it(name))
		})
	}
}

// overMap draws with exact colours if q lies on the colours of a function, which
// are the same on every card.
func (s *page) overMap(f sphereFrame, heat bool, q pt, draw func()) {
	if heat && q.sub(f.c).norm() < f.r {
		s.exact(draw)
	} else {
		draw()
	}
}

// points draws the directions of the near or of the far side, far ones first.
func (s *page) points(f sphereFrame, p SpherePanel, near bool) {
	n := len(p.Points) / 3
	if n == 0 {
		return
	}
	r := math.Max(1.1, math.Min(0.016*f.r, 0.016*f.r*math.Sqrt(300/float64(n))))
	if r < 2 && n <= 400 {
		r = 2
	}
	type mark struct {
		at    pt
		depth float64
	}
	var marks []mark
	for i := range n {
		q, d := f.at(row3(p.Points, i).unit())
		if (d >= 0) == near {
			marks = append(marks, mark{q, d})
		}
	}
	sort.SliceStable(marks, func(i, j int) bool { return marks[i].depth < marks[j].depth })
	for _, m := range marks {
		switch {
		case near && p.Heat != nil:
			s.disc(m.at, r+0.9, white)
			s.disc(m.at, r, color3(0x111111))
		case near:
			s.disc(m.at, r+0.6, white)
			s.disc(m.at, r, blue)
		case p.Heat == nil:
			s.disc(m.at, r*0.9, mix(blue, shadow, 0.72))
		}
	}
}

// spherePath draws the path on the near or on the far side.
func (s *page) spherePath(f sphereFrame, p SpherePanel, near bool) {
	if p.Path == nil {
		return
	}
	l := pathLook{purple, dark(purple), p.Heat != nil}
	if !near {
		l = pathLook{mix(purple, shadow, 0.65), mix(dark(purple), shadow, 0.65), false}
	}
	curve := pathCurve(p.Path)
	s.path3(p.Path, l, func(st stroke) { s.arc(f, curve, near, st) }, func(v vec3) (pt, bool) {
		q, d := f.at(v)
		return q, (d >= 0) == near
	})
}
