package ot

import "math"

// search is the state of one shortest augmenting path (Dijkstra over columns).
type search struct {
	dist  []float64
	pred  []int32   // [columns] the preceding row
	cost  []float64 // [columns] of the edge from that row
	seen  []int32   // [columns] number of the search that reached it
	done  []int32   // [columns] number of the search that settled it
	base  []float64 // [rows] reduced cost from which distances through the row are measured
	queue []node
	order []int32 // settled columns
	count int32
	work  int  // list entries still to be visited
	free  node // the nearest unmatched column reached
}

// node is a column at a distance, or ^row: the distance from which columns outside the row's list
// may begin.
type node struct {
	dist float64
	id   int32
}

// denseStored is the size up to which the dense paths store the costs.
const denseStored = 4096

// pathWork is how many list entries per row the paths may visit before the potentials count as too
// poor.
const pathWork = 1000

// finish makes the matching complete and optimal with shortest augmenting paths. If these become
// long, it adds phases of the auction with smaller eps, and in the end paths over whole rows.
func (s *solver) finish() {
	m, q := s.m, &s.path
	q.dist, q.cost, q.base = make([]float64, m), make([]float64, m), make([]float64, m)
	q.pred, q.seen, q.done = make([]int32, m), make([]int32, m), make([]int32, m)
	for {
		s.tighten()
		q.work = pathWork * m
		for i := 0; i < m && q.work > 0; i++ {
			if s.colOf[i] < 0 {
				s.augment(i)
			}
		}
		if q.work > 0 {
			return
		}
		if !s.phase() {
			break
		}
	}
	s.tighten()
	if c, ok := s.c.(*cloudCosts); ok && m <= denseStored {
		s.c = c.stored()
	}
	for i := range m {
		if s.colOf[i] < 0 {
			s.augmentDense(i)
		}
	}
}

// tighten keeps the pairs that are exactly tight, lets the other rows take their best column if
// that is free, and exchanges a few (augmenting row reduction of Jonker and Volgenant).
func (s *solver) tighten() {
	for i := range s.m {
		if j := s.colOf[i]; j >= 0 && s.cost[i]-s.v[j] > s.best(i).value {
			s.colOf[i], s.rowOf[j] = -1, -1
		}
	}
	var free []int32
	for i := range s.m {
		if s.colOf[i] >= 0 {
			continue
		}
		if best := s.best(i); s.rowOf[s.list[i].col[best.n]] < 0 {
			s.match(i, best.n)
		} else {
			free = append(free, int32(i))
		}
	}
	s.reduce(free)
}

// reduce is the auction with eps = 0, for at most two bids per row.
func (s *solver) reduce(free []int32) {
	for range 2 {
		bids := s.m
		for n := 0; n < len(free) && bids > 0; n++ {
			for i := free[n]; i >= 0 && bids > 0; bids-- {
				best := s.best(int(i))
				take := best.n
				if best.next > best.value && !math.IsInf(best.next, 1) {
					s.lower(s.list[i].col[take], best.next-best.value)
				} else if s.rowOf[s.list[i].col[take]] >= 0 && best.second >= 0 {
					take = best.second
				}
				i = s.match(int(i), take)
				if !(best.next > best.value) {
					break
				}
			}
		}
		free = free[:0]
		for i, j := range s.colOf {
			if j < 0 {
				free = append(free, int32(i))
			}
		}
	}
}

// augment matches row start along the shortest path to an unmatched column and lowers the
// potentials so that all matched pairs stay tight.
func (s *solver) augment(start int) {
	q := &s.path
	q.count++
	q.order, q.queue, q.free = q.order[:0], q.queue[:0], node{math.Inf(1), -1}
	q.base[start] = s.best(start).value
	s.relax(start, 0)
	for len(q.queue) > 0 && q.queue[0].dist < q.free.dist {
		top := q.pop()
		if top.id < 0 {
			i := int(^top.id)
			s.search(i, 2*len(s.list[i].col))
			s.relax(i, top.dist)
			continue
		}
		if q.done[top.id] == q.count {
			continue
		}
		q.done[top.id] = q.count
		q.order = append(q.order, top.id)
		i := s.rowOf[top.id]
		q.base[i] = s.cost[i] - s.v[top.id] - top.dist
		s.relax(int(i), top.dist)
	}
	s.exchange(start)
}

// exchange matches along the path found to q.free.
func (s *solver) exchange(start int) {
	q := &s.path
	for _, j := range q.order {
		s.lower(j, q.free.dist-q.dist[j])
	}
	for j := q.free.id; ; {
		i := q.pred[j]
		before := s.colOf[i]
		s.rowOf[j], s.colOf[i], s.cost[i] = i, j, q.cost[j]
		if int(i) == start {
			return
		}
		j = before
	}
}

// relax shortens the paths to the listed columns through row i, settled at distance dist.
func (s *solver) relax(i int, dist float64) {
	q, l := &s.path, &s.list[i]
	q.work -= len(l.col)
	for n, j := range l.col {
		d := max(l.cost[n]-s.v[j]-q.base[i], dist)
		if d >= q.free.dist || q.done[j] == q.count || q.seen[j] == q.count && q.dist[j] <= d {
			continue
		}
		q.seen[j], q.dist[j], q.pred[j], q.cost[j] = q.count, d, int32(i), l.cost[n]
		if s.rowOf[j] < 0 {
			q.free = node{d, j}
		} else {
			q.push(node{d, j})
		}
	}
	if d := max(l.bound-q.base[i], dist); d < q.free.dist {
		q.push(node{d, ^int32(i)})
	}
}

func (q *search) push(n node) {
	q.queue = append(q.queue, n)
	h, c := q.queue, len(q.queue)-1
	for c > 0 {
		p := (c - 1) / 2
		if h[p].dist <= n.dist {
			break
		}
		h[c] = h[p]
		c = p
	}
	h[c] = n
}

func (q *search) pop() node {
	top, last := q.queue[0], q.queue[len(q.queue)-1]
	h := q.queue[:len(q.queue)-1]
	q.queue = h
	if len(h) == 0 {
		return top
	}
	n := 0
	for {
		c := 2*n + 1
		if c >= len(h) {
			break
		}
		if c+1 < len(h) && h[c+1].dist < h[c].dist {
			c++
		}
		if h[c].dist >= last.dist {
			break
		}
		h[n] = h[c]
		n = c
	}
	h[n] = last
	return top
}
