package exercise

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
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

// otherHill: at κ = 10 the best location is more than 45° from the best direction.
func otherHill(names []string) (string, error) {
	x, y, problem := named(names)
	if problem != "" {
		return problem, nil
	}
	if slices.Contains(names, "teapot") && slices.Contains(names, "wheel") {
		return "The lecture shows this pair. Expected another one.", nil
	}
	f, err := experiments.NewLandscape(x, y)
	if err != nil {
		return "", err
	}
	j, err := f.Around(10)
	if err != nil {
		return "", err
	}
	direction, _, err := f.Extreme(true)
	if err != nil {
		return "", err
	}
	location, _, err := j.Extreme(true)
	if err != nil {
		return "", err
	}
	angle := experiments.Angle(direction, location)
	if angle = min(angle, 180-angle); !(angle > 45) {
		return fmt.Sprintf("The tops are %.1f° apart.", angle), nil
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

// lowHill: at least five of 16 tangent searches for two shapes end below half of the largest cost.
func lowHill(names []string) (string, error) {
	if slices.Contains(names, "guitar") && slices.Contains(names, "mug") {
		return "The lecture shows this pair. Expected another one.", nil
	}
	x, y, problem := named(names)
	if problem != "" {
		return problem, nil
	}
	f, err := experiments.NewLandscape(x, y)
	if err != nil {
		return "", err
	}
	low := 0
	for seed := range uint64(16) {
		_, cost, err := maxSW(x, y, seed+1, 300, 0.1, true)
		if err != nil {
			return "", err
		}
		if cost < slices.Max(f.Values)/2 {
			low++
		}
	}
	if low < 5 {
		return fmt.Sprintf("Of the 16 searches %d end below half of the largest cost.", low), nil
	}
	return "", nil
}

// anyWinner: by the first score LA v-DSW is ahead of EMD, by the second behind, and by the third neither.
func anyWinner(names []string) (string, error) {
	verdicts := [][]string{{"SW", "SW last"}, {"CD", "EMD", "EMD exact", "CD last", "EMD last"}, {"Acc", "Acc SVM", "Time"}}
	if len(names) != len(verdicts) {
		return fmt.Sprintf("Expected three names, found %d.", len(names)), nil
	}
	for i, name := range names {
		if !slices.Contains(verdicts[i], strings.TrimSuffix(name, "†")) {
			return fmt.Sprintf("%q is not %s.", name, []string{"a score by which LA v-DSW is ahead", "a score by which it is behind", "a score that cannot tell"}[i]), nil
		}
	}
	return "", nil
}

// rowsOf are the points of the first cloud.
func rowsOf(s *datasets.Set) (rows [][]float64) {
	for p := range slices.Chunk(s.Coords, 3) {
		rows = append(rows, []float64{float64(p[0]), float64(p[1]), float64(p[2])})
	}
	return rows
}

// wayUp is how far a rule's location for two shapes is up from the mean of J to its top, in per cent.
func wayUp(names []string, rule func(x, y [][]float64) []float64) (up float64, problem string, err error) {
	x, y, problem := named(names)
	if problem != "" {
		return 0, problem, nil
	}
	landscape, err := experiments.NewLandscape(x, y)
	if err != nil {
		return 0, "", err
	}
	j, err := landscape.Around(1)
	if err != nil {
		return 0, "", err
	}
	at := rule(rowsOf(x), rowsOf(y))
	if len(at) != 3 || !(floats.Norm(at, 2) > 0) {
		return 0, fmt.Sprintf("%v is no direction in space.", at), nil
	}
	norm := floats.Norm(at, 2)
	v, err := j.At([]float32{float32(at[0] / norm), float32(at[1] / norm), float32(at[2] / norm)})
	if err != nil {
		return 0, "", err
	}
	return 100 * (v[0] - j.Mean) / (slices.Max(j.Values) - j.Mean), "", nil
}

// aboveNetworks: in the mean over pairs, a rule's location is 40 % of the way up from the mean of J to its top.
func aboveNetworks(f func(x, y [][]float64) []float64) (string, error) {
	pairs := [][]string{{"chair", "table"}, {"car", "person"}, {"guitar", "mug"}, {"rocket", "dog"}, {"hammer", "spectacles"},
		{"chair", "bed"}, {"mug", "table"}, {"aeroplane", "bottle"}}
	mean := 0.0
	for _, names := range pairs {
		up, problem, err := wayUp(names, f)
		if problem != "" || err != nil {
			return problem, err
		}
		mean += up / float64(len(pairs))
	}
	if !(mean >= 40) {
		return fmt.Sprintf("In the mean over the pairs it goes %.0f %% of the way.", mean), nil
	}
	return "", nil
}

// ownMap: a map from two clouds to a vector forgets the order of points and clouds, and sees the pair.
func ownMap(f func(x, y [][]float64) []float64) (string, error) {
	rows := map[string][][]float64{}
	for _, class := range []string{"guitar", "mug", "car", "person"} {
		s, err := shape(class)
		if err != nil {
			return "", err
		}
		rows[class] = rowsOf(s)
	}
	backward := slices.Clone(rows["guitar"])
	slices.Reverse(backward)
	at := f(rows["guitar"], rows["mug"])
	if len(at) != 3 || !(floats.Norm(at, 2) > 0) {
		return fmt.Sprintf("%v is no direction in space.", at), nil
	}
	apart := func(x, y [][]float64) float64 { // a direction and its opposite are the same slice
		angle := experiments.Angle(at, f(x, y))
		return min(angle, 180-angle)
	}
	if a := apart(backward, rows["mug"]); !(a < 0.01) {
		return fmt.Sprintf("With the points of the guitar in another order it turns by %.2g°.", a), nil
	}
	if a := apart(rows["mug"], rows["guitar"]); !(a < 0.01) {
		return fmt.Sprintf("With the clouds exchanged it turns by %.2g°.", a), nil
	}
	if a := apart(rows["car"], rows["person"]); !(a > 1) {
		return fmt.Sprintf("For a car and a person it turns by %.2g° only.", a), nil
	}
	return "", nil
}

func badAxis(names []string) (string, error) {
	x, y, problem := named(names)
	if problem != "" {
		return problem, nil
	}
	f, err := experiments.NewLandscape(x, y)
	if err != nil {
		return "", err
	}
	along, err := f.At([]float32{0, 1, 0})
	if err != nil {
		return "", err
	}
	if share := along[0] / slices.Max(f.Values); !(share < 0.1) {
		return fmt.Sprintf("Along y, F is %.2f of the largest.", share), nil
	}
	return "", nil
}
