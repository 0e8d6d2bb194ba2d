package vmfviz

import (
	"image/color"
	"math"
)

// locationArrow returns the ends of the arrow of a location on the sheet, and
// whether the location lies on the near side. The arrow is longer in space
// where it points at the reader, so that it can be seen; where even that leaves
// it short, ok is false.
func (f sphereFrame) locationArrow(eps vec3) (from, to pt, near, ok bool) {
	from, depth := f.at(eps)
	out := from.sub(f.c).norm() / f.r
	length := math.Min(1.1, 0.3/math.Max(out, 1e-9))
	to, _ = f.at(eps.scale(1 + length))
	return from, to, depth >= 0, to.sub(from).norm() >= 16
}

// location draws the arrow of a location from the surface outwards, if it lies
// on the given side.
func (s *page) location(f sphereFrame, p SpherePanel, near bool) {
	from, to, isNear, ok := f.locationArrow(row3(p.Location, 0).unit())
	if isNear != near {
		return
	}
	s.overMap(f, p.Heat != nil && near, to, func() {
		if p.Heat != nil && near { // it meets every lightness there: a white seam outside the dark one
			s.locationMark(f, from, to, ok, white, white, 1.2)
		}
		s.locationMark(f, from, to, ok, purple, dark(purple), 0)
	})
}

// ghost draws the arrow of a location on the far side as seen through the
// sphere.
func (s *page) ghost(f sphereFrame, p SpherePanel) {
	from, to, near, ok := f.locationArrow(row3(p.Location, 0).unit())
	if near {
		return
	}
	tip := to
	if d := f.c.sub(from); ok && to.sub(f.c).norm() > f.r && d.norm() > 0 {
		// Only up to the edge: what is beyond is drawn already.
		tip = f.c.towards(to, f.r)
		s.line(stroke{width: f.arrowWidth() + 2, color: alpha(dark(purple), 0.35)}, from, tip)
		s.disc(from, f.arrowWidth()*1.25+1, alpha(dark(purple), 0.4))
		return
	}
	s.locationMark(f, from, tip, ok, alpha(purple, 0.4), alpha(dark(purple), 0.4), 0)
}

func (f sphereFrame) small() bool { return f.r < 120 }

func (f sphereFrame) arrowWidth() float64 {
	if f.small() {
		return 3
	}
	return 3.6
}

// locationMark draws an arrow, its casing wider by grow than usual.
func (s *page) locationMark(f sphereFrame, from, to pt, ok bool, col, casing color.NRGBA, grow float64) {
	w := f.arrowWidth()
	if !ok { // it points at the reader: the arrow from its tip
		s.disc(from, 6.8+grow, casing)
		s.disc(from, 5.4, col)
		s.disc(from, 1.9, white)
		return
	}
	s.arrow(from, to, w, col, casing, 1+grow)
	s.disc(from, w*1.25+1+grow, casing)
	s.disc(from, w*1.25, col)
}

// locationLabel writes the letter of a location beside the tip of its arrow.
func (s *page) locationLabel(f sphereFrame, p SpherePanel) {
	label := p.LocationLabel
	if label == "" {
		label = "ε"
	}
	size := 18.0
	if f.small() {
		size = 16
	}
	from, to, near, ok := f.locationArrow(row3(p.Location, 0).unit())
	q := from.add(pt{13, -10})
	if ok {
		q = from.towards(to, to.sub(from).norm()+11)
	}
	s.overMap(f, p.Heat != nil && near, q, func() {
		s.text(pt{q.x, q.y + 0.3*size}, textStyle{size: size, color: dark(purple), align: 0.5, bold: true, halo: true}, plain(label))
	})
}
