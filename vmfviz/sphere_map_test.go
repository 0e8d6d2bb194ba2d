package vmfviz

import (
	"image/color"
	"math"
	"testing"

	"gonum.org/v1/plot/plotter"
)

// TestMapArea: the Jacobian of the projection, by finite differences along two orthonormal tangents, is
// 1/2 everywhere: the sphere, 4π, becomes the ellipse, 2π.
func TestMapArea(t *testing.T) {
	r := testRand(1)
	g := From(20, 0).projection(true)
	const h = 1e-5
	for range 2000 {
		p := vec3{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}.unit()
		q := g.cam.apply(p)
		if math.Abs(q[1]) > 0.999 || q[2] < 0 && math.Abs(q[0]) < 1e-3 { // a pole, the seam
			continue
		}
		a := cross(p, vec3{0.3, -0.5, 0.8}).unit()
		b := cross(p, a)
		diff := func(d vec3) (dx, dy float64) {
			to, from := g.at(p.add(d.scale(h)).unit()), g.at(p.sub(d.scale(h)).unit())
			return (to.X - from.X) / (2 * h), (to.Y - from.Y) / (2 * h)
		}
		ax, ay := diff(a)
		bx, by := diff(b)
		if j := math.Abs(ax*by - ay*bx); math.Abs(j-0.5) > 1e-6 {
			t.Fatalf("at %v the Jacobian is %.9f, expected 0.5", p, j)
		}
	}
	// Half the sphere is the circle of radius 1 in the middle; the place of 60° north solves 2t + sin 2t = π sin 60°.
	if q := g.at(g.cam.right); math.Hypot(q.X-1, q.Y) > 1e-12 {
		t.Errorf("90° to the right lies at %v, expected (1, 0)", q)
	}
	y := math.Asin(g.at(direction(math.Pi/6, 1)).Y)
	if d := 2*y + math.Sin(2*y) - math.Pi*math.Sqrt(3)/2; math.Abs(d) > 1e-12 {
		t.Errorf("60° north lies %g off", d)
	}
}

// TestMapRoundTrip: directions there and back, near the poles and the seam, and for several views.
func TestMapRoundTrip(t *testing.T) {
	r := testRand(2)
	for _, v := range []View{From(35, 22), From(0, 90), From(-120, -90), From(10, 0)} {
		g := v.projection(true)
		check := func(p vec3, most float64) {
			t.Helper()
			q := g.at(p)
			if math.Hypot(q.X/2, q.Y) > 1+1e-12 {
				t.Fatalf("%v lies at %v, outside the map", p, q)
			}
			back := g.back(q.X/2, q.Y)
			if d := back.sub(p); math.Sqrt(dot(d, d)) > most {
				t.Fatalf("%v goes to %v and back to %v", p, q, back)
			}
		}
		for range 500 {
			check(vec3{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}.unit(), 1e-7)
			check(vec3{1e-4 * r.NormFloat64(), 1e-4 * r.NormFloat64(), 1}.unit(), 1e-5)
			check(g.cam.fore.scale(-1).add(g.cam.right.scale(1e-9*r.NormFloat64())).unit(), 1e-7)
		}
		for sign := -1.0; sign < 2; sign += 2 {
			if q := g.at(vec3{0, 0, sign}); math.Hypot(q.X, q.Y-sign) > 1e-9 {
				t.Errorf("the pole %g lies at %v", sign, q)
			}
			if q := g.on(g.cam.fore.scale(-1), sign > 0); math.Hypot(q.X-2*sign, q.Y) > 1e-9 {
				t.Errorf("what lies behind is at %v, expected %g", q, 2*sign)
			}
		}
	}
}

// TestSeam: a curve that leaves a map at one edge goes on at the other, at one direction of the seam;
// nothing of its length is lost. Of an orthographic view the parts meet at the edge.
func TestSeam(t *testing.T) {
	r := testRand(3)
	for _, area := range []bool{true, false} {
		g := From(20, 30).projection(area)
		crossed := 0
		for range 300 {
			a := vec3{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}.unit()
			b := vec3{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}.unit()
			curve := greatCircle(a, b)
			front, behind := g.split(curve)
			length := 0.0
			var ends []plotter.XY
			for _, part := range append(front, behind...) {
				for i, q := range part {
					if p := g.back(q.X/g.wide(), q.Y); area && i > 0 {
						last := g.back(part[i-1].X/g.wide(), part[i-1].Y)
						length += math.Acos(math.Min(1, dot(last, p)))
					}
					if math.Hypot(q.X/g.wide(), q.Y) > 1-1e-9 && (i == 0 || i == len(part)-1) {
						ends = append(ends, q)
					}
				}
			}
			if want := math.Acos(dot(a, b)); area && math.Abs(length-want) > 1e-5 {
				t.Fatalf("from %v to %v: length %.8f, expected %.8f", a, b, length, want)
			}
			if len(front)+len(behind) == 1 {
				continue
			}
			crossed++
			mirrored := 1.0
			if area {
				mirrored = -1
				if len(behind) != 0 {
					t.Fatal("a map has nothing behind")
				}
			}
			if len(ends) != 2 || math.Abs(ends[0].X-mirrored*ends[1].X) > 1e-9 || math.Abs(ends[0].Y-ends[1].Y) > 1e-9 {
				t.Fatalf("from %v to %v: the curve ends at %v of the rim", a, b, ends)
			}
		}
		if crossed < 50 {
			t.Errorf("only %d curves cross the seam", crossed)
		}
	}
}

// TestMapPixels: every pixel of a map has the colour of its direction's value, found here from
// Mollweide's formulas with z up and +x in the middle; the mean over the pixels is that over the
// sphere, |v|²/3 of (θ'v)².
func TestMapPixels(t *testing.T) {
	v := vec3{0.6, -0.3, 0.9}
	f := func(theta [3]float64) float64 { return dot(theta, v) * dot(theta, v) }
	h := heatOf("", 48, f)
	scale := newHeatScale([]SpherePanel{{Heat: h}})
	values := map[color.NRGBA]float64{}
	for i := range shades {
		u := scale.lo + (scale.hi-scale.lo)*float64(i)/(shades-1)
		values[nrgba(scale.color(u))] = u
	}
	const n = 200
	sum, count := 0.0, 0.0
	img := h.paint(n, From(0, 0).projection(true), scale)
	for i := range n {
		for j := range 2 * n {
			x, y := (float64(j)+0.5)*2/n-2, 1-(float64(i)+0.5)*2/n
			if math.Hypot(x/2, y) > 0.985 {
				continue // the soft edge
			}
			angle := math.Asin(y)
			latitude := math.Asin((2*angle + math.Sin(2*angle)) / math.Pi)
			longitude := math.Pi * x / (2 * math.Cos(angle))
			want := f(direction(math.Pi/2-latitude, longitude))
			got, ok := values[nrgba(img.At(j, i))]
			if !ok || math.Abs(got-want) > 0.01*scale.hi {
				t.Fatalf("pixel %d %d has the colour of %g (%v), expected %g", i, j, got, ok, want)
			}
			sum, count = sum+got, count+1
		}
	}
	if want := dot(v, v) / 3; math.Abs(sum/count-want) > 0.02*want {
		t.Errorf("the mean over the map is %.4f, over the sphere %.4f", sum/count, want)
	}
}

// heatOf evaluates f on SphereGrid(rows).
func heatOf(label string, rows int, f func(theta [3]float64) float64) *Heat {
	g := SphereGrid(rows)
	h := &Heat{Label: label, Values: make([]float64, len(g)/3)}
	for i := range h.Values {
		h.Values[i] = f(row3(g, i))
	}
	return h
}
