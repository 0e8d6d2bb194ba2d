package ot1d

import (
	"fmt"
	"runtime"

	"github.com/sliced-wasserstein/lab/swlab/internal/parallel"
)

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
func HostGradients(x, y Clouds, directions []float32, slices int, upstream []float64, wrt Wrt, o HostConfig) (
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

// directionGradient is the cost of one pair and direction. It writes the derivative in the direction to g:
//
//	dF/dtheta = p sum_i |d_i|^(p-1) sign(d_i) (x_pi(i) - y_tau(i)),   d_i = a_(i) - b_(i)
//
// summed in the order of the ranks, so that no slope of a point is ever stored.
func (h *host) directionGradient(s *hostSorter, task int, g []float64) float64 {
	pair := task / h.slices
	indexBits := indexBitsOf(h.x.Points)
	x, y := h.x.cloud(pair), h.y.cloud(pair)
	c, ok := s.sort(task, indexBits)
	if !ok {
		return 0
	}
	var cost float64
	if h.p == 2 && len(g) == 3 && c.exact == nil {
		cost = c.directionGradientP2D3(x, y, g)
	} else {
		cost = c.directionGradient(x, y, g)
	}
	if h.tooCoarse(&c, pair, cost/float64(h.x.Points)) {
		clear(g)
		c = s.exact(task)
		cost = c.directionGradient(x, y, g)
	}
	if h.normalized {
		cost /= float64(h.x.Points)
		scale(g, 1/float64(h.x.Points))
	}
	return cost
}

// directionGradient sums cost and derivative over the ranks.
func (c *coupling) directionGradient(x, y []float32, g []float64) float64 {
	sum, number := 0.0, uint64(1)<<c.indexBits-1
	for i, a := range c.a {
		value, slope := c.power(c.difference(i, i))
		sum += value
		p, q := x[int(a&number)*len(g):], y[int(c.b[i]&number)*len(g):]
		for j := range g {
			g[j] += slope * (float64(p[j]) - float64(q[j]))
		}
	}
	return sum
}

// directionGradientP2D3 is directionGradient for p = 2 in space.
func (c *coupling) directionGradientP2D3(x, y []float32, g []float64) float64 {
	b, number, shift := c.b[:len(c.a)], uint64(1)<<c.indexBits-1, c.indexBits&63
	var sum, g0, g1, g2 float64
	for i, k := range c.a {
		l := b[i]
		d := float64(int64(k>>shift - l>>shift))
		sum += d * d
		p, q := x[3*(k&number):][:3:3], y[3*(l&number):][:3:3]
		g0 += d * (float64(p[0]) - float64(q[0]))
		g1 += d * (float64(p[1]) - float64(q[1]))
		g2 += d * (float64(p[2]) - float64(q[2]))
	}
	twice := 2 * c.step
	g[0], g[1], g[2] = twice*g0, twice*g1, twice*g2
	return sum * c.step * c.step
}

func scale(v []float64, by float64) {
	for i := range v {
		v[i] *= by
	}
}

// addMoments adds sum_i slopes_i point_i to g.
func addMoments(g, slopes []float64, points []float32) {
	for i, s := range slopes {
		for j, c := range points[i*len(g) : (i+1)*len(g)] {
			g[j] += s * float64(c)
		}
	}
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
