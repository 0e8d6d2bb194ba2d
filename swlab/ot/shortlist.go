package ot

import (
	"cmp"
	"math"
	"slices"
)

// costs is a matrix of costs c_ij [m, m] that can be searched by reduced cost c_ij - v_j.
type costs interface {
	size() int
	at(i, j int) float64
	// row is the costs of row i, in buffer or in storage.
	row(i int, buffer []float64) []float64
	// nearest puts the k columns of smallest c_ij - v_j into list, which may hold an older answer
	// for this row. It may run in parallel for different rows.
	nearest(i int, v []float64, k int, list *shortlist, h *heap)
	// lowered says that entries of v have fallen since the last call; they never rise.
	lowered(v []float64)
	// violations calls found for all columns j with u + v_j > c_ij up to rounding, and possibly for
	// more. It checks every column.
	violations(i int, u float64, v []float64, found func(j int, cost float64))
}

// shortlist holds the columns of one row that had the smallest reduced costs at some time.
// Potentials v only fall, so reduced costs only rise, and every column outside the list keeps
// c_ij - v_j >= bound.
type shortlist struct {
	col   []int32
	cost  []float64
	bound float64
}

// limit is above the k-th smallest reduced cost at the present v, as far as the list knows.
func (s *shortlist) limit(v []float64, k int) float64 {
	if len(s.col) < k {
		return math.Inf(1)
	}
	w := math.Inf(-1)
	for n, j := range s.col {
		w = max(w, s.cost[n]-v[j])
	}
	return math.Nextafter(w, math.Inf(1))
}

// heap collects the k entries of smallest value below limit: once full, a binary heap with the
// largest on top.
type heap struct {
	at    []entry
	limit float64
	k     int
}

type entry struct {
	value, cost float64
	col         int32
}

func (h *heap) reset(k int, limit float64) { h.at, h.k, h.limit = h.at[:0], k, limit }

// add takes an entry of value < limit.
func (h *heap) add(e entry) {
	if len(h.at) < h.k {
		h.at = append(h.at, e)
		if len(h.at) == h.k {
			slices.SortFunc(h.at, func(a, b entry) int { return cmp.Compare(b.value, a.value) })
			h.limit = h.at[0].value
		}
		return
	}
	n := 0
	for {
		c := 2*n + 1
		if c >= len(h.at) {
			break
		}
		if c+1 < len(h.at) && h.at[c+1].value > h.at[c].value {
			c++
		}
		if h.at[c].value <= e.value {
			break
		}
		h.at[n] = h.at[c]
		n = c
	}
	h.at[n] = e
	h.limit = h.at[0].value
}

// into makes the entries the list of a row of m columns.
func (h *heap) into(list *shortlist, m int) {
	list.col, list.cost = list.col[:0], list.cost[:0]
	for _, e := range h.at {
		list.col = append(list.col, e.col)
		list.cost = append(list.cost, e.cost)
	}
	list.bound = math.Inf(1)
	if len(h.at) < m {
		list.bound = h.limit
	}
}

// matrix is a stored matrix of costs [m, m].
type matrix struct {
	c []float64
	m int
}

func (x *matrix) size() int                        { return x.m }
func (x *matrix) at(i, j int) float64              { return x.c[i*x.m+j] }
func (x *matrix) row(i int, _ []float64) []float64 { return x.c[i*x.m : (i+1)*x.m] }
func (x *matrix) lowered([]float64)                {}

func (x *matrix) nearest(i int, v []float64, k int, list *shortlist, h *heap) {
	k = min(k, x.m)
	h.reset(k, list.limit(v, k))
	row := x.c[i*x.m : (i+1)*x.m]
	// Rows begin at different columns, so that equal rows with many ties do not all list the same
	// columns.
	for _, part := range [2][2]int{{i, x.m}, {0, i}} {
		v := v[part[0]:part[1]]
		for n, c := range row[part[0]:part[1]] {
			if r := c - v[n]; r < h.limit {
				h.add(entry{r, c, int32(part[0] + n)})
			}
		}
	}
	h.into(list, x.m)
}

func (x *matrix) violations(i int, u float64, v []float64, found func(j int, cost float64)) {
	for j, c := range x.c[i*x.m : (i+1)*x.m] {
		if u+v[j] >= c {
			found(j, c)
		}
	}
}
