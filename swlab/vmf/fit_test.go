package vmf

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"
)

// omegaCDF tabulates the distribution function of omega at n+1 equal steps of the angle phi = arccos(omega), from the
// density sin^(d-2)(phi) exp(kappa (cos phi - 1)); the function returned takes omega.
func omegaCDF(d int, kappa float64) func(omega float64) float64 {
	const n = 20_000
	phiMax := cutoff(d, kappa)
	density := func(phi float64) float64 {
		half := math.Sin(phi / 2)
		return math.Pow(math.Abs(math.Sin(phi)), float64(d-2)) * math.Exp(-2*kappa*half*half)
	}
	h := phiMax / n
	above := make([]float64, n+1) // P(angle < i h), not normalised
	for i := 1; i <= n; i++ {
		lo := float64(i-1) * h
		above[i] = above[i-1] + h/6*(density(lo)+4*density(lo+h/2)+density(lo+h))
	}
	return func(omega float64) float64 {
		at := math.Acos(omega) / h
		i := min(int(at), n-1)
		part := math.Min(at-float64(i), 1)
		return 1 - (above[i]+part*(above[i+1]-above[i]))/above[n]
	}
}

// kolmogorov is sqrt(n) sup|F_n - F|, to 1/sqrt(n): taken where F is a multiple of 1/n, which needs
// no sorting. Above 1.95 has probability 0.001 under F.
func kolmogorov(sample []float64, cdf func(float64) float64) float64 {
	n := len(sample)
	counts := make([]int32, n+1)
	for _, v := range sample {
		counts[min(max(int(cdf(v)*float64(n)), 0), n)]++
	}
	below, worst := 0, 0.0
	for i, c := range counts[:n] {
		below += int(c)
		worst = math.Max(worst, math.Abs(float64(below-(i+1))))
	}
	return worst / math.Sqrt(float64(n))
}

// fits reports where n samples of omega do not fit the distribution of (d, kappa):
// Kolmogorov-Smirnov at 0.001, and the mean of omega and of omega^2 at 4 standard errors.
func fits(omega []float64, d int, kappa float64) error {
	n, ks := float64(len(omega)), kolmogorov(omega, omegaCDF(d, kappa))
	// Deviations from the expected values, which for concentrated distributions are far smaller than the values.
	mean, cos2 := MeanResultantLength(d, kappa), MeanCos2(d, kappa)
	var s1, s2, q1, q2 float64
	for _, w := range omega {
		a, b := w-mean, w*w-cos2
		s1, s2, q1, q2 = s1+a, s2+b, q1+a*a, q2+b*b
	}
	z := func(sum, square float64) float64 { return sum / n / math.Sqrt((square/n-sum/n*sum/n)/n) }
	z1, z2 := z(s1, q1), z(s2, q2)
	if !(ks <= 1.95 && math.Abs(z1) <= 4 && math.Abs(z2) <= 4) {
		return fmt.Errorf("d=%d kappa=%g, %d samples: Kolmogorov-Smirnov statistic %.2f, E[omega] %.1f and E[omega^2] %.1f standard errors off",
			d, kappa, len(omega), ks, z1, z2)
	}
	return nil
}

const million = 1_000_000

// fewer is a tenth of n samples in the fast tests.
func fewer(n int) int {
	if testing.Short() {
		return n / 10
	}
	return n
}

// A million components along the location from every sampler of the host: the closed form at d = 3,
// the rejection elsewhere.
func TestOmegaDistribution(t *testing.T) {
	for _, d := range []int{2, 3, 4, 5, 10, 64} {
		t.Run(fmt.Sprintf("d=%d", d), func(t *testing.T) {
			t.Parallel()
			for _, kappa := range []float64{0, 1e-7, 0.1, 1, 10, 100, 1e6} {
				n := fewer(million)
				if d == 4 || kappa == 1e-7 {
					n = 20_000
				}
				if err := fits(omegas(rand.New(rand.NewPCG(11, uint64(d))), d, kappa, n), d, kappa); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// omegas are n components along the location; at d = 3 half of them are of the closed form.
func omegas(src *rand.Rand, d int, kappa float64, n int) []float64 {
	c, w, omega := newClosedForm(kappa), newWood(d, kappa), make([]float64, n)
	for i := range omega {
		if omega[i], _ = w.draw(src); d == 3 && i%2 == 0 {
			omega[i], _ = c.at(src.Float64())
		}
	}
	return omega
}

// A million whole samples of vMF at a general location, on the host and in the graph in float32:
// the component along it, and the direction across it, which is uniform and independent of the
// component.
func TestSampleDistribution(t *testing.T) {
	for _, c := range []struct {
		d     int
		kappa float64
		n     int
		graph bool
	}{{2, 1, million, false}, {3, 10, million, false}, {10, 100, million, false}, {64, 10, million / 10, false},
		{3, 1, million, true}, {5, 1, million / 10, true}} {
		t.Run(fmt.Sprintf("d=%d kappa=%g graph=%v", c.d, c.kappa, c.graph), func(t *testing.T) {
			t.Parallel()
			n, draw := fewer(c.n), hostDraw(t, c.d, c.kappa)
			if c.graph {
				draw = graphDraw(t, c.d, c.kappa)
			}
			location := somewhere(c.d, 9)
			side := somewhere(c.d, 10) // made a unit vector across the location
			dot := 0.0
			for i, m := range location {
				dot += m * side[i]
			}
			for i, m := range location {
				side[i] -= dot * m
			}
			unit(side)
			along, across := make([]float64, n), make([]float64, n)
			mixed := 0.0
			draw(location, n, func(l int, x []float64) {
				var w, s float64
				for i, v := range x {
					w, s = w+v*location[i], s+v*side[i]
				}
				w = math.Max(-1, math.Min(1, w))
				along[l] = w
				across[l] = math.Max(-1, math.Min(1, s/math.Sqrt(1-w*w)))
				mixed += across[l] * (w - MeanResultantLength(c.d, c.kappa))
			})
			if err := fits(along, c.d, c.kappa); err != nil {
				t.Error(err)
			}
			if c.d == 2 { // the pair -1, 1
				mean := 0.0
				for _, v := range across {
					mean += v / float64(n)
				}
				if math.Abs(mean)*math.Sqrt(float64(n)) > 4 {
					t.Errorf("left and right are out of balance by %g", mean)
				}
			} else if ks := kolmogorov(across, omegaCDF(c.d-1, 0)); ks > 1.95 {
				t.Errorf("direction across the location: statistic %.2f", ks)
			}
			if z := mixed / math.Sqrt(float64(n)*varOmega(c.d, c.kappa)/float64(c.d-1)); math.Abs(z) > 4 {
				t.Errorf("direction across and component along are correlated: %.1f standard errors", z)
			}
		})
	}
}

// drawing makes n samples at a location and gives them to yield one after the other.
type drawing func(location []float64, n int, yield func(l int, x []float64))

func hostDraw(t *testing.T, d int, kappa float64) drawing {
	return func(location []float64, n int, yield func(int, []float64)) {
		x := must.M1(New(location, kappa)).Rand(rand.New(rand.NewPCG(21, 22)), n)
		for l := 0; l < n; l++ {
			yield(l, x[l*d:(l+1)*d])
		}
	}
}

// graphDraw calls FromNoise at d = 3 and FromWood elsewhere, on noise that the host draws.
func graphDraw(t *testing.T, d int, kappa float64) drawing {
	return func(location []float64, n int, yield func(int, []float64)) {
		exec := must.M1(graph.NewExec(testBackend(t), func(in []*graph.Node) *graph.Node {
			if d == 3 {
				return FromNoise(in[0], in[1], in[2], kappa, Stable)
			}
			return FromWood(in[0], in[1], in[2], kappa, Stable)
		}))
		defer exec.Finalize()
		part := min(n, 20_000)
		dims := []int{1, part, WoodProposals, 3}
		if d == 3 {
			dims = dims[:2]
		}
		u := make([]float32, part)
		if d != 3 {
			u = make([]float32, part*WoodProposals*3)
		}
		src := rand.New(rand.NewPCG(23, 24))
		normals, x := make([]float32, part*(d-1)), make([]float64, d)
		for at := 0; at < n; at += part {
			for i := range u {
				u[i] = src.Float32()
			}
			for i := range normals {
				normals[i] = float32(src.NormFloat64())
			}
			out := must.M1(exec.Call(tensorOf(dtypes.Float32, location, 1, d),
				tensors.FromFlatDataAndDimensions(u, dims...),
				tensors.FromFlatDataAndDimensions(normals, 1, part, d-1)))
			theta := tensors.MustCopyFlatData[float32](out[0])
			out[0].FinalizeAll()
			for l := 0; l < part; l++ {
				for i := range x {
					x[i] = float64(theta[l*d+i])
				}
				yield(at+l, x)
			}
		}
	}
}
