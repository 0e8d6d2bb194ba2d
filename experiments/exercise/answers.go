package exercise

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/experiments/notebook"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot"
)

// number accepts a number within a relative tolerance of the right one.
func number(tolerance float64, want func() (float64, error)) func(any) (string, error) {
	return func(answer any) (string, error) {
		var got float64
		switch a := answer.(type) {
		case int:
			got = float64(a)
		case float64:
			got = a
		default:
			return fmt.Sprintf("Expected a number, found %T.", answer), nil
		}
		w, err := want()
		if err != nil || math.Abs(got-w) <= tolerance*max(math.Abs(w), 1e-9) {
			return "", err
		}
		return fmt.Sprintf("%g is not it.", got), nil
	}
}

// exactly is a number that needs no library.
func exactly(v float64) func() (float64, error) { return func() (float64, error) { return v, nil } }

// words accepts words in any order, separated by commas.
func words(want func() ([]string, error)) func(any) (string, error) {
	return func(answer any) (string, error) {
		text, ok := answer.(string)
		if !ok {
			return fmt.Sprintf("Expected a text, found %T.", answer), nil
		}
		w, err := want()
		if err != nil {
			return "", err
		}
		got := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r == ',' || r == ' ' })
		slices.Sort(got)
		slices.Sort(w)
		if slices.Equal(got, w) {
			return "", nil
		}
		return fmt.Sprintf("%q is not it.", text), nil
	}
}

// function tries an answer of type F; try returns where it is wrong.
func function[F any](try func(F) (string, error)) func(any) (string, error) {
	return func(answer any) (problem string, err error) {
		f, ok := answer.(F)
		if !ok {
			return fmt.Sprintf("Expected a %T, found %T.", f, answer), nil
		}
		defer func() {
			if p := recover(); p != nil {
				problem = fmt.Sprintf("The function panics: %v.", p)
			}
		}()
		return try(f)
	}
}

// differs says that a function returns another value than expected.
func differs(call string, got, want float64) string {
	if math.Abs(got-want) <= 1e-6*max(1, math.Abs(want)) {
		return ""
	}
	return fmt.Sprintf("%s is %.6g, expected %.6g.", call, got, want)
}

// random returns n numbers of the standard normal distribution, the same in every call.
func random(seed uint64, n int) []float64 {
	r := rand.New(rand.NewPCG(seed, 0))
	out := make([]float64, n)
	for i := range out {
		out[i] = r.NormFloat64()
	}
	return out
}

func narrow(v ...float64) []float32 {
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(x)
	}
	return out
}

// emd is the mean over points of the p-th powers of the distances in an optimal assignment.
func emd(x, y []float64, dim int, p float64) (float64, error) {
	a, err := ot.EMD(narrow(x...), narrow(y...), dim, p)
	if err != nil {
		return 0, err
	}
	return a.Cost / float64(len(x)/dim), nil
}

// translated is the SW² of n random points and their translate by a unit vector, mean over points.
func translated(dim int) (float64, error) {
	v := random(1, 8*dim)
	w := slices.Clone(v)
	for i := 0; i < len(w); i += dim {
		w[i]++
	}
	x, err := datasets.New(narrow(v...), 8, dim)
	if err != nil {
		return 0, err
	}
	y, err := datasets.New(narrow(w...), 8, dim)
	if err != nil {
		return 0, err
	}
	o := swlab.DistanceConfig{Config: loss.Defaults(), Seed: 1}
	o.Slices, o.Reduce = 50*dim, loss.Mean
	d, err := swlab.Distance("orthogonal-sw", x, y, o) // frames are exact for translations
	return d.Value, err
}

// parameters is the number of weights of a map for clouds of m points.
func parameters(name string, m int) (float64, error) {
	a, err := amortizer.New(name, amortizer.Config{Points: m})
	if err != nil {
		return 0, err
	}
	return float64(amortizer.Parameters(a)), nil
}

// line is F for two points each on the axes, along the first.
func line() (float64, error) {
	x, err := datasets.New([]float32{0, 0, 0, 1, 0, 0}, 2, 3)
	if err != nil {
		return 0, err
	}
	y, err := datasets.New([]float32{0, 0, 0, 0, 1, 0}, 2, 3)
	if err != nil {
		return 0, err
	}
	f, err := notebook.SliceCosts(x, y, []float32{1, 0, 0})
	if err != nil {
		return 0, err
	}
	return f[0], nil
}

// chamferBlind says whether Chamfer is 0 for {0, 0, 1} and {0, 1, 1}, whose W₂ is not.
func chamferBlind() ([]string, error) {
	x, err := datasets.New([]float32{0, 0, 0, 0, 0, 0, 1, 0, 0}, 3, 3)
	if err != nil {
		return nil, err
	}
	y, err := datasets.New([]float32{0, 0, 0, 1, 0, 0, 1, 0, 0}, 3, 3)
	if err != nil {
		return nil, err
	}
	d, err := swlab.Distance("chamfer", x, y, swlab.DistanceConfig{Config: loss.Defaults()})
	if err != nil {
		return nil, err
	}
	if d.Value == 0 {
		return []string{"yes"}, nil
	}
	return []string{"no"}, nil
}

// legendre is the Legendre polynomial of degree 4 or 6.
func legendre(degree int, x float64) float64 {
	if degree == 6 {
		return (231*math.Pow(x, 6) - 315*math.Pow(x, 4) + 105*x*x - 5) / 16
	}
	return (35*math.Pow(x, 4) - 30*x*x + 3) / 8
}
