// Command playground builds the playground: one static page in which the packages of this module,
// compiled to WebAssembly, answer while the reader drags a direction.
//
//	go run ./playground build PAGE.html      the page, with the program and the weights inside
//	go run ./playground train FOLDER         the weights of the amortizers
//
// The page draws; every number in it comes from here.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/experiments"
	"github.com/sliced-wasserstein/lab/experiments/flow"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/vmf"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// Points is the number of points of a cloud that the page makes, and of the trained amortizers.
const Points = 500

// Playground is the state of a page: two clouds of one size and dimension, and the flow of the
// second to the first.
type Playground struct {
	engine *engine.Engine
	x, y   *datasets.Set // one cloud each
	start  *datasets.Set // y before it began to flow; nil: it has not
	// maps are the landscapes of these clouds by kappa; 0 is that of F.
	maps map[float64]*landscape
}

// New returns a playground without clouds, on the pure-Go backend.
func New() (*Playground, error) {
	e, err := engine.Open("go")
	return &Playground{engine: e}, err
}

// request is a question of the page. Fields that an operation does not read are left out.
type request struct {
	Op           string        `json:"op"`
	Which        string        `json:"which"` // of the clouds: x or y
	Dim          int           `json:"dim"`
	Shape        string        `json:"shape"`
	Path         string        `json:"path"`    // of a file that the reader has given
	Strokes      [][][]float64 `json:"strokes"` // polylines that the reader has drawn
	Seed         uint64        `json:"seed"`
	Theta        []float32     `json:"theta"` // a unit vector
	Distribution string        `json:"distribution"`
	Kappa        float64       `json:"kappa"`
	Slices       int           `json:"slices"`
	Steps        int           `json:"steps"`
	Rate         float64       `json:"rate"`
	Tangent      bool          `json:"tangent"`
	Name         string        `json:"name"` // of an amortizer
}

// Answer answers a request in JSON by JSON.
func (p *Playground) Answer(question []byte) ([]byte, error) {
	var q request
	if err := json.Unmarshal(question, &q); err != nil {
		return nil, fmt.Errorf("request: %w", err)
	}
	var answer any
	var err error
	switch q.Op {
	case "shapes":
		answer = map[string][]string{"2": planarNames(), "3": datasets.ShapeClasses()}
	case "cloud":
		answer, err = p.cloud(q)
	default:
		if p.x == nil || p.y == nil {
			return nil, errors.New("expected two clouds, found fewer")
		}
		switch q.Op {
		case "slice":
			answer, err = p.slice(q.Theta, q.Kappa)
		case "landscape":
			answer, err = p.landscape(q.Kappa)
		case "estimate":
			answer, err = p.estimate(q)
		case "ascent":
			answer, err = p.ascent(q)
		case "predict":
			answer, err = p.predict(q.Name, q.Seed)
		case "flow":
			answer, err = p.flow(q)
		default:
			err = fmt.Errorf("op: expected a known one, found %q", q.Op)
		}
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(answer)
}

func planarNames() []string { return slices.Sorted(maps.Keys(planar)) }

// pair is both clouds, [points, dim] each.
type pair struct {
	Dim    int       `json:"dim"`
	Points int       `json:"points"`
	X      []float32 `json:"x"`
	Y      []float32 `json:"y"`
}

// cloud undoes the flow and replaces one cloud, unless Which is restart. The other one follows if it
// has more points; if its dimension differs it is dropped, and the answer has none.
func (p *Playground) cloud(q request) (pair, error) {
	p.maps = nil
	if p.start != nil { // undo the flow
		p.y, p.start = p.start, nil
	}
	if q.Which == "restart" {
		return p.pair(), nil
	}
	s, err := newCloud(q)
	if err != nil {
		return pair{}, err
	}
	changed, other := &p.x, &p.y
	if q.Which == "y" {
		changed, other = other, changed
	}
	*changed = s
	if *other == nil || (*other).Dim != s.Dim {
		*other = nil
		return p.pair(), nil
	}
	n := min(s.Points, (*other).Points)
	for _, c := range []**datasets.Set{changed, other} {
		if *c, err = (*c).Subset(n, 0); err != nil {
			return pair{}, err
		}
	}
	return p.pair(), nil
}

func (p *Playground) pair() (out pair) {
	if p.x != nil {
		out.Dim, out.Points, out.X = p.x.Dim, p.x.Points, p.x.Coords
	}
	if p.y != nil {
		out.Dim, out.Points, out.Y = p.y.Dim, p.y.Points, p.y.Coords
	}
	return out
}

// newCloud makes the cloud of a request: from a file, from what was drawn, or a named shape.
func newCloud(q request) (*datasets.Set, error) {
	switch {
	case q.Path != "":
		s, err := datasets.Load(q.Path, datasets.Options{Points: Points, AtMost: true, Seed: q.Seed})
		if err != nil {
			return nil, err
		}
		if s.Dim != 2 && s.Dim != 3 {
			return nil, fmt.Errorf("%s: expected points in 2 or 3 dimensions, found %d", q.Path, s.Dim)
		}
		return s.Select([]int{0}), nil
	case q.Strokes != nil:
		points, err := strokeCloud(q.Strokes, q.Dim, Points, 0.03, q.Seed)
		if err != nil {
			return nil, err
		}
		return datasets.New(points, 1, Points, q.Dim)
	case q.Dim == 2:
		points, err := planarCloud(q.Shape, Points, q.Seed)
		if err != nil {
			return nil, err
		}
		s, err := datasets.New(points, 1, Points, 2)
		if err != nil {
			return nil, err
		}
		return s, s.Normalize()
	default:
		return datasets.Shapes{Train: 1, Points: Points, Seed: q.Seed, Classes: []string{q.Shape}}.Generate()
	}
}

// cut is one slice of the pair. XOrder[i] and YOrder[i] are the points of rank i, which optimal
// transport on the line matches.
type cut struct {
	Cost   float64   `json:"cost"` // F(theta), the W_2^2 of the projections
	X      []float64 `json:"x"`    // projections, in the order of the points
	Y      []float64 `json:"y"`
	XOrder []int     `json:"x_order"`
	YOrder []int     `json:"y_order"`
	// Value is F(theta), or J(theta) for a kappa above 0. Mean, Smallest and Largest are of the same
	// function: its mean over all directions, and its extremes over the map and theta.
	Value    float64 `json:"value"`
	Mean     float64 `json:"mean"`
	Smallest float64 `json:"smallest"`
	Largest  float64 `json:"largest"`
}

func (p *Playground) slice(theta []float32, kappa float64) (cut, error) {
	if len(theta) != p.x.Dim {
		return cut{}, fmt.Errorf("theta: expected %d numbers, found %d", p.x.Dim, len(theta))
	}
	costs, err := p.costs(theta)
	if err != nil {
		return cut{}, err
	}
	m, err := p.landscape(kappa)
	if err != nil {
		return cut{}, err
	}
	values, err := p.values(theta, kappa)
	if err != nil {
		return cut{}, err
	}
	c := cut{Cost: costs[0], Value: values[0], Mean: m.Mean, Smallest: min(slices.Min(m.Values), values[0]), Largest: max(slices.Max(m.Values), values[0])}
	c.X, c.XOrder = project(p.x, theta)
	c.Y, c.YOrder = project(p.y, theta)
	return c, nil
}

// project returns the projections of the points and the points from the smallest projection to the
// largest.
func project(s *datasets.Set, theta []float32) (along []float64, order []int) {
	for i := range s.Points {
		var sum float64
		for k, t := range theta {
			sum += float64(t) * float64(s.Coords[i*s.Dim+k])
		}
		along, order = append(along, sum), append(order, i)
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(along[i], along[j]) })
	return along, order
}

// costs returns W_2^2 of the projections on every direction [L, dim].
func (p *Playground) costs(directions []float32) ([]float64, error) {
	return ot1d.HostCosts(clouds(p.x), clouds(p.y), directions, len(directions)/p.x.Dim, ot1d.HostConfig{Reduce: ot1d.Mean})
}

func clouds(s *datasets.Set) ot1d.Clouds {
	return ot1d.Clouds{Coords: s.Coords, Batch: 1, Points: s.Points, Dim: s.Dim}
}

// values returns F of every direction [L, dim], or J for a kappa above 0.
func (p *Playground) values(directions []float32, kappa float64) ([]float64, error) {
	if kappa == 0 {
		return p.costs(directions)
	}
	m, err := p.landscape(0)
	if err != nil {
		return nil, err
	}
	var out []float64
	for at := range slices.Chunk(directions, p.x.Dim) {
		density, err := m.density(at, kappa)
		if err != nil {
			return nil, err
		}
		sum := 0.0
		for i, v := range m.Values {
			sum += v * density[i]
		}
		out = append(out, sum)
	}
	return out, nil
}

// landscape is a function of the direction over all directions: the cost F, or its mean around a
// location, J(eps) = E[F(theta)] with theta from vMF(eps, kappa). In the plane Values[j] belongs to
// the angle 2 pi j / Columns. In space Values[i Columns + j] belongs to the polar angle
// pi (i + 1/2) / Rows and the azimuth 2 pi (j + 1/2) / Columns.
type landscape struct {
	Rows    int        `json:"rows"` // 1 in the plane
	Columns int        `json:"columns"`
	Values  []float64  `json:"values"`
	Mean    float64    `json:"mean"`    // over all directions: the squared SW_2, for F and for every J
	Highest []float32  `json:"highest"` // the direction of the largest value
	Costs   [2]float64 `json:"costs"`   // the smallest and the largest F
}

// landscape costs directions of one half only: theta and -theta have one cost. A kappa above 0 is
// that of J, 0 stands for F.
func (p *Playground) landscape(kappa float64) (*landscape, error) {
	if m := p.maps[kappa]; m != nil {
		return m, nil
	}
	m := &landscape{Rows: 64, Columns: 128}
	if p.x.Dim == 2 {
		m.Rows, m.Columns = 1, 720
	}
	var half []float64
	if kappa != 0 {
		sharp, err := p.landscape(0)
		if err != nil {
			return nil, err
		}
		if half, err = sharp.blur(kappa); err != nil {
			return nil, err
		}
		m.Mean, m.Costs = sharp.Mean, sharp.Costs
	} else {
		var directions []float32
		for i := range m.half() {
			directions = append(directions, m.direction(i)...)
		}
		var err error
		if half, err = p.costs(directions); err != nil {
			return nil, err
		}
		weights := experiments.Fejer(m.Rows)
		for i, c := range half {
			m.Mean += c * weights[i/m.Columns] * 2 / float64(m.Columns)
		}
		m.Costs = [2]float64{slices.Min(half), slices.Max(half)}
	}
	m.fill(half)
	m.Highest = m.direction(slices.Index(half, slices.Max(half)))
	if p.maps == nil {
		p.maps = map[float64]*landscape{}
	}
	p.maps[kappa] = m
	return m, nil
}

// half is the number of directions without their opposites: half of the circle, or the upper half
// of the sphere.
func (m *landscape) half() int { return m.Rows * m.Columns / 2 }

// fill sets the values from those of one half.
func (m *landscape) fill(half []float64) {
	m.Values = make([]float64, 2*len(half))
	for i, v := range half {
		m.Values[i], m.Values[m.opposite(i)] = v, v
	}
}

// density returns the weights with which the values of F make J(at): those of the quadrature of the
// mean times the density of vMF(at, kappa), with sum 1.
func (m *landscape) density(at []float32, kappa float64) ([]float64, error) {
	around, err := vmf.New(at, kappa)
	if err != nil {
		return nil, err
	}
	weights := experiments.Fejer(m.Rows)
	density, total := make([]float64, m.Rows*m.Columns), 0.0
	for i := range density {
		density[i] = weights[i/m.Columns] * math.Exp(around.LogProb(wide(m.direction(i))))
		total += density[i]
	}
	for i := range density {
		density[i] /= total
	}
	return density, nil
}

// blur returns J of one half from F. The density of the direction in row r and column c around that in row
// i and column j depends on i, r and c - j alone.
func (m *landscape) blur(kappa float64) (half []float64, err error) {
	for start := 0; start < m.half(); start += m.Columns {
		density, err := m.density(m.direction(start), kappa)
		if err != nil {
			return nil, err
		}
		for column := range min(m.Columns, m.half()-start) {
			sum := 0.0
			for row := 0; row < len(density); row += m.Columns {
				ahead, behind := m.Values[row+column:row+m.Columns], m.Values[row:row+column]
				for i, v := range ahead {
					sum += v * density[row+i]
				}
				for i, v := range behind {
					sum += v * density[row+len(ahead)+i]
				}
			}
			half = append(half, sum)
		}
	}
	return half, nil
}

// wide is the vector in float64.
func wide(v []float32) (out []float64) {
	for _, c := range v {
		out = append(out, float64(c))
	}
	return out
}

// direction is number i of the map.
func (m *landscape) direction(i int) []float32 {
	row, column := i/m.Columns, i%m.Columns
	if m.Rows == 1 {
		s, c := math.Sincos(2 * math.Pi * float64(column) / float64(m.Columns))
		return []float32{float32(c), float32(s)}
	}
	s, z := math.Sincos(math.Pi * (float64(row) + 0.5) / float64(m.Rows))
	y, x := math.Sincos(2 * math.Pi * (float64(column) + 0.5) / float64(m.Columns))
	return []float32{float32(s * x), float32(s * y), float32(z)}
}

// opposite is the number of minus direction i.
func (m *landscape) opposite(i int) int {
	return (m.Rows-1-i/m.Columns)*m.Columns + (i+m.Columns/2)%m.Columns
}

// estimate is a Monte-Carlo estimate of the squared distance.
type estimate struct {
	Value      float64   `json:"value"`
	StdErr     *float64  `json:"std_err"` // null for a single slice
	Low        *float64  `json:"low"`     // the 95 % confidence interval
	High       *float64  `json:"high"`
	Slices     int       `json:"slices"`
	Directions []float32 `json:"directions"`
	Costs      []float32 `json:"costs"`
}

func (p *Playground) estimate(q request) (estimate, error) {
	c, err := p.config(q)
	if err != nil {
		return estimate{}, err
	}
	d, err := swlab.Distance("sw", p.x, p.y, c)
	if err != nil {
		return estimate{}, err
	}
	return estimate{d.Value, finite(d.StdErr), finite(d.Low), finite(d.High), d.Slices, d.Directions, d.Costs}, nil
}

// config is the sliced distance of a request. Directions around a location that the reader has
// chosen are given to it, the others are its own.
func (p *Playground) config(q request) (swlab.DistanceConfig, error) {
	c := swlab.DistanceConfig{Config: loss.Defaults(), Seed: q.Seed, Path: swlab.HostPath, Engine: p.engine}
	c.Slices, c.Kappa, c.Reduce = q.Slices, q.Kappa, loss.Mean
	if q.Distribution != "vmf" {
		c.Slicing = q.Distribution
		return c, nil
	}
	around, err := vmf.New(q.Theta, q.Kappa)
	if err != nil {
		return c, err
	}
	values := around.Rand32(rand.New(rand.NewPCG(q.Seed, 0)), q.Slices)
	c.Directions = &swlab.Directions{Values: values, Shape: []int{q.Slices, p.x.Dim}}
	return c, nil
}

// finite is v, or nil where v is no number: JSON has none.
func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// path is a sequence of directions with the objective of the ascent along them.
type path struct {
	Locations []float32 `json:"locations"` // [steps + 1, dim]
	Values    []float64 `json:"values"`
	Largest   float64   `json:"largest"` // objective over the map and the path
}

// ascent climbs from theta: F of one direction (Max-SW) where slices is 0, else J, of which a step
// sees the mean over so many directions from vMF around the location (v-DSW).
func (p *Playground) ascent(q request) (path, error) {
	slicer, kappa := slicing.Slicer{Distribution: slicing.Point{}, Slices: 1}, 0.0
	if q.Slices > 0 {
		slicer, kappa = slicing.Slicer{Distribution: slicing.VMF{Kappa: q.Kappa}, Slices: q.Slices}, q.Kappa
	}
	slicer.Ascent = &slicing.Ascent{Steps: q.Steps, LearningRate: q.Rate, Tangent: q.Tangent}
	paths, err := experiments.AscentPaths(p.engine, p.x, p.y, slicer, q.Theta, q.Seed)
	if err != nil {
		return path{}, err
	}
	m, err := p.landscape(kappa)
	if err != nil {
		return path{}, err
	}
	values, err := p.values(paths[0], kappa)
	if err != nil {
		return path{}, err
	}
	return path{paths[0], values, max(slices.Max(m.Values), slices.Max(values))}, nil
}

// prediction is the direction of one amortizer.
type prediction struct {
	Name    string    `json:"name"`
	Trained bool      `json:"trained"`
	Theta   []float32 `json:"theta"`
	Cost    float64   `json:"cost"`
}

// predict asks one amortizer: with its trained weights where there are any for clouds of that size,
// else with initial ones drawn with the seed.
func (p *Playground) predict(name string, seed uint64) (prediction, error) {
	o := swlab.DirectionConfig{Seed: seed, DK: width, K: width, Engine: p.engine}
	if p.x.Points == Points {
		w, err := weights.ReadSafetensors(weightsFile(name, p.x.Dim))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return prediction{}, err
		}
		o.Weights = w
	}
	d, err := swlab.Direction(name, p.x, p.y, o)
	if err != nil {
		return prediction{}, err
	}
	costs, err := p.costs(d.Directions)
	if err != nil {
		return prediction{}, err
	}
	return prediction{name, o.Weights != nil, d.Directions, costs[0]}, nil
}

// frames are two states of the flow, with their distances to the first cloud in the units of the
// coordinates: SW_2, the root of the mean over all directions, and W_2.
type frames struct {
	Points [][]float32 `json:"points"`
	SW     []float64   `json:"sw"`
	EMD    []float64   `json:"emd"`
}

// flow takes the second cloud some steps further down the gradient of the sliced distance, with new
// directions in every step; the first state is the one before.
func (p *Playground) flow(q request) (frames, error) {
	if p.start == nil {
		p.start = p.y
	}
	fresh := func(y *datasets.Set, step int) (float64, []float32, error) {
		next := q
		next.Seed += uint64(step)
		c, err := p.config(next)
		if err != nil {
			return 0, nil, err
		}
		return flow.Distance("sw", p.x, c)(y, step)
	}
	f, err := flow.Descend(context.Background(), p.x, p.y, fresh, flow.Config{Steps: q.Steps, LearningRate: q.Rate, Every: q.Steps})
	if err != nil {
		return frames{}, err
	}
	var out frames
	for _, frame := range f.Frames {
		if frame.Step > 0 {
			if p.y, err = datasets.New(frame.Points, 1, p.x.Points, p.x.Dim); err != nil {
				return frames{}, err
			}
			p.maps = nil
		}
		m, err := p.landscape(0)
		if err != nil {
			return frames{}, err
		}
		out.Points, out.SW, out.EMD = append(out.Points, frame.Points), append(out.SW, math.Sqrt(m.Mean)), append(out.EMD, frame.EMD)
	}
	return out, nil
}
