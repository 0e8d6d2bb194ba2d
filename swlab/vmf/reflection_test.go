package vmf

import (
	"math"
	"math/rand/v2"
	"testing"
)

// nearE1 are locations at given angles from e1 = (1,0,0), across the place where the reflections differ.
func nearE1() (angles []float64, locations [][]float64) {
	angles = []float64{0, 1e-16, 1e-5, 2.4e-5, 1e-4, 1e-3, 0.1, 1.5, 3, math.Pi}
	for _, a := range angles {
		sin, cos := math.Sincos(a)
		locations = append(locations, []float64{cos, 0.6 * sin, -0.8 * sin})
	}
	return angles, locations
}

// K2: one sample by hand.
func TestPlaceKnownAnswer(t *testing.T) {
	omega := []float64{OmegaFromUniform(1, 0.25)}
	normals := []float64{0.3, -0.4}
	for _, c := range []struct{ location, theta []float64 }{
		{[]float64{0.6, 0, 0.8}, []float64{-0.66664693, 0.59937747, 0.44304107}},
		{[]float64{1, 0, 0}, []float64{-0.04554141, 0.59937747, -0.79916996}},
	} {
		theta := Place(c.location, omega, normals, Released)
		for i := range theta {
			if math.Abs(theta[i]-c.theta[i]) > 6e-9 {
				t.Errorf("location %v: theta %.8f, want %.8f", c.location, theta, c.theta)
				break
			}
		}
	}
	theta := Place([]float64{0.6, 0, 0.8}, omega, normals, Released)
	if norm := norm2(theta); math.Abs(norm-0.99997843) > 6e-9 {
		t.Errorf("norm %.8f, want 0.99997843", norm)
	}
}

// The component along the location is omega and the norm is 1 for Exact and Stable; Released falls
// short by what is known.
func TestPlaceComponents(t *testing.T) {
	src := rand.New(rand.NewPCG(61, 62))
	const n = 50
	for _, d := range []int{2, 3, 7} {
		for _, kappa := range []float64{0, 1, 1e6} {
			omega := omegas(src, d, kappa, n)
			normals := make([]float64, n*(d-1))
			for i := range normals {
				normals[i] = src.NormFloat64()
			}
			for _, location := range [][]float64{somewhere(d, 1), somewhere(d, 2), somewhere(d, 3)} {
				for _, refl := range []Reflection{Exact, Stable} {
					x := Place(location, omega, normals, refl)
					for l := 0; l < n; l++ {
						row := x[l*d : (l+1)*d]
						dot := 0.0
						for i, v := range row {
							dot += v * location[i]
						}
						if !(math.Abs(norm2(row)-1) <= 1e-14 && math.Abs(dot-omega[l]) <= 1e-14) {
							t.Fatalf("%s d=%d: norm %.17g, component %.17g, want 1 and %.17g", refl, d, norm2(row), dot, omega[l])
						}
					}
				}
			}
		}
	}
}

// T20: how short the released samples are near e1, and that the others are not.
func TestNormsNearE1(t *testing.T) {
	src := rand.New(rand.NewPCG(71, 72))
	const n = 400
	normals := make([]float64, 2*n)
	for i := range normals {
		normals[i] = src.NormFloat64()
	}
	omega := omegas(src, 3, 1, n)
	short := map[float64]float64{} // angle -> largest 1-||theta||
	angles, locations := nearE1()
	for k, location := range locations {
		for _, refl := range []Reflection{Released, Exact, Stable} {
			x := Place(location, omega, normals, refl)
			for l := 0; l < n; l++ {
				off := 1 - norm2(x[3*l:3*l+3])
				if refl == Released {
					short[angles[k]] = math.Max(short[angles[k]], off)
				} else if !(math.Abs(off) <= 1e-14) {
					t.Fatalf("%s at angle %g: norm %.17g", refl, angles[k], 1-off)
				}
			}
		}
	}
	for _, c := range []struct{ angle, low, high float64 }{
		{0, 0, 1e-9}, {0.1, 1e-4, 4e-4}, {1e-3, 0.01, 0.04}, {1e-4, 0.2, 0.36}, {2.4e-5, 0.85, 1}, {1e-5, 0.4, 0.51},
		{math.Pi, 0, 2e-5},
	} {
		if s := short[c.angle]; !(s >= c.low-1e-15 && s <= c.high) {
			t.Errorf("released at angle %g: norm short by up to %g, expected %g..%g", c.angle, s, c.low, c.high)
		}
	}
}
