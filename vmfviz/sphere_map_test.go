package vmfviz

import (
	"math"
	"testing"
)

// TestLambertArea: the Jacobian of the projection, by finite differences along
// two orthonormal tangents, is 1/2 everywhere: the hemisphere, 2π, becomes the
// unit disc, π.
func TestLambertArea(t *testing.T) {
	r := testRand(1)
	const h = 1e-5
	for range 2000 {
		p := vec3{r.NormFloat64(), r.NormFloat64(), math.Abs(r.NormFloat64())}.unit()
		if p[2] < 1e-3 {
			continue
		}
		a := cross(p, vec3{0.3, -0.5, 0.8}).unit()
		b := cross(p, a)
		diff := func(d vec3) (dx, dy float64) {
			x1, y1 := lambert(p.add(d.scale(h)).unit())
			x0, y0 := lambert(p.sub(d.scale(h)).unit())
			return (x1 - x0) / (2 * h), (y1 - y0) / (2 * h)
		}
		ax, ay := diff(a)
		bx, by := diff(b)
		if j := math.Abs(ax*by - ay*bx); math.Abs(j-0.5) > 1e-7 {
			t.Fatalf("at %v the Jacobian is %.9f, expected 0.5", p, j)
		}
	}
	// The same in numbers of samples: half the uniform directions of a
	// hemisphere lie within 60° and there within 1/√2 of the centre.
	x, y := lambert(vec3{math.Sin(math.Pi / 3), 0, 0.5})
	if d := math.Hypot(x, y); math.Abs(d-math.Sqrt2/2) > 1e-15 {
		t.Errorf("60° lie at %g, expected 1/√2", d)
	}
}

// TestLambertRoundTrip: directions there and back, with the poles of the map,
// its rim, and through the two cameras of a picture.
func TestLambertRoundTrip(t *testing.T) {
	r := testRand(2)
	near := func(a, b vec3) bool { d := a.sub(b); return dot(d, d) < 1e-24 }
	check := func(p vec3) {
		t.Helper()
		x, y := lambert(p)
		if math.Hypot(x, y) > 1+1e-12 || !near(lambertBack(x, y), p) {
			t.Fatalf("%v goes to (%g, %g) and back to %v", p, x, y, lambertBack(x, y))
		}
	}
	for range 2000 {
		p := vec3{r.NormFloat64(), r.NormFloat64(), math.Abs(r.NormFloat64())}.unit()
		check(p)
		p[2] = 0
		check(p.unit()) // the rim
	}
	check(vec3{0, 0, 1})
	check(vec3{1e-12, 0, 1})

	for _, v := range []View{From(35, 22), From(0, 90), From(-120, -90), From(10, 0)} {
		front := mapFrame{r: 1, cam: v.cameraZ()}
		back := mapFrame{c: pt{2, 0}, r: 1, cam: front.cam.behind()}
		for range 500 {
			p := vec3{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}.unit()
			q, in := front.at(p)
			m, other := front, back
			if !in {
				q, in = back.at(p)
				m, other = back, front
			}
			if !in {
				t.Fatalf("%v lies on neither map", p)
			}
			if _, both := other.at(p); both && math.Abs(dot(m.cam.fore, p)) > 1e-15 {
				t.Fatalf("%v lies on both maps", p)
			}
			if got := m.cam.back(lambertBack(q.x-m.c.x, m.c.y-q.y)); !near(got, p) {
				t.Fatalf("%v comes back as %v", p, got)
			}
			// The opposite direction is the mirror image, top to bottom.
			o, _ := other.at(p.scale(-1))
			if math.Abs((o.x-other.c.x)-(q.x-m.c.x)) > 1e-12 || math.Abs(o.y+q.y) > 1e-12 {
				t.Fatalf("%v at %v, its opposite at %v", p, q, o)
			}
		}
		// The maps touch in one direction.
		a, _ := front.at(front.cam.right)
		b, _ := back.at(front.cam.right)
		if d := a.sub(b).norm(); d > 1e-9 {
			t.Errorf("the maps are %g apart where they touch", d)
		}
	}
	for _, pole := range []vec3{{0, 0, 1}, {0, 0, -1}} { // seen from above, poles are the centres
		m := mapFrame{r: 1, cam: From(77, 90*pole[2]).cameraZ()}
		if q, in := m.at(pole); !in || q.norm() > 1e-12 {
			t.Errorf("the pole %v lies at %v", pole, q)
		}
	}
}

// TestMapSeam: a curve that leaves one map goes on in the other, at one
// direction of the rim; nothing of its length is lost.
func TestMapSeam(t *testing.T) {
	r := testRand(3)
	front := mapFrame{r: 1, cam: From(20, 30).cameraZ()}
	back := mapFrame{r: 1, cam: front.cam.behind()}
	for range 300 {
		a := vec3{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}.unit()
		b := vec3{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}.unit()
		curve := greatCircle(a, b)
		length := 0.0
		var ends []pt
		for _, m := range []mapFrame{front, back} {
			for _, part := range m.cut(curve) {
				var last vec3
				for i, q := range part {
					p := m.cam.back(lambertBack(q.x, -q.y))
					if i > 0 {
						length += math.Acos(math.Min(1, dot(last, p)))
					}
					last = p
				}
				for _, q := range []pt{part[0], part[len(part)-1]} {
					if q.norm() > 1-1e-9 {
						ends = append(ends, q)
					}
				}
			}
		}
		if want := math.Acos(dot(a, b)); math.Abs(length-want) > 1e-5 {
			t.Fatalf("from %v to %v: length %.8f, expected %.8f", a, b, length, want)
		}
		_, in := front.at(a)
		_, out := front.at(b)
		if in != out && (len(ends) != 2 || math.Abs(ends[0].x+ends[1].x) > 1e-9 || math.Abs(ends[0].y-ends[1].y) > 1e-9) {
			t.Fatalf("from %v to %v: the curve ends at %v of the rims", a, b, ends)
		}
	}
}
