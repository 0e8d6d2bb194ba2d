package solve

import (
	"cmp"
	"container/heap"
	"fmt"
)

// Partial returns the least cost of matching k points of x with k of y, each point at most once and
// with mass 1,
//
//	cost(k) = min over k pairs of sum |x_i - y_j|^p
//
// and the marginal costs cost(1), cost(2) - cost(1), ... of all k up to the size of the smaller
// cloud. They ascend. In order on the line, a matched pair leaves no unmatched point between its
// two, so the next pair to enter is a neighbouring x and y among the points still out, and the
// matched points between them move up by one rank (Chapel and Tavenard 2025). It sorts the points
// and takes every pair off a heap; the ranks that move cost a pass over them, at worst the square
// of the number of points where x and y lie apart.
func Partial(x, y []float64, k int, p float64) (Result, error) {
	if err := checkBoth(Points{At: x}, Points{At: y}, p); err != nil {
		return Result{}, err
	}
	all := min(len(x), len(y))
	if k < 0 || k > all {
		return Result{}, fmt.Errorf("solve: expected a number of pairs between 0 and %d, found %d", all, k)
	}
	l := newPartial(x, y, exponent(p))
	r := Result{DX: make([]float64, len(x)), DY: make([]float64, len(y))}
	last := 0.0
	for len(r.Marginal) < all {
		if len(r.Marginal) == k {
			l.match(&r)
		}
		last = max(last, l.enter()) // rounding may lower it
		r.Marginal = append(r.Marginal, last)
	}
	if k == all {
		l.match(&r)
	}
	return r, nil
}

// partial is the state of Partial: the points of both clouds in one order, of which some are
// matched.
type partial struct {
	p          exponent
	x, y       sorted
	isX, isIn  []bool    // [m+n] in order: a point of x; a matched point
	countX     []int     // [m+n+1] points of x before a place
	prev, next []int     // places of the neighbours among the points still out, -1 and m+n at the ends
	between    []float64 // cost of the matched points between a place and the next that is out
	candidates entering
}

func newPartial(x, y []float64, p exponent) *partial {
	l := &partial{p: p, x: Points{At: x}.sort(1), y: Points{At: y}.sort(1)}
	n := len(x) + len(y)
	l.isX, l.isIn, l.countX = make([]bool, n), make([]bool, n), make([]int, n+1)
	l.prev, l.next, l.between = make([]int, n), make([]int, n), make([]float64, n)
	i := 0
	for place := range n {
		l.isX[place] = i < len(x) && (place-i == len(y) || l.x.at[i] <= l.y.at[place-i])
		if l.isX[place] {
			i++
		}
		l.countX[place+1] = i
		l.prev[place], l.next[place] = place-1, place+1
	}
	for place := range n - 1 {
		l.propose(place, place+1)
	}
	return l
}

// entry is a pair of places that may enter, and the cost of both and of all between them.
type entry struct {
	marginal, cost float64
	from, to       int
}

type entering []entry

func (e entering) Len() int           { return len(e) }
func (e entering) Less(i, j int) bool { return e[i].compare(e[j]) < 0 }
func (e entering) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *entering) Push(v any)        { *e = append(*e, v.(entry)) }
func (e *entering) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

func (e entry) compare(f entry) int {
	return cmp.Or(cmp.Compare(e.marginal, f.marginal), e.from-f.from)
}

// propose adds two neighbours among the points that are out, if one is of x and the other of y.
func (l *partial) propose(from, to int) {
	if from < 0 || to >= len(l.isX) || l.isX[from] == l.isX[to] {
		return
	}
	i, j := l.countX[from], from-l.countX[from]
	cost := 0.0
	for pairs := (to + 1 - from) / 2; pairs > 0; pairs-- {
		cost += l.p.power(l.x.at[i] - l.y.at[j])
		i, j = i+1, j+1
	}
	heap.Push(&l.candidates, entry{cost - l.between[from], cost, from, to})
}

// enter matches the pair that costs least, and returns its marginal cost.
func (l *partial) enter() float64 {
	for {
		e := heap.Pop(&l.candidates).(entry)
		if l.isIn[e.from] || l.isIn[e.to] || l.next[e.from] != e.to {
			continue // a neighbour has entered with another
		}
		l.isIn[e.from], l.isIn[e.to] = true, true
		prev, next := l.prev[e.from], l.next[e.to]
		if prev >= 0 {
			l.next[prev] = next
			l.between[prev] += e.cost + l.between[e.to]
		}
		if next < len(l.isX) {
			l.prev[next] = prev
		}
		l.propose(prev, next)
		return e.marginal
	}
}

// match adds cost and derivatives of the matched points, in order.
func (l *partial) match(r *Result) {
	var in [2][]int // ranks in x and in y
	for place, isIn := range l.isIn {
		switch {
		case isIn && l.isX[place]:
			in[0] = append(in[0], l.countX[place])
		case isIn:
			in[1] = append(in[1], place-l.countX[place])
		}
	}
	for k, i := range in[0] {
		j := in[1][k]
		d := l.x.at[i] - l.y.at[j]
		r.Cost += l.p.power(d)
		r.DX[l.x.order[i]] = l.p.slope(d)
		r.DY[l.y.order[j]] = -l.p.slope(d)
	}
}
