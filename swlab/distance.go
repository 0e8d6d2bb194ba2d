// Package swlab computes distances between point clouds in plain Go values, without graphs. The
// packages below it hold the pieces; see docs/architecture.md.
//
//	x, err := datasets.Load("x.npy", datasets.Options{Raw: true}) // or datasets.FromSlices, datasets.New
//	if err != nil {
//		return err
//	}
//	y, err := datasets.Load("y.npy", datasets.Options{Raw: true})
//	if err != nil {
//		return err
//	}
//	d, err := swlab.Distance("sw", x, y, swlab.DistanceConfig{Seed: 1})
//	if err != nil {
//		return err
//	}
//	fmt.Printf("%.4f +- %.4f (%s)\n", d.Value, d.StdErr, d.Convention)
package swlab

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/sphere"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// Path says where the costs of slices are computed. All paths agree to 1e-5.
type Path int

const (
	// AutoPath is HostPath unless the Engine has a GPU and no outliers cost the other points digits.
	// Without an Engine, much work goes to a GPU if there is one. On a processor with AVX2 or AVX-512, costs without a gradient are computed
	// from keys of 31 bits, mostly in 0.67 to 0.80 of the time of HostPath and to a relative error of
	// 1e-6, see ot1d.Config.Fast.
	AutoPath Path = iota
	// HostPath is plain Go on all cores, in 52-bit fixed point and float64, with the same result on
	// every x86-64 processor. It compiles nothing, and on a CPU it is several times faster than the graph.
	HostPath
	// GraphPath is a graph on XLA, by its sort, in float32, compiled for the Engine. Clouds of different
	// sizes or with masses, and engines without XLA, take HostPath. It takes
	// clouds whose largest coordinate is between 1e-18 and 1e18 (docs/results/edges.md).
	GraphPath
)

// DistanceConfig configures Distance. The zero value stands for the paper's choices:
// DistanceConfig{} and DistanceConfig{Config: loss.Defaults()} are the same.
type DistanceConfig struct {
	// Config holds the loss's settings. Zero fields stand for those of loss.Defaults(). To ask for
	// a zero itself (kappa = 0, no ascent steps), begin with loss.Defaults(), which is taken as it
	// is; see loss.Config.Explicit.
	loss.Config
	// Seed of the directions: equal seeds give equal directions on every backend. 0 is a seed too.
	Seed       uint64
	Directions *Directions // replace the loss's own; sliced losses only
	// MassX and MassY are [B, points] masses of the points, divided by each cloud's sum; nil: equal
	// ones. For a loss that takes masses (loss.TakesMasses) as a mean over points, Reduce: loss.Mean
	// where that is not the loss's own, and not with an ascent on the location. Amortizers do not see
	// them.
	MassX, MassY []float64
	Weights      *weights.Set // of the amortizer, if any; nil: initial ones, by Seed
	// Normalize centres and scales both clouds of a pair together, to radius 1 around their common
	// centre, and scales the value back. For emd-approx, whose scales are for such clouds. The
	// gradient holds centre and scale fixed, as it does the match.
	Normalize bool
	// Scale divides each coordinate by its standard deviation within the clouds, pooled over all clouds of
	// x and y (1 for a coordinate that is constant in each): for features of unlike range, of which the
	// largest would hide the others. Result.Scale has the numbers. Not with a gradient.
	Scale bool
	// Features, if not nil, maps every point, scaled if asked for, before it is sliced: Polynomials, or a
	// function of your own, which returns as many numbers of every point. Not with a gradient.
	Features  func(point []float64) []float64
	Gradient  bool // also compute the gradient with respect to y
	GradientX bool // the same with respect to x
	// Bracket also bounds W2 by the same directions. It needs a sliced loss with p = 2, whatever it reduces.
	Bracket bool
	// Estimator also estimates W2, in the Bracket; nil: does not.
	Estimator *Estimator
	// Population also computes Result.Population: of sw and its kind with p = 2 and Reduce: loss.Mean,
	// without a root.
	Population bool
	Path       Path // where the costs of slices are computed
	// Certify replaces the ascent of max-sw by a search for the global maximum over all directions, with a
	// proof of how near it is (Result.DualityGap), for clouds of dimension 2 or 3, also with masses. It
	// computes costs in plain Go. Search says how far it goes; its gap is relative to the value.
	Certify bool
	Search  sphere.Search
	// Engine runs what the host does not. nil: as the environment says, else the pure-Go backend
	// for little work and the best backend found for more.
	Engine *engine.Engine
}

// Directions are unit vectors, [L, d] for all pairs or [B, L, d].
type Directions struct {
	Values []float32
	Shape  []int
}

// Result is the result of Distance.
type Result struct {
	Loss       string // the loss's name in tables
	Convention string // what the number is: sum or mean, with or without a root
	// Backend is the name of the given or chosen Engine; "go" if plain Go does everything but draw
	// directions.
	Backend  string
	Exponent float64 // p; 0 for a loss that has none
	Value    float64 // mean over the pairs
	// StdErr is the Monte-Carlo standard error of Value over slices: 0 for a loss without random
	// slices and for clouds of one dimension, NaN for a single slice otherwise.
	StdErr    float64
	Low, High float64   // 95 % confidence interval of Value, by Student's t; NaN with StdErr
	PerPair   []float64 // [B]
	PairErrs  []float64 // [B] standard error of each pair's value
	// DualityGap [B] of emd-exact and usw bounds the distance of each value from the optimum, certified by
	// dual potentials; of a certified maximum, by bounds of all directions; else nil.
	DualityGap []float64
	// MarginalCosts [B, pairs] of partial-sw are what each further pair of points costs, whatever Mass:
	// the value before the root is the sum of the first Mass of them. They are means over slices, ascending; else nil.
	MarginalCosts [][]float64
	// MatchedMass [B] of emd-approx is the fraction of the mass that is matched, far below 1 for
	// clouds too large or too far apart; else nil.
	MatchedMass []float32
	// Slicing is the name of the slicing distribution, such as "auto: qmc", or "given"; "" for a loss
	// without slices.
	Slicing string
	// Covers says what StdErr and the interval cover: the "directions", never the sampling of the points
	// (see Population).
	Covers string
	// Scale [d] is by what the coordinates were divided, if asked for.
	Scale []float64
	// Population is the interval that also covers the sampling of the points, if asked for; nil where it
	// would not hold, with a warning.
	Population *Population
	Slices     int           // slices per pair that count; 0 for a loss without slices
	LineCost   ot1d.LineCost // of a slice
	Costs      []float32     // [B, L] cost of every slice drawn, before the mean and the root, or nil
	Directions []float32     // [B, L, d], or nil
	// Location [B, d] of the distribution, if it was predicted or found by ascent; else nil.
	Location []float32
	// Starts [B, N] are the values that N ascents reached (loss.Config.AscentStarts), of which Location
	// is the best: those of one draw of directions around each location. nil for a single ascent.
	Starts    []float64
	Gradient  []float32 // [B, n, d] dValue/dy, if asked for
	GradientX []float32 // [B, m, d] dValue/dx, if asked for
	Bracket   *Bracket  // bounds of W2, if asked for; else nil
	// Warnings say, one sentence each, why a number may not be what the caller expects; nil without any.
	Warnings []string
	Work     Work
}

// Work is the cost of a call.
type Work struct {
	// Slices counts the directions along which a pair was compared, including the ascent's.
	Slices  int     `json:"slices"`
	Sorts   int     `json:"sorts"`   // projected clouds that were sorted
	Seconds float64 `json:"seconds"` // compilation included
}

// Distance compares the pairs (x_b, y_b) of two sets of clouds, [B, m, d] and [B, n, d], by the
// named loss (loss.Names). It neither centres nor scales the clouds. Clouds far from 0 that were read
// as float64 are compared relative to an origin of the pair (datasets.Set.Origins), unless an amortizer
// or a loss reads the coordinates themselves: these get them rounded to float32. Result.Warnings says
// where float32 loses more than 1e-4 of a cloud's extent, and where clouds that it rounds are about
// as near each other as it rounds them. Clouds of unequal sizes need a loss that is a mean over points.
//
// The engine keeps what a call compiles for later calls with the same loss, settings and shapes,
// until it is closed. Equal seeds give equal values on every CPU backend, up to rounding. Distance
// is safe for concurrent use.
func Distance(name string, x, y *datasets.Set, o DistanceConfig) (d *Result, err error) {
	defer recovered(&err, "loss", name)
	began := time.Now()
	p, l, err := prepare(name, x, y, o)
	if err != nil {
		return nil, err
	}
	switch l := l.(type) {
	case loss.Sliced:
		d, err = p.sliced(l)
	case loss.Host:
		d, err = p.onHost(l)
	case loss.Graph:
		d, err = p.inGraph(l)
	default:
		err = fmt.Errorf("loss %q is computed neither in a graph nor on the host", name)
	}
	if err != nil {
		return nil, err
	}
	numbers, least := "float32", 0x1p-126 // the least normal number
	if _, host := l.(loss.Host); host {
		numbers, least = "float64", 0x1p-1022
	}
	if !vec.Finite(d.Value) {
		return nil, fmt.Errorf("the value is not finite: the costs between %s and %s hold one that does not fit into %s; scale the clouds or lower p",
			x.Name, y.Name, numbers)
	}
	if err := p.vanished(d, least); err != nil {
		return nil, err
	}
	if o.Bracket {
		if d.Bracket, err = p.bracket(d.Directions); err != nil {
			return nil, err
		}
		d.Work.Sorts += 2 * len(d.Costs)
	}
	d.Warnings, d.Scale = warnOf(d.Warnings, p.x, p.y), p.scale
	if w := p.hiding(l); w != "" {
		d.Warnings = append(d.Warnings, w)
	}
	d.Exponent = l.Convention().Exponent
	if w := p.checkRounding(d); w != "" && x != y {
		d.Warnings = append(d.Warnings, w)
	}
	if l, ok := l.(loss.ApproximateEMD); ok {
		d.inUnits(p.scales)
		if w := p.excess(l, d); w != "" {
			d.Warnings = append(d.Warnings, w)
		}
	}
	d.Loss, d.Convention = l.Name(), l.Convention().String()
	d.Work.Seconds = time.Since(began).Seconds()
	return d, nil
}

// inFloat32 returns an error unless a graph in float32 can square the largest coordinate: beyond
// that, matchings and nearest neighbours would be wrong without a sign. The host has no such limit.
func (p problem) inFloat32() error {
	const least, most = 1e-18, 1e18
	for b := range p.x.Clouds {
		if size := p.size(b); size > most || size > 0 && size < least {
			return fmt.Errorf("pair %d: coordinates of %s and %s up to %.3g, expected up to between %g and %g: a graph squares them in float32; scale the clouds, or take the host's path if the loss has one",
				b, p.x.Name, p.y.Name, size, least, most)
		}
	}
	return nil
}

// size is the largest coordinate of a pair.
func (p problem) size(pair int) float64 {
	return max(vec.Largest(p.x.Cloud(pair)), vec.Largest(p.y.Cloud(pair)))
}

// checkRounding returns a warning for a pair of clouds so near each other that the rounding of
// their coordinates to float32 shows in the value, by more than a thousandth or so of their distance.
func (p problem) checkRounding(d *Result) string {
	if p.x.Rounding == 0 && p.y.Rounding == 0 || d.Exponent == 0 {
		return ""
	}
	for b, v := range d.PerPair {
		distance, rounding := math.Abs(v), 0x1p-24*p.size(b)
		switch {
		case p.Cost != ot1d.Wasserstein: // the square of a distance, as a length
			distance = math.Sqrt(distance * p.size(b))
		case !p.Root:
			distance = math.Pow(distance, 1/d.Exponent)
		}
		if distance < 1000*rounding {
			return fmt.Sprintf("pair %d: float32 rounds coordinates of %s and %s by up to %.2g, which shows in a distance as small as this one (%.2g); subtract in float64 what the clouds share",
				b, p.x.Name, p.y.Name, rounding, distance)
		}
	}
	return ""
}

// vanished returns an error for a pair whose costs are not 0, but to the power p below the numbers
// used, whose least normal one is given. The mean of powers is at least the power of the mean, so
// the value for p = 1 decides. Costs near the rounding of the coordinates do not count.
func (p problem) vanished(d *Result, least float64) error {
	pairs := p.x.Clouds
	tiny := func(v float64) bool { return math.Abs(v) < least }
	if p.P == 1 || !slices.ContainsFunc(d.PerPair, tiny) {
		return nil
	}
	o := p.DistanceConfig
	o.P, o.Root, o.Gradient, o.GradientX, o.Normalize, o.Population, o.Bracket, o.Estimator = 1, false, false, false, false, false, false, nil
	o.Certify, o.Search = false, sphere.Search{}
	if d.Costs != nil {
		o.Directions = &Directions{d.Directions, []int{pairs, len(d.Costs) / pairs, p.width}}
	}
	first, err := Distance(p.name, p.x, p.y, o)
	if err != nil {
		return nil // the loss does not take p = 1
	}
	for b, v := range first.PerPair {
		costs := d.Costs[b*len(d.Costs)/pairs : (b+1)*len(d.Costs)/pairs] // an estimate is 0 also where they are not
		if !tiny(d.PerPair[b]) || slices.ContainsFunc(costs, func(c float32) bool { return !tiny(float64(c)) }) {
			continue
		}
		if v > 1e-6*p.size(b) {
			return fmt.Errorf("pair %d: the costs between %s and %s are not 0, but to the power p they are below the numbers used; scale the clouds up or lower p",
				b, p.x.Name, p.y.Name)
		}
	}
	return nil
}

// mean averages over the pairs. It divides every term, so that large ones do not overflow the sum.
func mean(pairs []float64) (value float64) {
	for _, v := range pairs {
		value += v / float64(len(pairs))
	}
	return value
}

// CheckDistance returns the error that Distance would return for an invalid call, before any work.
func CheckDistance(name string, x, y *datasets.Set, o DistanceConfig) error {
	_, _, err := prepare(name, x, y, o)
	return err
}

// problem is a checked call of Distance.
type problem struct {
	name   string           // of the loss
	x, y   *datasets.Set    // relative to the origins of the pairs, if the loss does not see that
	placed [2]*datasets.Set // as they were given, scaled and mapped
	mapped bool             // whether they were scaled or mapped
	scale  []float64        // [d] by what the coordinates were divided; nil: by nothing
	scales []float64        // of the pairs before they were normalised; nil if they were not
	units  []float64        // [B] units of length by which the clouds were divided; nil: 1
	width  int              // numbers of a direction: the dimension, or more
	DistanceConfig
}

// key identifies the call's graphs.
func (p problem) key() distanceGraph {
	return distanceGraph{name: p.name, settings: p.Config, wrt: p.wrt()}
}

// wrt says in which clouds the gradient is asked for.
func (p problem) wrt() (wrt ot1d.Wrt) {
	if p.GradientX {
		wrt |= ot1d.X
	}
	if p.Gradient {
		wrt |= ot1d.Y
	}
	return wrt
}

// backend is the Engine's, or "go".
func (p problem) backend() string {
	if p.Engine == nil {
		return "go"
	}
	return p.Engine.Name
}

// prepare checks the call and returns it, with defaults filled in, and its loss.
func prepare(name string, x, y *datasets.Set, o DistanceConfig) (problem, loss.Loss, error) {
	o.Config = o.Config.WithDefaults()
	mapped := o.Scale || o.Features != nil
	o, sets, scale, err := o.mapPoints(name, x, y)
	if err != nil {
		return problem{}, nil, err
	}
	x, y = sets[0], sets[1]
	if only := onlyDirection(name, x, o); only != nil {
		o.Directions = &Directions{only, []int{1, len(only)}}
	}
	if o.Certify {
		o.Search = o.Search.WithDefaults()
	}
	l, err := check(name, x, y, o)
	if o.Certify {
		o.Path = HostPath
	}
	p := problem{name: name, x: x, y: y, placed: sets, mapped: mapped, scale: scale, DistanceConfig: o}
	if err != nil {
		return p, l, err
	}
	p.width = x.Dim
	s, sliced := l.(loss.Sliced)
	if sliced {
		p.width = s.DirectionWidth(x.Dim)
	}
	if !sliced || s.Cost != ot1d.Unbalanced || s.Reduce == loss.Mean { // which reads masses as they are
		p.MassX, p.MassY = balanced(o.MassX, x.Points), balanced(o.MassY, y.Points)
	}
	if translates(l) {
		p.x, p.y = datasets.Aligned(x, y)
	} else {
		p.x, p.y = x.Rebase(nil), y.Rebase(nil)
	}
	if o.Normalize {
		p.normalize()
	}
	return p, l, nil
}

// normalize centres and scales the pairs.
func (p *problem) normalize() {
	x, y := *p.x, *p.y
	x.Coords, y.Coords = slices.Clone(x.Coords), slices.Clone(y.Coords)
	for b := range x.Clouds {
		p.scales = append(p.scales, 1)
		if f, err := p.frame(b); err == nil { // else all points are equal
			f.Apply(x.Cloud(b))
			f.Apply(y.Cloud(b))
			p.scales[b] = f.Scale
		}
	}
	p.x, p.y = &x, &y
}

// frame is the common centre and the radius of a pair.
func (p problem) frame(pair int) (datasets.Frame, error) {
	return datasets.FrameOf(slices.Concat(p.x.Cloud(pair), p.y.Cloud(pair)), p.x.Dim)
}

// inUnits scales the values of normalised pairs back.
func (d *Result) inUnits(scales []float64) {
	if scales == nil {
		return
	}
	for b, s := range scales {
		d.PerPair[b] *= s
	}
	d.Value = mean(d.PerPair)
	d.Low, d.High = d.Value, d.Value
}

// excess warns if the pair of the smallest radius is too small for the approximate EMD.
func (p problem) excess(l loss.ApproximateEMD, d *Result) string {
	smallest, radius := 0, math.Inf(1)
	for b := range p.x.Clouds {
		if f, err := p.frame(b); err == nil && f.Scale < radius {
			smallest, radius = b, f.Scale
		}
	}
	if math.IsInf(radius, 1) {
		return "" // equal points have no radius
	}
	pair := []int{smallest}
	w := l.Excess(clouds(p.x.Select(pair), nil), clouds(p.y.Select(pair), nil), radius, d.PerPair[smallest])
	if w != "" {
		w = fmt.Sprintf("pair %d: %s", smallest, w)
	}
	return w
}

// onlyDirection is a direction of a sliced loss between clouds all of whose directions but the
// orientation cost the same, so that one slice is the whole value: on a line, and of the circles of ssw in the plane; else
// nil. Amortizers keep their error.
func onlyDirection(name string, x *datasets.Set, o DistanceConfig) []float32 {
	if x == nil || x.Dim < 1 || x.Dim > 2 || o.Directions != nil || o.Amortizer != "" {
		return nil
	}
	l, err := loss.New(name, o.Config)
	s, sliced := l.(loss.Sliced)
	if err != nil || !sliced || !s.OneDirection(x.Dim) {
		return nil
	}
	out := make([]float32, s.DirectionWidth(x.Dim))
	out[0], out[len(out)-1] = 1, 1
	return out
}

// translates reports whether a loss may see both clouds of a pair moved to their common origin: unless
// it says that this changes it, or a network of its own reads the coordinates.
func translates(l loss.Loss) bool {
	g, learned := l.(loss.Graph)
	if learned {
		_, sliced := l.(loss.Sliced) // its amortizer does not read these clouds
		learned = !sliced && len(g.Specs()) > 0
	}
	return !learned && !slices.Contains(loss.Violates(l), loss.Translation)
}

// warnOf adds the warnings of the clouds to those of a result.
func warnOf(warnings []string, sets ...*datasets.Set) []string {
	for _, s := range sets {
		for _, w := range s.Warnings() {
			if !slices.Contains(warnings, w) {
				warnings = append(warnings, w)
			}
		}
	}
	return warnings
}

// check checks a call and returns its loss.
func check(name string, x, y *datasets.Set, o DistanceConfig) (loss.Loss, error) {
	if o.Engine != nil {
		if err := engine.Ready(o.Engine); err != nil {
			return nil, err
		}
	}
	if o.Path < AutoPath || o.Path > GraphPath {
		return nil, fmt.Errorf("path: expected AutoPath, HostPath or GraphPath, found %d", o.Path)
	}
	if err := checkClouds(x, y); err != nil {
		return nil, err
	}
	if o.Amortizer != "" {
		o.Maps.Points, o.Maps.Dim = x.Points, x.Dim
	}
	l, err := loss.New(name, o.Config)
	if err != nil {
		return nil, err
	}
	if s, ok := l.(loss.Sliced); ok && s.Cost != ot1d.Wasserstein && o.Path == GraphPath {
		return nil, fmt.Errorf("path: the cost %s of a direction is found on the host, not in a graph", s.Cost)
	}
	if l, err = o.certified(name, l, x.Dim); err != nil {
		return nil, err
	}
	if _, ok := l.(loss.ApproximateEMD); o.Normalize && !ok {
		return nil, fmt.Errorf("normalize: loss %q takes clouds as they are, expected emd-approx", name)
	}
	if err := o.checkBracket(name, l); err != nil {
		return nil, err
	}
	if err := o.checkMasses(name, l, "x", o.MassX, x); err != nil {
		return nil, err
	}
	if err := o.checkMasses(name, l, "y", o.MassY, y); err != nil {
		return nil, err
	}
	if err := checkPopulation(l, x, y, o); err != nil {
		return nil, err
	}
	if s, ok := l.(loss.Sliced); ok && s.Cost == ot1d.Sphere {
		for _, set := range []*datasets.Set{x, y} {
			if at, length := ot1d.NotUnit(set.Rebase(nil).Coords, set.Dim); at >= 0 {
				return nil, fmt.Errorf("loss %q: %s: cloud %d, point %d: expected a unit vector, found length %.6g", name,
					set.Name, at/set.Points, at%set.Points, length)
			}
		}
	}
	if o.Directions != nil {
		return checkDirections(name, l, x, y, o)
	}
	if err := l.Check(x.Points, y.Points, x.Dim); err != nil {
		return nil, fmt.Errorf("loss %q of %s and %s: %w", name, x.Name, y.Name, err)
	}
	return l, fits(l, x, y, o)
}

// checkMasses returns an error unless the loss takes the masses of that side, which may be nil.
func (o DistanceConfig) checkMasses(name string, l loss.Loss, side string, masses []float64, set *datasets.Set) error {
	if masses == nil {
		return nil
	}
	taker, ok := l.(loss.TakesMasses)
	if !ok {
		return fmt.Errorf("masses of %s: loss %q takes none", side, name)
	}
	if err := taker.CheckMasses(); err != nil {
		return fmt.Errorf("masses of %s: %w", side, err)
	}
	if s, ok := l.(loss.Sliced); ok && s.Slicer.Ascent != nil && o.Directions == nil {
		return fmt.Errorf("masses of %s: the ascent of loss %q maximises the cost of equal masses: give directions (--directions, in Go Directions), or take a loss without an ascent",
			side, name)
	}
	if len(masses) != set.Clouds*set.Points {
		return fmt.Errorf("masses of %s: expected shape [%d, %d] like the clouds of %s, found %d values",
			side, set.Clouds, set.Points, set.Name, len(masses))
	}
	if err := positive(masses, set.Points); err != nil {
		return fmt.Errorf("masses of %s: %w", side, err)
	}
	return nil
}

// checkDirections checks the directions of a call, and returns the loss with what they change.
func checkDirections(name string, l loss.Loss, x, y *datasets.Set, o DistanceConfig) (loss.Loss, error) {
	sliced, ok := l.(loss.Sliced)
	if !ok {
		return nil, fmt.Errorf("directions: loss %q takes none", name)
	}
	if sliced.Cost == ot1d.Circle && !slices.Equal(o.Directions.Values, []float32{1}) {
		return nil, fmt.Errorf("directions: loss %q takes none", name)
	}
	if err := o.Directions.check(x.Clouds, sliced.DirectionWidth(x.Dim)); err != nil {
		return nil, fmt.Errorf("directions: %w", err)
	}
	n := o.Directions.slices()
	if x.Dim == 1 && n == 1 {
		sliced.Estimator = nil // every estimate from one cost is the cost
	}
	if err := sliced.CheckDirections(x.Points, y.Points, n, x.Dim); err != nil {
		return nil, err
	}
	given := sliced
	given.Slicer = slicing.Slicer{Distribution: slicing.Fixed{}, Slices: n}
	return sliced, fits(given, x, y, o)
}

// slices is the number of directions per pair.
func (d Directions) slices() int { return d.Shape[len(d.Shape)-2] }

// check returns an error unless these are finite vectors other than 0, for pairs of clouds of that
// dimension.
func (d Directions) check(pairs, dim int) error {
	n := len(d.Shape)
	if n < 2 || n > 3 || d.Shape[n-1] != dim || (n == 3 && d.Shape[0] != pairs) || d.slices() < 1 {
		return fmt.Errorf("expected shape [L, %d] or [%d, L, %d], found %v", dim, pairs, dim, d.Shape)
	}
	size := 1
	for _, k := range d.Shape {
		size *= k
	}
	if len(d.Values) != size {
		return fmt.Errorf("expected the %d values of shape %v, found %d", size, d.Shape, len(d.Values))
	}
	return vec.CheckDirections(d.Values, dim)
}

// fits returns an error if a call would not fit into the memory of this machine.
func fits(l loss.Loss, x, y *datasets.Set, o DistanceConfig) error {
	backend := "" // of an engine that is not open yet
	if o.Engine != nil {
		backend = o.Engine.Name
	}
	return loss.CheckMemory(l, backend, x.Clouds, x.Points, y.Points, x.Dim)
}

// checkClouds returns an error unless x and y are pairs of clouds of finite numbers.
func checkClouds(x, y *datasets.Set) error {
	var ofY error
	var wait sync.WaitGroup
	wait.Go(func() { ofY = finite(y) })
	ofX := finite(x)
	wait.Wait()
	if err := cmp.Or(ofX, ofY); err != nil {
		return err
	}
	switch {
	case x.Clouds != y.Clouds:
		return fmt.Errorf("expected as many clouds in x as in y, found %d in %s and %d in %s",
			x.Clouds, x.Name, y.Clouds, y.Name)
	case x.Dim != y.Dim:
		return fmt.Errorf("expected clouds of one dimension, found %d in %s and %d in %s", x.Dim, x.Name, y.Dim, y.Name)
	}
	return nil
}

// finite rejects an empty set and coordinates that are not finite.
func finite(s *datasets.Set) error {
	switch {
	case s == nil:
		return errors.New("expected a set of clouds, found nil")
	case s.Clouds < 1:
		return fmt.Errorf("%s: expected at least one cloud, found none", s.Name)
	// divided first: the product may not fit
	case s.Points < 1 || s.Dim < 1 || len(s.Coords)/s.Clouds/s.Points != s.Dim || len(s.Coords) != s.Clouds*s.Points*s.Dim:
		return fmt.Errorf("%s: expected clouds [%d, points, dim] with at least one point, found [%d, %d, %d] and %d coordinates",
			s.Name, s.Clouds, s.Clouds, s.Points, s.Dim, len(s.Coords))
	}
	if i := vec.NotFinite(s.Coords); i >= 0 {
		found := "NaN"
		if v := s.Coords[i]; v == v {
			found = "one that is infinite, or larger than 3.4e38, the largest of float32"
		}
		return fmt.Errorf("%s: cloud %d, point %d: expected finite coordinates, found %s",
			s.Name, i/(s.Points*s.Dim), i/s.Dim%s.Points, found)
	}
	return nil
}

// positive rejects masses [clouds, points] that are negative, not finite, or all 0 in a cloud.
func positive(masses []float64, points int) error {
	largest := 0.0
	for i, v := range masses {
		if !(v >= 0) || !vec.Finite(v) {
			return fmt.Errorf("cloud %d, point %d: expected a finite mass of at least 0, found %v",
				i/points, i%points, v)
		}
		largest = max(largest, v)
		if i%points == points-1 {
			if largest == 0 {
				return fmt.Errorf("cloud %d: expected a positive mass, found only 0", i/points)
			}
			largest = 0
		}
	}
	return nil
}

// balanced scales the masses of every cloud by a power of 2, which changes no result, so that their
// sums and shares fit into float64 and, in a graph, into float32.
func balanced(masses []float64, points int) []float64 {
	out := slices.Clone(masses)
	for i := 0; i < len(out); i += points {
		_, exponent := math.Frexp(slices.Max(out[i : i+points]))
		for j := i; j < i+points; j++ {
			out[j] = math.Ldexp(out[j], -exponent)
		}
	}
	return out
}

// clouds converts a set for package ot1d.
func clouds(s *datasets.Set, mass []float64) ot1d.Clouds {
	return ot1d.Clouds{Coords: s.Coords, Mass: mass, Batch: s.Clouds, Points: s.Points, Dim: s.Dim}
}
