package ot

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
	"slices"
)

// units is a mass as an integer below 2^256, the lowest word first.
type units [4]uint64

func (a units) plus(b units) (sum units) {
	carry := uint64(0)
	for i := range a {
		sum[i], carry = bits.Add64(a[i], b[i], carry)
	}
	return sum
}

func (a units) minus(b units) (difference units) {
	borrow := uint64(0)
	for i := range a {
		difference[i], borrow = bits.Sub64(a[i], b[i], borrow)
	}
	return difference
}

func (a units) less(b units) bool {
	for i := len(a) - 1; i > 0; i-- {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return a[0] < b[0]
}

func newUnits(v *big.Int) (u units) {
	var bytes [32]byte
	v.FillBytes(bytes[:])
	for i := range u {
		u[i] = binary.BigEndian.Uint64(bytes[24-8*i:])
	}
	return u
}

func (a units) int() *big.Int {
	var bytes [32]byte
	for i, word := range a {
		binary.BigEndian.PutUint64(bytes[24-8*i:], word)
	}
	return new(big.Int).SetBytes(bytes[:])
}

// simplex is a network simplex for a transport problem of n rows and k columns. Its nodes are the
// rows and then the columns; its basis is a spanning tree of arcs from rows to columns, with row 0
// as root. The potentials add up to the cost on the arcs of the tree.
//
// The tree is strongly feasible: an arc without mass goes from a child to its parent, never from a
// parent to its child. With the choice of the leaving arc below, this rules out cycling
// (Cunningham 1976).
type simplex struct {
	n, k      int
	supply    []units // [nodes]
	cost      []float64
	parent    []int32
	flow      []units   // on the arc to the parent
	arc       []float64 // its cost
	depth     []int32
	potential []float64
	// children as doubly linked lists
	first, next, before []int32
	stack               []int32
}

func newSimplex(t *transportProblem) *simplex {
	n, k := len(t.rows), len(t.cols)
	s := &simplex{n: n, k: k, cost: make([]float64, n*k)}
	for _, list := range []*[]int32{&s.parent, &s.depth, &s.first, &s.next, &s.before} {
		*list = slices.Repeat([]int32{-1}, n+k)
	}
	s.supply, s.flow = make([]units, n+k), make([]units, n+k)
	s.arc, s.potential = make([]float64, n+k), make([]float64, n+k)
	for r, i := range t.rows {
		s.supply[r] = newUnits(new(big.Int).Mul(t.a.unit[i], t.b.sum))
	}
	for c, j := range t.cols {
		s.supply[n+c] = newUnits(new(big.Int).Mul(t.b.unit[j], t.a.sum))
	}
	// The first plan moves the mass in the order of rows and columns. If both end, the next arc goes
	// up from the next row, without mass.
	left := slices.Clone(s.supply)
	for i, j := 0, n; ; {
		mass := left[i]
		if left[j].less(mass) {
			mass = left[j]
		}
		child, parent := int32(j), int32(i)
		if s.parent[j] >= 0 {
			child, parent = parent, child
		}
		s.link(child, parent)
		s.flow[child] = mass
		left[i], left[j] = left[i].minus(mass), left[j].minus(mass)
		switch {
		case left[i] == (units{}) && i+1 < n:
			i++
		case j+1 < n+k:
			j++
		default:
			return s
		}
	}
}

// link makes a node a child.
func (s *simplex) link(node, parent int32) {
	s.parent[node] = parent
	s.before[node], s.next[node] = -1, s.first[parent]
	if after := s.first[parent]; after >= 0 {
		s.before[after] = node
	}
	s.first[parent] = node
}

func (s *simplex) unlink(node int32) {
	before, after := s.before[node], s.next[node]
	if before < 0 {
		s.first[s.parent[node]] = after
	} else {
		s.next[before] = after
	}
	if after >= 0 {
		s.before[after] = before
	}
}

// arcOf is the row and column of a node's arc to its parent.
func (s *simplex) arcOf(node int32) (row, col int) {
	if node < int32(s.n) {
		return int(node), int(s.parent[node]) - s.n
	}
	return int(s.parent[node]), int(node) - s.n
}

// settle computes the potentials and depths below a node from its own.
func (s *simplex) settle(node int32) {
	s.stack = append(s.stack[:0], node)
	for len(s.stack) > 0 {
		parent := s.stack[len(s.stack)-1]
		s.stack = s.stack[:len(s.stack)-1]
		for child := s.first[parent]; child >= 0; child = s.next[child] {
			s.depth[child] = s.depth[parent] + 1
			s.potential[child] = s.arc[child] - s.potential[parent]
			s.stack = append(s.stack, child)
		}
	}
}

const (
	// pivotAt is the reduced cost, relative to its terms, from which on an arc may enter.
	pivotAt = 1e-15
	// pivots per node after which the simplex gives up; the certificate tells.
	mostPivots = 10000
)

// run improves the plan, from the last one, until no arc has a negative reduced cost.
func (s *simplex) run() {
	for node := range s.parent {
		if node > 0 {
			row, col := s.arcOf(int32(node))
			s.arc[node] = s.cost[row*s.k+col]
		}
	}
	s.potential[0], s.depth[0] = 0, 0
	s.settle(0)
	for row, idle, left := 0, 0, mostPivots*(s.n+s.k); idle < s.n && left > 0; row = (row + 1) % s.n {
		col, least := 0, math.Inf(1)
		v := s.potential[s.n:]
		for j, c := range s.cost[row*s.k : (row+1)*s.k] {
			if r := c - v[j]; r < least {
				col, least = j, r
			}
		}
		c, u := s.cost[row*s.k+col], s.potential[row]
		if least-u >= -pivotAt*(c+math.Abs(u)+math.Abs(v[col])) {
			idle++
			continue
		}
		idle = 0
		left--
		s.pivot(int32(row), int32(s.n+col), c)
	}
}

// pivot takes the arc between a row and a column into the tree, in place of the arc of their cycle
// that runs empty first. Of several, it is the last one on the way from the top of the cycle along
// the entering arc.
func (s *simplex) pivot(row, col int32, cost float64) {
	var delta units
	leaving, fromCol := int32(-1), false
	top, other := row, col
	consider := func(node int32, onCol bool) {
		// Above the row, arcs of rows lose mass, above the column those of columns.
		if onCol != (node >= int32(s.n)) {
			return
		}
		f := s.flow[node]
		if leaving < 0 || f.less(delta) || onCol && f == delta {
			leaving, fromCol, delta = node, onCol, f
		}
	}
	// Ties: on the column's side the last one wins, on the row's the first, and the column's side
	// before the row's. So the row's side comes first.
	for top != other {
		if s.depth[top] >= s.depth[other] {
			top = s.parent[top]
		} else {
			other = s.parent[other]
		}
	}
	for node := row; node != top; node = s.parent[node] {
		consider(node, false)
	}
	for node := col; node != top; node = s.parent[node] {
		consider(node, true)
	}
	if delta != (units{}) {
		for _, side := range []struct {
			from int32
			col  bool
		}{{row, false}, {col, true}} {
			for node := side.from; node != top; node = s.parent[node] {
				if side.col == (node >= int32(s.n)) {
					s.flow[node] = s.flow[node].minus(delta)
				} else {
					s.flow[node] = s.flow[node].plus(delta)
				}
			}
		}
	}
	// The part that the leaving arc cuts off hangs on the entering one.
	node, parent := row, col
	if fromCol {
		node, parent = col, row
	}
	hung, flow, arc := node, delta, cost
	for {
		above, oldFlow, oldArc := s.parent[node], s.flow[node], s.arc[node]
		s.unlink(node)
		s.link(node, parent)
		s.flow[node], s.arc[node] = flow, arc
		if node == leaving {
			break
		}
		node, parent, flow, arc = above, node, oldFlow, oldArc
	}
	s.depth[hung] = s.depth[s.parent[hung]] + 1
	s.potential[hung] = cost - s.potential[s.parent[hung]]
	s.settle(hung)
}
