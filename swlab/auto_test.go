package swlab

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

// TestAutoIsTheMostExact: over five kinds of pairs the value scatters less with auto than with
// uniform directions, and around the same mean.
func TestAutoIsTheMostExact(t *testing.T) {
	if testing.Short() {
		t.Skip("statistics of 400 draws")
	}
	const copies, points = 400, 200
	for _, c := range []struct {
		dim, slices int
		most        float64 // standard deviation relative to uniform directions
	}{{2, 2, 0.95}, {2, 100, 0.05}, {3, 4, 1.05}, {3, 100, 0.15}, {5, 5, 1.05}, {10, 100, 0.75}, {50, 50, 0.8}} {
		for name, pair := range kinds(c.dim, points) {
			x := must.M1(datasets.New(slices.Repeat(pair[0], copies), copies, points, c.dim))
			y := must.M1(datasets.New(slices.Repeat(pair[1], copies), copies, points, c.dim))
			values := func(slicing string) (d *Result, mean, sd float64) {
				o := DistanceConfig{Seed: 3}
				o.Slices, o.Slicing, o.Reduce = c.slices, slicing, loss.Mean
				d = must.M1(Distance("sw", x, y, o))
				for _, v := range d.PerPair {
					sd += (v - d.Value) * (v - d.Value) / copies
				}
				return d, d.Value, math.Sqrt(sd)
			}
			_, mean, sd := values("uniform")
			d, at, spread := values("auto")
			what := fmt.Sprintf("d = %d, L = %d, %s", c.dim, c.slices, name)
			if spread > c.most*sd {
				t.Errorf("%s: %.3f of uniform's standard deviation, want at most %v", what, spread/sd, c.most)
			}
			if z := (at - mean) / (sd * math.Sqrt(2./copies)); math.Abs(z) > 4 {
				t.Errorf("%s: mean %v, uniform's is %v, %.1f standard errors off", what, at, mean, z)
			}
			told := 0.0
			for _, e := range d.PairErrs {
				told += e * e / copies
			}
			if told = math.Sqrt(told); told < 0.9*spread {
				t.Errorf("%s: the error is said to be %v at most and is %v", what, told, spread)
			}
		}
	}
}

// kinds are pairs of clouds on which ways of drawing directions are compared.
func kinds(dim, points int) map[string][2][]float64 {
	r := rand.New(rand.NewPCG(uint64(dim), 1))
	fill := func(at func(i, j int) float64) []float64 {
		out := make([]float64, points*dim)
		for k := range out {
			out[k] = at(k/dim, k%dim)
		}
		return out
	}
	scale := func(j int) float64 { return 0.5 + 1.5*float64(j)/float64(dim-1) }
	normal := func(int, int) float64 { return r.NormFloat64() }
	student := func(int, int) float64 { return r.NormFloat64() / math.Sqrt(r.ExpFloat64()) }
	mixture := func() []float64 {
		centres, of := fill(normal), make([]int, points)
		for i := range of {
			of[i] = r.IntN(5)
		}
		return fill(func(i, j int) float64 { return 2*centres[of[i]*dim+j] + 0.3*r.NormFloat64() })
	}
	curve := func() []float64 {
		phase := make([]float64, dim)
		for j := range phase {
			phase[j] = 2 * math.Pi * r.Float64()
		}
		return fill(func(i, j int) float64 {
			return math.Cos(float64(j/2+1)*2*math.Pi*float64(i)/float64(points)+phase[j]) / (1 + float64(j)/8)
		})
	}
	return map[string][2][]float64{
		"normal": {fill(func(_, j int) float64 { return scale(j) * r.NormFloat64() }),
			fill(func(_, j int) float64 { return 0.3 + scale(dim-1-j)*r.NormFloat64() })},
		"Student t(2)":  {fill(student), fill(func(i, j int) float64 { return 0.5 + student(i, j) })},
		"mixtures":      {mixture(), mixture()},
		"closed curves": {curve(), curve()},
		"equal normals": {fill(normal), fill(normal)},
	}
}
