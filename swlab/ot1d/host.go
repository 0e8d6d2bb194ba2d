package ot1d

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"runtime"

	"github.com/sliced-wasserstein/lab/swlab/internal/parallel"
	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
	"github.com/sliced-wasserstein/lab/swlab/ot1d/solve"
)

// Clouds are a batch of clouds in host memory.
type Clouds struct {
	Coords []float32 // [Batch, Points, Dim]
	// [Batch, Points], not negative and not all 0, divided by each cloud's sum; nil: equal
	Mass               []float64
	Batch, Points, Dim int
}

// Coster finds what the directions of pairs of clouds cost. Goroutines may call it at once.
type Coster interface {
	// Costs are those of every pair and direction, [Batch, slices]; see HostCosts.
	Costs(directions []float32, slices int) ([]float64, error)
	// Gradients are the costs, and the gradients of a loss whose derivatives in them are upstream; see
	// HostGradients.
	Gradients(directions []float32, slices int, upstream []float64, wrt Wrt) ([]float64, Gradients, error)
}

// NewCoster returns the Coster of the pairs for o.Cost. The clouds are not copied, and must not change as
// long as it is used.
func NewCoster(x, y Clouds, o Config) (Coster, error) {
	if o.Cost == Sphere {
		return newSphere(x, y, o)
	}
	return NewHostPairs(x, y, o)
}

// Config configures HostCosts and HostGradients; Costs reads P and Reduce alone. The zero value is the squared
// cost, summed over points.
type Config struct {
	P      float64   // the exponent p >= 1; 0 means 2
	Reduce Reduction // over points; 0: Sum
	Cost   LineCost  // what one direction costs; Cramer, Energy and EppsPulley read neither P nor Reduce

	Pairs   int     // of Partial: the number of points to match; 0: as many as the smaller cloud has
	KL      float64 // of Unbalanced: the weight of the divergences; 0 means 1
	Uniform bool    // of Circle and Sphere: the costs are those between x and the uniform distribution
	// Report, unless nil, is called with the solution for every pair and direction with a cost of package
	// solve, by several goroutines, and perhaps twice.
	Report func(pair, slice int, r solve.Result)

	// Fast sorts projections as integers of 31 bits instead of 52, mostly in 0.67 to 0.80 of the time. The
	// relative error of a cost is at most 1e-6: costs for which that is not certain are computed
	// again, exactly. It applies to p = 1 and 2, clouds of one size without masses, on a processor
	// with AVX2 or AVX-512; other costs are exact. Gradients are not computed from it.
	Fast bool
}

// HostCosts returns the cost of every pair b and direction l, [Batch, slices], computed by Go code
// outside any graph: those of o.Cost, by default Wasserstein's.
//
// With Reduce Sum it is F of Costs: clouds of one size, without masses. With Mean it is W_p^p of
// the projected measures,
//
//	W_p^p = int_0^1 |A(t) - B(t)|^p dt
//
// with A and B the quantile functions of theta'x and theta'y: F/m for clouds of one size without
// masses, and defined for any sizes and masses. directions are [slices, Dim], shared by the pairs,
// or [Batch, slices, Dim]. They are used as given, of any length.
//
// Projections are sorted as integers in units of 2^-52 of the pair's extent (2^-42 for clouds of a
// million points with masses). So costs are those of float64 to about 1e-12 of the extent, also for
// near pairs and clouds far from the origin, and 0 for a cloud and any permutation of it. Where a few
// outliers are so far out that these units are too coarse for the other points, and where the cost is
// below a million units, projections are sorted as they are and costs have all digits. The work
// is spread over GOMAXPROCS goroutines, which does not change the result, and several directions are
// sorted at once by vector instructions, which does not change it either. Large clouds that with Fast
// would not fit into the memory of this machine are a *memory.Error; without Fast they need a quarter.
func HostCosts(x, y Clouds, directions []float32, slices int, o Config) ([]float64, error) {
	pairs, err := NewCoster(x, y, o)
	if err != nil {
		return nil, err
	}
	return pairs.Costs(directions, slices)
}

// Costs is HostCosts for these pairs. Goroutines may call it at once.
func (p *HostPairs) Costs(directions []float32, slices int) ([]float64, error) {
	h, err := p.along(directions, slices)
	if err != nil {
		return nil, err
	}
	h.fast = p.o.Fast && h.byRank() && (h.p == 1 || h.p == 2)
	if err := h.fits(); err != nil {
		return nil, err
	}
	return h.costs(), nil
}

// costs are those of all pairs and directions.
func (h *host) costs() []float64 {
	costs := make([]float64, h.x.Batch*h.slices)
	h.each(0, len(costs), func(s *hostSorter, task int) {
		costs[task] = h.cost(s, task, nil, nil)
	})
	return costs
}

// HostLargest returns the largest difference |A(t) - B(t)| of every pair over its directions, [Batch]:
// the limit of the roots of HostCosts for large p. A segment counts if it has mass.
func HostLargest(x, y Clouds, directions []float32, slices int) ([]float64, error) {
	pairs, err := NewHostPairs(x, y, Config{Reduce: Mean})
	if err != nil {
		return nil, err
	}
	h, err := pairs.along(directions, slices)
	if err != nil {
		return nil, err
	}
	h.p = math.Inf(1)
	largest := make([]float64, x.Batch)
	for task, d := range h.costs() {
		largest[task/slices] = max(largest[task/slices], d)
	}
	return largest, nil
}

// HostPairs are pairs of clouds, checked once for many calls. They are the Coster of every LineCost.
type HostPairs struct {
	x, y       Clouds
	p          float64
	boxes      []float64    // [Batch, 2, Dim] lowest and highest coordinates of each pair
	totals     [2][]float64 // [Batch] sums of masses
	outlying   []bool       // [Batch] whether keys would erase much of a pair (Outlying)
	normalized bool
	o          Config // as given
	line       line   // that of o.Cost; without a function: Wasserstein's
}

// clouds are the names of both clouds.
var clouds = [2]struct {
	name string
	wrt  Wrt
}{{"x", X}, {"y", Y}}

func (h *HostPairs) clouds() [2]Clouds { return [2]Clouds{h.x, h.y} }

// host is a checked call of HostCosts or HostGradients.
type host struct {
	*HostPairs
	slices     int
	directions []float64 // [slices, Dim] or [Batch, slices, Dim]
	shared     bool
	fast       bool // short keys
}

// NewHostPairs checks the pairs: its errors are those of HostGradients for x, y and o. The clouds are
// not copied, and must not change as long as the pairs are used.
func NewHostPairs(x, y Clouds, o Config) (*HostPairs, error) {
	if o.Cost != Wasserstein {
		if err := o.Cost.check(o); err != nil {
			return nil, err
		}
	}
	p, mean := cmp.Or(o.P, 2), o.Reduce == Mean
	switch {
	case o.Cost == Partial || o.Cost == Unbalanced:
		mean = true // of clouds of any sizes
	case !o.Cost.Powers():
		p, mean = 1, true // a cost that is as small as a length where the rounding of keys may show
	}
	if !(p >= 1) || math.IsInf(p, 1) {
		return nil, fmt.Errorf("ot1d: exponent p = %v, expected a finite p >= 1", p)
	}
	for i, c := range [2]Clouds{x, y} {
		name := clouds[i].name
		if c.Batch < 1 || c.Points < 1 || c.Dim < 1 || len(c.Coords) != c.Batch*c.Points*c.Dim {
			return nil, fmt.Errorf("ot1d: clouds %s: expected points [Batch, Points, Dim] with sizes of at least 1, "+
				"found [%d, %d, %d] and %d numbers", name, c.Batch, c.Points, c.Dim, len(c.Coords))
		}
		if c.Mass != nil && len(c.Mass) != c.Batch*c.Points {
			return nil, fmt.Errorf("ot1d: clouds %s: expected %d masses [%d, %d], found %d",
				name, c.Batch*c.Points, c.Batch, c.Points, len(c.Mass))
		}
	}
	if x.Batch != y.Batch || x.Dim != y.Dim {
		return nil, fmt.Errorf("ot1d: clouds x are [%d, %d, %d] and y [%d, %d, %d], expected one batch size and "+
			"one dimension", x.Batch, x.Points, x.Dim, y.Batch, y.Points, y.Dim)
	}
	if !mean && (x.Points != y.Points || x.Mass != nil || y.Mass != nil) {
		return nil, fmt.Errorf("ot1d: a sum over points needs clouds of one size without masses, found %s and %s; "+
			"ask for Reduce: Mean", describe(x), describe(y))
	}
	if o.Cost == Partial && (x.Mass != nil || y.Mass != nil) {
		return nil, errors.New("ot1d: cost partial matches points of mass 1: expected no masses")
	}
	h := &HostPairs{x: x, y: y, p: p, normalized: mean, o: o, line: o.Cost.line()}
	return h, h.scan()
}

// along checks the directions of a call.
func (h *HostPairs) along(directions []float32, slices int) (*host, error) {
	return h.alongWide(vec.To[float64](directions), slices)
}

// alongWide is along for directions in float64.
func (h *HostPairs) alongWide(directions []float64, slices int) (*host, error) {
	if h.o.Cost == Sphere {
		return nil, errors.New("ot1d: great circles have planes for directions: take NewCoster")
	}
	batch, dim := h.x.Batch, h.x.Dim
	if slices < 1 || (len(directions) != slices*dim && len(directions) != batch*slices*dim) {
		return nil, fmt.Errorf("ot1d: expected directions [%d, %d] or [%d, %d, %d] with at least one slice, "+
			"found %d numbers", slices, dim, batch, slices, dim, len(directions))
	}
	if i := vec.NotFinite(directions); i >= 0 {
		return nil, fmt.Errorf("ot1d: direction %d holds %v, expected finite numbers", i/dim, directions[i])
	}
	shared := len(directions) == slices*dim
	return &host{HostPairs: h, slices: slices, shared: shared, directions: directions}, nil
}

func describe(c Clouds) string {
	if c.Mass != nil {
		return fmt.Sprintf("%d points with masses", c.Points)
	}
	return fmt.Sprintf("%d points", c.Points)
}

// scan finds every pair's box and sums of masses, and rejects numbers that are not finite.
func (h *HostPairs) scan() error {
	batch := h.x.Batch
	h.boxes, h.outlying = make([]float64, batch*2*h.x.Dim), make([]bool, batch)
	h.totals = [2][]float64{make([]float64, batch), make([]float64, batch)}
	errs := make([]error, batch)
	parallel.Each(batch, parallel.Alone(func(pair int) { errs[pair] = h.scanPair(pair) }))
	return cmp.Or(errs...)
}

func (h *HostPairs) scanPair(pair int) (err error) {
	low, high := h.box(pair)
	for j := range low {
		low[j], high[j] = math.Inf(1), math.Inf(-1)
	}
	for i, c := range h.clouds() {
		if err := extendBox(low, high, c.cloud(pair), clouds[i].name, pair); err != nil {
			return err
		}
	}
	h.outlying[pair] = outlying(h.x.cloud(pair), h.y.cloud(pair), low, high, tooSmall)
	for i, c := range h.clouds() {
		if c.Mass == nil {
			continue
		}
		if h.totals[i][pair], err = total(c.mass(pair), clouds[i].name, pair); err != nil {
			return err
		}
	}
	return nil
}

func (h *HostPairs) box(pair int) (low, high []float64) {
	d := h.x.Dim
	b := h.boxes[pair*2*d : (pair+1)*2*d]
	return b[:d], b[d:]
}

func (h *host) direction(pair, slice int) []float64 {
	d, at := h.x.Dim, slice
	if !h.shared {
		at += pair * h.slices
	}
	return h.directions[at*d : (at+1)*d]
}

func (c Clouds) cloud(b int) []float32 { return c.Coords[b*c.Points*c.Dim : (b+1)*c.Points*c.Dim] }

func (c Clouds) mass(b int) []float64 {
	if c.Mass == nil {
		return nil
	}
	return c.Mass[b*c.Points : (b+1)*c.Points]
}

func extendBox(low, high []float64, points []float32, name string, pair int) error {
	dim := len(low)
	for j := range dim {
		l, u := points[j], points[j]
		for i := j; i < len(points); i += dim {
			v := points[i]
			if v-v != 0 {
				return fmt.Errorf("ot1d: cloud %s of pair %d, point %d: coordinate %v, expected finite numbers",
					name, pair, i/dim, v)
			}
			if v < l {
				l = v
			}
			if v > u {
				u = v
			}
		}
		low[j], high[j] = min(low[j], float64(l)), max(high[j], float64(u))
	}
	return nil
}

func total(masses []float64, name string, pair int) (float64, error) {
	sum := 0.0
	for i, w := range masses {
		if !(w >= 0) || w-w != 0 {
			return 0, fmt.Errorf("ot1d: cloud %s of pair %d, point %d: mass %v, expected a finite number of at least 0",
				name, pair, i, w)
		}
		sum += w
	}
	if sum == 0 {
		return 0, fmt.Errorf("ot1d: cloud %s of pair %d: all masses are 0", name, pair)
	}
	return sum, nil
}

// Gradients of a loss, nil for those that were not asked for.
type Gradients struct {
	X          []float64 // [Batch, Points, Dim] of x
	Y          []float64 // [Batch, Points, Dim] of y
	Directions []float64 // [Batch, slices, Dim]
}

// HostGradients returns the costs of HostCosts and the gradients of a loss in what wrt names.
// upstream [Batch, slices] is the loss's derivative in every cost.
//
// The couplings are held fixed and the masses are constants, as in Costs. The derivative at a
// difference of 0 is 0. The gradient of directions that the pairs share is the sum of
// Gradients.Directions over the pairs.
func HostGradients(x, y Clouds, directions []float32, slices int, upstream []float64, wrt Wrt, o Config) (
	costs []float64, grad Gradients, err error) {
	pairs, err := NewCoster(x, y, o)
	if err != nil {
		return nil, grad, err
	}
	return pairs.Gradients(directions, slices, upstream, wrt)
}

// Gradients is HostGradients for these pairs. Goroutines may call it at once.
func (p *HostPairs) Gradients(directions []float32, slices int, upstream []float64, wrt Wrt) (
	costs []float64, grad Gradients, err error) {
	h, err := p.along(directions, slices)
	if err != nil {
		return nil, grad, err
	}
	batch, dim := h.x.Batch, h.x.Dim
	tasks := batch * slices
	if len(upstream) != tasks {
		return nil, grad, fmt.Errorf("ot1d: expected an upstream gradient [%d, %d], found %d numbers",
			batch, slices, len(upstream))
	}
	costs = make([]float64, tasks)
	var points [2][]float64 // the gradients in x and y
	for i, c := range h.clouds() {
		if wrt&clouds[i].wrt != 0 {
			points[i] = make([]float64, len(c.Coords))
		}
	}
	grad.X, grad.Y = points[0], points[1]
	if wrt&Directions != 0 {
		grad.Directions = make([]float64, tasks*dim)
	}
	gd := grad.Directions
	if wrt == Directions && h.byRank() {
		h.each(0, tasks, func(s *hostSorter, task int) {
			g := gd[task*dim : (task+1)*dim]
			costs[task] = h.directionGradient(s, task, g)
			scale(g, upstream[task])
		})
		return costs, grad, nil
	}
	slope := func(s *hostSorter, r *slopes, task int) {
		d := r.of(task)
		costs[task] = h.cost(s, task, d[0], d[1])
		for i, c := range h.clouds() {
			scale(d[i], upstream[task])
			if gd != nil {
				addMoments(gd[task*dim:(task+1)*dim], d[i], c.cloud(task/slices))
			}
		}
	}
	gather := func(r *slopes, n int, add func(g []float64, c Clouds, slopes [][]float64, first int)) {
		for i, c := range h.clouds() {
			if points[i] != nil {
				add(points[i], c, r.rows[i][:n], r.first)
			}
		}
	}
	// A run of tasks, then what they add to the gradients of the points. With enough pairs a
	// goroutine does all of a pair, in runs that stay in its cache; else all share every run.
	if batch >= 2*runtime.GOMAXPROCS(0) {
		whole := func(g []float64, c Clouds, slopes [][]float64, first int) { h.add(g, c, slopes, first, 0, c.Points) }
		parallel.Each(batch, func() (func(pair int), func()) {
			s, r := h.newSorter(), h.newSlopes(h.width(), wrt)
			return func(pair int) {
				for _, g := range h.groups(pair*slices, (pair+1)*slices, 1) {
					r.first = g.task
					g.each(s, func(s *hostSorter, task int) { slope(s, r, task) })
					gather(r, g.n, whole)
				}
			}, s.release
		})
		return costs, grad, nil
	}
	block := min(tasks, max(2*runtime.GOMAXPROCS(0), (4<<20)/(h.x.Points+h.y.Points)))
	r := h.newSlopes(block, wrt)
	for r.first = 0; r.first < tasks; r.first += block {
		n := min(block, tasks-r.first)
		h.each(r.first, r.first+n, func(s *hostSorter, task int) { slope(s, r, task) })
		gather(r, n, h.spread)
	}
	return costs, grad, nil
}

// slopes are the derivatives of the costs of tasks from first on in the projections of x and y.
type slopes struct {
	rows  [2][][]float64 // [tasks][points], nil if nobody needs them
	first int
}

func (h *host) newSlopes(tasks int, wrt Wrt) *slopes {
	s := new(slopes)
	for i, c := range h.clouds() {
		if wrt&(clouds[i].wrt|Directions) == 0 {
			continue
		}
		s.rows[i] = make([][]float64, tasks)
		for k := range s.rows[i] {
			s.rows[i][k] = make([]float64, c.Points)
		}
	}
	return s
}

// of returns room for the slopes of a task, all 0.
func (s *slopes) of(task int) (d [2][]float64) {
	for i, rows := range s.rows {
		if rows != nil {
			d[i] = rows[task-s.first]
			clear(d[i])
		}
	}
	return d
}

// byRank says whether points are matched one to one.
func (h *HostPairs) byRank() bool {
	return h.o.Cost == Wasserstein && h.x.Points == h.y.Points && !h.hasMass()
}

// spread adds slope times direction to the gradient g of every point of c, task by task in order,
// whatever the number of goroutines.
func (h *host) spread(g []float64, c Clouds, slopes [][]float64, first int) {
	const run = 512 // points of one piece of work
	pieces := (c.Points + run - 1) / run
	pair := first / h.slices
	pairs := (first+len(slopes)-1)/h.slices - pair + 1
	parallel.Each(pairs*pieces, parallel.Alone(func(k int) {
		b, from := pair+k/pieces, k%pieces*run
		begin, end := max(first, b*h.slices), min(first+len(slopes), (b+1)*h.slices)
		h.add(g, c, slopes[begin-first:end-first], begin, from, min(from+run, c.Points))
	}))
}

// add adds slope times direction to the gradient g of points from ... to-1, for the slopes of a
// pair's tasks from first on, in their order.
func (h *host) add(g []float64, c Clouds, slopes [][]float64, first, from, to int) {
	pair := first / h.slices
	out := g[(pair*c.Points+from)*c.Dim : (pair*c.Points+to)*c.Dim]
	task := first
	for ; c.Dim == 3 && len(slopes) >= 4; slopes, task = slopes[4:], task+4 {
		var theta [4][]float64
		for k := range theta {
			theta[k] = h.direction(pair, (task+k)%h.slices)
		}
		add4(out, slopes[0][from:to], slopes[1][from:to], slopes[2][from:to], slopes[3][from:to], theta)
	}
	for k, s := range slopes {
		theta := h.direction(pair, (task+k)%h.slices)
		for i, v := range s[from:to] {
			at := out[i*len(theta) : (i+1)*len(theta)]
			for j, t := range theta {
				at[j] += v * t
			}
		}
	}
}

// add4 adds the slopes a, b, c, d times their directions in space.
func add4(out, a, b, c, d []float64, theta [4][]float64) {
	a0, a1, a2 := theta[0][0], theta[0][1], theta[0][2]
	b0, b1, b2 := theta[1][0], theta[1][1], theta[1][2]
	c0, c1, c2 := theta[2][0], theta[2][1], theta[2][2]
	d0, d1, d2 := theta[3][0], theta[3][1], theta[3][2]
	b, c, d = b[:len(a)], c[:len(a)], d[:len(a)]
	for i, p := range a {
		q, r, s := b[i], c[i], d[i]
		at := out[3*i:][:3:3]
		at[0] = at[0] + p*a0 + q*b0 + r*c0 + s*d0
		at[1] = at[1] + p*a1 + q*b1 + r*c1 + s*d1
		at[2] = at[2] + p*a2 + q*b2 + r*c2 + s*d2
	}
}
