package shapes

import (
	"github.com/sliced-wasserstein/lab/datasets/internal/geometry"
	"math"

	"github.com/sliced-wasserstein/lab/datasets/internal/rng"
)

// solid is a shape under construction: a list of surface elements, each with its exact area. Axes:
// x to the right, y up, -z to the front (the pose of ShapeNet).
type solid struct {
	*rng.Stream // the shape's own random numbers, for its parameters
	elements    []element
	volumes     []volume
}

// element is a piece of surface that can be sampled uniformly by area: exactly when it is flat or
// round, and to second order in the size of its cells when it is a piece of a general patch.
type element struct {
	area  float64
	owner int // 1 + index of the volume it bounds; 0 for an open surface
	// Flat: o + s*a + t*b with s, t in [0, 1]; a triangle when half is set, then s + t <= 1.
	o, a, b vec
	half    bool
	// Round: a cone, cylinder or ring from o (radius r0) to o+axis (radius r1), angles from to
	// from+sweep in the plane of a and b, which are unit vectors.
	round       bool
	axis        vec
	r0, r1      float64
	from, sweep float64
	// Patch: the cell of a surface at(u, v), moved by place.
	at             func(u, v float64) vec
	u0, v0, du, dv float64
	place          *motion
}

// draw samples one point of the element.
func (e *element) draw(random *rng.Stream) vec {
	s, t := random.Float(), random.Float()
	switch {
	case e.at != nil:
		return e.place.apply(e.at(e.u0+float64(s*e.du), e.v0+float64(t*e.dv)))
	case e.round:
		// The area up to radius r grows with r^2 on a cone or ring, with the height on a cylinder.
		r, along := e.r0, s
		if e.r1 != e.r0 {
			r = math.Sqrt(float64(e.r0*e.r0) + float64(s*(float64(e.r1*e.r1)-float64(e.r0*e.r0))))
			along = (r - e.r0) / (e.r1 - e.r0)
		}
		sin, cos := math.Sincos(e.from + float64(t*e.sweep))
		return e.o.Add(e.axis.Scale(along)).Add(e.a.Scale(r * cos)).Add(e.b.Scale(r * sin))
	default:
		if e.half && s+t > 1 {
			s, t = 1-s, 1-t
		}
		return e.o.Add(e.a.Scale(s)).Add(e.b.Scale(t))
	}
}

// maxRedraws bounds the search for a visible point. Hidden parts are a small share of every shape.
const maxRedraws = 100

// sample draws n points uniformly by area over the visible part of all elements, row-major [n, 3].
func (g *solid) sample(n int, random *rng.Stream) []float32 {
	upTo := make([]float64, len(g.elements))
	total := 0.0
	for i := range g.elements {
		total += g.elements[i].area
		upTo[i] = total
	}
	out := make([]float32, 0, 3*n)
	for range n {
		var p vec
		for range maxRedraws {
			e := &g.elements[random.Pick(upTo)]
			if p = e.draw(random); !g.hidden(p, e.owner) {
				break
			}
		}
		out = append(out, float32(p.X), float32(p.Y), float32(p.Z))
	}
	return out
}

// Parameters of a shape.

// between draws a uniform number in [lo, hi).
func (g *solid) between(lo, hi float64) float64 { return lo + float64((hi-lo)*g.Float()) }

// count draws a uniform integer from lo to hi.
func (g *solid) count(lo, hi int) int { return lo + g.Below(hi-lo+1) }

// chance is true with probability p.
func (g *solid) chance(p float64) bool { return g.Float() < p }

// Flat pieces.

func (g *solid) parallelogram(o, a, b vec) {
	g.elements = append(g.elements, element{area: a.Cross(b).Norm(), o: o, a: a, b: b})
}

func (g *solid) triangle(p, q, r vec) {
	a, b := q.Sub(p), r.Sub(p)
	g.elements = append(g.elements, element{area: a.Cross(b).Norm() / 2, o: p, a: a, b: b, half: true})
}

// quad is the quadrilateral p, q, r, s in order.
func (g *solid) quad(p, q, r, s vec) {
	if p.Add(r).Sub(q.Add(s)).Norm() < 1e-12 {
		g.parallelogram(p, q.Sub(p), s.Sub(p))
		return
	}
	g.triangle(p, q, r)
	g.triangle(p, r, s)
}

// hexahedron is a box with free corners: the ring bottom[0..3] and the ring top[0..3] above it.
func (g *solid) hexahedron(bottom, top [4]vec) {
	start := g.mark()
	g.quad(bottom[0], bottom[1], bottom[2], bottom[3])
	g.quad(top[0], top[1], top[2], top[3])
	for i := range 4 {
		j := (i + 1) % 4
		g.quad(bottom[i], bottom[j], top[j], top[i])
	}
	g.fillHexahedron(start, bottom, top)
}

// box is the closed axis-parallel box between two corners.
func (g *solid) box(lo, hi vec) {
	g.hexahedron(rectangle(lo.X, hi.X, lo.Z, hi.Z, lo.Y), rectangle(lo.X, hi.X, lo.Z, hi.Z, hi.Y))
}

// rectangle is the ring of corners of a horizontal rectangle at height y.
func rectangle(x0, x1, z0, z1, y float64) [4]vec {
	return [4]vec{xyz(x0, y, z0), xyz(x1, y, z0), xyz(x1, y, z1), xyz(x0, y, z1)}
}

// beam is a straight bar of square section with edge width from p to q.
func (g *solid) beam(p, q vec, width float64) {
	u, w := q.Sub(p).Unit().Frame()
	u, w = u.Scale(width/2), w.Scale(width/2)
	ring := func(c vec) [4]vec { return [4]vec{c.Sub(u).Sub(w), c.Add(u).Sub(w), c.Add(u).Add(w), c.Sub(u).Add(w)} }
	g.hexahedron(ring(p), ring(q))
}

// slab is a flat polygon with thickness: corners lie in the plane through o spanned by a and b, the
// thickness reaches from o to o + depth. The polygon may be concave.
func (g *solid) slab(o, a, b, depth vec, corners [][2]float64) {
	ring := make([]vec, len(corners))
	for i, c := range corners {
		ring[i] = o.Add(a.Scale(c[0])).Add(b.Scale(c[1]))
	}
	for _, t := range geometry.Triangulate(ring) {
		p, q, r := ring[t[0]], ring[t[1]], ring[t[2]]
		g.triangle(p, q, r)
		g.triangle(p.Add(depth), q.Add(depth), r.Add(depth))
	}
	for i, p := range ring {
		g.parallelogram(p, ring[(i+1)%len(ring)].Sub(p), depth)
	}
}

// Round pieces.

// cone is the side of a cone, cylinder or ring from p (radius r0) to q (radius r1); axis gives the
// direction when p equals q.
func (g *solid) cone(p, q, axis vec, r0, r1 float64) { g.coneArc(p, q, axis, r0, r1, 0, 2*math.Pi) }

// coneArc is cone between two angles, counted from the first vector of the axis's frame.
func (g *solid) coneArc(p, q, axis vec, r0, r1, from, to float64) {
	span := q.Sub(p)
	slant := math.Sqrt(span.Dot(span) + float64((r0-r1)*(r0-r1)))
	a, b := axis.Unit().Frame()
	area := (to - from) / 2 * (r0 + r1) * slant
	if area > 0 {
		g.elements = append(g.elements, element{area: area, round: true, o: p, axis: span, a: a, b: b, r0: r0, r1: r1, from: from, sweep: to - from})
	}
}

// disc is the ring with radii r0 < r1 around c, perpendicular to axis.
func (g *solid) disc(c, axis vec, r0, r1 float64) { g.cone(c, c, axis, r0, r1) }

// cylinder is a closed cylinder or cut cone from p to q.
func (g *solid) cylinder(p, q vec, r0, r1 float64) {
	start, axis := g.mark(), q.Sub(p)
	g.cone(p, q, axis, r0, r1)
	g.disc(p, axis, 0, r0)
	g.disc(q, axis, 0, r1)
	g.fillCone(start, p, q, r0, r1)
}

// tube is the side of a cylinder from p to q.
func (g *solid) tube(p, q vec, r float64) { g.cone(p, q, q.Sub(p), r, r) }

// pipe is a tube along the points of a curve.
func (g *solid) pipe(r float64, curve ...vec) {
	for i := 1; i < len(curve); i++ {
		g.tube(curve[i-1], curve[i], r)
	}
}

// revolve turns a profile of (radius, distance along axis) around the axis through base.
func (g *solid) revolve(base, axis vec, profile [][2]float64) {
	axis = axis.Unit()
	for i := 1; i < len(profile); i++ {
		p, q := profile[i-1], profile[i]
		g.cone(base.Add(axis.Scale(p[1])), base.Add(axis.Scale(q[1])), axis, p[0], q[0])
	}
}

// sphere is cut into rings, whose radii and heights lie on the true sphere.
func (g *solid) sphere(c vec, r float64) {
	start := g.mark()
	g.dome(c, xyz(0, 1, 0), r, 0, math.Pi)
	g.fillEllipsoid(start, c, xyz(r, r, r))
}

// dome is the part of a sphere between two angles from the pole that axis points to.
func (g *solid) dome(c, axis vec, r, from, to float64) {
	const rings = 16
	profile := make([][2]float64, rings+1)
	for i := range profile {
		sin, cos := math.Sincos(from + (to-from)*float64(i)/rings)
		profile[i] = [2]float64{max(0, r*sin), r * cos}
	}
	g.revolve(c, axis, profile)
}

// General pieces.

// patch is the surface at(u, v) over the unit square, cut into nu by nv cells. A cell is drawn by
// its area (two triangles through its corners), and a point in it by its parameters, so points lie
// exactly on the surface.
func (g *solid) patch(nu, nv int, at func(u, v float64) vec) {
	row := func(i int) []vec {
		p := make([]vec, nv+1)
		for j := range p {
			p[j] = at(float64(i)/float64(nu), float64(j)/float64(nv))
		}
		return p
	}
	place := still // on the heap, shared by the cells
	before := row(0)
	for i := range nu {
		after := row(i + 1)
		for j := range nv {
			area := geometry.TriangleArea(before[j], after[j], after[j+1]) + geometry.TriangleArea(before[j], after[j+1], before[j+1])
			if area > 0 {
				g.elements = append(g.elements, element{area: area, at: at, place: &place,
					u0: float64(i) / float64(nu), v0: float64(j) / float64(nv), du: 1 / float64(nu), dv: 1 / float64(nv)})
			}
		}
		before = after
	}
}

// ellipsoid has the half axes r along x, y and z.
func (g *solid) ellipsoid(c, r vec) {
	start := g.mark()
	g.patch(10, 16, func(u, v float64) vec {
		sinV, cosV := math.Sincos(2 * math.Pi * v)
		// Uniform steps of height: equal areas on the sphere, so cells near the poles are not
		// crowded.
		h := 2*u - 1
		ring := math.Sqrt(max(0, 1-float64(h*h)))
		return xyz(c.X+float64(r.X*ring*cosV), c.Y+float64(r.Y*h), c.Z+float64(r.Z*ring*sinV))
	})
	g.fillEllipsoid(start, c, r)
}

// torus is the ring of tube radius r around the circle of radius big in the plane perpendicular to
// axis, between two angles from the first vector of the axis's frame.
func (g *solid) torus(c, axis vec, big, r, from, to float64) {
	a, b := axis.Unit().Frame()
	axis = axis.Unit()
	steps := max(4, int(math.Ceil(20*(to-from)/(2*math.Pi))))
	g.patch(steps, 12, func(u, v float64) vec {
		sinU, cosU := math.Sincos(from + float64((to-from)*u))
		sinV, cosV := math.Sincos(2 * math.Pi * v)
		reach := big + float64(r*cosV)
		return c.Add(a.Scale(reach * cosU)).Add(b.Scale(reach * sinU)).Add(axis.Scale(r * sinV))
	})
}

// station is a cross-section of a loft: a super-ellipse |x/w|^e + |y/h|^e = 1 around (0, y) at
// position z along the loft. e = 2 is an ellipse, larger e a rounded box.
type station struct{ Z, Y, w, h, e float64 }

// loft joins stations smoothly into a skin along z and closes both ends with flat caps where they
// have a size.
func (g *solid) loft(stations ...station) {
	start := g.mark()
	section := func(s station, v float64) vec {
		sin, cos := math.Sincos(2 * math.Pi * v)
		scale := 1.0
		if s.e != 2 {
			// Radial form of the super-ellipse: one power instead of two, and smooth in the angle.
			scale = math.Pow(math.Pow(math.Abs(cos), s.e)+math.Pow(math.Abs(sin), s.e), -1/s.e)
		}
		return xyz(float64(s.w*cos*scale), s.Y+float64(s.h*sin*scale), s.Z)
	}
	at := func(u float64) station {
		x := u * float64(len(stations)-1)
		i := min(int(x), len(stations)-2)
		return stations[i].Lerp(stations[i+1], x-float64(i))
	}
	g.patch(4*(len(stations)-1), 20, func(u, v float64) vec { return section(at(u), v) })
	for _, end := range []station{stations[0], stations[len(stations)-1]} {
		if end.w > 1e-9 && end.h > 1e-9 {
			centre := xyz(0, end.Y, end.Z)
			for j := range 16 {
				g.triangle(centre, section(end, float64(j)/16), section(end, float64(j+1)/16))
			}
		}
	}
	g.fillLoft(start, stations)
}

// Curves.

// arc returns n+1 points of the curve from p over the control point c to q (a quadratic Bezier
// curve).
func arc(p, c, q vec, n int) []vec {
	out := make([]vec, n+1)
	for i := range out {
		t := float64(i) / float64(n)
		out[i] = p.Lerp(c, t).Lerp(c.Lerp(q, t), t)
	}
	return out
}

// smooth refines a profile by Catmull-Rom interpolation, n steps per span; radii stay positive.
func smooth(profile [][2]float64, n int) [][2]float64 {
	point := func(i int) [2]float64 { return profile[min(max(i, 0), len(profile)-1)] }
	var out [][2]float64
	for i := 0; i+1 < len(profile); i++ {
		p0, p1, p2, p3 := point(i-1), point(i), point(i+1), point(i+2)
		for s := range n {
			t := float64(s) / float64(n)
			var p [2]float64
			for k := range p {
				slope0, slope1 := (p2[k]-p0[k])/2, (p3[k]-p1[k])/2
				d := p2[k] - p1[k]
				p[k] = p1[k] + t*(slope0+t*(3*d-2*slope0-slope1+t*(slope0+slope1-2*d)))
			}
			p[0] = max(p[0], 0)
			out = append(out, p)
		}
	}
	return append(out, profile[len(profile)-1])
}

// Motions.

// motion is a rotation, given by the images of the axes, followed by a shift.
type motion struct{ X, Y, Z, shift vec }

var still = motion{X: xyz(1, 0, 0), Y: xyz(0, 1, 0), Z: xyz(0, 0, 1)}

func (m *motion) turn(p vec) vec  { return m.X.Scale(p.X).Add(m.Y.Scale(p.Y)).Add(m.Z.Scale(p.Z)) }
func (m *motion) apply(p vec) vec { return m.turn(p).Add(m.shift) }

// undo is the inverse of apply.
func (m *motion) undo(p vec) vec {
	p = p.Sub(m.shift)
	return xyz(m.X.Dot(p), m.Y.Dot(p), m.Z.Dot(p))
}

// then is the motion m followed by after.
func (m *motion) then(after motion) motion {
	return motion{after.turn(m.X), after.turn(m.Y), after.turn(m.Z), after.apply(m.shift)}
}

// rotation turns by angle around the axis ("x", "y" or "z") through pivot, counter-clockwise seen
// from its tip.
func rotation(axis byte, angle float64, pivot vec) motion {
	sin, cos := math.Sincos(angle)
	m := still
	switch axis {
	case 'x':
		m.Y, m.Z = xyz(0, cos, sin), xyz(0, -sin, cos)
	case 'y':
		m.X, m.Z = xyz(cos, 0, -sin), xyz(sin, 0, cos)
	default:
		m.X, m.Y = xyz(cos, sin, 0), xyz(-sin, cos, 0)
	}
	m.shift = pivot.Sub(m.turn(pivot))
	return m
}

// move applies a motion to the elements from index start on.
func (g *solid) move(start int, m motion) {
	moved := map[*motion]bool{}
	for i := start; i < len(g.elements); i++ {
		e := &g.elements[i]
		if e.at != nil {
			if p := e.place; !moved[p] {
				moved[p] = true
				*p = p.then(m)
			}
			continue
		}
		e.o, e.a, e.b, e.axis = m.apply(e.o), m.turn(e.a), m.turn(e.b), m.turn(e.axis)
	}
	for i := range g.volumes {
		if v := &g.volumes[i]; v.first >= start {
			v.place = v.place.then(m)
		}
	}
}

// mark returns the start for a later move.
func (g *solid) mark() int { return len(g.elements) }

// mirrored builds a part twice: unchanged, and reflected at the plane x = 0. part gets the sign to
// multiply x with.
func mirrored(part func(side float64)) {
	part(1)
	part(-1)
}
