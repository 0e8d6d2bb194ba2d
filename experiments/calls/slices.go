package calls

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/experiments"
	"github.com/sliced-wasserstein/lab/experiments/flow"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/vmf"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// OnePair returns the first pair of the clouds x and y, relative to a common origin.
func (r *Request) OnePair() (x, y *datasets.Set, err error) {
	if x, y, err = r.Pair(); err != nil {
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
	Amortizer string            `json:"amortizer"`
	DK        int               `json:"dk"`
	K         int               `json:"k"`
	Variant   amortizer.Variant `json:"variant"`
	Weights   string            `json:"weights"` // file; "": initial ones, drawn with the seed
}

// direction calls swlab.Direction.
func direction(r *Request, a *Answer) error {
	var s directionSettings
	if err := r.Apply(&s); err != nil {
		return err
	}
	x, y, err := r.Pair()
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

// descendSettings are the arguments of descend that are no arrays, beside those of the sliced distance.
type descendSettings struct {
	Steps int     `json:"steps" range:"0.."`
	Rate  float64 `json:"rate"`
	loss.Config
}

// descend takes y some steps down the gradient of the sliced distance to x (flow.Descend), with directions that are
// given, from vMF around theta in every step, or drawn by the distance in every step. It answers with the first and the last
// state, and their distances to x in the units of the coordinates: SW_2, the root of the mean over all directions, and W_2.
func descend(r *Request, a *Answer) error {
	s := descendSettings{Config: loss.Defaults(), Rate: 1}
	if err := r.Apply(&s); err != nil {
		return err
	}
	x, y, err := r.OnePair()
	if err != nil {
		return err
	}
	o := swlab.DistanceConfig{Config: s.Config, Path: swlab.HostPath}
	o.Reduce = loss.Mean
	if o.Engine, err = Backend(); err != nil {
		return err
	}
	draw, err := r.drawn(&o, x.Dim)
	if err != nil {
		return err
	}
	value := func(y *datasets.Set, step int) (float64, []float32, error) {
		now := o
		now.Seed = r.Seed + uint64(step)
		if draw != nil {
			now.Directions = draw(now.Seed)
		}
		return flow.Distance("sw", x, now)(y, step)
	}
	f, err := flow.Descend(r.ctx, x, y, value, flow.Config{Steps: s.Steps, LearningRate: s.Rate, Every: max(1, s.Steps)})
	if err != nil {
		return err
	}
	var sw, w2 []float64
	for _, frame := range f.Frames {
		now := *r
		moved := Array{Name: "y", DType: "float32", Shape: []int{1, y.Points, y.Dim}, Values: frame.Points}
		moved.identify(encode(frame.Points))
		now.Arrays = []Array{*r.Array("x"), moved}
		m, err := now.summary(wholeF)
		if err != nil {
			return err
		}
		sw, w2 = append(sw, math.Sqrt(m.mean)), append(w2, frame.EMD)
	}
	last := f.Frames[len(f.Frames)-1].Points
	Add(a, "points", last, 1, y.Points, y.Dim)
	Add(a, "sw", sw, len(sw))
	Add(a, "w2", w2, len(w2))
	return nil
}

// drawn gives the distance the array "directions", or returns how to draw directions around the array "theta".
func (r *Request) drawn(o *swlab.DistanceConfig, dim int) (draw func(seed uint64) *swlab.Directions, err error) {
	if given := r.Array("directions"); given != nil {
		values, err := given.narrow()
		o.Directions = &swlab.Directions{Values: values, Shape: given.Shape}
		return nil, err
	}
	if r.Array("theta") == nil {
		return nil, nil
	}
	theta, err := r.theta(dim)
	if err != nil {
		return nil, err
	}
	around, err := vmf.New(theta, o.Kappa)
	if err != nil {
		return nil, err
	}
	return func(seed uint64) *swlab.Directions {
		values := around.Rand32(rand.New(rand.NewPCG(seed, 0)), o.Slices)
		return &swlab.Directions{Values: values, Shape: []int{o.Slices, dim}}
	}, nil
}
