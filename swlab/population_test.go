package swlab

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

// gaussians are n points of N(shift, I).
func gaussians(r *rand.Rand, n, dim int, shift ...float64) *datasets.Set {
	out := make([]float64, n*dim)
	for i := range out {
		out[i] = r.NormFloat64()
		if j := i % dim; j < len(shift) {
			out[i] += shift[j]
		}
	}
	return must.M1(datasets.New(out, n, dim))
}

// all is a shift in every coordinate.
func all(dim int, shift float64) []float64 {
	out := make([]float64, dim)
	for j := range out {
		out[j] = shift
	}
	return out
}

// coverage counts the intervals of a number of draws that hold shift^2, and those that are refused.
func coverage(t *testing.T, m, n, dim, draws int, shift float64) (held, refused int) {
	t.Helper()
	o := DistanceConfig{Population: true}
	o.Reduce = loss.Mean
	for o.Seed = range uint64(draws) {
		r := rand.New(rand.NewPCG(o.Seed, 7))
		d := must.M1(Distance("sw", gaussians(r, m, dim), gaussians(r, n, dim, all(dim, shift)...), o))
		switch p := d.Population; {
		case p == nil:
			refused++
		case p.Low <= shift*shift && shift*shift <= p.High:
			held++
		}
	}
	return held, refused
}

// TestPopulationCovers: 95 % intervals of SW_2^2 between N(0, I) and its translate hold the true value, 1.
func TestPopulationCovers(t *testing.T) {
	draws, least, most := 250, 0.9, 0.99
	if testing.Short() {
		draws, least, most = 25, 0.7, 1
	}
	for _, c := range [][3]int{{100, 100, 2}, {100, 100, 3}, {100, 100, 10}, {300, 300, 2}, {300, 300, 3},
		{300, 300, 10}, {100, 300, 2}, {300, 100, 3}, {100, 300, 10}} {
		held, refused := coverage(t, c[0], c[1], c[2], draws, 1)
		if share := float64(held) / float64(draws); share < least || share > most {
			t.Errorf("points and dimension %v: %d of %d intervals hold 1, %d refused", c, held, draws, refused)
		}
	}
}

// TestPopulationOfEqualDistributions: where the sampling of the points makes the value, there is no interval.
func TestPopulationOfEqualDistributions(t *testing.T) {
	draws := 40
	if !testing.Short() {
		draws = 200
	}
	for _, c := range []struct {
		points int
		shift  float64
	}{{100, 0}, {100, 0.1}, {300, 0}, {300, 0.1}} {
		if _, refused := coverage(t, c.points, c.points, 3, draws, c.shift); refused < draws {
			t.Errorf("%d points, shift %v: %d of %d have an interval", c.points, c.shift, draws-refused, draws)
		}
	}
}

// TestPopulationOfALine: on the line, without directions to draw, the error of a translate is that of the
// difference of the means, 2 shift sqrt(1/m + 1/n); and the interval grows with the pairs' number.
func TestPopulationOfALine(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	x, y := gaussians(r, 2000, 1), gaussians(r, 500, 1, 3)
	o := DistanceConfig{Population: true}
	o.Reduce = loss.Mean
	d := must.M1(Distance("sw", x, y, o))
	if want := 6 * math.Sqrt(1./2000+1./500); d.StdErr != 0 || math.Abs(d.Population.StdErr/want-1) > 0.1 {
		t.Errorf("error %v of directions and %v of both, want 0 and %v", d.StdErr, d.Population.StdErr, want)
	}
	twice := must.M1(Distance("sw", x.Select([]int{0, 0}), y.Select([]int{0, 0}), o))
	if got := d.Population.StdErr / twice.Population.StdErr; math.Abs(got-math.Sqrt2) > 1e-9 {
		t.Errorf("two pairs have an error smaller by %v, want sqrt(2)", got)
	}
	a := must.M1(datasets.New([]float64{1e9, 1e9 + 1, 1e9 + 2, 1e9 + 3}, 4, 1))
	b := must.M1(datasets.New([]float64{1e9 + 5, 1e9 + 6, 1e9 + 7, 1e9 + 8}, 4, 1))
	far := must.M1(Distance("sw", a, b, o)).Population
	if math.Abs(far.StdErr-10*math.Sqrt(2*5./3/4)) > 1e-6 {
		t.Errorf("four points far from 0: error %v", far.StdErr)
	}
}

// TestPopulationOfOneSlice: without an error of the directions there is none of both.
func TestPopulationOfOneSlice(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	o := DistanceConfig{Population: true}
	o.Reduce, o.Slices = loss.Mean, 1
	d := must.M1(Distance("sw", gaussians(r, 50, 2), gaussians(r, 50, 2, 3), o))
	if d.Population != nil || len(d.Warnings) != 1 || !strings.Contains(d.Warnings[0], "take more slices") {
		t.Errorf("%+v, warnings %q", d.Population, d.Warnings)
	}
}

// TestPopulationRefuses: other losses and settings have no such interval.
func TestPopulationRefuses(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	x, y := gaussians(r, 10, 2), gaussians(r, 10, 2)
	for want, c := range map[string]struct {
		loss   string
		x      *datasets.Set
		change func(*DistanceConfig)
	}{
		"has no slices":               {"chamfer", x, func(*DistanceConfig) {}},
		"without a root":              {"sw", x, func(o *DistanceConfig) { o.Root = true }},
		"as of sw":                    {"v-dsw", x, func(*DistanceConfig) {}},
		"expected p = 2":              {"sw", x, func(o *DistanceConfig) { o.P = 1 }},
		"--reduce mean":               {"sw", x, func(o *DistanceConfig) { o.Reduce = loss.Sum }},
		"without masses":              {"sw", x, func(o *DistanceConfig) { o.MassX = all(10, 1) }},
		"depend on the clouds":        {"rp-sw", x, func(*DistanceConfig) {}},
		"of at least 4 points, found": {"sw", gaussians(r, 3, 2), func(*DistanceConfig) {}},
	} {
		o := DistanceConfig{Population: true}
		o.Reduce = loss.Mean
		c.change(&o)
		if err := CheckDistance(c.loss, c.x, y, o); err == nil || !strings.HasPrefix(err.Error(), "population: ") ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
