package ot1d

import (
	"math"
	"math/bits"
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

// radix returns the sorted keys of a cloud, each shifted up by indexBits bits that hold the point's
// number.
func (s *hostSorter) radix(which int, points []float32, theta []float64, r quantizer, indexBits uint) []uint64 {
	for j, t := range theta {
		s.scaled[j] = t * r.scale
	}
	keys, spare := s.room(which, len(points)/len(theta))
	project(keys, points, s.scaled, r.origin*r.scale, indexBits)
	s.order(keys, spare, r.bits+indexBits)
	return keys
}

// room is memory for the keys of a cloud, and as much again.
func (s *hostSorter) room(which, n int) (keys, spare []uint64) {
	if s.keys[which] == nil {
		s.keys[which], s.spare[which] = make([]uint64, n), make([]uint64, n)
	}
	return s.keys[which], s.spare[which]
}

// order is a radix sort of keys that differ only in their lowest width bits.
//
// Two passes sort by the leading digits, about 5 bits more than it takes to number the keys. Few
// neighbours stay out of order then, which insertionFixup puts in place. Many keys do not fit a core's
// cache: a pass before moves them into buckets that do.
func (s *hostSorter) order(keys, spare []uint64, width uint) {
	if len(keys) < 2 {
		return
	}
	if len(keys) >= manyKeys && width > bucketDigit {
		rest := width - bucketDigit
		s.count(keys, bucketDigit, rest, rest)
		scatter(spare, keys, &s.high, bucketDigit, rest)
		copy(keys, spare)
		from := uint32(0)
		for _, to := range slices.Clone(s.high[:1<<bucketDigit]) { // the ends of the buckets
			s.order(keys[from:to], spare[from:to], rest)
			from = to
		}
		return
	}
	digit := min(maxDigit, width, uint(bits.Len(uint(len(keys)-1))+6)/2)
	top := width - digit
	next := top - min(top, digit)
	s.count(keys, digit, next, top)
	scatter(spare, keys, &s.low, digit, next)
	scatter(keys, spare, &s.high, digit, top)
	s.insertionFixup(keys, spare, next)
}

// count counts the keys of each value of two digits.
func (s *hostSorter) count(keys []uint64, digit, low, high uint) {
	clear(s.low[:1<<digit])
	clear(s.high[:1<<digit])
	mask := uint64(1)<<digit - 1
	for _, k := range keys {
		s.low[k>>(low&63)&mask&(maxBuckets-1)]++
		s.high[k>>(high&63)&mask&(maxBuckets-1)]++
	}
}

// scatter moves the keys, in order, to the places given by a digit's counts, which become the ends of
// these places.
func scatter(to, from []uint64, counts *[maxBuckets]uint32, digit, shift uint) {
	at := uint32(0)
	for i, c := range counts[:1<<digit] {
		counts[i] = at
		at += c
	}
	mask := uint64(1)<<digit - 1
	for _, k := range from {
		q := k >> (shift & 63) & mask & (maxBuckets - 1)
		to[counts[q]] = k
		counts[q]++
	}
}

// insertionFixup sorts keys that are in order above their lowest bits.
func (s *hostSorter) insertionFixup(keys, spare []uint64, lowest uint) {
	const near = 32 // keys farther from their place belong to a long run of equal high bits
	for i := 1; i < len(keys); i++ {
		k := keys[i]
		if k >= keys[i-1] {
			continue
		}
		j := i
		for ; j > 0 && keys[j-1] > k && i-j < near; j-- {
			keys[j] = keys[j-1]
		}
		keys[j] = k
		if i-j < near {
			continue
		}
		from, to := j, i+1
		for from > 0 && keys[from-1]>>lowest == k>>lowest {
			from--
		}
		for to < len(keys) && keys[to]>>lowest == k>>lowest {
			to++
		}
		s.order(keys[from:to], spare[from:to], lowest)
		i = to - 1
	}
}

// project writes the keys of points: floor(theta'x - from), with theta and from in units of keys, above
// indexBits bits of the point's number.
func project(keys []uint64, points []float32, theta []float64, from float64, indexBits uint) {
	shift, dim := indexBits&63, len(theta)
	number := uint64(1)<<shift - 1 // 0: keys hold no number
	switch dim {
	case 2:
		t0, t1 := theta[0], theta[1]
		for i := range keys {
			c := points[2*i : 2*i+2 : 2*i+2]
			keys[i] = uint64(int64(float64(c[0])*t0+float64(c[1])*t1-from))<<shift | uint64(i)&number
		}
	case 3:
		t0, t1, t2 := theta[0], theta[1], theta[2]
		for i := range keys {
			c := points[3*i : 3*i+3 : 3*i+3]
			keys[i] = uint64(int64(float64(c[0])*t0+float64(c[1])*t1+float64(c[2])*t2-from))<<shift | uint64(i)&number
		}
	default:
		for i := range keys {
			v := 0.0
			for j, c := range points[i*dim : (i+1)*dim] {
				v += float64(c) * theta[j]
			}
			keys[i] = uint64(int64(v-from))<<shift | uint64(i)&number
		}
	}
}
