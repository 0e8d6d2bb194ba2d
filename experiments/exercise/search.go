package exercise

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/experiments"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/vmf"
)

// The answers of this file are what a reader has found. They are tried as the lectures' cells try them, with
// clouds of 256 points.

var backend = sync.OnceValues(func() (*engine.Engine, error) { return engine.Open("go") })

func shape(class string) (*datasets.Set, error) {
	return datasets.Shapes{Test: 1, Points: 256, Classes: []string{class}}.Generate()
}

// named are the shapes of two names. The problem is what is wrong with the names.
func named(names []string) (x, y *datasets.Set, problem string) {
	if len(names) != 2 {
		return nil, nil, fmt.Sprintf("Expected the names of two shapes, found %d.", len(names))
	}
	x, err := shape(names[0])
	if err == nil {
		y, err = shape(names[1])
	}
	if err != nil {
		return nil, nil, err.Error() + "."
	}
	return x, y, ""
}

// maxSW is Max-SW from the random start of a seed: its direction and cost, a mean over points.
func maxSW(x, y *datasets.Set, seed uint64, steps int, rate float64, tangent bool) (at []float32, cost float64, err error) {
	o := swlab.DistanceConfig{Config: loss.Defaults(), Seed: seed}
	o.Reduce, o.AscentSteps, o.AscentLearningRate, o.AscentTangent = loss.Mean, steps, rate, tangent
	if o.Engine, err = backend(); err != nil {
		return nil, 0, err
	}
	d, err := swlab.Distance("max-sw", x, y, o)
	if err != nil {
		return nil, 0, err
	}
	return d.Directions, d.Value, nil
}

// predicted is the direction of an amortizer with initial weights.
func predicted(name string, x, y *datasets.Set, seed uint64) ([]float32, error) {
	e, err := backend()
	if err != nil {
		return nil, err
	}
	d, err := swlab.Direction(name, x, y, swlab.DirectionConfig{Seed: seed, Engine: e})
	return d.Directions, err
}

// drawsVMF: the first and second moments of a direction around the third axis are those of the closed form.
func drawsVMF(f func(r *rand.Rand, kappa float64) []float64) (string, error) {
	const n, tolerance = 40_000, 0.02 // more than five standard errors
	for _, kappa := range []float64{1, 5} {
		r := rand.New(rand.NewPCG(1, 1))
		var mean, square [3]float64
		for range n {
			v := f(r, kappa)
			if len(v) != 3 || math.Abs(floats.Norm(v, 2)-1) > 1e-6 {
				return fmt.Sprintf("%.4v is no unit vector of three coordinates.", v), nil
			}
			for k := range v {
				mean[k] += v[k] / n
				square[k] += v[k] * v[k] / n
			}
		}
		a := vmf.FunkHecke(3, kappa, 2)
		across := (1 - a[2]) / 3
		for k, want := range [3][2]float64{{0, across}, {0, across}, {a[1], 1 - 2*across}} {
			if !(math.Abs(mean[k]-want[0]) < tolerance) {
				return fmt.Sprintf("κ = %g: the mean of coordinate %d is %.3f, expected %.3f.", kappa, k+1, mean[k], want[0]), nil
			}
			if !(math.Abs(square[k]-want[1]) < tolerance) {
				return fmt.Sprintf("κ = %g: the mean square of coordinate %d is %.3f, expected %.3f.", kappa, k+1, square[k], want[1]), nil
			}
		}
	}
	return "", nil
}

func locationCounts(names []string) (string, error) {
	x, y, problem := named(names)
	if problem != "" {
		return problem, nil
	}
	f, err := experiments.NewLandscape(x, y)
	if err != nil {
		return "", err
	}
	j, err := f.Around(1)
	if err != nil {
		return "", err
	}
	if gain := 100 * (slices.Max(j.Values)/f.Mean - 1); gain < 12 || math.IsNaN(gain) {
		return fmt.Sprintf("The best location is worth %.1f %% more than SW.", gain), nil
	}
	return "", nil
}

func turnsBy10(answer float64) (string, error) {
	if !(answer > 0 && answer < 10) {
		return "Expected a rate, a positive number.", nil
	}
	x, y, problem := named([]string{"guitar", "mug"})
	if problem != "" {
		return problem, nil
	}
	var turns []float64
	for seed := range uint64(16) {
		from, _, err := maxSW(x, y, seed+1, 1, 1e-9, false) // its start
		if err != nil {
			return "", err
		}
		to, _, err := maxSW(x, y, seed+1, 50, answer, false)
		if err != nil {
			return "", err
		}
		turns = append(turns, experiments.Angle(from, to))
	}
	slices.Sort(turns)
	if turn := stat.Quantile(0.5, stat.LinInterp, turns, nil); turn < 8 || turn > 12 {
		return fmt.Sprintf("The median start turns by %.1f°.", turn), nil
	}
	return "", nil
}

func localTop(answer []any) (string, error) {
	if len(answer) != 3 {
		return "Expected two names and a number.", nil
	}
	first, ok1 := answer[0].(string)
	second, ok2 := answer[1].(string)
	seed, ok3 := answer[2].(int)
	if !ok1 || !ok2 || !ok3 || seed < 1 || seed > 16 {
		return "Expected two names and a number from 1 to 16.", nil
	}
	if pair := []string{first, second}; slices.Contains(pair, "guitar") && slices.Contains(pair, "mug") {
		return "The lecture shows this pair. Expected another one.", nil
	}
	x, y, problem := named([]string{first, second})
	if problem != "" {
		return problem, nil
	}
	f, err := experiments.NewLandscape(x, y)
	if err != nil {
		return "", err
	}
	_, cost, err := maxSW(x, y, uint64(seed), 300, 0.05, true)
	if share := 100 * cost / slices.Max(f.Values); err == nil && !(share < 50) {
		return fmt.Sprintf("This start ends at %.0f %% of the largest cost.", share), nil
	}
	return "", err
}

func ordersOfLA(v []float64) (string, error) {
	if len(v) != 3 || floats.Norm(v, 2) == 0 {
		return "Expected three coordinates of a vector other than 0.", nil
	}
	x, y, problem := named([]string{"guitar", "mug"})
	if problem != "" {
		return problem, nil
	}
	rows := slices.Collect(slices.Chunk(slices.Clone(x.Coords), 3))
	var at [2][]float32
	for i, sign := range []float64{1, -1} {
		height := func(p []float32) float64 {
			return sign * (v[0]*float64(p[0]) + v[1]*float64(p[1]) + v[2]*float64(p[2]))
		}
		slices.SortStableFunc(rows, func(p, q []float32) int { return cmp.Compare(height(p), height(q)) })
		var err error
		if at[i], err = predicted("la", &datasets.Set{Clouds: 1, Points: x.Points, Dim: 3, Coords: slices.Concat(rows...)}, y, 2); err != nil {
			return "", err
		}
	}
	if turn := experiments.Angle(at[0], at[1]); !(turn >= 55) {
		return fmt.Sprintf("The predictions are %.1f° apart.", turn), nil
	}
	return "", nil
}
