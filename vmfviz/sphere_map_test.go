package vmfviz

import (
	"image/color"
	"math"
	"testing"

	"gonum.org/v1/plot/plotter"
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
		g := projection{v.cameraZ(), true}
		discs := g.discs()
		for range 500 {
			p := vec3{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}.unit()
			side, other := 0, 1
			if !g.front(p) {
				side, other = 1, 0
			}
			q, o := g.at(p), g.at(p.scale(-1))
			x, y := q.X-discs[side].X, q.Y
			if math.Hypot(x, y) > 1+1e-12 {
				t.Fatalf("%v lies at %v, outside its disc", p, q)
			}
			if got := discs[side].back(x, y); !near(got, p) {
				t.Fatalf("%v comes back as %v", p, got)
			}
			// The opposite direction is the mirror image, top to bottom.
			if math.Abs(o.X-discs[other].X-x) > 1e-12 || math.Abs(o.Y+y) > 1e-12 {
				t.Fatalf("%v at %v, its opposite at %v", p, q, o)
			}
		}
		// The maps touch in one direction.
		a, b := g.on(g.cam.right, true), g.on(g.cam.right, false)
		if d := math.Hypot(a.X-b.X, a.Y-b.Y); math.Abs(d-2*(discShift-1)) > 1e-9 {
			t.Errorf("the maps are %g apart where they touch", d)
		}
	}
	for _, pole := range []vec3{{0, 0, 1}, {0, 0, -1}} { // seen from above, poles are the centres
		g := projection{From(77, 90*pole[2]).cameraZ(), true}
		if q := g.at(pole); math.Hypot(q.X+discShift, q.Y) > 1e-12 {
			t.Errorf("the pole %v lies at %v", pole, q)
		}
	}
}

// TestMapSeam: a curve that leaves one map goes on in the other, at one
// direction of the rim; nothing of its length is lost. Of an orthographic view the
// parts meet at the edge.
func TestMapSeam(t *testing.T) {
	r := testRand(3)
	for _, area := range []bool{true, false} {
		g := projection{From(20, 30).cameraZ(), area}
		discs := g.discs()
		for range 300 {
			a := vec3{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}.unit()
			b := vec3{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}.unit()
			front, behind := g.split(greatCircle(a, b))
			length := 0.0
			var ends []plotter.XY
			for side, parts := range [][]plotter.XYs{front, behind} {
				shift := 0.0
				if area {
					shift = discShift * float64(2*side-1)
				}
				for _, part := range parts {
					var last vec3
					for i, q := range part {
						x, y := q.X-shift, q.Y
						if area {
							p := discs[side].back(x, y)
							if i > 0 {
								length += math.Acos(math.Min(1, dot(last, p)))
							}
							last = p
						}
						if math.Hypot(x, y) > 1-1e-9 && (i == 0 || i == len(part)-1) {
							ends = append(ends, plotter.XY{X: x, Y: y})
						}
					}
				}
			}
			if want := math.Acos(dot(a, b)); area && math.Abs(length-want) > 1e-5 {
				t.Fatalf("from %v to %v: length %.8f, expected %.8f", a, b, length, want)
			}
			mirrored := 1.0
			if area {
				mirrored = -1
			}
			if g.front(a) != g.front(b) && (len(ends) != 2 || math.Abs(ends[0].X-mirrored*ends[1].X) > 1e-9 || math.Abs(ends[0].Y-ends[1].Y) > 1e-9) {
				t.Fatalf("from %v to %v: the curve ends at %v of the rims", a, b, ends)
			}
		}
	}
}

// TestMapPixels: every pixel of a map has the colour of its direction's value, found here from
// Lambert's projection seen from +x with z up and from -x; the mean over the pixels is that over the
// sphere, |v|²/3 of (θ'v)².
func TestMapPixels(t *testing.T) {
	v := vec3{0.6, -0.3, 0.9}
	f := func(theta [3]float64) float64 { return dot(theta, v) * dot(theta, v) }
	h := HeatOf("", 48, f)
	scale := newHeatScale([]SpherePanel{{Heat: h}})
	values := map[color.NRGBA]float64{}
	for i := range shades {
		u := scale.lo + (scale.hi-scale.lo)*float64(i)/(shades-1)
		values[nrgba(scale.color(u))] = u
	}
	const n = 200
	sum, count := 0.0, 0.0
	for k, d := range (projection{From(0, 0).cameraZ(), true}).discs() {
		img := h.disc(n, scale, d.back)
		for i := range n {
			for j := range n {
				x, y := (float64(j)+0.5)*2/n-1, 1-(float64(i)+0.5)*2/n
				if math.Hypot(x, y) > 0.985 {
					continue // the soft edge
				}
				side, r := 1-2*float64(k), math.Sqrt(2-x*x-y*y)
				want := f([3]float64{side * (1 - x*x - y*y), side * r * x, r * y})
				got, ok := values[nrgba(img.At(j, i))]
				if !ok || math.Abs(got-want) > 0.01*scale.hi {
					t.Fatalf("pixel %d %d of disc %d has the colour of %g (%v), expected %g", i, j, k, got, ok, want)
				}
				sum, count = sum+got, count+1
			}
		}
	}
	if want := dot(v, v) / 3; math.Abs(sum/count-want) > 0.02*want {
		t.Errorf("the mean over the map is %.4f, over the sphere %.4f", sum/count, want)
	}
}
