package exercise

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/experiments"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot"
)

// Experiments: the reader has found something, and the check tries it.

// shapes are two built-in clouds of 512 points, those of the lectures.
func shapes(x, y string) (a, b *datasets.Set, err error) {
	if a, err = (datasets.Shapes{Test: 1, Points: 512, Classes: []string{x}}).Generate(); err == nil {
		b, err = datasets.Shapes{Test: 1, Points: 512, Classes: []string{y}}.Generate()
	}
	return a, b, err
}

// estimate is a distance of two clouds, a mean over points, by that many slices.
func estimate(name string, x, y *datasets.Set, slices int) (*swlab.Result, error) {
	o := swlab.DistanceConfig{Config: loss.Defaults(), Seed: 1}
	o.Slices, o.Reduce = slices, loss.Mean
	return swlab.Distance(name, x, y, o)
}

func blindDirection(theta []float64) (string, error) {
	norm := 0.0
	for _, v := range theta {
		norm += v * v
	}
	if len(theta) != 3 || !(norm > 0) || math.IsInf(norm, 0) {
		return fmt.Sprintf("%v is no direction in space.", theta), nil
	}
	unit := make([]float32, 3)
	for i, v := range theta {
		unit[i] = float32(v / math.Sqrt(norm))
	}
	x, y, err := shapes("chair", "person")
	if err != nil {
		return "", err
	}
	land, err := experiments.NewLandscape(x, y)
	if err != nil {
		return "", err
	}
	worst, _, err := land.Extreme(false)
	if err != nil {
		return "", err
	}
	if angle := experiments.Angle(worst, unit); min(angle, 180-angle) < 60 {
		return fmt.Sprintf("This is only %.0f° from the worst direction or its opposite.", min(angle, 180-angle)), nil
	}
	f, err := experiments.SliceCosts(x, y, unit)
	if err != nil || f[0] < 1e-3 {
		return "", err
	}
	return fmt.Sprintf("F is %.5f there.", f[0]), nil
}

// ownAngles are those of ten steps of lecture 01, from the ring to the moons.
func ownAngles(angle func(k int) float64) (string, error) {
	var points, target [][2]float64
	for i := range 200 {
		s, c := math.Sincos(2 * math.Pi * float64(i) / 200)
		shift := 0.5
		if i < 100 {
			shift = -0.5
		}
		points, target = append(points, [2]float64{c, s}), append(target, [2]float64{c + shift, s + shift/2})
	}
	for k := range 10 {
		s, c := math.Sincos(angle(k))
		along := func(p [2]float64) float64 { return c*p[0] + s*p[1] }
		order := func(p, q [2]float64) int { return cmp.Compare(along(p), along(q)) }
		slices.SortFunc(points, order)
		slices.SortFunc(target, order)
		for i, p := range points {
			gap := along(target[i]) - along(p)
			points[i] = [2]float64{p[0] + gap*c, p[1] + gap*s}
		}
	}
	cloud := func(all [][2]float64) *datasets.Set {
		s := &datasets.Set{Clouds: 1, Points: len(all), Dim: 2}
		for _, p := range all {
			s.Coords = append(s.Coords, float32(p[0]), float32(p[1]))
		}
		return s
	}
	w, err := transport(cloud(points), cloud(target))
	if err != nil || math.Sqrt(w) < 0.1 {
		return "", err
	}
	return fmt.Sprintf("W₂ is %.3f after ten of these directions.", math.Sqrt(w)), nil
}

// frames is the standard error of frames for two shapes, other than a known pair, as a share of that of independent directions.
func frames(names []string, known ...string) (share float64, problem string, err error) {
	if _, _, problem := named(names); problem != "" {
		return 0, problem, nil
	}
	if slices.Contains(names, known[0]) && slices.Contains(names, known[1]) {
		return 0, "The lecture shows this pair. Expected another one.", nil
	}
	x, y, err := shapes(names[0], names[1])
	if err != nil {
		return 0, "", err
	}
	independent, err := estimate("sw", x, y, 9999)
	if err != nil {
		return 0, "", err
	}
	together, err := estimate("orthogonal-sw", x, y, 9999)
	if err != nil {
		return 0, "", err
	}
	share = math.Pow(together.StdErr/independent.StdErr, 2)
	return share, fmt.Sprintf("Frames change the variance by %+.0f %%.", 100*share-100), nil
}

func worseFrames(names []string) (string, error) {
	share, problem, err := frames(names, "wheel", "sofa")
	if share > 1.2 {
		return "", err
	}
	return problem, err
}

func betterFrames(names []string) (string, error) {
	share, problem, err := frames(names, "bottle", "guitar")
	if share > 0 && share < 0.25 {
		return "", err
	}
	return problem, err
}

// few makes a cloud of points that a reader has written.
func few(rows [][]float64) (*datasets.Set, error) {
	var coords []float64
	for _, r := range rows {
		if len(r) != 2 {
			return nil, fmt.Errorf("a point of %d coordinates", len(r))
		}
		coords = append(coords, r...)
	}
	if len(rows) < 2 || len(rows) > 50 {
		return nil, fmt.Errorf("%d points", len(rows))
	}
	return datasets.New(coords, len(rows), 2)
}

// transport is W₂², a mean over points.
func transport(x, y *datasets.Set) (float64, error) {
	a, err := ot.EMD(x.Coords, y.Coords, x.Dim, 2)
	if err != nil {
		return 0, err
	}
	return a.Cost / float64(x.Points), nil
}

// twoFew are two clouds of few points.
func twoFew(clouds [][][]float64) (x, y *datasets.Set, err error) {
	if x, err = few(clouds[0]); err == nil {
		y, err = few(clouds[1])
	}
	return x, y, err
}

func dearCoordinate(clouds [2][][]float64) (string, error) {
	if len(clouds[0]) != 3 || len(clouds[1]) != 3 {
		return fmt.Sprintf("Expected three points in each cloud, found %d and %d.", len(clouds[0]), len(clouds[1])), nil
	}
	x, y, err := twoFew(clouds[:])
	if err != nil {
		return fmt.Sprintf("Expected points of the plane: %v.", err), nil
	}
	w, err := transport(x, y)
	if err != nil {
		return "", err
	}
	byFirst := func(a, b []float64) int { return cmp.Compare(a[0], b[0]) }
	a, b := slices.SortedStableFunc(slices.Values(clouds[0]), byFirst), slices.SortedStableFunc(slices.Values(clouds[1]), byFirst)
	cost := 0.0
	for i := range a {
		cost += (math.Pow(a[i][0]-b[i][0], 2) + math.Pow(a[i][1]-b[i][1], 2)) / 3
	}
	if !(w > 0) {
		return "The best plan costs nothing: the clouds are equal.", nil
	}
	if cost > 100*w {
		return "", nil
	}
	return fmt.Sprintf("The plan of the first coordinates costs %.3g times the best one.", cost/w), nil
}

func disagree(clouds [3][][]float64) (string, error) {
	var sets [3]*datasets.Set
	for i, c := range clouds {
		var err error
		if sets[i], err = few(c); err != nil || len(c) != len(clouds[0]) {
			return fmt.Sprintf("Expected three clouds of equally many points of the plane, 2 to 50: cloud %d has %d (%v).", i, len(c), err), nil
		}
	}
	var w, s [2]float64
	for i, y := range sets[1:] {
		var err error
		if w[i], err = transport(sets[0], y); err != nil {
			return "", err
		}
		l, err := experiments.NewLandscape(sets[0], y)
		if err != nil {
			return "", err
		}
		s[i] = l.Mean
	}
	if w[0] < 0.99*w[1] && s[0] > 1.01*s[1] {
		return "", nil
	}
	return fmt.Sprintf("W₂² is %.3g to Y and %.3g to Z, SW² is %.3g and %.3g.", w[0], w[1], s[0], s[1]), nil
}

// between are two clouds, none a shift of the other, and a third whose lists are the means of theirs along every direction.
func between(clouds [3][][]float64) (string, error) {
	for i, c := range clouds {
		if _, err := few(c); err != nil || len(c) != 3 {
			return fmt.Sprintf("Expected three clouds of three points of the plane: cloud %d has %d (%v).", i, len(c), err), nil
		}
	}
	apart, change := 0.0, 0.0
	for angle := range 180 {
		sin, cos := math.Sincos(float64(angle) * math.Pi / 180)
		var lists [3][]float64
		for i, c := range clouds {
			for _, p := range c {
				lists[i] = append(lists[i], cos*p[0]+sin*p[1])
			}
			slices.Sort(lists[i])
		}
		x, y, z := lists[0], lists[1], lists[2]
		for k := range z {
			apart = max(apart, math.Abs((x[k]+y[k])/2-z[k]))
			change = max(change, math.Abs((y[k]-x[k])-(y[0]-x[0])))
		}
	}
	switch {
	case change < 1e-6:
		return "The second is a shift of the first, or nearly.", nil
	case apart > 1e-6:
		return fmt.Sprintf("An entry of the third is off the mean of the two by up to %.2g.", apart), nil
	}
	return "", nil
}

// hidden are two different clouds that agree along both axes and the diagonal.
func hidden(clouds [2][][]float64) (string, error) {
	if n := len(clouds[0]); n != len(clouds[1]) || n > 4 {
		return fmt.Sprintf("Expected two clouds of as many points, at most four: found %d and %d.", n, len(clouds[1])), nil
	}
	x, y, err := twoFew(clouds[:])
	if err != nil {
		return err.Error(), nil
	}
	apart, err := transport(x, y)
	if err != nil || apart < 1e-6 {
		return "These two are equal, or nearly.", err
	}
	costs, err := experiments.SliceCosts(x, y, []float32{1, 0, 0, 1, math.Sqrt2 / 2, math.Sqrt2 / 2})
	if err != nil || slices.Max(costs) < 1e-9*apart {
		return "", err
	}
	return fmt.Sprintf("F is %.2g along the first axis, %.2g along the second, %.2g along the diagonal.", costs[0], costs[1], costs[2]), nil
}
