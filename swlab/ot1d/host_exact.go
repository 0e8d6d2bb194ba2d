package ot1d

import (
	"math"
	"slices"
)

// Keys are integers in units of 2^-52 of a pair's extent. An outlier at 1e16 times the spread of the
// other points leaves those no digits. The projections of such pairs are sorted as they are.

const (
	// tooSmall is the part of a pair's extent below which keys are too coarse: it has 36 bits.
	tooSmall = 0x1p-16
	// clearUnits is the number of units from which on a cost is sure to six digits.
	clearUnits = 1 << 20
	// outlyingSample is the largest number of points of a cloud that Outlying looks at.
	outlyingSample = 128
)

// projection is theta'x of a point as the sum of two numbers, exact to 2^-106: products of float32 are
// exact in float64.
type projection struct {
	high, low float64
}

// Outlying reports whether at least a sixteenth of a pair's points lie within ratio times the pair's
// extent of 0, those at 0 not counted: others are then so far out that numbers in units of the extent
// lose log2(1/ratio) bits of these. It looks at up to 128 points of each cloud.
func (p *HostPairs) Outlying(pair int, ratio float64) bool {
	if p == nil || pair < 0 || pair >= p.x.Batch {
		return false
	}
	low, high := p.box(pair)
	return outlying(p.x.cloud(pair), p.y.cloud(pair), low, high, ratio)
}

// outlying is Outlying for two clouds in a box.
func outlying(x, y []float32, low, high []float64, ratio float64) bool {
	extent := 0.0
	for j := range low {
		extent = max(extent, high[j]-low[j])
	}
	dim, limit := len(low), float32(min(ratio*extent, math.MaxFloat32))
	few, all := 0, 0
	for _, cloud := range [][]float32{x, y} {
		m := len(cloud) / dim
		n := min(m, outlyingSample)
		all += n
		for i := range n {
			from, largest := i*m/n*dim, float32(0)
			for _, c := range cloud[from : from+dim] {
				largest = max(largest, c, -c)
			}
			if largest > 0 && largest <= limit {
				few++
			}
		}
	}
	return 16*few >= all
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

// exact returns the projections of a task, sorted.
func (s *hostSorter) exact(task int) coupling {
	pair := task / s.slices
	theta := s.direction(pair, task%s.slices)
	c := coupling{p: s.p, indexBits: 63, exact: &s.projections}
	c.a = s.projectExact(0, s.x.cloud(pair), theta)
	c.b = s.projectExact(1, s.y.cloud(pair), theta)
	return c
}

// projectExact finds the projections of a cloud, and returns the points in their order. It sorts by 32
// bits at a time, from the lowest to the highest, with the place so far as a key's lowest bits.
func (s *hostSorter) projectExact(which int, points []float32, theta []float64) []uint64 {
	n := len(points) / len(theta)
	if s.projections[which] == nil {
		s.projections[which], s.byPlace[which] = make([]projection, n), make([]uint64, n)
	}
	keys, spare := s.room(which, n)
	all, order := s.projections[which], s.byPlace[which]
	for i := range all {
		var high, low float64
		for j, t := range theta {
			v := float64(points[i*len(theta)+j]) * t
			sum := high + v // and its rounding (Knuth)
			back := sum - high
			low += (high - (sum - back)) + (v - back)
			high = sum
		}
		sum := high + low
		all[i], order[i] = projection{sum, low - (sum - high)}, uint64(i)
	}
	indexBits := indexBitsOf(n)
	number := uint64(1)<<indexBits - 1
	for pass := range uint(4) {
		for i, point := range order {
			v := all[point].low
			if pass >= 2 {
				v = all[point].high
			}
			keys[i] = ascending(v)>>(pass%2*32)&math.MaxUint32<<indexBits | uint64(i)
		}
		s.order(keys, spare, 32+indexBits)
		for i, k := range keys {
			spare[i] = order[k&number]
		}
		copy(order, spare)
	}
	return order
}

// ascending is a number as an integer: larger ones have larger integers.
func ascending(v float64) uint64 {
	b := math.Float64bits(v)
	return b ^ (uint64(int64(b)>>63) | 1<<63)
}
