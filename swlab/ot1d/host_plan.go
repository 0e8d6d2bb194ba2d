package ot1d

import (
	"cmp"
	"slices"

	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
)

// Match is an entry of a transport plan: the mass that goes from a point of x to one of y.
type Match struct {
	X, Y int
	Mass float64
}

// Lift is the cost of a plan between clouds [points, dim], the mean squared distance
//
//	sum over matches of mass ||x_i - y_j||^2
func Lift[T vec.Float](plan []Match, x, y []T, dim int) float64 {
	sum := 0.0
	for _, m := range plan {
		square, q := 0.0, y[m.Y*dim:]
		for j, a := range x[m.X*dim : (m.X+1)*dim] {
			d := float64(a) - float64(q[j])
			square += d * d
		}
		sum += m.Mass * square
	}
	return sum
}

// Plans calls visit with the monotone plan of every pair and direction, whose cost on the line is that
// of Costs with Reduce Mean. directions are [slices, Dim] or [Batch, slices, Dim]. Its marginals are the
// masses of the points, divided by their sum; points without mass have no match.
//
// Points of one projection may be matched in any order, at the same cost on the line. They are taken in
// the order of their coordinates: a plan does not depend on the order of the points, and that of a
// cloud and a permutation of it costs nothing. Projections are told apart as in HostCosts.
//
// Goroutines call visit at once, once for each pair and direction. It must not keep the plan.
func (p *HostPairs) Plans(directions []float64, slices int, visit func(pair, slice int, plan []Match)) error {
	h, err := p.alongWide(directions, slices)
	if err != nil {
		return err
	}
	h.each(0, h.x.Batch*slices, func(s *hostSorter, task int) {
		visit(task/slices, task%slices, h.plan(s, task))
	})
	return nil
}

// plan is the plan of a task, in memory of the sorter.
func (h *host) plan(s *hostSorter, task int) []Match {
	pair := task / h.slices
	if c, ok := s.sort(task, indexBitsOf(max(h.x.Points, h.y.Points))); ok {
		cost := h.match(&c, pair, &s.plan)
		if !h.tooCoarse(&c, pair, cost) {
			return s.plan
		}
	}
	c := s.exact(task) // also where all projections are equal
	h.match(&c, pair, &s.plan)
	return s.plan
}

// match replaces a plan by that of sorted projections, and returns its cost on the line.
func (h *host) match(c *coupling, pair int, plan *[]Match) float64 {
	c.untie(0, h.x.cloud(pair), h.x.Dim)
	c.untie(1, h.y.cloud(pair), h.y.Dim)
	*plan, c.plan = (*plan)[:0], plan
	if !h.byRank() {
		return h.couple(c, pair)
	}
	sum := 0.0
	for i := range c.a {
		sum += c.segment(i, i, 1/float64(len(c.a)))
	}
	return c.value(sum)
}

// untie puts the points of a cloud that have one projection in the order of their coordinates, and
// equal points in that of their rows.
func (c *coupling) untie(which int, points []float32, dim int) {
	keys, number := [2][]uint64{c.a, c.b}[which], uint64(1)<<c.indexBits-1
	tied := func(k, l uint64) bool { return k>>c.indexBits == l>>c.indexBits }
	if c.exact != nil {
		tied = func(k, l uint64) bool { return c.exact[which][k] == c.exact[which][l] }
	}
	coordinates := func(k uint64) []float32 { return points[int(k&number)*dim:][:dim] }
	for from, to := 0, 1; from < len(keys); from, to = to, to+1 {
		for to < len(keys) && tied(keys[from], keys[to]) {
			to++
		}
		if to-from > 1 {
			slices.SortFunc(keys[from:to], func(k, l uint64) int {
				return cmp.Or(slices.Compare(coordinates(k), coordinates(l)), cmp.Compare(k&number, l&number))
			})
		}
	}
}
