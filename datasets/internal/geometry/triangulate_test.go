package geometry

import (
	"math"
	"testing"

	"github.com/sliced-wasserstein/lab/datasets/internal/rng"
)

func TestTriangulate(t *testing.T) {
	star := func() (p []Vec) { // a concave star with five points
		for i := range 10 {
			r := 1.0
			if i%2 == 1 {
				r = 0.4
			}
			sin, cos := math.Sincos(math.Pi * float64(i) / 5)
			p = append(p, Vec{r * cos, r * sin, 0})
		}
		return p
	}
	comb := func() (p []Vec) { // twelve deep teeth
		for i := range 12 {
			x := float64(i)
			p = append(p, Vec{x, 0, 0}, Vec{x + 0.5, 5, 0})
		}
		return append(p, Vec{12, 0, 0}, Vec{12, -1, 0}, Vec{0, -1, 0})
	}
	for name, c := range map[string]struct {
		corners []Vec
		area    float64
	}{
		"convex": {[]Vec{{0, 0, 0}, {2, 0, 0}, {3, 1, 0}, {2, 2, 0}, {0, 2, 0}}, 5},
		// Reflex corner last: a fan from 0 would be wrong for others.
		"arrow":          {[]Vec{{0, 0, 0}, {4, 0, 0}, {4, 4, 0}, {3, 1, 0}}, 4},
		"L":              {[]Vec{{1, 1, 0}, {1, 3, 0}, {0, 3, 0}, {0, 0, 0}, {3, 0, 0}, {3, 1, 0}}, 5},
		"star":           {star(), 10 * 0.5 * 1 * 0.4 * math.Sin(math.Pi/5)},
		"comb":           {comb(), 12 + 12*2.5},
		"straight angle": {[]Vec{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {2, 2, 0}, {1, 1, 0}, {0, 2, 0}}, 3},
		"doubled corner": {[]Vec{{1, 1, 0}, {1, 3, 0}, {0, 3, 0}, {0, 3, 0}, {0, 0, 0}, {3, 0, 0}, {3, 1, 0}}, 5},
	} {
		t.Run(name, func(t *testing.T) {
			sin, cos := math.Sincos(0.7)
			for start := range c.corners {
				for _, reverse := range []bool{false, true} {
					p := make([]Vec, len(c.corners))
					for i := range p {
						j := (start + i) % len(p)
						if reverse {
							j = (start + len(p) - i) % len(p)
						}
						v := c.corners[j].Add(Vec{100, -50, 30})
						p[i] = Vec{v.X, cos*v.Y - sin*v.Z, sin*v.Y + cos*v.Z}
					}
					area := 0.0
					triangles := Triangulate(p)
					for _, tri := range triangles {
						area += TriangleArea(p[tri[0]], p[tri[1]], p[tri[2]])
					}
					if len(triangles) != len(p)-2 || math.Abs(area-c.area) > 1e-9 {
						t.Fatalf("start %d, reverse %v: %d triangles with area %v, expected %v", start, reverse, len(triangles), area, c.area)
					}
				}
			}
		})
	}
}

func TestTriangulateEndsOnAnything(t *testing.T) {
	random := rng.New(3)
	for n := 4; n < 40; n++ { // self-intersecting polygons
		p := make([]Vec, n)
		for i := range p {
			p[i] = Vec{random.Float(), random.Float(), random.Float()}
		}
		if got := len(Triangulate(p)); got != n-2 {
			t.Fatalf("%d corners: %d triangles", n, got)
		}
	}
	if got := len(Triangulate(make([]Vec, 9))); got != 7 {
		t.Errorf("nine equal corners: %d triangles", got)
	}
}
