package gap

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/vmf"
)

func quiet(int, int) {}

// shapePairs returns n pairs of built-in shapes.
func shapePairs(t *testing.T, n, points int) pairs {
	t.Helper()
	set := must.M1(datasets.Shapes{Test: 2, Points: points}.Generate())
	p, _ := must.M2(draw(set, Config{Method: Uniform, PairSeed: 3, Batches: 1, Pairs: n, HeldOut: 1}))
	return p
}

// TestQuadratic: a cloud and its image under scaling by 1-s have F(theta) = theta'A theta, A = s^2
// sum x x', so
//
//	J(eps) = A_3/kappa tr A + (1 - 3 A_3/kappa) eps'A eps
//
// and the best location is A's first eigenvector. The axes of the cloud are those of a reflection,
// so A's eigenvectors are known.
func TestQuadratic(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	const m, s = 200, 0.25
	normal := randomLocations(r, 1)[0]
	axes := [3][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
	for i := range axes {
		along := dot(axes[i], normal)
		for k := range axes[i] {
			axes[i][k] -= 2 * along * normal[k]
		}
	}
	p := pairs{n: 1, m: m}
	var a [3][3]float64
	for range m {
		var x [3]float64
		for i, size := range []float64{1, 0.6, 0.3} {
			c := size * r.NormFloat64()
			for k := range x {
				x[k] += c * axes[i][k]
			}
		}
		for i := range x {
			p.first, p.second = append(p.first, float32(x[i])), append(p.second, float32((1-s)*x[i]))
		}
		for i := range a {
			for k := range a[i] {
				a[i][k] += s * s * x[i] * x[k]
			}
		}
	}
	form := func(v [3]float64) float64 {
		sum := 0.0
		for i := range a {
			sum += v[i] * dot(a[i], v)
		}
		return sum
	}
	first := axes[0] // the first eigenvector, by iteration from nearby
	for range 200 {
		first = normalised([3]float64{dot(a[0], first), dot(a[1], first), dot(a[2], first)})
	}
	trace := a[0][0] + a[1][1] + a[2][2]
	for _, kappa := range []float64{0.1, 1, 10} {
		j := must.M1(newOptima(context.Background(), p, kappa, "", quiet))
		across := vmf.MeanResultantLength(3, kappa) / kappa
		exact := func(eps [3]float64) float64 { return across*trace + (1-3*across)*form(eps) }
		for _, eps := range append(randomLocations(r, 20), first) {
			if got, want := j.smoothed[0].At(eps), exact(eps); math.Abs(got-want) > 1e-6*want {
				t.Errorf("kappa %g: J = %g, want %g", kappa, got, want)
			}
		}
		if got, want := j.optimum[0], exact(first); math.Abs(got-want) > 1e-6*want {
			t.Errorf("kappa %g: optimum %g, want %g", kappa, got, want)
		}
		if off := axial(j.best[0], first); off > 0.05 {
			t.Errorf("kappa %g: the best location is %g degrees off the first eigenvector", kappa, off)
		}
		if math.Abs(j.uniform[0]-trace/3) > 1e-6*trace {
			t.Errorf("kappa %g: SW %g, want %g", kappa, j.uniform[0], trace/3)
		}
	}
}

// TestExactAgainstSamples: on shapes the exact J agrees with sampled slices within 4 standard
// errors, for every pair and several kappa. No location is above the optimum, and the stated errors
// are small.
func TestExactAgainstSamples(t *testing.T) {
	p := shapePairs(t, 8, 256)
	r := rand.New(rand.NewPCG(9, 10))
	for _, kappa := range []float64{0.1, 1, 10} {
		j := must.M1(newOptima(context.Background(), p, kappa, "", quiet))
		s := sampler{kappa, 4000, vmf.Exact}
		eps := randomLocations(r, p.n)
		means, squares := must.M2(s.values(p, eps, s.noise(r, p.n)))
		for b, e := range eps {
			exact, bound := j.smoothed[b].At(e), 4*math.Sqrt(squares[b])
			if math.Abs(means[b]-exact) > bound+(j.quadrature+j.tail)*exact || bound > 0.1*exact {
				t.Errorf("kappa %g, pair %d: exact %g, samples %g, 4 standard errors %g", kappa, b, exact, means[b], bound)
			}
			for _, other := range randomLocations(r, 1000) {
				if v := j.smoothed[b].At(other); v > j.optimum[b] {
					t.Errorf("kappa %g, pair %d: %g at a random location, optimum %g", kappa, b, v, j.optimum[b])
				}
			}
		}
		t.Logf("kappa %g: quadrature %.1e, tail %.1e of SW", kappa, j.quadrature, j.tail)
	}
}

// TestTailBound: the error of an expansion cut at degree 2 is within its bound, and the bound is
// not vacuous.
func TestTailBound(t *testing.T) {
	p := shapePairs(t, 4, 256)
	r := rand.New(rand.NewPCG(11, 12))
	const kappa = 3
	long := must.M1(expand(context.Background(), p, 20, quiet))
	short := must.M1(expand(context.Background(), p, 2, quiet))
	a := vmf.FunkHecke(3, kappa, 20)
	for b := range long {
		_, tail := short[b].errors(kappa)
		worst := 0.0
		for _, e := range randomLocations(r, 500) {
			worst = math.Max(worst, math.Abs(long[b].F.Smooth(a).At(e)-short[b].F.Smooth(a).At(e)))
		}
		if !(worst <= tail && tail < 20*worst) {
			t.Errorf("pair %d: the degrees left out make %g, bound %g", b, worst, tail)
		}
	}
}

// TestMaximize: an ascent never decreases f, and ends where the slope is negligible.
func TestMaximize(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for range 20 {
		h := anyHarmonics(r, 8)
		_, top := maximum(h)
		for _, start := range randomLocations(r, 10) {
			at, value := ascend(h, start)
			_, g := h.Slope(at)
			if value < h.At(start) || value > top+1e-9 || math.Sqrt(dot(g, g)) > 1e-5 {
				t.Errorf("from %g to %g with slope %g; maximum %g", h.At(start), value, math.Sqrt(dot(g, g)), top)
			}
		}
	}
	if at, value := ascend(Harmonics{Degree: 2, Coef: make([]float64, 6)}, [3]float64{0, 0, 1}); value != 0 || at != [3]float64{0, 0, 1} {
		t.Errorf("on the zero function: %v, %g", at, value)
	}
}

func TestTruthRefuses(t *testing.T) {
	p := shapePairs(t, 1, 64)
	for _, c := range []struct {
		name  string
		p     pairs
		kappa float64
		want  string
	}{
		{"a distribution too narrow", p, 1000, "beyond degree 128"},
		{"equal clouds", pairs{1, 64, p.first, p.first}, 1, "pair 0: the two clouds are equal"},
	} {
		if _, err := newOptima(context.Background(), c.p, c.kappa, "", quiet); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, expected one with %q", c.name, err, c.want)
		}
	}
}
