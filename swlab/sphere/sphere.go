// Package sphere finds global maxima on the circle, the sphere and beyond, with a proof of how near
// they are to the largest value: by branch and bound.
package sphere

import (
	"container/heap"
	"fmt"
	"math"

	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
)

// Search says how far Maximize goes. The zero value stands for the defaults.
type Search struct {
	// Gap is the distance of the value from the upper bound, relative to the value, at which the search
	// ends; 0: 1e-3.
	Gap float64 `json:"gap" help:"with --certify: the largest gap, relative to the value (default 0.001)" range:">0.." unset:"0" group:"Ascent and amortizer"`
	// Budget is how many directions are tried at most; 0: 100,000.
	Budget int `json:"budget" help:"with --certify: directions that are tried at most, per pair (default 100000)" range:"1.." unset:"0" group:"Ascent and amortizer"`
}

// The defaults of Search.
const (
	DefaultGap    = 1e-3
	DefaultBudget = 100_000
)

// WithDefaults fills in zero fields.
func (s Search) WithDefaults() Search {
	if s.Gap == 0 {
		s.Gap = DefaultGap
	}
	if s.Budget == 0 {
		s.Budget = DefaultBudget
	}
	return s
}

// Maximum is what a search has found: Value at At, and a proof that no value exceeds Upper.
type Maximum struct {
	At           []float64 // a unit vector
	Value, Upper float64
	Evaluations  int // of the function
}

// Cell is a part of the unit sphere: all directions that are sums of its corners with weights of at
// least 0. On the circle it is an arc, on the sphere a triangle.
type Cell struct {
	Corners [][]float64 // unit vectors, as many as there are coordinates
	Centre  []float64   // a unit vector
	// Radius is less than pi/2, and no direction of the cell is at a larger angle to the centre.
	Radius float64
}

// Bound is at least the value of a function at every direction of a cell.
type Bound func(c Cell) float64

// Maximize finds the largest value of f on the unit sphere of R^dim, dim >= 2. f is even, f(-theta) =
// f(theta), and nowhere negative. It returns the value at a direction, and a bound of what it has learned
// there, which is best for cells near that direction.
//
// The half of the sphere whose last coordinate is not negative begins as 2^(dim-1) cells. The cell of
// the largest bound is split in two across its longest edge, and f at its centre bounds both halves. The
// search ends when no bound exceeds the best value by more than s.Gap times the value, or with the
// budget; Upper is then the largest bound that is left. Cells overlap by more than rounding.
func Maximize(dim int, f func(at []float64) (value float64, bound Bound), s Search) (Maximum, error) {
	s = s.WithDefaults()
	switch {
	case dim < 2:
		return Maximum{}, fmt.Errorf("sphere: expected at least 2 dimensions, found %d", dim)
	case !(s.Gap > 0):
		return Maximum{}, fmt.Errorf("gap: expected a number > 0, found %v", s.Gap)
	case s.Budget < 1:
		return Maximum{}, fmt.Errorf("budget: expected at least 1, found %d", s.Budget)
	}
	best := Maximum{Value: math.Inf(-1), Upper: math.Inf(1)}
	left := orthants(dim)
	for best.Evaluations < s.Budget {
		top := heap.Pop(&left).(cell)
		value, bound := f(top.Centre)
		best.Evaluations++
		if value > best.Value {
			best.At, best.Value = top.Centre, value
		}
		for _, half := range top.halves() {
			heap.Push(&left, cell{half, min(top.bound, bound(half))})
		}
		if best.Upper = max(best.Value, left[0].bound); best.Upper <= best.Value*(1+s.Gap) {
			break
		}
	}
	return best, nil
}

// orthants are those of half of the space, without a bound.
func orthants(dim int) (all cells) {
	for signs := range 1 << (dim - 1) {
		corners := make([][]float64, dim)
		for i := range corners {
			corners[i] = make([]float64, dim)
			corners[i][i] = 1 - 2*float64(signs>>i&1)
		}
		all = append(all, cell{newCell(corners), math.Inf(1)})
	}
	return all
}

func newCell(corners [][]float64) Cell {
	c := Cell{Corners: corners, Centre: make([]float64, len(corners))}
	for _, v := range corners {
		for i := range v {
			c.Centre[i] += v[i]
		}
	}
	vec.Unit(c.Centre)
	c.Radius = c.Farthest(c.Centre)
	return c
}

// Farthest is the largest angle between a unit vector and a direction of the cell, if it is less than pi/2.
func (c Cell) Farthest(at []float64) (far float64) {
	for _, v := range c.Corners {
		far = max(far, angle(at, v))
	}
	return far
}

// angle is at least that between unit vectors, and at most 1e-14 more.
func angle(a, b []float64) float64 {
	return 2*math.Asin(min(1, math.Sqrt(square(a, b))/2)) + 0.8e-14
}

// square is |a - b|^2.
func square(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += (v - b[i]) * (v - b[i])
	}
	return sum
}

// halves splits the cell at the middle of its longest edge.
func (c Cell) halves() [2]Cell {
	from, to, longest := 0, 1, 0.0
	for i, v := range c.Corners {
		for j, w := range c.Corners[:i] {
			if length := square(v, w); length > longest {
				from, to, longest = i, j, length
			}
		}
	}
	middle := make([]float64, len(c.Corners))
	for i := range middle {
		middle[i] = c.Corners[from][i] + c.Corners[to][i]
	}
	vec.Unit(middle)
	half := func(replaced int) Cell {
		corners := append([][]float64{}, c.Corners...)
		corners[replaced] = middle
		return newCell(corners)
	}
	return [2]Cell{half(from), half(to)}
}

// cell is a Cell with its bound.
type cell struct {
	Cell
	bound float64
}

// cells are a heap, with the largest bound on top.
type cells []cell

func (c cells) Len() int           { return len(c) }
func (c cells) Less(i, j int) bool { return c[i].bound > c[j].bound }
func (c cells) Swap(i, j int)      { c[i], c[j] = c[j], c[i] }
func (c *cells) Push(x any)        { *c = append(*c, x.(cell)) }
func (c *cells) Pop() any {
	last := len(*c) - 1
	top := (*c)[last]
	*c = (*c)[:last]
	return top
}
