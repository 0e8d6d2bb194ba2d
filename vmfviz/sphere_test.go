package vmfviz

import (
	"math"
	"testing"

	"github.com/janpfeifer/must"
)

// TestHeatInterpolation: exact for constants, close for a smooth function, and
// the grid has the directions that the documentation promises.
func TestHeatInterpolation(t *testing.T) {
	g := SphereGrid(40)
	if len(g) != 3*2*40*40 {
		t.Fatalf("SphereGrid(40) has %d numbers", len(g))
	}
	must.M(checkUnit("grid", g, 3))
	for i := range 3 { // the first circle is round the north pole, from the x axis
		if want := math.Cos(math.Pi / 80); math.Abs(float64(g[3*i+2])-want) > 1e-6 {
			t.Errorf("z of direction %d is %g, expected %g", i, g[3*i+2], want)
		}
	}
	f := func(t [3]float64) float64 { return 1 + t[0]*t[0] - 0.5*t[1]*t[2] + 0.3*t[2] }
	at := heatOf("", 40, f).sampler()
	one := heatOf("", 5, func([3]float64) float64 { return 7 }).sampler()
	worst := 0.0
	dirs := append(vmf(1, 3000, [3]float64{0, 0, 1}, 0), 0, 0, 1, 0, 0, -1, 1, 0, 0, -1, 0, 0)
	for i := range len(dirs) / 3 {
		d := row3(dirs, i)
		worst = math.Max(worst, math.Abs(at(d)-f(d)))
		if v := one(d); math.Abs(v-7) > 1e-12 {
			t.Fatalf("constant 7 gives %g at %v", v, d)
		}
	}
	if worst > 4e-3 {
		t.Errorf("largest error %g, expected below 4e-3 for 40 rows", worst)
	}
}

// TestCameras: orthonormal and right-handed, up is up, azimuths are as
// documented.
func TestCameras(t *testing.T) {
	for az := -170.0; az < 180; az += 35 {
		for _, el := range []float64{-80, -20, 0, 33, 90} {
			for _, c := range []camera{From(az, el).cameraZ(), From(az, el).cameraY()} {
				if d := cross(c.right, c.up).sub(c.fore); dot(d, d) > 1e-20 || math.Abs(dot(c.right, c.right)-1) > 1e-12 {
					t.Fatalf("azimuth %g, elevation %g: %v", az, el, c)
				}
				p := vec3{0.3, -0.2, 0.9}
				if d := c.back(c.apply(p)).sub(p); dot(d, d) > 1e-20 {
					t.Fatalf("back(apply(p)) = p + %v", d)
				}
			}
		}
	}
	near := func(a, b vec3) bool { d := a.sub(b); return dot(d, d) < 1e-20 }
	if c := From(0, 0).cameraZ(); !near(c.fore, vec3{1, 0, 0}) || !near(c.up, vec3{0, 0, 1}) {
		t.Errorf("From(0, 0) for spheres: %v", c)
	}
	if c := From(0, 0).cameraY(); !near(c.fore, vec3{0, 0, 1}) || !near(c.up, vec3{0, 1, 0}) || !near(c.right, vec3{1, 0, 0}) {
		t.Errorf("From(0, 0) for clouds: %v", c)
	}
	if c := From(90, 0).cameraY(); !near(c.fore, vec3{1, 0, 0}) {
		t.Errorf("From(90, 0) for clouds: %v", c)
	}
}
