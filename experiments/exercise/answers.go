package exercise

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/experiments"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

// number accepts a number within a relative tolerance of the right one.
func number(tolerance, want float64) func(any) (string, error) {
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
		if math.Abs(got-want) <= tolerance*max(math.Abs(want), 1e-9) {
			return "", nil
		}
		return fmt.Sprintf("%g is not it.", got), nil
	}
}

// computed is number with a right one that the library computes.
func computed(tolerance float64, want func() (float64, error)) func(any) (string, error) {
	return func(answer any) (string, error) {
		w, err := want()
		if err != nil {
			return "", err
		}
		return number(tolerance, w)(answer)
	}
}

// word accepts a word.
func word(want string) func(any) (string, error) {
	return func(answer any) (string, error) {
		text, ok := answer.(string)
		if !ok {
			return fmt.Sprintf("Expected a text, found %T.", answer), nil
		}
		if strings.EqualFold(strings.TrimSpace(text), want) {
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

// translated is the SW² of random points and their translate by a vector of length 0.6, mean over
// points.
func translated() (float64, error) {
	x, y := &datasets.Set{Clouds: 1, Points: 8, Dim: 3}, &datasets.Set{Clouds: 1, Points: 8, Dim: 3}
	for i, c := range random(1, 24) {
		if x.Coords = append(x.Coords, float32(c)); i%3 == 0 {
			c += 0.6
		}
		y.Coords = append(y.Coords, float32(c))
	}
	o := swlab.DistanceConfig{Config: loss.Defaults(), Seed: 1}
	o.Slices, o.Reduce = 150, loss.Mean
	d, err := swlab.Distance("orthogonal-sw", x, y, o) // frames are exact for translations
	if err != nil {
		return 0, err
	}
	return d.Value, nil
}

// line is F for two points each on the axes, along the first.
func line() (float64, error) {
	x := &datasets.Set{Clouds: 1, Points: 2, Dim: 3, Coords: []float32{0, 0, 0, 1, 0, 0}}
	y := &datasets.Set{Clouds: 1, Points: 2, Dim: 3, Coords: []float32{0, 0, 0, 0, 1, 0}}
	f, err := experiments.SliceCosts(x, y, []float32{1, 0, 0})
	if err != nil {
		return 0, err
	}
	return f[0], nil
}
