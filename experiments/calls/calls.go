// Package calls answers calls by name: settings as texts and arrays come in, texts and arrays go out.
// The Python package calls it through the shared library in python/library, package lab in a process or in its
// own program, and the playground in the browser.
//
// A further call is a function of a *Request and an *Answer. Its settings are a struct with JSON names, which
// [Request.Apply] fills, so that a wrong one is refused by name. Calls that need pictures, trainings or tables are
// in package all, so that programs that do without stay small; programs [Register] their own.
package calls

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/internal/memory"
	"github.com/sliced-wasserstein/lab/internal/settings"
	"github.com/sliced-wasserstein/lab/internal/suggest"
	"github.com/sliced-wasserstein/lab/internal/version"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/ot"
	"github.com/sliced-wasserstein/lab/swlab/vmf"
)

// Request is a call: a function, the settings that were given, as texts, and the arrays.
type Request struct {
	Function string            `json:"function"`
	Seed     uint64            `json:"seed"`
	Settings map[string]string `json:"settings"`
	Arrays   []Array           `json:"arrays"`
	Dir      string            `json:"dir,omitempty"` // folder that relative paths start from; "": the process's

	ctx   context.Context
	space *Space      // nil: the caller keeps everything itself
	show  func(Event) // nil: nobody looks
}

// Array is an array, row-major. Outside of this process its values are those of Ref, an array that a
// [Space] keeps, or Data or the content of File: little-endian numbers.
type Array struct {
	Name   string `json:"name"`
	DType  string `json:"dtype"` // of Values, such as "float32"
	Shape  []int  `json:"shape"` // empty: one number
	Values any    `json:"-"`     // []float32, []float64, []int32 or []uint8
	Ref    string `json:"ref,omitempty"`
	Data   []byte `json:"data,omitempty"`
	File   string `json:"file,omitempty"`

	set *datasets.Set // that the values are the points of; nil: none
}

// Size is the number of its values.
func (a Array) Size() int {
	n := 1
	for _, k := range a.Shape {
		n *= k
	}
	return n
}

// Answer is what a call returns.
type Answer struct {
	Error  string            `json:"error,omitempty"`
	Kind   string            `json:"kind,omitempty"` // of the error: "value", "memory" or "internal"
	Text   map[string]string `json:"text,omitempty"`
	Arrays []Array           `json:"arrays,omitempty"`
	// Warnings say why a number may not be what the caller expects.
	Warnings []string `json:"warnings,omitempty"`

	set *datasets.Set // whose points are the array "points"; nil: none
}

// Add adds an array to the answer, unless the result has none.
func Add[T float32 | float64 | int32](a *Answer, name string, values []T, shape ...int) {
	if values != nil {
		kind := strings.TrimPrefix(fmt.Sprintf("%T", values), "[]")
		a.Arrays = append(a.Arrays, Array{Name: name, DType: kind, Shape: append([]int{}, shape...), Values: values})
	}
}

// Call is a function that answers requests.
type Call struct {
	Answer func(*Request, *Answer) error
	// Volatile: a [Space] asks it every time, and keeps nothing of it.
	Volatile bool
	// Stored: it has what it finds in the folder that its text "folder" names, too, and shows it while it works.
	Stored bool
	// Inside: only a [Space] can answer it.
	Inside bool
	// File is the file or folder that a request reads, "" for none; nil: that of its setting "weights".
	File func(*Request) string
}

// known are the calls by their names.
var known = map[string]Call{}

// Register adds a call of that name.
func Register(name string, c Call) { known[name] = c }

func init() {
	for name, answer := range map[string]func(*Request, *Answer) error{
		"ablate":      ablate,
		"ascent":      ascent,
		"direction":   direction,
		"distance":    distance,
		"emd":         emd,
		"descend":     descend,
		"landscape":   landscape,
		"slice_costs": sliceCosts,
		"vmf_samples": samples,
		"version": func(_ *Request, a *Answer) error {
			a.Text = map[string]string{"version": version.String()}
			return nil
		},
	} {
		Register(name, Call{Answer: answer})
	}
	Register("cloud", Call{Answer: cloud, File: clouded})
	Register("slice", Call{Answer: slice, Volatile: true})
	for name, answer := range map[string]func(*Request, *Answer) error{
		"fetch": fetch, "forget": forget, "keep": keep, "kept": recall, "variables": variables,
	} {
		Register(name, Call{Answer: answer, Inside: true, Volatile: true})
	}
	Register("array", Call{Answer: array, Inside: true})
}

// pythonic words an error of the library for a caller in Python.
var pythonic = strings.NewReplacer("--reduce mean, in Go Reduce: loss.Mean", `reduce="mean"`, "--normalize unit, in Go Normalize: true", `normalize="unit"`,
	"masses of ", "mass_", "--certify", "certify", "without --amortizer", "without an amortizer", "directions of --directions", "directions", "--scale (in Go Scale: true)", "scale=True", "`swlab test` (in Go TwoSampleTest)", "swlab.two_sample_test", "gradient (--out-grad)", "gradient",
	"ascent steps:", "ascent_steps:", "ascent rate:", "ascent_rate:",
	"--ascent-starts, in Go AscentStarts", "ascent_starts", "--budget, in Go Search.Budget", "budget")

// Fail makes the answer that error.
func (a *Answer) Fail(err error) {
	*a = Answer{Error: pythonic.Replace(err.Error()), Kind: "value"}
	if errors.Is(err, context.Canceled) {
		*a = Answer{Error: "interrupted", Kind: "interrupted"}
	}
	if full := new(memory.Error); errors.As(err, &full) {
		a.Kind = "memory"
	}
}

// Respond answers a request. A panic becomes an error, so that the caller's process lives on.
func Respond(r Request) (a Answer) {
	defer func() {
		if e := recover(); e != nil {
			a = Answer{Error: fmt.Sprintf("%s: %v", r.Function, e), Kind: "internal"}
		}
	}()
	if r.ctx == nil {
		r.ctx = context.Background()
	}
	call, ok := known[r.Function]
	if !ok || call.Inside && r.space == nil {
		a.Fail(suggest.Unknown("function", r.Function, slices.Sorted(maps.Keys(known))))
	} else if err := call.Answer(&r, &a); err != nil {
		a.Fail(err)
	}
	return a
}

// Apply sets the fields of the struct that ptr points to by their names in JSON: all that have one or, with
// keys, those that have one of these struct tags.
func (r *Request) Apply(ptr any, keys ...string) error {
	rest := maps.Clone(r.Settings)
	if keys == nil {
		keys = []string{"json"}
	}
	if err := Take(rest, ptr, keys...); err != nil {
		return err
	}
	if others := slices.Sorted(maps.Keys(rest)); len(others) > 0 {
		return suggest.Unknown("setting", others[0], settings.Of(ptr, keys...).Names())
	}
	return nil
}

// Take is Apply for the settings that the struct has; it removes them from all, and leaves the others.
func Take(all map[string]string, ptr any, keys ...string) error {
	own, fields := map[string]any{}, settings.Of(ptr, keys...)
	for _, name := range fields.Names() {
		if v, given := all[name]; given {
			own[name] = v
			delete(all, name)
		}
	}
	return fields.Apply(own)
}

// Refuse returns an error for a setting that was given and has no effect: unused says why.
func (r *Request) Refuse(unused func(name string) (why string, err error)) error {
	for _, name := range slices.Sorted(maps.Keys(r.Settings)) {
		why, err := unused(name)
		if err == nil && why != "" {
			err = fmt.Errorf("%s would do nothing: %s", name, why)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Context ends when nobody waits for the answer.
func (r *Request) Context() context.Context { return r.ctx }

// Show shows something to the caller, if it looks.
func (r *Request) Show(e Event) {
	if r.show != nil {
		r.show(e)
	}
}

// Array returns the array of that name, nil without one.
func (r *Request) Array(name string) *Array {
	for i := range r.Arrays {
		if r.Arrays[i].Name == name {
			return &r.Arrays[i]
		}
	}
	return nil
}

// Wide returns an array in float64, and its shape; nil without one. A set of one cloud is that cloud.
func (r *Request) Wide(name string) (values []float64, shape []int) {
	a := r.Array(name)
	if a == nil {
		return nil, nil
	}
	if shape = a.Shape; len(shape) == 3 && shape[0] == 1 {
		shape = shape[1:]
	}
	switch v := a.Values.(type) {
	case []float64:
		return v, shape
	case []float32:
		for _, one := range v {
			values = append(values, float64(one))
		}
	}
	return values, shape
}

// Points returns an array [points, dim], or a set of one cloud, in float64.
func (r *Request) Points(name string) (values []float64, dim int, err error) {
	values, shape := r.Wide(name)
	if len(shape) != 2 {
		return nil, 0, fmt.Errorf("%s: expected an array [points, dim], found shape %v", name, shape)
	}
	return values, shape[1], nil
}

// Directions returns the directions [L, dim]; nil without them.
func (r *Request) Directions(dim int) ([]float64, error) {
	values, shape := r.Wide("directions")
	if shape != nil && (len(shape) != 2 || shape[1] != dim) {
		return nil, fmt.Errorf("directions: expected shape [L, %d], found %v", dim, shape)
	}
	return values, nil
}

// Unit makes unit vectors of rows of vectors of any length but 0.
func Unit[T float32 | float64](name string, values []T, dim int) (unit []float32, err error) {
	if len(values) == 0 || len(values)%dim != 0 {
		return nil, fmt.Errorf("%s: expected directions of %d coordinates, found %d numbers", name, dim, len(values))
	}
	for v := range slices.Chunk(values, dim) {
		square := 0.0
		for _, c := range v {
			square += float64(c) * float64(c)
		}
		if !(square > 0) {
			return nil, fmt.Errorf("%s: expected a direction other than 0, found %v", name, v)
		}
		for _, c := range v {
			unit = append(unit, float32(float64(c)/math.Sqrt(square)))
		}
	}
	return unit, nil
}

// narrow returns the values in float32.
func (a *Array) narrow() (values []float32, err error) {
	switch v := a.Values.(type) {
	case []float32:
		return v, nil
	case []float64:
		for _, one := range v {
			values = append(values, float32(one))
		}
		return values, nil
	}
	return nil, fmt.Errorf("%s: expected float32 or float64, found %s", a.Name, a.DType)
}

// Clouds returns an array [clouds, points, dim] as a set: without a copy of float32, float64 rounded as
// [datasets.New] does.
func (r *Request) Clouds(name string) (*datasets.Set, error) {
	a := r.Array(name)
	if a != nil && a.set != nil {
		return a.set, nil
	}
	if a == nil || len(a.Shape) != 3 {
		return nil, fmt.Errorf("%s: expected an array [points, dim] or [clouds, points, dim]", name)
	}
	values, narrow := a.Values.([]float32)
	if wide, is := a.Values.([]float64); is {
		s, err := datasets.New(wide, a.Shape...)
		if err == nil {
			s.Name = name
			return s, nil
		}
		narrow = true
		for _, v := range wide { // the call says what is wrong, as of float32
			values = append(values, float32(v))
		}
	}
	if !narrow {
		return nil, fmt.Errorf("%s: expected float32 or float64, found %s", name, a.DType)
	}
	return &datasets.Set{Name: name, Kind: "memory", Coords: values, Clouds: a.Shape[0], Points: a.Shape[1], Dim: a.Shape[2]}, nil
}

// Pair returns the clouds of two names, as Clouds does.
func (r *Request) Pair(xName, yName string) (x, y *datasets.Set, err error) {
	if x, err = r.Clouds(xName); err == nil {
		y, err = r.Clouds(yName)
	}
	return x, y, err
}

// Backend is the pure-Go backend. It stays open, and keeps what calls compile.
var Backend = sync.OnceValues(func() (*engine.Engine, error) { return engine.Open("go") })

// emdSettings are the arguments of emd that are no arrays.
type emdSettings struct {
	P        float64 `json:"p"`
	Gradient bool    `json:"gradient"`
}

// emd calls ot.EMD for every pair.
func emd(r *Request, a *Answer) error {
	s := emdSettings{P: 1}
	if err := r.Apply(&s); err != nil {
		return err
	}
	x, y, err := r.Pair("x", "y")
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
	Add(a, "cost", cost, x.Clouds)
	Add(a, "match", match, x.Clouds, x.Points)
	Add(a, "u", u, x.Clouds, x.Points)
	Add(a, "v", v, x.Clouds, x.Points)
	Add(a, "duality_gap", gap, x.Clouds)
	Add(a, "slack", slack, x.Clouds)
	Add(a, "gradient_x", gx, x.Clouds, x.Points, x.Dim)
	Add(a, "gradient_y", gy, x.Clouds, x.Points, x.Dim)
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
func samples(r *Request, a *Answer) error {
	var s sampleSettings
	if err := r.Apply(&s); err != nil {
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
	Add(a, "samples", d.Rand(rand.New(rand.NewPCG(r.Seed, 0)), s.N), s.N, len(location))
	return nil
}
