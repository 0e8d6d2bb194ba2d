package vmf

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
)

// somewhere is a fixed unit vector of the given dimension with no zero coordinate.
func somewhere(d int, seed uint64) []float64 {
	return Uniform(rand.New(rand.NewPCG(seed, uint64(d))), d, 1)
}

func TestNewRejects(t *testing.T) {
	for _, c := range []struct {
		location []float64
		kappa    float64
		want     string
	}{
		{nil, 1, "0 coordinates, expected at least 2"},
		{[]float64{1}, 1, "1 coordinates"},
		{[]float64{0, 0, 0}, 1, "norm 0"},
		{[]float64{1, 1}, 1, "norm 1.414"},
		{[]float64{math.NaN(), 0}, 1, "location[0] is NaN"},
		{[]float64{1, math.Inf(-1)}, 1, "location[1] is -Inf"},
		{[]float64{1, 0}, -1, "kappa is -1"},
		{[]float64{1, 0}, math.NaN(), "kappa is NaN"},
		{[]float64{1, 0}, math.Inf(1), "kappa is +Inf"},
		{[]float64{1e200, 0}, 1, "unit vector"},
	} {
		d, err := New(c.location, c.kappa)
		if err == nil || d != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("New(%v, %g): %v, %v; want an error with %q", c.location, c.kappa, d, err, c.want)
		}
	}
	location := []float64{0.6, 0.80001}
	d := must.M1(New(location, 2))
	location[0] = 5
	if got := d.location; math.Abs(norm2(got)-1) > 1e-15 || math.Abs(got[0]-0.6) > 1e-4 {
		t.Errorf("location %v: want a normalised copy", got)
	}
}

func TestLogProbGolden(t *testing.T) {
	g := golden(t)
	var got []float64
	for _, kappa := range g["kappa"] {
		for l := 0; l < 8; l++ {
			d := must.M1(New(g["loc"][3*l:3*l+3], kappa))
			for p := 0; p < 10; p++ {
				got = append(got, d.LogProb(g["points"][3*p:3*p+3]))
			}
		}
	}
	// The locations are float32 and are divided by their norm here: 1e-7 of kappa.
	graphtest.Close(t, "log_prob", got, g["log_prob"], 1e-7)
}

// The density integrates to 1, and -E[log f] is the entropy: quadrature over omega with the surface of S^{d-2}.
func TestDensityIntegrates(t *testing.T) {
	for _, d := range []int{2, 3, 4, 7, 20} {
		for _, kappa := range []float64{0, 0.3, 5, 80, 1e4} {
			location := somewhere(d, 1)
			dist := must.M1(New(location, kappa))
			side := make([]float64, d) // a unit vector orthogonal to the location
			side[0], side[1] = -location[1], location[0]
			unit(side)
			phiMax := cutoff(d, kappa)
			const steps = 4000
			mass, entropy := 0.0, 0.0
			x := make([]float64, d)
			for i := 0; i <= steps; i++ { // Simpson
				weight := map[bool]float64{true: 4, false: 2}[i%2 == 1]
				if i == 0 || i == steps {
					weight = 1
				}
				phi := phiMax * float64(i) / steps
				sin, cos := math.Sincos(phi)
				for k := range x {
					x[k] = cos*location[k] + sin*side[k]
				}
				lp := dist.LogProb(x)
				f := weight * phiMax / (3 * steps) * math.Exp(lp+LogSurfaceArea(d-1)) * math.Pow(sin, float64(d-2))
				mass += f
				entropy -= f * lp
			}
			if math.Abs(mass-1) > 1e-8 || math.Abs(entropy-Entropy(d, kappa)) > 1e-7 {
				t.Errorf("d=%d kappa=%g: mass %.10f, entropy %.9f, want 1 and %.9f", d, kappa, mass, entropy, Entropy(d, kappa))
			}
		}
	}
}

// cutoff is an angle to the location that leaves out less than 1e-12 of the mass.
func cutoff(d int, kappa float64) float64 {
	return math.Min(math.Pi, math.Sqrt((60+6*float64(d))/math.Max(kappa, 1)))
}

// Samples are unit vectors of the given distribution in every direction of the location, at every concentration.
func TestRandProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(2, 40).Draw(t, "d")
		kappa := math.Pow(10, rapid.Float64Range(-12, 15).Draw(t, "log10 kappa"))
		src := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		location := Uniform(src, d, 1)
		dist := must.M1(New(location, kappa))
		x := dist.Rand(src, 3)
		for l := 0; l < 3; l++ {
			row := x[l*d : (l+1)*d]
			if norm := norm2(row); !(math.Abs(norm-1) < 1e-14) {
				t.Fatalf("sample %v has norm %.17g", row, norm)
			}
			distance2 := 0.0
			for i, v := range row {
				distance2 += (v - location[i]) * (v - location[i])
			}
			// kappa |x-mu|^2/2 is about a chi-squared/2 with d-1 degrees of freedom: never that large.
			if limit := 60 + 4*float64(d); kappa*distance2/2 > limit+1e-15*kappa {
				t.Fatalf("kappa %g: squared distance %g to the location", kappa, distance2)
			}
		}
	})
}

// Moving the location moves the samples: the distribution of x.mu does not depend on mu, the
// component across is isotropic.
func TestRotation(t *testing.T) {
	const n = 20_000
	for _, location := range [][]float64{{1, 0, 0}, {-1, 0, 0}, {0, 0, 1}, {0.6, 0, -0.8}, {1e-9, 1, 0}} {
		dist := must.M1(New(location, 2))
		x := dist.Rand(rand.New(rand.NewPCG(31, 32)), n)
		side := []float64{0.48, 0.6, 0.64}
		along := make([]float64, n)
		angle := make([]float64, n)
		mu := dist.location
		// A frame (p, q) across mu.
		dot := side[0]*mu[0] + side[1]*mu[1] + side[2]*mu[2]
		p := []float64{side[0] - dot*mu[0], side[1] - dot*mu[1], side[2] - dot*mu[2]}
		unit(p)
		q := []float64{mu[1]*p[2] - mu[2]*p[1], mu[2]*p[0] - mu[0]*p[2], mu[0]*p[1] - mu[1]*p[0]}
		for l := range along {
			r := x[3*l : 3*l+3]
			along[l] = r[0]*mu[0] + r[1]*mu[1] + r[2]*mu[2]
			angle[l] = math.Atan2(r[0]*p[0]+r[1]*p[1]+r[2]*p[2], r[0]*q[0]+r[1]*q[1]+r[2]*q[2])
		}
		if ks := kolmogorov(along, omegaCDF(3, 2)); ks > 1.95 {
			t.Errorf("location %v: component along it, statistic %.2f", location, ks)
		}
		if ks := kolmogorov(angle, func(a float64) float64 { return (a + math.Pi) / (2 * math.Pi) }); ks > 1.95 {
			t.Errorf("location %v: angle around it, statistic %.2f", location, ks)
		}
	}
}

func ExampleDist() {
	dist := must.M1(New([]float64{0, 0, 1}, 10))
	x := dist.Rand(rand.New(rand.NewPCG(1, 2)), 1000)
	along := 0.0
	for l := 0; l < 1000; l++ {
		along += x[3*l+2] / 1000
	}
	fmt.Printf("mean along the location: %.2f of %.4f\n", along, dist.MeanResultantLength())
	fmt.Printf("entropy %.4f, divergence from uniform %.4f nats\n", Entropy(3, 10), KLUniform(3, 10))
	// Output:
	// mean along the location: 0.90 of 0.9000
	// entropy 0.5353, divergence from uniform 1.9957 nats
}

// Many samples, which several cores compute, are those that one call after the other draws.
func TestRandInBlocks(t *testing.T) {
	const n = 10_000
	for _, kappa := range []float64{0, 3, 1e5} {
		d := must.M1(New([]float64{0.48, -0.6, 0.64}, kappa))
		all := d.Rand(rand.New(rand.NewPCG(7, 8)), n)
		src := rand.New(rand.NewPCG(7, 8))
		for i := range n {
			if one := d.Rand(src, 1); !slices.Equal(one, all[3*i:3*i+3]) {
				t.Fatalf("kappa = %g, sample %d: %v together, %v alone", kappa, i, all[3*i:3*i+3], one)
			}
		}
	}
}
