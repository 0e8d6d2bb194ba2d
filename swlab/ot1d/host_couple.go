package ot1d

import (
	"math"
	"math/bits"
	"slices"
)

// cost is the cost of one pair and direction. dx and dy, if not nil, must hold zeros; they receive
// its derivatives in the projections of all points, the coupling held fixed.
func (h *host) cost(s *hostSorter, task int, dx, dy []float64) float64 {
	if h.fast {
		if cost, certain := s.fastCost(task); certain {
			return cost
		}
	}
	indexBits := uint(0)
	if h.hasMass() || dx != nil || dy != nil || h.o.Cost != Wasserstein {
		indexBits = indexBitsOf(max(h.x.Points, h.y.Points))
	}
	var c coupling
	ok := false
	if h.line.solve == nil { // which takes projections as they are
		c, ok = s.sort(task, indexBits)
	}
	pair, couple := task/h.slices, h.couple
	switch {
	case h.o.Cost != Wasserstein:
		couple = func(c *coupling, _ int) float64 { return s.lineCost(c, task) }
		if !ok {
			c = s.exact(task)
		}
	case !ok:
		return 0
	}
	c.dx, c.dy = dx, dy
	cost := couple(&c, pair)
	mean := cost
	if !h.normalized {
		mean /= float64(h.x.Points)
	}
	if h.tooCoarse(&c, pair, mean) {
		clear(dx)
		clear(dy)
		c = s.exact(task)
		c.dx, c.dy = dx, dy
		cost = couple(&c, pair)
	}
	return cost
}

// hasMass reports whether points have masses of their own.
func (h *HostPairs) hasMass() bool { return h.x.Mass != nil || h.y.Mass != nil }

// couple is the cost of a pair's sorted projections.
func (h *host) couple(c *coupling, pair int) float64 {
	dx, dy := c.dx, c.dy
	switch {
	case h.hasMass():
		return c.value(c.byLevels(h.mass(0, pair), h.mass(1, pair)))
	case h.x.Points != h.y.Points:
		return c.value(c.byShares())
	}
	mass := 1.0
	if h.normalized {
		mass = 1 / float64(h.x.Points)
	}
	if dx == nil && dy == nil && c.exact == nil && !math.IsInf(c.p, 1) {
		return mass * c.byRanks()
	}
	if c.p == 2 && c.exact == nil {
		return c.slopes2(mass)
	}
	sum := 0.0
	for i := range c.a {
		sum += c.segment(i, i, mass)
	}
	return c.value(sum)
}

// value is the cost of a sum over segments: the sum, or for p = +Inf the largest difference.
func (c *coupling) value(sum float64) float64 {
	if math.IsInf(c.p, 1) {
		return c.largest
	}
	return sum
}

// slopes2 is the sum of segment(i, i, mass) for p = 2.
func (c *coupling) slopes2(mass float64) float64 {
	b, number, shift := c.b[:len(c.a)], uint64(1)<<c.indexBits-1, c.indexBits&63
	sum := 0.0
	for i, k := range c.a {
		l := b[i]
		d := float64(int64(k>>shift-l>>shift)) * c.step
		sum += mass * (d * d)
		slope := 2 * d * mass
		if c.dx != nil {
			c.dx[k&number] = slope
		}
		if c.dy != nil {
			c.dy[l&number] = -slope
		}
	}
	return sum
}

// indexBitsOf is the room in a key for the number of one of n points.
func indexBitsOf(n int) uint { return max(1, uint(bits.Len(uint(n-1)))) }

// coupling matches two sorted lists of keys in order.
type coupling struct {
	a, b      []uint64
	indexBits uint
	step      float64 // width of a key
	p         float64
	sum       float64          // of byRanks, in units of step^p, if a is nil
	exact     *[2][]projection // by point; a and b then hold points alone, and step is 0
	largest   float64          // difference so far, if p is +Inf
	dx, dy    []float64
	plan      *[]Match // receives the segments; nil: not needed
}

// byRanks is the sum of |a_(i) - b_(i)|^p for keys without point numbers.
func (c *coupling) byRanks() float64 {
	a := c.a
	b := c.b[:len(a)]
	sum, other := c.sum, 0.0 // two sums, so that one addition need not wait for the other
	switch c.p {
	case 1, 2:
		square := c.p == 2
		for i, k := range a {
			d := float64(int64(k - b[i]))
			if square {
				d *= d
			} else {
				d = math.Abs(d)
			}
			sum, other = other, sum+d
		}
		if square {
			return (sum + other) * c.step * c.step
		}
		return (sum + other) * c.step
	}
	for i, k := range a {
		sum += math.Pow(math.Abs(float64(int64(k-b[i])))*c.step, c.p)
	}
	return sum
}

// byShares couples m and n points of equal mass: every x has n shares of 1/(mn), every y has m.
func (c *coupling) byShares() float64 {
	m, n := len(c.a), len(c.b)
	share := 1 / (float64(m) * float64(n))
	sum := 0.0
	for i, j, left, right := 0, 0, n, m; i < m; {
		t := min(left, right)
		sum += c.segment(i, j, float64(t)*share)
		if left -= t; left == 0 {
			i, left = i+1, n
		}
		if right -= t; right == 0 {
			j, right = j+1, m
		}
	}
	return sum
}

// byLevels couples points of given masses, by the segments between the levels of both cumulative
// sums.
func (c *coupling) byLevels(massX, massY func(point uint64) float64) float64 {
	number := uint64(1)<<c.indexBits - 1
	last := len(c.a) + len(c.b)
	same := 1e-16 * float64(last) // levels that differ only by rounding
	sum, level := 0.0, 0.0
	i, j := 0, 0
	toX, toY := massX(c.a[0]&number), massY(c.b[0]&number)
	for i < len(c.a) && j < len(c.b) {
		to := min(toX, toY)
		if to > level {
			sum += c.segment(i, j, to-level)
			level = to
		}
		endX, endY := toX <= to+same, toY <= to+same
		if endX {
			if i++; i < len(c.a) {
				toX += massX(c.a[i] & number)
			}
		}
		if endY {
			if j++; j < len(c.b) {
				toY += massY(c.b[j] & number)
			}
		}
	}
	return sum
}

// mass is a point's share of cloud 0 or 1.
func (h *HostPairs) mass(which, pair int) func(uint64) float64 {
	c := h.clouds()[which]
	if c.Mass == nil {
		each := 1 / float64(c.Points)
		return func(uint64) float64 { return each }
	}
	w, scale := c.mass(pair), 1/h.totals[which][pair]
	return func(i uint64) float64 { return w[i] * scale }
}

// total is the sum of the masses of cloud 0 or 1 as given, 1 each without any.
func (h *HostPairs) total(which, pair int) float64 {
	if c := h.clouds()[which]; c.Mass == nil {
		return float64(c.Points)
	}
	return h.totals[which][pair]
}

// segment is mass |a_i - b_j|^p; it adds its derivatives to those of the two points.
func (c *coupling) segment(i, j int, mass float64) float64 {
	a, b := c.a[i], c.b[j]
	value, slope := c.power(c.difference(i, j))
	slope *= mass
	number := uint64(1)<<c.indexBits - 1
	if c.plan != nil {
		*c.plan = append(*c.plan, Match{int(a & number), int(b & number), mass})
	}
	if c.dx != nil {
		c.dx[a&number] += slope
	}
	if c.dy != nil {
		c.dy[b&number] -= slope
	}
	return mass * value
}

// difference is a_i - b_j.
func (c *coupling) difference(i, j int) float64 {
	if c.exact != nil {
		a, b := &c.exact[0][c.a[i]], &c.exact[1][c.b[j]]
		return (a.high - b.high) + (a.low - b.low)
	}
	return float64(int64(c.a[i]>>c.indexBits-c.b[j]>>c.indexBits)) * c.step
}

// power is |d|^p, and its derivative.
func (c *coupling) power(d float64) (value, slope float64) {
	if d == 0 {
		return 0, 0
	}
	size := math.Abs(d)
	switch c.p {
	case 1:
		return size, math.Copysign(1, d)
	case 2:
		return d * d, 2 * d
	case math.Inf(1):
		c.largest = max(c.largest, size)
		return 0, 0
	}
	rest := math.Pow(size, c.p-1)
	return size * rest, math.Copysign(c.p*rest, d)
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

// tooCoarse reports whether a cost, as a mean over points, is so small in the units of keys that their
// rounding may show. A cloud and itself have no cost to be found again.
func (h *host) tooCoarse(c *coupling, pair int, mean float64) bool {
	if c.exact != nil || mean == 0 && !h.hasMass() && slices.Equal(h.x.cloud(pair), h.y.cloud(pair)) {
		return false
	}
	switch h.p {
	case 1, math.Inf(1):
	case 2:
		mean = math.Sqrt(mean)
	default:
		mean = math.Pow(mean, 1/h.p)
	}
	return mean < clearUnits*c.step
}
