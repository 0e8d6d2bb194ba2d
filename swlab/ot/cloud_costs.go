package ot

import (
	"cmp"
	"math"
	"slices"

	"github.com/sliced-wasserstein/lab/swlab/internal/parallel"
)

// searchedDims is the dimension up to which [EMD] computes costs when they are needed. Above it,
// boxes exclude little, and all costs are stored.
const searchedDims = 8

const (
	blockSize = 16 // columns per block
	// margin covers the rounding when squares are compared instead of roots.
	margin = 1 + 1e-14
)

// cloudCosts are the costs ||x_i - y_j||^p, computed on demand. Both clouds are in the order of a
// k-d tree. The columns are cut into blocks, whose boxes and largest potentials exclude most
// columns from a search.
type cloudCosts struct {
	m, dim int
	p      float64
	x, y   []float64 // [m, dim]
	block  []float64 // [blocks, dim, blockSize]: a copy of y; infinite beyond m
	box    []float64 // [blocks, 2, dim]: lowest and highest coordinates
	top    []float64 // [blocks] largest v
}

func newCloudCosts(x, y []float64, dim int, p float64) *cloudCosts {
	m := len(x) / dim
	blocks := (m + blockSize - 1) / blockSize
	c := &cloudCosts{m: m, dim: dim, p: p, x: x, y: y, top: make([]float64, blocks),
		block: make([]float64, blocks*dim*blockSize), box: make([]float64, blocks*2*dim)}
	for b := range blocks {
		for d := range dim {
			lo, hi := math.Inf(1), math.Inf(-1)
			for n := range blockSize {
				a := math.Inf(1)
				if j := b*blockSize + n; j < m {
					a = y[j*dim+d]
					lo, hi = min(lo, a), max(hi, a)
				}
				c.block[(b*dim+d)*blockSize+n] = a
			}
			c.box[2*b*dim+d], c.box[(2*b+1)*dim+d] = lo, hi
		}
	}
	return c
}

// treeOrder orders points so that blocks of consecutive ones are compact: it halves along the
// longest side of the box, recursively.
func treeOrder(x []float32, dim int) []int32 {
	order := make([]int32, len(x)/dim)
	for i := range order {
		order[i] = int32(i)
	}
	split(order, x, dim)
	return order
}

func split(order []int32, x []float32, dim int) {
	if len(order) <= blockSize {
		return
	}
	axis, widest := 0, float32(-1)
	for d := range dim {
		lo, hi := x[int(order[0])*dim+d], x[int(order[0])*dim+d]
		for _, j := range order {
			a := x[int(j)*dim+d]
			lo, hi = min(lo, a), max(hi, a)
		}
		if hi-lo > widest {
			axis, widest = d, hi-lo
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(x[int(a)*dim+axis], x[int(b)*dim+axis]), cmp.Compare(a, b))
	})
	half := (len(order)/2 + blockSize - 1) / blockSize * blockSize
	split(order[:half], x, dim)
	split(order[half:], x, dim)
}

// gather is the points of x in the given order.
func gather(x []float32, order []int32, dim int) []float64 {
	out := make([]float64, 0, len(x))
	for _, i := range order {
		for _, a := range x[int(i)*dim : (int(i)+1)*dim] {
			out = append(out, float64(a))
		}
	}
	return out
}

func (c *cloudCosts) size() int { return c.m }

// power is the cost of a squared distance.
func power(square, p float64) float64 {
	switch p {
	case 1:
		return math.Sqrt(square)
	case 2:
		return square
	}
	return math.Pow(square, p/2)
}

func (c *cloudCosts) point(i int) []float64 { return c.x[i*c.dim : (i+1)*c.dim] }

func (c *cloudCosts) at(i, j int) float64 { return cost(c.point(i), c.y[j*c.dim:(j+1)*c.dim], c.p) }

func cost(x, y []float64, p float64) float64 {
	s := 0.0
	for d, a := range x {
		e := a - y[d]
		s += e * e
	}
	return power(s, p)
}

func (c *cloudCosts) row(i int, buffer []float64) []float64 {
	x := c.point(i)
	var square [blockSize]float64
	for b := range c.top {
		c.squares(x, b, &square)
		for n, s := range square {
			square[n] = power(s, c.p)
		}
		copy(buffer[b*blockSize:], square[:])
	}
	return buffer
}

// diameter is a bound on all distances.
func (c *cloudCosts) diameter() float64 {
	s := 0.0
	for d := range c.dim {
		lo, hi := math.Inf(1), math.Inf(-1)
		for i := d; i < len(c.x); i += c.dim {
			lo, hi = min(lo, c.x[i], c.y[i]), max(hi, c.x[i], c.y[i])
		}
		s += (hi - lo) * (hi - lo)
	}
	return math.Sqrt(s)
}

func (c *cloudCosts) largest() float64 { return 4 * math.Pow(c.diameter(), max(c.p, 2)) }

func (c *cloudCosts) lowered(v []float64) {
	for b := range c.top {
		c.top[b] = slices.Max(v[b*blockSize : min(len(v), (b+1)*blockSize)])
	}
}

// squares writes the squared distances of x to the columns of block b.
func (c *cloudCosts) squares(x []float64, b int, out *[blockSize]float64) {
	if c.dim == 3 {
		x0, x1, x2 := x[0], x[1], x[2]
		y := (*[3 * blockSize]float64)(c.block[b*3*blockSize:])
		for n := range out {
			d0, d1, d2 := x0-y[n], x1-y[blockSize+n], x2-y[2*blockSize+n]
			out[n] = d0*d0 + d1*d1 + d2*d2
		}
		return
	}
	*out = [blockSize]float64{}
	for d, a := range x {
		y := (*[blockSize]float64)(c.block[(b*c.dim+d)*blockSize:])
		for n := range out {
			e := a - y[n]
			out[n] += e * e
		}
	}
}

// squareToBox is the squared distance of x to the box of block b.
func (c *cloudCosts) squareToBox(x []float64, b int) float64 {
	if c.dim == 3 {
		box := (*[6]float64)(c.box[6*b:])
		d0, d1, d2 := max(box[0]-x[0], x[0]-box[3], 0), max(box[1]-x[1], x[1]-box[4], 0), max(box[2]-x[2], x[2]-box[5], 0)
		return d0*d0 + d1*d1 + d2*d2
	}
	s, box := 0.0, c.box[2*b*c.dim:(2*b+2)*c.dim]
	for d, a := range x {
		if e := max(box[d]-a, a-box[d+c.dim]); e > 0 {
			s += e * e
		}
	}
	return s
}

func (c *cloudCosts) nearest(i int, v []float64, k int, list *shortlist, h *heap) {
	k = min(k, c.m)
	h.reset(k, list.limit(v, k))
	x := c.point(i)
	// Rows begin at different blocks, so that equal rows with many ties do not all list the same
	// columns.
	first := i / blockSize
	for b := first; b < len(c.top); b++ {
		c.search(x, b, v, h)
	}
	for b := range first {
		c.search(x, b, v, h)
	}
	h.into(list, c.m)
}

// search adds the columns of a block to the heap.
func (c *cloudCosts) search(x []float64, b int, v []float64, h *heap) {
	if reach := h.limit + c.top[b]; reach <= 0 || power(c.squareToBox(x, b), c.p) >= reach*margin {
		return
	}
	var square [blockSize]float64
	c.squares(x, b, &square)
	from := b * blockSize
	for n, w := range v[from:min(c.m, from+blockSize)] {
		s := square[n]
		if c.p == 1 {
			if reach := h.limit + w; reach <= 0 || s > reach*reach*margin {
				continue
			}
		}
		cost := power(s, c.p)
		if r := cost - w; r < h.limit {
			h.add(entry{r, cost, int32(from + n)})
		}
	}
}

func (c *cloudCosts) violations(i int, u float64, v []float64, found func(j int, cost float64)) {
	x := c.point(i)
	var square [blockSize]float64
	for b := range c.top {
		c.squares(x, b, &square)
		from := b * blockSize
		for n, w := range v[from:min(c.m, from+blockSize)] {
			reach := u + w
			if reach < 0 || c.p == 1 && square[n] > reach*reach*margin {
				continue
			}
			if cost := power(square[n], c.p); cost <= reach {
				found(from+n, cost)
			}
		}
	}
}

// stored is the whole matrix.
func (c *cloudCosts) stored() *matrix {
	out := &matrix{make([]float64, c.m*c.m), c.m}
	parallel.Pieces(c.m, 16, func(from, to int) {
		for i := from; i < to; i++ {
			c.row(i, out.c[i*c.m:(i+1)*c.m])
		}
	})
	return out
}
