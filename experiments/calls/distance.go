package calls

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/sphere"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// MapSettings are those of amortizers.
type MapSettings struct {
	DK      int               `json:"dk" group:"Ascent and amortizer" range:"1.." unset:"0" help:"width of the amortizer's queries and keys (default: the weights' own, or 64)"`
	K       int               `json:"k" group:"Ascent and amortizer" range:"1.." unset:"0" help:"projected keys and values of the amortizer la (default: the weights' own, or 64)"`
	Variant amortizer.Variant `json:"variant" unit:"NAME" group:"Ascent and amortizer" help:"amortizers as released, or as in the paper"`
	Weights string            `json:"weights" unit:"FILE" reads:"file" group:"Ascent and amortizer" help:"weights of the amortizer, .safetensors or .pth (default: initial ones, by --seed)"`
}

// DistanceSettings are those of a distance: of the call, and flags of the command. What is a file there
// is an array here.
type DistanceSettings struct {
	MapSettings
	loss.Config
	Certify bool `json:"certify" group:"Ascent and amortizer" help:"max-sw, d = 2 or 3: the global maximum, with a proof of how near it is, in place of the ascent"`
	sphere.Search
	Loss       string `json:"loss" unit:"NAME" group:"Loss" help:"what is computed: %s"`
	MassX      string `flag:"mass-x" unit:"FILE" reads:"file" group:"Loss" help:".npy file with masses of the points of x, [m] or [B,m], divided by their sum; sw and its kind and emd-exact need --reduce mean"`
	MassY      string `flag:"mass-y" unit:"FILE" reads:"file" group:"Loss" help:".npy file with masses of the points of y"`
	Normalize  string `json:"normalize" unit:"NAME" words:"none unit" group:"Loss" help:"emd-approx: unit centres both clouds of a pair together, scales them to radius 1, and the value back; none takes clouds as they are"`
	Bracket    bool   `json:"bracket" group:"Loss" help:"also bound the 2-Wasserstein distance (root, mean over points) by the same directions; sliced losses with p = 2"`
	Labelled   string `flag:"labelled" unit:"FILE" reads:"file" group:"Loss" help:"with --bracket: .csv file of pairs with known W2, in rows x file, y file, W2, to which an estimate of W2 is fitted"`
	Scale      bool   `json:"scale" group:"Loss" help:"divide each coordinate by its standard deviation within the clouds: for features of unlike range"`
	Features   int    `json:"features" range:"1.." unset:"0" group:"Loss" help:"slice all monomials of this odd degree in the coordinates, in place of the points"`
	Population bool   `json:"population" group:"Loss" help:"sw and its kind with --p 2 and --reduce mean: also the interval that covers the sampling of the points, for clouds of independent points"`
	Directions string `flag:"directions" unit:"FILE" reads:"file" group:"Directions" help:".npy file with [L,d] or [B,L,d] directions, used as given"`
	Path       string `json:"path" unit:"NAME" words:"auto host graph" group:"Directions" help:"where slices are evaluated: host (plain Go), graph (the training graph), or auto (host unless there is a GPU)"`
	Gradient   bool   `json:"gradient"` // of a call; the command has --out-grad
}

// NewDistanceSettings are the defaults with the loss of that name.
func NewDistanceSettings(name string) DistanceSettings {
	return DistanceSettings{Config: loss.Defaults(), Loss: name, Normalize: "none", Path: "auto"}
}

// LossConfig is the configuration of the loss for clouds of any size, before the clouds are known.
func (s *DistanceSettings) LossConfig() loss.Config {
	c := s.Config
	c.Maps = amortizer.Config{Points: 1, DK: s.DK, K: s.K, Variant: s.Variant}
	return c
}

// Unused says why a setting would have no effect, beside directions that are given or without; "" if it has one.
func (s *DistanceSettings) Unused(name string, given bool) (why string, err error) {
	switch {
	case !s.Certify && (name == "gap" || name == "budget"):
		return "it belongs to --certify", nil
	case s.Certify && strings.HasPrefix(name, "ascent_"):
		return "--certify replaces the ascent", nil
	case name == "weights" && given:
		return "the directions of --directions are used as given", nil
	case name == "weights" && s.Amortizer == "":
		return "without --amortizer nothing has weights", nil
	case slices.Contains(loss.SettingNames(), name):
		return loss.Unread(s.Loss, s.LossConfig(), given, name)
	}
	return "", nil
}

// Configure makes the configuration of swlab.Distance, without what files or arrays hold and without a backend.
func (s *DistanceSettings) Configure(seed uint64) (o swlab.DistanceConfig, err error) {
	path, ok := map[string]swlab.Path{"auto": swlab.AutoPath, "host": swlab.HostPath, "graph": swlab.GraphPath}[s.Path]
	if !ok {
		return o, fmt.Errorf("path: expected auto, host or graph, found %q", s.Path)
	}
	unit, ok := map[string]bool{"": false, "none": false, "unit": true}[s.Normalize]
	if !ok {
		return o, fmt.Errorf("normalize: expected none or unit, found %q", s.Normalize)
	}
	o = swlab.DistanceConfig{Config: s.LossConfig(), Seed: seed, Path: path, Normalize: unit, Bracket: s.Bracket,
		Population: s.Population, Scale: s.Scale, Certify: s.Certify, Search: s.Search}
	o.Maps.Points = 0
	if s.Features != 0 {
		o.Features, err = swlab.Polynomials(s.Features)
	}
	return o, err
}

// config is Configure for a request, with its weights and gradients, or an error for a setting without effect.
func (s *DistanceSettings) config(r *Request) (o swlab.DistanceConfig, err error) {
	if _, err := loss.New(s.Loss, s.LossConfig()); err != nil {
		return o, err
	}
	given := r.Array("directions") != nil
	if err := r.Refuse(func(name string) (string, error) { return s.Unused(name, given) }); err != nil {
		return o, err
	}
	if o, err = s.Configure(r.Seed); err != nil {
		return o, err
	}
	o.Gradient, o.GradientX = s.Gradient, s.Gradient
	if s.Weights != "" {
		if o.Weights, err = weights.Read(s.Weights); err != nil {
			return o, fmt.Errorf("weights: %w", err)
		}
	}
	o.Engine, err = Backend()
	return o, err
}

// masses returns the masses [clouds, points] of a set's points, or nil.
func (r *Request) masses(name string, set *datasets.Set) ([]float64, error) {
	a := r.Array(name)
	if a == nil {
		return nil, nil
	}
	if !slices.Equal(a.Shape, []int{set.Clouds, set.Points}) {
		return nil, fmt.Errorf("%s: expected shape [%d, %d] like the clouds of %s, found %v", name, set.Clouds, set.Points, set.Name, a.Shape)
	}
	masses, ok := a.Values.([]float64)
	if !ok {
		return nil, fmt.Errorf("%s: expected float64, found %s", name, a.DType)
	}
	return masses, nil
}

// distance calls swlab.Distance.
func distance(r *Request, a *Answer) error {
	s := NewDistanceSettings("")
	if err := r.Apply(&s); err != nil {
		return err
	}
	x, y, err := r.Pair("x", "y")
	if err != nil {
		return err
	}
	o, err := s.config(r)
	if err != nil {
		return err
	}
	if o.MassX, err = r.masses("mass_x", x); err != nil {
		return err
	}
	if o.MassY, err = r.masses("mass_y", y); err != nil {
		return err
	}
	if d := r.Array("directions"); d != nil {
		values, err := d.narrow()
		if err != nil {
			return err
		}
		o.Directions = &swlab.Directions{Values: values, Shape: d.Shape}
	}
	if o.Estimator, err = r.estimator(s.Loss, o); err != nil {
		return err
	}
	d, err := swlab.Distance(s.Loss, x, y, o)
	if err != nil {
		return err
	}
	a.Text = map[string]string{"loss": d.Loss, "convention": d.Convention, "slices": strconv.Itoa(d.Slices)}
	if d.Costs != nil {
		a.Text["line_cost"], a.Text["slicing"], a.Text["covers"] = d.LineCost.String(), d.Slicing, d.Covers
	}
	for _, w := range d.Warnings {
		a.Warnings = append(a.Warnings, pythonic.Replace(w))
	}
	Add(a, "value", []float64{d.Value})
	Add(a, "stderr", []float64{d.StdErr})
	Add(a, "interval", []float64{d.Low, d.High}, 2)
	Add(a, "p", []float64{d.Exponent})
	Add(a, "scale", d.Scale, len(d.Scale))
	if p := d.Population; p != nil {
		Add(a, "population_stderr", []float64{p.StdErr})
		Add(a, "population_low", []float64{p.Low})
		Add(a, "population_high", []float64{p.High})
	}
	Add(a, "per_pair", d.PerPair, x.Clouds)
	Add(a, "per_pair_stderr", d.PairErrs, x.Clouds)
	Add(a, "duality_gap", d.DualityGap, x.Clouds)
	Add(a, "ascent_starts", d.Starts, x.Clouds, len(d.Starts)/x.Clouds)
	Add(a, "matched_mass", d.MatchedMass, x.Clouds)
	if d.MarginalCosts != nil {
		Add(a, "marginal_costs", slices.Concat(d.MarginalCosts...), x.Clouds, len(d.MarginalCosts[0]))
	}
	perPair := len(d.Costs) / x.Clouds
	Add(a, "costs", d.Costs, x.Clouds, perPair)
	Add(a, "directions", d.Directions, x.Clouds, perPair, len(d.Directions)/max(1, x.Clouds*perPair))
	Add(a, "location", d.Location, x.Clouds, len(d.Location)/x.Clouds)
	Add(a, "gradient_x", d.GradientX, x.Clouds, x.Points, x.Dim)
	Add(a, "gradient_y", d.Gradient, y.Clouds, y.Points, y.Dim)
	if b := d.Bracket; b != nil {
		Add(a, "bracket_low", []float64{b.Low})
		Add(a, "bracket_high", []float64{b.High})
		Add(a, "bracket_low_per_pair", b.PairLows, x.Clouds)
		Add(a, "bracket_high_per_pair", b.PairHighs, x.Clouds)
		if b.PairEstimates != nil {
			Add(a, "bracket_estimate", []float64{b.Estimate})
			Add(a, "bracket_estimate_per_pair", b.PairEstimates, x.Clouds)
		}
	}
	return nil
}

// estimator is fitted to the labelled pairs x0, y0, x1, y1, ..., whose W2 are an array; nil without it.
func (r *Request) estimator(loss string, o swlab.DistanceConfig) (*swlab.Estimator, error) {
	labels := r.Array("labelled")
	if labels == nil {
		return nil, nil
	}
	if !o.Bracket {
		return nil, errors.New("labelled would do nothing: it belongs to bracket=True")
	}
	w2, ok := labels.Values.([]float64)
	if !ok {
		return nil, fmt.Errorf("labelled: expected float64, found %s", labels.DType)
	}
	var pairs []swlab.Labelled
	for i, w := range w2 {
		x, y, err := r.Pair(fmt.Sprintf("labelled_x%d", i), fmt.Sprintf("labelled_y%d", i))
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, swlab.Labelled{X: x, Y: y, W2: w})
	}
	return swlab.FitEstimator(loss, pairs, o)
}
