package ot

import "math"

// augmentDense is augment with whole rows in place of lists and a scan in place of the heap: O(m)
// per settled column, which is better if most columns are settled.
func (s *solver) augmentDense(start int) {
	q := &s.path
	q.order, q.free = q.order[:0], node{math.Inf(1), -1}
	open := make([]int32, s.m) // columns not settled
	for j := range open {
		open[j], q.dist[j] = int32(j), math.Inf(1)
	}
	buffer := make([]float64, s.m)
	i, dist, base := start, 0.0, math.Inf(1)
	for {
		row := s.c.row(i, buffer)
		if i == start {
			for j, c := range row {
				base = min(base, c-s.v[j])
			}
		}
		next := 0
		for n, j := range open {
			if d := max(row[j]-s.v[j]-base, dist); d < q.dist[j] {
				q.dist[j], q.pred[j], q.cost[j] = d, int32(i), row[j]
			}
			if d, least := q.dist[j], q.dist[open[next]]; d < least || d == least && s.rowOf[j] < 0 {
				next = n
			}
		}
		j := open[next]
		dist = q.dist[j]
		if s.rowOf[j] < 0 {
			q.free = node{dist, j}
			s.exchange(start)
			return
		}
		open[next] = open[len(open)-1]
		open = open[:len(open)-1]
		q.order = append(q.order, j)
		i = int(s.rowOf[j])
		base = s.cost[i] - s.v[j] - dist
	}
}
