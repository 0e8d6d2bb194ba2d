package ot

import (
	"math"

	"github.com/sliced-wasserstein/lab/swlab/internal/parallel"
)

const (
	listSize   = 16 // columns in a row's initial list
	epsFactor  = 5  // between phases of the auction
	phaseBids  = 32 // bids per row after which the auction gives up
	phaseScans = 12 // searches per row after which the auction gives up
)

// solver is a partial matching with potentials v of the columns. A matched row i has the smallest
// reduced cost c_ij - v_j of its row, up to eps (in an auction) or exactly (in the paths).
type solver struct {
	c     costs
	m     int
	v     []float64
	list  []shortlist
	colOf []int32   // [rows] or -1
	rowOf []int32   // [columns] or -1
	cost  []float64 // [rows] of the match
	heap  heap
	falls int // of v since the last call of lowered
	scans int
	eps   float64 // of the last phase
	floor float64 // smaller differences are rounding and cannot be bid for
	path  search
}

func newSolver(c costs, v []float64) *solver {
	m := c.size()
	s := &solver{c: c, m: m, v: v, list: make([]shortlist, m), cost: make([]float64, m), colOf: make([]int32, m),
		rowOf: make([]int32, m)}
	for i := range m {
		s.colOf[i], s.rowOf[i] = -1, -1
	}
	c.lowered(v)
	return s
}

// lower decreases the potential of column j.
func (s *solver) lower(j int32, by float64) {
	s.v[j] -= by
	s.falls++
}

// search renews the list of row i with k columns.
func (s *solver) search(i, k int) {
	if s.falls > s.m/16 {
		s.c.lowered(s.v)
		s.falls = 0
	}
	s.c.nearest(i, s.v, k, &s.list[i], &s.heap)
	s.scans++
}

// choice is a row's column of smallest reduced cost: its place in the list, the value, and a lower
// bound on every other column. second is the place of a column that attains next, or -1.
type choice struct {
	n, second   int
	value, next float64
}

// look finds the best two columns in the list; ok means that no other column can be better.
func (s *solver) look(i int) (best choice, ok bool) {
	l := &s.list[i]
	best = choice{-1, -1, math.Inf(1), math.Inf(1)}
	for n, j := range l.col {
		w := l.cost[n] - s.v[j]
		switch {
		case w < best.value:
			best = choice{n, best.n, w, best.value}
		case w < best.next:
			best.second, best.next = n, w
		}
	}
	if best.n >= 0 && best.next <= l.bound {
		return best, true
	}
	if l.bound < best.next {
		best.second, best.next = -1, l.bound
	}
	return best, false
}

func (s *solver) best(i int) choice {
	best, ok := s.look(i)
	if !ok {
		s.search(i, max(listSize, len(s.list[i].col)))
		best, _ = s.look(i)
	}
	return best
}

// match gives row i the n-th column of its list and returns the row that loses it, or -1.
func (s *solver) match(i, n int) int32 {
	j := s.list[i].col[n]
	loser := s.rowOf[j]
	if loser >= 0 {
		s.colOf[loser] = -1
	}
	s.rowOf[j], s.colOf[i], s.cost[i] = int32(i), j, s.list[i].cost[n]
	return loser
}

// prepare renews the lists of rows that need it, in parallel. The result does not depend on the
// number of processors.
func (s *solver) prepare(rows []int32) {
	if len(rows) < 64 {
		return
	}
	s.c.lowered(s.v)
	s.falls = 0
	parallel.Pieces(len(rows), 32, func(from, to int) {
		var h heap
		for _, i := range rows[from:to] {
			if _, ok := s.look(int(i)); !ok {
				s.c.nearest(int(i), s.v, max(listSize, len(s.list[i].col)), &s.list[i], &h)
			}
		}
	})
}

// auction improves the potentials by auctions (Bertsekas) in which every bid raises a price by eps
// more than the bidder's second choice would, with eps falling from a quarter of the guess's gap to
// last times it. It begins with the guessed matching and may leave rows unmatched.
func (s *solver) auction(g guess, last float64) {
	all := make([]int32, s.m)
	for i := range all {
		all[i] = int32(i)
	}
	s.prepare(all)
	for i := range s.m {
		best := s.best(i)
		s.floor = max(s.floor, 1e-14*math.Abs(best.value), 1e-14*math.Abs(s.v[i]))
		if j := g.of(i); s.rowOf[j] < 0 {
			s.rowOf[j], s.colOf[i], s.cost[i] = int32(i), int32(j), s.c.at(i, j)
		}
	}
	for s.eps = epsFactor * g.gap / 4; s.eps > g.gap*last && s.phase(); {
	}
}

// phase is the auction for the next smaller eps; rows whose match is within eps of their best keep
// it. false: it gave up, or eps is too small.
func (s *solver) phase() bool {
	eps := s.eps / epsFactor
	if eps <= s.floor {
		return false
	}
	s.eps = eps
	var queue []int32
	for i := range s.m {
		if j := s.colOf[i]; j >= 0 {
			if s.cost[i]-s.v[j]-s.best(i).value <= eps {
				continue
			}
			s.colOf[i], s.rowOf[j] = -1, -1
		}
		queue = append(queue, int32(i))
	}
	bids, scans := phaseBids*s.m, s.scans+phaseScans*s.m
	for len(queue) > 0 {
		s.prepare(queue)
		left := queue[:0]
		for _, i := range queue {
			best := s.best(int(i))
			raise := eps
			if !math.IsInf(best.next, 1) {
				raise += best.next - best.value
			}
			s.lower(s.list[i].col[best.n], raise)
			if loser := s.match(int(i), best.n); loser >= 0 {
				left = append(left, loser)
			}
			bids--
		}
		queue = left
		if bids < 0 || s.scans > scans {
			return false
		}
	}
	return true
}
