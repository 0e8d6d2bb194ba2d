package calls

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/experiments"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// OnePair returns the first pair of the clouds x and y, relative to a common origin.
func (r *Request) OnePair() (x, y *datasets.Set, err error) {
	if x, y, err = r.Pair("x", "y"); err != nil {
		return nil, nil, err
	}
	x, y = datasets.Aligned(x.Select([]int{0}), y.Select([]int{0}))
	if x.Dim != y.Dim || x.Dim != 2 && x.Dim != 3 {
		return nil, nil, fmt.Errorf("x and y: expected clouds of dimension 2 or 3, found %d and %d", x.Dim, y.Dim)
	}
	return x, y, nil
}

// theta returns the array of that name, one vector of as many coordinates as the clouds have.
func (r *Request) theta(dim int) ([]float32, error) {
	a := r.Array("theta")
	if a == nil {
		return nil, errors.New("theta: expected a direction, found none")
	}
	v, err := a.narrow()
	if err == nil && len(v) != dim {
		err = fmt.Errorf("theta: expected %d numbers, found %d", dim, len(v))
	}
	return v, err
}

// slice is one slice of a pair: the cost F(theta), which is W_2^2 of the projections, and the value of F or J with its
// mean and its extremes over all directions. x_order[i] and y_order[i] are the points of rank i, which optimal
// transport on the line matches.
func slice(r *Request, a *Answer) error {
	s := landscapeSettings{Blur: wholeF}
	if err := r.Apply(&s); err != nil {
		return err
	}
	x, y, err := r.OnePair()
	if err != nil {
		return err
	}
	theta, err := r.theta(x.Dim)
	if err != nil {
		return err
	}
	cost, err := experiments.SliceCosts(x, y, theta)
	if err != nil {
		return err
	}
	shown, values, err := r.around(x, y, theta, s.Blur)
	if err != nil {
		return err
	}
	Add(a, "cost", cost)
	Add(a, "value", values)
	Add(a, "mean", []float64{shown.mean})
	Add(a, "smallest", []float64{min(shown.lowest, values[0])})
	Add(a, "largest", []float64{max(shown.highest, values[0])})
	for _, c := range []struct {
		name string
		set  *datasets.Set
	}{{"x", x}, {"y", y}} {
		along, order := project(c.set, theta)
		Add(a, c.name, along, len(along))
		Add(a, c.name+"_order", order, len(order))
	}
	return nil
}

// wholeF is the blur of F itself.
const wholeF = "+Inf"

// summary is the mean and the extremes of a landscape, and its values on the grid.
type summary struct {
	mean, lowest, highest float64
	values                []float64
}

// summary is that of the landscape of the request's clouds, from where it is kept if it is.
func (r *Request) summary(blur string) (s summary, err error) {
	question := Request{Function: "landscape", Settings: map[string]string{"blur": blur}, ctx: r.ctx, space: r.space}
	for _, name := range []string{"x", "y"} {
		if v := r.Array(name); v != nil {
			question.Arrays = append(question.Arrays, *v)
		}
	}
	var a Answer
	if r.space != nil {
		a, _ = r.space.answer(question)
	} else {
		a = Respond(question)
	}
	if a.Error != "" {
		return s, errors.New(a.Error)
	}
	for _, v := range a.Arrays {
		values, _ := v.Values.([]float64)
		switch v.Name {
		case "mean":
			s.mean = values[0]
		case "lowest":
			s.lowest = values[0]
		case "highest":
			s.highest = values[0]
		case "values":
			s.values = values
		}
	}
	return s, nil
}

// around returns the landscape of F or J, and its values at directions [L, dim].
func (r *Request) around(x, y *datasets.Set, directions []float32, blur string) (s summary, values []float64, err error) {
	if s, err = r.summary(blur); err != nil {
		return s, nil, err
	}
	if blur == wholeF {
		values, err = experiments.SliceCosts(x, y, directions)
		return s, values, err
	}
	sharp, err := r.summary(wholeF)
	if err != nil {
		return s, nil, err
	}
	kappa, err := strconv.ParseFloat(blur, 64)
	if err != nil {
		return s, nil, fmt.Errorf("blur: expected a number, found %q", blur)
	}
	l, err := experiments.KnownLandscape(x, y, sharp.values)
	if err != nil {
		return s, nil, err
	}
	if l, err = l.Blurred(kappa); err != nil {
		return s, nil, err
	}
	values, err = l.At(directions)
	return s, values, err
}

// project returns the projections of the points and the points from the smallest projection to the
// largest.
func project(s *datasets.Set, theta []float32) (along []float64, order []int32) {
	for i := range s.Points {
		var sum float64
		for k, t := range theta {
			sum += float64(t) * float64(s.Coords[i*s.Dim+k])
		}
		along, order = append(along, sum), append(order, int32(i))
	}
	slices.SortFunc(order, func(i, j int32) int { return cmp.Compare(along[i], along[j]) })
	return along, order
}

// ascent climbs from theta: F of one direction for max-sw, else, for v-dsw, J, of which a step sees the mean over
// some directions from vMF around the location. It answers with all steps, and the largest value over them and the map.
func ascent(r *Request, a *Answer) error {
	c := struct {
		Loss string `json:"loss"`
		loss.Config
	}{Config: loss.Defaults()}
	if err := r.Apply(&c); err != nil {
		return err
	}
	var slicer slicing.Slicer
	blur := wholeF
	switch c.Loss {
	case "max-sw":
		slicer = slicing.Slicer{Distribution: slicing.Point{}, Slices: 1}
	case "v-dsw":
		slicer, blur = slicing.Slicer{Distribution: slicing.VMF{Kappa: c.Kappa}, Slices: c.Slices}, fmt.Sprint(c.Kappa)
	default:
		return fmt.Errorf("loss: expected max-sw or v-dsw, found %q", c.Loss)
	}
	slicer.Ascent = &slicing.Ascent{Steps: c.AscentSteps, LearningRate: c.AscentLearningRate, Tangent: c.AscentTangent}
	x, y, err := r.OnePair()
	if err != nil {
		return err
	}
	theta, err := r.theta(x.Dim)
	if err != nil {
		return err
	}
	e, err := Backend()
	if err != nil {
		return err
	}
	paths, err := experiments.AscentPaths(e, x, y, slicer, theta, r.Seed)
	if err != nil {
		return err
	}
	shown, values, err := r.around(x, y, paths[0], blur)
	if err != nil {
		return err
	}
	Add(a, "locations", paths[0], len(values), x.Dim)
	Add(a, "values", values, len(values))
	Add(a, "largest", []float64{max(shown.highest, slices.Max(values))})
	return nil
}

// directionSettings are the arguments of direction that are no arrays.
type directionSettings struct {
	Amortizer string `json:"amortizer"`
	MapSettings
}

// direction calls swlab.Direction.
func direction(r *Request, a *Answer) error {
	var s directionSettings
	if err := r.Apply(&s); err != nil {
		return err
	}
	x, y, err := r.Pair("x", "y")
	if err != nil {
		return err
	}
	o := swlab.DirectionConfig{Seed: r.Seed, DK: s.DK, K: s.K, Variant: s.Variant}
	if file := r.File(); file != "" {
		if o.Weights, err = weights.Read(file); err != nil {
			return fmt.Errorf("weights: %w", err)
		}
	}
	if o.Engine, err = Backend(); err != nil {
		return err
	}
	d, err := swlab.Direction(s.Amortizer, x, y, o)
	if err != nil {
		return err
	}
	a.Warnings = d.Warnings
	Add(a, "theta", d.Directions, x.Clouds, x.Dim)
	return nil
}
