package swlab

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

func normals(r *rand.Rand, n int, scale float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = scale * r.NormFloat64()
	}
	return v
}

// mixture draws points around three centres, stretched along the axes.
func mixture(r *rand.Rand, n, dim int) []float64 {
	centres, widths := normals(r, 3*dim, 1.5), normals(r, 3*dim, 1)
	out := make([]float64, n*dim)
	for i := range n {
		c := r.IntN(3)
		for j := range dim {
			out[i*dim+j] = centres[c*dim+j] + widths[c*dim+j]*r.NormFloat64()
		}
	}
	return out
}

// changed applies a function to the coordinates of a cloud.
func changed(v []float64, f func(c float64, axis int) float64, dim int) []float64 {
	out := make([]float64, len(v))
	for i, c := range v {
		out[i] = f(c, i%dim)
	}
	return out
}

// exactW2 is W2 of every pair, by an optimal matching with a certificate.
func exactW2(x, y *datasets.Set, massX, massY []float64) []float64 {
	d := must.M1(Distance("emd-exact", x, y, DistanceConfig{Config: loss.Config{P: 2, Reduce: loss.Mean}, MassX: massX, MassY: massY}))
	out := make([]float64, len(d.PerPair))
	for b, v := range d.PerPair {
		out[b] = math.Sqrt(max(0, v))
	}
	return out
}

// slicings are ways to find directions: few and many, in blocks, by ascent, given and of any length.
func slicings(r *rand.Rand, dim int) map[string]DistanceConfig {
	given := make([]float32, 0, 4*dim)
	for _, v := range normals(r, 4*dim, 3) {
		given = append(given, float32(v))
	}
	return map[string]DistanceConfig{
		"sw 1":          {Config: loss.Config{Slices: 1}},
		"sw 3":          {Config: loss.Config{Slices: 3}},
		"sw":            {},
		"orthogonal-sw": {Config: loss.Config{Slices: 30}},
		"max-sw":        {Config: loss.Config{AscentSteps: 30, AscentLearningRate: 0.1, AscentTangent: true}},
		"v-dsw":         {Config: loss.Config{Slices: 10, Kappa: 50, AscentSteps: 5, Root: true}},
		"sw given":      {Directions: &Directions{given, []int{4, dim}}},
	}
}

// TestBracket: W2 is between its bounds for 200 pairs in dimensions 2 to 50, among them 40 translates and 40
// scaled copies, for which bounds are met, and however the directions were found.
func TestBracket(t *testing.T) {
	const pairs, points = 40, 16
	r := rand.New(rand.NewPCG(1, 2))
	met, calls := 0, 0
	for _, dim := range []int{2, 3, 7, 20, 50} {
		var x, y []float64
		for b := range pairs {
			one := mixture(r, points, dim)
			if b%2 == 0 {
				one = normals(r, points*dim, 1)
			}
			other := mixture(r, points, dim)
			shift, factor := normals(r, dim, 1), 2*r.Float64()
			switch b % 5 {
			case 0:
				other = changed(one, func(c float64, axis int) float64 { return c + shift[axis] }, dim)
			case 1:
				other = changed(one, func(c float64, _ int) float64 { return factor * c }, dim)
			case 2:
				other = changed(other, func(c float64, axis int) float64 { return 0.3*c + shift[axis] }, dim)
			}
			x, y = append(x, one...), append(y, other...)
		}
		setX, setY := must.M1(datasets.New(x, pairs, points, dim)), must.M1(datasets.New(y, pairs, points, dim))
		w2 := exactW2(setX, setY, nil, nil)
		for b := 0; b < pairs; b += 5 { // translates, whose W2 is known without rounding to float32
			square := 0.0
			for j := range dim {
				square += math.Pow(y[b*points*dim+j]-x[b*points*dim+j], 2)
			}
			w2[b] = math.Sqrt(square)
		}
		for name, o := range slicings(r, dim) {
			o.Bracket, o.Seed = true, 7
			loss, _, _ := strings.Cut(name, " ")
			d := must.M1(Distance(loss, setX, setY, o))
			for b, w := range w2 {
				calls++
				low, high := d.Bracket.PairLows[b], d.Bracket.PairHighs[b]
				if !(low <= w && w <= high) {
					t.Errorf("%s, dimension %d, pair %d: W2 = %.12g is not between %.12g and %.12g", name, dim, b, w, low, high)
				}
				if high < w*(1+1e-4) {
					met++ // translates and scaled copies
				}
			}
			if b := d.Bracket; b.Low != mean(b.PairLows) || b.High != mean(b.PairHighs) || b.PairEstimates != nil {
				t.Errorf("%s: means %g and %g of %v", name, b.Low, b.High, b)
			}
		}
	}
	if met < calls*2/5 {
		t.Errorf("the upper bound is met %d times of %d, expected for all translates and scaled copies", met, calls)
	}
}

// TestBracketOfMasses: clouds of unequal sizes and masses, on the line and of one point.
func TestBracketOfMasses(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct{ m, n, dim int }{{9, 14, 3}, {14, 9, 1}, {1, 1, 4}, {1, 7, 2}, {12, 12, 30}} {
		x, y := must.M1(datasets.New(normals(r, 2*c.m*c.dim, 1), 2, c.m, c.dim)), must.M1(datasets.New(normals(r, 2*c.n*c.dim, 2), 2, c.n, c.dim))
		masses := func(n int) []float64 {
			v := normals(r, n, 1)
			for i := range v {
				v[i] = 0.1 + v[i]*v[i]
			}
			return v
		}
		o := DistanceConfig{Config: loss.Config{Reduce: loss.Mean, Slices: 9}, Bracket: true, MassX: masses(2 * c.m), MassY: masses(2 * c.n)}
		d := must.M1(Distance("sw", x, y, o))
		for b, w := range exactW2(x, y, o.MassX, o.MassY) {
			low, high := d.Bracket.PairLows[b], d.Bracket.PairHighs[b]
			if !(low <= w && w <= high) {
				t.Errorf("%v, pair %d: W2 = %.12g is not between %.12g and %.12g", c, b, w, low, high)
			}
			if c.dim == 1 && high-low > 1e-6*w || c.m == 1 && high > w*(1+1e-6) {
				t.Errorf("%v: between %.12g and %.12g, expected W2, %.12g", c, low, high, w)
			}
		}
	}
}

// TestBracketByHand: two points each, along the axes and twice along the first. Below stands what the
// formulas say.
func TestBracketByHand(t *testing.T) {
	x, y := must.M1(datasets.New([]float32{3, 3, 1, 1}, 2, 2)), must.M1(datasets.New([]float32{2, 2.5, 3, 2}, 2, 2))
	o := DistanceConfig{Bracket: true, Directions: &Directions{[]float32{1, 0, 2, 0, 0, 1}, []int{3, 2}}}
	// W2^2 along the axes: (0 + 1) / 2, and (0.25 + 1) / 2; A = diag(5/3, 1/3)
	d := must.M1(Distance("sw", x, y, o))
	if want := math.Sqrt(0.625); math.Abs(d.Bracket.Low-want) > 1e-9 || math.Abs(d.Bracket.High-math.Sqrt(2.125)) > 1e-9 {
		t.Errorf("between %.12g and %.12g, expected %.12g and %.12g", d.Bracket.Low, d.Bracket.High, want, math.Sqrt(2.125))
	}
	o.Directions = &Directions{[]float32{1, 0, 0, 1}, []int{2, 2}}
	d = must.M1(Distance("sw", x, y, o)) // A = I / 2, mean 0.5625
	if want := math.Sqrt(1.125); math.Abs(d.Bracket.Low-want) > 1e-9 {
		t.Errorf("low %.12g, expected %.12g", d.Bracket.Low, want)
	}
	same := must.M1(Distance("sw", x, x, o))
	if same.Bracket.Low != 0 || same.Bracket.High != 0 {
		t.Errorf("a cloud and itself: between %g and %g", same.Bracket.Low, same.Bracket.High)
	}
}

// TestEstimator: on pairs that were not fitted, R^2 is above 0.98, and the relative error at most 4 %; that of
// sqrt(d) SW2 is larger.
func TestEstimator(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, dim := range []int{2, 3, 10, 40} {
		const fitted, held, points = 25, 35, 40
		var labelled []Labelled
		for i := range fitted + held {
			x, y := mixture(r, points, dim), mixture(r, points, dim)
			if i%3 == 0 {
				shift := normals(r, dim, r.Float64())
				x, y = normals(r, points*dim, 1), normals(r, points*dim, 0.5+r.Float64())
				y = changed(y, func(c float64, axis int) float64 { return c + shift[axis] }, dim)
			}
			setX, setY := must.M1(datasets.New(x, points, dim)), must.M1(datasets.New(y, points, dim))
			labelled = append(labelled, Labelled{setX, setY, exactW2(setX, setY, nil, nil)[0]})
		}
		o := DistanceConfig{Seed: 5, Bracket: true}
		o.Estimator = must.M1(FitEstimator("sw", labelled[:fitted], o))
		relative, plain, average, residual, total := 0.0, 0.0, 0.0, 0.0, 0.0
		for _, l := range labelled[fitted:] {
			average += l.W2 / held
		}
		for _, l := range labelled[fitted:] {
			d := must.M1(Distance("sw", l.X, l.Y, o))
			e := d.Bracket.Estimate
			if e < d.Bracket.Low || e > d.Bracket.High || e != d.Bracket.PairEstimates[0] {
				t.Errorf("dimension %d: estimate %g between %g and %g", dim, e, d.Bracket.Low, d.Bracket.High)
			}
			relative += math.Abs(e/l.W2-1) / held
			plain += math.Abs(math.Sqrt(float64(dim)*d.Value/points)/l.W2-1) / held
			residual += (e - l.W2) * (e - l.W2)
			total += (l.W2 - average) * (l.W2 - average)
		}
		t.Logf("dimension %d: relative error %.3f, of sqrt(d) SW2 %.3f, R^2 %.4f", dim, relative, plain, 1-residual/total)
		if relative > 0.04 || relative > 0.5*plain || 1-residual/total < 0.98 {
			t.Errorf("dimension %d: relative error %.3f, of sqrt(d) SW2 %.3f, R^2 %.4f", dim, relative, plain, 1-residual/total)
		}
	}
}

func TestNonnegative(t *testing.T) {
	rows := [][]float64{{1, 0, 1}, {0, 1, 1}, {1, 1, 2}, {2, 1, 3}} // the third column is the sum of the others
	if w := nonnegative(rows, []float64{2, 3, 5, 7}); math.Abs(w[0]+w[2]-2) > 1e-12 || math.Abs(w[1]+w[2]-3) > 1e-12 || slices.Min(w) < 0 {
		t.Errorf("weights %v", w)
	}
	if w := nonnegative(rows, []float64{1, -1, 0, 1}); w[0] <= 0 || w[1] != 0 || w[2] != 0 {
		t.Errorf("weights %v, expected only the first, the others would be negative", w)
	}
}

func TestBracketRejects(t *testing.T) {
	x := must.M1(datasets.New(normals(rand.New(rand.NewPCG(7, 8)), 24, 1), 2, 4, 3))
	one, other := x.Select([]int{0}), x.Select([]int{1})
	for want, call := range map[string]func() error{
		`bracket: loss "chamfer" takes no slices`: func() error {
			_, err := Distance("chamfer", x, x, DistanceConfig{Bracket: true})
			return err
		},
		"bracket: expected p = 2, found 1": func() error {
			_, err := Distance("sw", x, x, DistanceConfig{Bracket: true, Config: loss.Config{P: 1}})
			return err
		},
		"an estimator belongs to a bracket": func() error {
			_, err := Distance("sw", x, x, DistanceConfig{Estimator: &Estimator{}})
			return err
		},
		"pair 1: expected one cloud each": func() error {
			_, err := FitEstimator("sw", []Labelled{{one, other, exactW2(one, other, nil, nil)[0]}, {x, x, 1}}, DistanceConfig{})
			return err
		},
		"pair 0: expected W2, the root with a mean over points, between": func() error {
			_, err := FitEstimator("sw", []Labelled{{one, other, 1000}}, DistanceConfig{})
			return err
		},
		"found NaN": func() error {
			_, err := FitEstimator("sw", []Labelled{{one, other, math.NaN()}}, DistanceConfig{})
			return err
		},
		"expected at least 2 pairs": func() error {
			_, err := FitEstimator("sw", []Labelled{{one, other, exactW2(one, other, nil, nil)[0]}}, DistanceConfig{})
			return err
		},
	} {
		if err := call(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %q", err, want)
		}
	}
}
