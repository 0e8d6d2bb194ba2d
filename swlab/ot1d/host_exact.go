package ot1d

import (
	"cmp"
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
	point     uint64
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
	if c.certain || c.exact != nil || mean == 0 && !h.hasMass() && slices.Equal(h.x.cloud(pair), h.y.cloud(pair)) {
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

// projectExact sorts the projections of a cloud, and returns the points in their order.
func (s *hostSorter) projectExact(which int, points []float32, theta []float64) []uint64 {
	n := len(points) / len(theta)
	if s.projections[which] == nil {
		s.projections[which] = make([]projection, n)
	}
	if s.keys[which] == nil {
		s.keys[which], s.spare[which] = make([]uint64, n), make([]uint64, n)
	}
	all, order := s.projections[which], s.keys[which]
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
		all[i] = projection{sum, low - (sum - high), uint64(i)}
	}
	slices.SortFunc(all, func(a, b projection) int {
		return cmp.Or(cmp.Compare(a.high, b.high), cmp.Compare(a.low, b.low), cmp.Compare(a.point, b.point))
	})
	for i, p := range all {
		order[i] = p.point
	}
	return order
}
