package ot1d

import (
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/sliced-wasserstein/lab/swlab/ot1d/internal/lanes"
)

// hostSorter sorts the projections of a pair as integers. Each goroutine has one.
type hostSorter struct {
	*host
	group group // of the task at hand
	// blocks sort a group at once: with keys of 64 bits, of 32 bits, and of 32 bits for a group
	// that fills at most half a vector; nil: not needed so far.
	blocks [3]*block
	points [2][]float64 // coordinates of x and y of a pair
	pair   int          // of points; -1: none

	keys, spare [2][]uint64        // of the radix sort; nil: not needed so far
	projections [2][]projection    // of exact, by point; nil: not needed so far
	byPlace     [2][]uint64        // points in the order of exact; nil: not needed so far
	low, high   [maxBuckets]uint32 // counts of two digits
	scaled      []float64
	plan        []Match   // of Plans
	lines       [2]onLine // of a line cost; nil: not needed so far
}

const (
	maxDigit   = 11
	maxBuckets = 1 << maxDigit
	fixedBits  = 52 // differences of keys are exact in float64

	manyKeys    = 400_000 // from here on keys are sorted by buckets
	bucketDigit = 9
)

// sorters are kept for later calls: most of the memory that a call needs is theirs.
var sorters sync.Pool

func (h *host) newSorter() *hostSorter {
	s, _ := sorters.Get().(*hostSorter)
	if s == nil || s.x.Points != h.x.Points || s.y.Points != h.y.Points || s.x.Dim != h.x.Dim {
		return &hostSorter{host: h, pair: -1, scaled: make([]float64, h.x.Dim)}
	}
	s.host, s.pair = h, -1
	for _, b := range s.blocks {
		if b != nil {
			b.task = -1
		}
	}
	return s
}

// release keeps the sorter for later calls, but not the clouds of this one.
func (s *hostSorter) release() {
	sizes := func(c Clouds) Clouds { return Clouds{Points: c.Points, Dim: c.Dim} }
	s.host = &host{HostPairs: &HostPairs{x: sizes(s.x), y: sizes(s.y)}}
	sorters.Put(s)
}

// sort returns the sorted keys of both clouds of a task, or the sum of byRanks; false if all its
// projections are equal.
func (s *hostSorter) sort(task int, indexBits uint) (coupling, bool) {
	pair, theta := task/s.slices, s.direction(task/s.slices, task%s.slices)
	if s.outlying[pair] {
		return s.exact(task), true
	}
	r := s.quantizer(pair, theta, min(fixedBits, 62-indexBits))
	if r.scale == 0 {
		return coupling{}, false
	}
	c := coupling{p: s.p, step: 1 / r.scale, indexBits: indexBits}
	switch {
	case s.usesRadix(task) || max(s.x.Points, s.y.Points) > maxLanePoints:
		c.a = s.radix(0, s.x.cloud(pair), theta, r, indexBits)
		c.b = s.radix(1, s.y.cloud(pair), theta, r, indexBits)
	case !s.sumsAlone(indexBits):
		b := s.block(64)
		lane := s.sortBlock(b, task, r.bits, indexBits)
		c.a, c.b = b.list(0, lane), b.list(1, lane)
	default:
		b := s.block(64)
		c.sum = b.sum(s.sortBlock(b, task, r.bits, 0), s.p)
	}
	return c, true
}

// sumsAlone reports whether keys with that many bits for a point's number are sorted for the sum of byRanks alone.
func (s *hostSorter) sumsAlone(indexBits uint) bool {
	return indexBits == 0 && s.byRank() && (s.p == 1 || s.p == 2)
}

// block is the block of that width of keys for the group at hand.
func (s *hostSorter) block(bits int) *block {
	i, directions := 0, lanes.Lanes(bits)
	if bits == fastBits {
		i = 1
		if 2*s.group.n <= directions {
			i, directions = 2, directions/2
		}
	}
	if s.blocks[i] == nil {
		s.blocks[i] = s.newBlock(bits, directions)
	}
	return s.blocks[i]
}

// quantizer turns projections of a pair on one direction into integers: key = floor((theta'x - origin)
// scale) < 2^bits, and for fastBits at most lanes.Last - lanes.First.
type quantizer struct {
	scale, origin float64
	bits          uint
}

// quantizer spans the projections of the pair's box. The slack exceeds what rounding can add to them.
func (h *HostPairs) quantizer(pair int, theta []float64, bits uint) quantizer {
	low, high := h.box(pair)
	from, width, far := 0.0, 0.0, 0.0
	for j, t := range theta {
		from += min(t*low[j], t*high[j])
		width += math.Abs(t) * (high[j] - low[j])
		far += math.Abs(t) * max(math.Abs(low[j]), math.Abs(high[j]))
	}
	slack := 4e-16 * float64(len(theta)+4) * far
	width += 2 * slack
	r := quantizer{origin: from - slack, bits: bits}
	keys := float64(uint64(1) << bits)
	if bits == fastBits {
		keys = lanes.Last - lanes.First + 1
	}
	if width > 0 {
		r.scale = (keys - 8) / width
	}
	return r
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
