package shapes

import "math"

// volume is the inside of a closed piece of a solid. Points of other pieces inside it are not
// visible and are drawn again, so the outer surface of the union is sampled.
type volume struct {
	// first is the index of the piece's first element: moves that include it move the volume.
	first  int
	centre vec     // a point inside, from which the whole piece is visible
	bound  float64 // largest distance of the piece from centre
	inside func(p vec) bool
	place  motion // from the coordinates of inside and centre to those of the solid
}

// skinDepth is how far a point is moved off its own piece to test whether another one covers it. It
// distinguishes the touching faces of two boxes, which disappear, from faces that only lie in one
// plane.
const skinDepth = 1e-3

// contains reports whether a point of the solid lies in the volume.
func (v *volume) contains(p vec) bool {
	p = v.place.undo(p)
	d := p.Sub(v.centre)
	return d.Dot(d) < v.bound*v.bound && v.inside(p)
}

// hidden reports whether a point drawn from an element lies inside another closed piece.
func (g *solid) hidden(p vec, owner int) bool {
	if owner > 0 {
		own := &g.volumes[owner-1]
		if d := p.Sub(own.place.apply(own.centre)); d.Norm() > 0 {
			p = p.Add(d.Scale(skinDepth / d.Norm()))
		}
	}
	for i := range g.volumes {
		if i != owner-1 && g.volumes[i].contains(p) {
			return true
		}
	}
	return false
}

// fill declares that the elements from start on enclose a volume.
func (g *solid) fill(start int, centre vec, bound float64, inside func(p vec) bool) {
	g.volumes = append(g.volumes, volume{first: start, centre: centre, bound: bound, inside: inside, place: still})
	for i := start; i < len(g.elements); i++ {
		g.elements[i].owner = len(g.volumes)
	}
}

// fillHexahedron declares the inside of a hexahedron with flat faces.
func (g *solid) fillHexahedron(start int, bottom, top [4]vec) {
	var centre vec
	for i := range 4 {
		centre = centre.Add(bottom[i]).Add(top[i])
	}
	centre = centre.Scale(1.0 / 8)
	bound := 0.0
	for i := range 4 {
		bound = max(bound, bottom[i].Sub(centre).Norm(), top[i].Sub(centre).Norm())
	}
	var at, normal [6]vec
	faces := 0
	face := func(p, q, r, s vec) {
		n := r.Sub(p).Cross(s.Sub(q)) // the diagonals of a quadrilateral
		if n.Norm() < 1e-12 {
			return
		}
		n = n.Unit()
		if n.Dot(centre.Sub(p)) > 0 {
			n = n.Scale(-1)
		}
		at[faces], normal[faces] = p, n
		faces++
	}
	face(bottom[0], bottom[1], bottom[2], bottom[3])
	face(top[0], top[1], top[2], top[3])
	for i := range 4 {
		j := (i + 1) % 4
		face(bottom[i], bottom[j], top[j], top[i])
	}
	g.fill(start, centre, bound, func(p vec) bool {
		for i := range faces {
			if p.Sub(at[i]).Dot(normal[i]) > -1e-6 {
				return false
			}
		}
		return true
	})
}

// fillCone declares the inside of a closed cylinder or cut cone from p (radius r0) to q (radius
// r1).
func (g *solid) fillCone(start int, p, q vec, r0, r1 float64) {
	axis := q.Sub(p)
	long := axis.Norm()
	axis = axis.Unit()
	centre, r := p.Lerp(q, 0.5), max(r0, r1)
	g.fill(start, centre, math.Sqrt(long*long/4+r*r), func(x vec) bool {
		d := x.Sub(p)
		h := d.Dot(axis)
		if h < 1e-6 || h > long-1e-6 {
			return false
		}
		d = d.Sub(axis.Scale(h))
		r := r0 + float64((r1-r0)*h)/long - 1e-6
		return d.Dot(d) < float64(r*r)
	})
}

// fillEllipsoid declares the inside of an ellipsoid with half axes r along x, y and z.
func (g *solid) fillEllipsoid(start int, c, r vec) {
	g.fill(start, c, max(r.X, r.Y, r.Z), func(p vec) bool {
		d := p.Sub(c)
		x, y, z := d.X/r.X, d.Y/r.Y, d.Z/r.Z
		return float64(x*x)+float64(y*y)+float64(z*z) < 1-1e-6
	})
}

// fillLoft declares the inside of a loft.
func (g *solid) fillLoft(start int, stations []station) {
	first, last := stations[0], stations[len(stations)-1]
	middle := stations[len(stations)/2]
	centre := xyz(0, middle.Y, (first.Z+last.Z)/2)
	bound := 0.0
	for _, s := range stations {
		bound = max(bound, xyz(s.w, math.Abs(s.Y-centre.Y)+s.h, s.Z-centre.Z).Norm()*1.2)
	}
	g.fill(start, centre, bound, func(p vec) bool {
		for i := 1; i < len(stations); i++ {
			a, b := stations[i-1], stations[i]
			if p.Z < a.Z || p.Z >= b.Z {
				continue
			}
			s := a.Lerp(b, (p.Z-a.Z)/(b.Z-a.Z))
			x, y := math.Abs(p.X)/s.w, math.Abs(p.Y-s.Y)/s.h
			if s.w <= 0 || s.h <= 0 || x >= 1 || y >= 1 {
				return false
			}
			return math.Pow(x, s.e)+math.Pow(y, s.e) < 1-1e-6
		}
		return false
	})
}

// lerp is the cross-section between two stations.
func (s station) Lerp(o station, t float64) station {
	mid := func(a, b float64) float64 { return a + float64((b-a)*t) }
	return station{mid(s.Z, o.Z), mid(s.Y, o.Y), mid(s.w, o.w), mid(s.h, o.h), mid(s.e, o.e)}
}
