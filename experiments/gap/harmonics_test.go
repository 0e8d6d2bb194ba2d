package gap

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/vmf"
)

// TestRule: weights and nodes integrate even polynomials exactly.
func TestRule(t *testing.T) {
	for _, n := range []int{2, 8, 64} {
		r := newRule(n)
		if len(r.points) != n*n {
			t.Errorf("n %d: %d points", n, len(r.points))
		}
		for power := 0; power < 2*n; power += 2 {
			var z, x float64
			for i, p := range r.points {
				z += r.weights[i] * math.Pow(p[2], float64(power))
				x += r.weights[i] * math.Pow(p[0], float64(power))
			}
			if want := 4 * math.Pi / float64(power+1); math.Abs(z-want) > 1e-11 || math.Abs(x-want) > 1e-11 {
				t.Errorf("n %d: integrals of z^%d and x^%d are %g and %g, want %g", n, power, power, z, x, want)
			}
		}
	}
}

// TestOrthonormal: projecting Y_lm gives 1 in its place and 0 elsewhere, up to the highest degrees
// in use.
func TestOrthonormal(t *testing.T) {
	for _, degree := range []int{4, 20} {
		r := newRule(degree + 2)
		values := make([][]float64, coefficients(degree))
		for i := range values {
			values[i] = make([]float64, len(r.points))
		}
		for q, p := range r.points {
			walk(p, degree, false, func(at int, y float64, _ [3]float64) { values[at][q] = y })
		}
		for i, h := range r.project(values, degree) {
			for k, c := range h.Coef {
				want := 0.0
				if i == k {
					want = 1
				}
				if math.Abs(c-want) > 1e-12 {
					t.Fatalf("degree %d: product of harmonics %d and %d is %g, want %g", degree, i, k, c, want)
				}
			}
		}
	}
}

// anyHarmonics have random coefficients that decay with the degree.
func anyHarmonics(r *rand.Rand, degree int) Harmonics {
	h := Harmonics{Degree: degree}
	for l := 0; l <= degree; l += 2 {
		for range 2*l + 1 {
			h.Coef = append(h.Coef, r.NormFloat64()/float64(1+l))
		}
	}
	return h
}

// TestSlope: central differences along the sphere, also near and at the poles; f is even.
func TestSlope(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	h := anyHarmonics(r, 12)
	points := append(randomLocations(r, 10), [3]float64{0, 0, 1}, [3]float64{0, 0, -1}, normalised([3]float64{1e-9, 0, 1}), [3]float64{1, 0, 0})
	for _, p := range points {
		f, g := h.Slope(p)
		if v := h.At(p); v != f {
			t.Errorf("at %v: At %g, Slope %g", p, v, f)
		}
		if v := h.At([3]float64{-p[0], -p[1], -p[2]}); math.Abs(v-f) > 1e-12 {
			t.Errorf("at %v: %g, at its antipode %g", p, f, v)
		}
		if math.Abs(dot(g, p)) > 1e-12 {
			t.Errorf("at %v: the gradient leaves the sphere by %g", p, dot(g, p))
		}
		for _, v := range randomLocations(r, 3) {
			along := dot(v, p)
			for i := range v {
				v[i] -= along * p[i] // a tangent
			}
			move := func(by float64) float64 {
				return h.At(normalised([3]float64{p[0] + by*v[0], p[1] + by*v[1], p[2] + by*v[2]}))
			}
			const step = 1e-5
			if want := (move(step) - move(-step)) / (2 * step); math.Abs(dot(g, v)-want) > 1e-7 {
				t.Errorf("at %v: slope %g, differences give %g", p, dot(g, v), want)
			}
		}
	}
}

// TestSmooth: the smoothed function is the mean under the vMF distribution, here by the
// distribution's own density on a fine rule.
func TestSmooth(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	h := anyHarmonics(r, 10)
	fine := newRule(80)
	for _, kappa := range []float64{0.1, 1, 10} {
		smooth := h.Smooth(vmf.FunkHecke(3, kappa, h.Degree))
		for _, eps := range randomLocations(r, 3) {
			dist := must.M1(vmf.New(eps[:], kappa))
			want := 0.0
			// The rule holds half the sphere: both halves of the density.
			for i, p := range fine.points {
				other := [3]float64{-p[0], -p[1], -p[2]}
				density := (math.Exp(dist.LogProb(p[:])) + math.Exp(dist.LogProb(other[:]))) / 2
				want += fine.weights[i] * density * h.At(p)
			}
			if got := smooth.At(eps); math.Abs(got-want) > 1e-9 {
				t.Errorf("kappa %g: %g, integral %g", kappa, got, want)
			}
		}
	}
	if a, b := h.Mean(), h.Smooth([]float64{1}).At([3]float64{0, 1, 0}); math.Abs(a-b) > 1e-14 {
		t.Errorf("mean %g, of degree 0 alone %g", a, b)
	}
}
