package geometry

import "math"

// earBudget bounds the corner tests of one polygon, so that a hostile file cannot keep the reader
// busy for hours.
const earBudget = 1 << 26

// Triangulate cuts a polygon in space (n >= 3 corners in order, nearly planar) into n-2 triangles
// of corner indices. A convex polygon becomes a fan. Any other is projected along its Newell normal
// and cut by ear clipping, which gives simple polygons, also concave ones, their true area.
// Self-intersecting polygons end in a fan of what is left.
func Triangulate(corners []Vec) [][3]int {
	n := len(corners)
	flat := flatten(corners)
	out := make([][3]int, 0, n-2)
	if convex(flat) {
		for i := 2; i < n; i++ {
			out = append(out, [3]int{0, i - 1, i})
		}
		return out
	}
	ring := make([]int, n)
	for i := range ring {
		ring[i] = i
	}
	budget := earBudget
	at, misses := 0, 0
	for len(ring) > 3 && misses < len(ring) && budget > 0 {
		k := len(ring)
		prev, next := (at+k-1)%k, (at+1)%k
		if isEar(flat, ring, prev, at, next, &budget) {
			out = append(out, [3]int{ring[prev], ring[at], ring[next]})
			ring = append(ring[:at], ring[at+1:]...)
			misses = 0
			if at == len(ring) {
				at = 0
			}
			continue
		}
		at = next
		misses++
	}
	for i := 2; i < len(ring); i++ {
		out = append(out, [3]int{ring[0], ring[i-1], ring[i]})
	}
	return out
}

// flatten projects corners onto the plane of their Newell normal, counter-clockwise.
func flatten(corners []Vec) [][2]float64 {
	var normal Vec
	for i, a := range corners {
		b := corners[(i+1)%len(corners)]
		// Relative to the first corner, so that far-away polygons keep their digits.
		normal = normal.Add(a.Sub(corners[0]).Cross(b.Sub(corners[0])))
	}
	u, w := Vec{1, 0, 0}, Vec{0, 1, 0}
	if size := normal.Norm(); size > 0 && !math.IsInf(size, 0) {
		u, w = normal.Unit().Frame()
	}
	flat := make([][2]float64, len(corners))
	for i, c := range corners {
		c = c.Sub(corners[0])
		flat[i] = [2]float64{c.Dot(u), c.Dot(w)}
	}
	return flat
}

// turn is twice the signed area of the triangle a, b, c: positive when it turns left.
func turn(a, b, c [2]float64) float64 {
	return float64((b[0]-a[0])*(c[1]-a[1])) - float64((b[1]-a[1])*(c[0]-a[0]))
}

// convex reports whether no corner of a counter-clockwise polygon turns right.
func convex(flat [][2]float64) bool {
	n := len(flat)
	for i := range flat {
		if turn(flat[i], flat[(i+1)%n], flat[(i+2)%n]) < 0 {
			return false
		}
	}
	return true
}

// isEar reports whether the corner at of the ring can be cut off: it does not turn right, and no
// other corner lies in the triangle with its neighbours.
func isEar(flat [][2]float64, ring []int, prev, at, next int, budget *int) bool {
	a, b, c := flat[ring[prev]], flat[ring[at]], flat[ring[next]]
	area := turn(a, b, c)
	if area < 0 {
		return false
	}
	if area == 0 {
		return true // a straight corner or a spike: its triangle has no area
	}
	for i, r := range ring {
		*budget--
		p := flat[r]
		if i == prev || i == at || i == next || p == a || p == b || p == c {
			continue
		}
		if turn(a, b, p) >= 0 && turn(b, c, p) >= 0 && turn(c, a, p) >= 0 {
			return false
		}
	}
	return true
}
