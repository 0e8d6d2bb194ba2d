//go:build cgo

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/internal/memory"
	"github.com/sliced-wasserstein/lab/internal/settings"
	"github.com/sliced-wasserstein/lab/internal/version"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot"
	"github.com/sliced-wasserstein/lab/swlab/vmf"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// request is a call from Python: a function, the arguments that were given, as texts, and the arrays.
type request struct {
	Function string            `json:"function"`
	Seed     uint64            `json:"seed"`
	Settings map[string]string `json:"settings"`
	Arrays   []input           `json:"arrays"`
}

// input is an array in the caller's memory, row-major: of float32, or wide, of float64.
type input struct {
	Name   string `json:"name"`
	Shape  []int  `json:"shape"`
	DType  string `json:"dtype"`
	values []float32
	wide   []float64
}

func (a input) size() int {
	n := 1
	for _, k := range a.Shape {
		n *= k
	}
	return n
}

// answer is what a call returns beside its arrays.
type answer struct {
	Error  string            `json:"error,omitempty"`
	Kind   string            `json:"kind,omitempty"` // of the error: "value", "memory" or "internal"
	Text   map[string]string `json:"text,omitempty"`
	Arrays []output          `json:"arrays,omitempty"`
	// Warnings say why a number may not be what the caller expects.
	Warnings []string `json:"warnings,omitempty"`
}

// output is an array of float64, float32 or int32, row-major.
type output struct {
	Name   string `json:"name"`
	DType  string `json:"dtype"`
	Shape  []int  `json:"shape"`
	values any
}

// add adds an array to the answer, unless the result has none.
func add[T float32 | float64 | int32](a *answer, name string, values []T, shape ...int) {
	if values != nil {
		a.Arrays = append(a.Arrays, output{name, strings.TrimPrefix(fmt.Sprintf("%T", values), "[]"), append([]int{}, shape...), values})
	}
}

// pythonic words an error of the library for a caller in Python.
var pythonic = strings.NewReplacer("--reduce mean, in Go Reduce: loss.Mean", `reduce="mean"`, "--normalize unit, in Go Normalize: true", `normalize="unit"`,
	"masses of ", "mass_", "ascent steps:", "ascent_steps:", "ascent rate:", "ascent_rate:")

func (a *answer) fail(err error) {
	*a = answer{Error: pythonic.Replace(err.Error()), Kind: "value"}
	if full := new(memory.Error); errors.As(err, &full) {
		a.Kind = "memory"
	}
}

// respond answers a request.
func respond(r request) (a answer) {
	defer func() {
		if e := recover(); e != nil {
			a = answer{Error: fmt.Sprintf("%s: %v", r.Function, e), Kind: "internal"}
		}
	}()
	var err error
	switch r.Function {
	case "distance":
		err = distance(r, &a)
	case "emd":
		err = emd(r, &a)
	case "vmf_samples":
		err = samples(r, &a)
	case "version":
		a.Text = map[string]string{"version": version.String()}
	default:
		err = fmt.Errorf("unknown function %q", r.Function)
	}
	if err != nil {
		a.fail(err)
	}
	return a
}

// apply sets the fields of the struct that ptr points to by their names in Python.
func (r request) apply(ptr any) error {
	values := map[string]any{}
	for name, text := range r.Settings {
		values[name] = text
	}
	return settings.Of(ptr).Apply(values)
}

func (r request) array(name string) *input {
	for i := range r.Arrays {
		if r.Arrays[i].Name == name {
			return &r.Arrays[i]
		}
	}
	return nil
}

// clouds returns an array [clouds, points, dim] as a set: without a copy of float32, float64 rounded as
// [datasets.New] does.
func (r request) clouds(name string) (*datasets.Set, error) {
	a := r.array(name)
	if a == nil || len(a.Shape) != 3 {
		return nil, fmt.Errorf("%s: expected an array [points, dim] or [clouds, points, dim]", name)
	}
	if a.wide != nil {
		s, err := datasets.New(a.wide, a.Shape...)
		if err == nil {
			s.Name = name
			return s, nil
		}
		for _, v := range a.wide { // the call says what is wrong, as of float32
			a.values = append(a.values, float32(v))
		}
	}
	return &datasets.Set{Name: name, Kind: "memory", Coords: a.values, Clouds: a.Shape[0], Points: a.Shape[1], Dim: a.Shape[2]}, nil
}

// pair returns both clouds.
func (r request) pair() (x, y *datasets.Set, err error) {
	if x, err = r.clouds("x"); err == nil {
		y, err = r.clouds("y")
	}
	return x, y, err
}

// masses returns the masses [clouds, points] of a set's points, or nil.
func (r request) masses(name string, set *datasets.Set) ([]float64, error) {
	a := r.array(name)
	if a == nil {
		return nil, nil
	}
	if !slices.Equal(a.Shape, []int{set.Clouds, set.Points}) {
		return nil, fmt.Errorf("%s: expected shape [%d, %d] like the clouds of %s, found %v", name, set.Clouds, set.Points, set.Name, a.Shape)
	}
	return a.wide, nil
}

// distanceSettings are the arguments of distance that are no arrays.
type distanceSettings struct {
	Loss      string            `json:"loss"`
	Path      string            `json:"path"`
	Normalize string            `json:"normalize"`
	Gradient  bool              `json:"gradient"`
	DK        int               `json:"dk"`
	K         int               `json:"k"`
	Variant   amortizer.Variant `json:"variant"`
	Weights   string            `json:"weights"`
	loss.Config
}

// backend stays open, and keeps what calls compile.
var backend = sync.OnceValues(func() (*engine.Engine, error) { return engine.Open("go") })

// config returns the configuration of swlab.Distance, and an error for a setting without effect.
func (s distanceSettings) config(r request) (o swlab.DistanceConfig, err error) {
	s.Maps = amortizer.Config{DK: s.DK, K: s.K, Variant: s.Variant}
	known := s.Config
	known.Maps.Points = 1 // the clouds' own follows
	if _, err := loss.New(s.Loss, known); err != nil {
		return o, err
	}
	for name := range r.Settings {
		if !slices.Contains(loss.SettingNames(), name) {
			continue
		}
		why, err := loss.Unread(s.Loss, known, r.array("directions") != nil, name)
		if err != nil {
			return o, err
		}
		if why != "" {
			return o, fmt.Errorf("%s would do nothing: %s", name, why)
		}
	}
	path, ok := map[string]swlab.Path{"auto": swlab.AutoPath, "host": swlab.HostPath, "graph": swlab.GraphPath}[s.Path]
	if !ok {
		return o, fmt.Errorf("path: expected auto, host or graph, found %q", s.Path)
	}
	unit, ok := map[string]bool{"": false, "unit": true}[s.Normalize] // "none" reads as none
	if !ok {
		return o, fmt.Errorf("normalize: expected none or unit, found %q", s.Normalize)
	}
	o = swlab.DistanceConfig{Config: s.Config, Seed: r.Seed, Path: path, Normalize: unit, Gradient: s.Gradient, GradientX: s.Gradient}
	if s.Weights != "" {
		if s.Amortizer == "" {
			return o, fmt.Errorf("weights: without an amortizer nothing has weights")
		}
		if o.Weights, err = weights.Read(s.Weights); err != nil {
			return o, fmt.Errorf("weights: %w", err)
		}
	}
	o.Engine, err = backend()
	return o, err
}

// distance calls swlab.Distance.
func distance(r request, a *answer) error {
	s := distanceSettings{Config: loss.Defaults(), Path: "auto"}
	if err := r.apply(&s); err != nil {
		return err
	}
	x, y, err := r.pair()
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
	if d := r.array("directions"); d != nil {
		o.Directions = &swlab.Directions{Values: d.values, Shape: d.Shape}
	}
	d, err := swlab.Distance(s.Loss, x, y, o)
	if err != nil {
		return err
	}
	a.Text = map[string]string{"loss": d.Loss, "convention": d.Convention, "slices": strconv.Itoa(d.Slices)}
	for _, w := range d.Warnings {
		a.Warnings = append(a.Warnings, pythonic.Replace(w))
	}
	add(a, "value", []float64{d.Value})
	add(a, "stderr", []float64{d.StdErr})
	add(a, "interval", []float64{d.Low, d.High}, 2)
	add(a, "p", []float64{d.Exponent})
	add(a, "per_pair", d.PerPair, x.Clouds)
	add(a, "per_pair_stderr", d.PairErrs, x.Clouds)
	add(a, "duality_gap", d.DualityGap, x.Clouds)
	add(a, "matched_mass", d.MatchedMass, x.Clouds)
	perPair := len(d.Costs) / x.Clouds
	add(a, "costs", d.Costs, x.Clouds, perPair)
	add(a, "directions", d.Directions, x.Clouds, perPair, x.Dim)
	add(a, "location", d.Location, x.Clouds, x.Dim)
	add(a, "gradient_x", d.GradientX, x.Clouds, x.Points, x.Dim)
	add(a, "gradient_y", d.Gradient, y.Clouds, y.Points, y.Dim)
	return nil
}

// emdSettings are the arguments of emd that are no arrays.
type emdSettings struct {
	P        float64 `json:"p"`
	Gradient bool    `json:"gradient"`
}

// emd calls ot.EMD for every pair.
func emd(r request, a *answer) error {
	s := emdSettings{P: 1}
	if err := r.apply(&s); err != nil {
		return err
	}
	x, y, err := r.pair()
	if err != nil {
		return err
	}
	// The shapes, as of a distance.
	if err := swlab.CheckDistance("emd-exact", x, y, swlab.DistanceConfig{}); err != nil {
		return err
	}
	x, y = datasets.Aligned(x, y)
	a.Warnings = append(x.Warnings(), y.Warnings()...)
	var cost, gap, slack, u, v, gx, gy []float64
	var match []int32
	for b := range x.Clouds {
		m, err := ot.EMD(x.Cloud(b), y.Cloud(b), x.Dim, s.P)
		if err != nil {
			return fmt.Errorf("pair %d: %w", b, err)
		}
		cost, gap, slack = append(cost, m.Cost), append(gap, m.DualityGap), append(slack, m.Slack)
		match, u, v = append(match, m.Match...), append(u, m.U...), append(v, m.V...)
		if s.Gradient {
			dx, dy := m.Gradient(x.Cloud(b), y.Cloud(b), x.Dim, s.P)
			gx, gy = append(gx, dx...), append(gy, dy...)
		}
	}
	add(a, "cost", cost, x.Clouds)
	add(a, "match", match, x.Clouds, x.Points)
	add(a, "u", u, x.Clouds, x.Points)
	add(a, "v", v, x.Clouds, x.Points)
	add(a, "duality_gap", gap, x.Clouds)
	add(a, "slack", slack, x.Clouds)
	add(a, "gradient_x", gx, x.Clouds, x.Points, x.Dim)
	add(a, "gradient_y", gy, x.Clouds, x.Points, x.Dim)
	return nil
}

// sampleSettings are the arguments of vmf_samples that are no arrays. The location is numbers with
// commas in between.
type sampleSettings struct {
	Location string  `json:"location"`
	Kappa    float64 `json:"kappa"`
	N        int     `json:"n"`
}

// samples draws from a von Mises-Fisher distribution.
func samples(r request, a *answer) error {
	var s sampleSettings
	if err := r.apply(&s); err != nil {
		return err
	}
	var location []float64
	for _, text := range strings.Split(s.Location, ",") {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return fmt.Errorf("location: expected numbers, found %q", text)
		}
		location = append(location, v)
	}
	if s.N < 1 {
		return fmt.Errorf("n: expected at least 1 sample, found %d", s.N)
	}
	if err := memory.Check(fmt.Sprintf("n: %d samples of dimension %d", s.N, len(location)), memory.Bytes(16, s.N, len(location))); err != nil {
		return err
	}
	d, err := vmf.New(location, s.Kappa)
	if err != nil {
		return err
	}
	add(a, "samples", d.Rand(rand.New(rand.NewPCG(r.Seed, 0)), s.N), s.N, len(location))
	return nil
}
