package ot1d

import (
	"math"
	"math/bits"
	"slices"
)

// hostSorter sorts the projections of a pair as integers; one per goroutine.
type hostSorter struct {
	keys, spare [2][]uint64
	low, high   [maxBuckets]uint32 // places of the two digits
	scaled      []float64
}

const (
	maxDigit   = 11
	maxBuckets = 1 << maxDigit
	fixedBits  = 52 // differences of keys are exact in float64
)

func (h *host) newSorter() *hostSorter {
	s := &hostSorter{scaled: make([]float64, h.x.Dim)}
	for i, n := range []int{h.x.N, h.y.N} {
		s.keys[i], s.spare[i] = make([]uint64, n), make([]uint64, n)
	}
	return s
}

// ruler turns projections of a pair on one direction into integers: key = floor((theta'x - origin) scale) < 2^bits.
type ruler struct {
	scale, origin float64
	bits          uint
}

// ruler spans the projections of the pair's box. The slack is more than what rounding can add to them.
func (h *host) ruler(pair int, theta []float64, indexBits uint) ruler {
	low, high := h.box(pair)
	from, width, far := 0.0, 0.0, 0.0
	for j, t := range theta {
		from += min(t*low[j], t*high[j])
		width += math.Abs(t) * (high[j] - low[j])
		far += math.Abs(t) * max(math.Abs(low[j]), math.Abs(high[j]))
	}
	slack := 4e-16 * float64(len(theta)+4) * far
	width += 2 * slack
	r := ruler{origin: from - slack, bits: min(fixedBits, 62-indexBits)}
	if width > 0 {
		r.scale = (float64(uint64(1)<<r.bits) - 8) / width
	}
	return r
}

// sort returns the sorted keys of a cloud, each shifted up by indexBits bits that hold the point's number.
//
// Two passes of a radix sort order the leading digits, about 5 bits more than it takes to number the points: what they
// leave out of order is a neighbour here and there, which mend puts in place.
func (s *hostSorter) sort(which int, points []float32, theta []float64, r ruler, indexBits uint) []uint64 {
	keys, spare := s.keys[which], s.spare[which]
	digit := uint(min(maxDigit, (bits.Len(uint(len(keys)-1))+6)/2))
	top := r.bits + indexBits - digit
	next := top - digit
	clear(s.low[:1<<digit])
	clear(s.high[:1<<digit])
	s.project(keys, points, theta, r, indexBits)
	mask := uint64(1)<<digit - 1
	for _, k := range keys {
		s.low[k>>(next&63)&mask&(maxBuckets-1)]++
		s.high[k>>(top&63)&(maxBuckets-1)]++
	}
	scatter(spare, keys, &s.low, digit, next)
	scatter(keys, spare, &s.high, digit, top)
	mend(keys, next)
	return keys
}

// project writes the keys of all points.
func (s *hostSorter) project(keys []uint64, points []float32, theta []float64, r ruler, indexBits uint) {
	for j, t := range theta {
		s.scaled[j] = t * r.scale
	}
	from, shift, dim := r.origin*r.scale, indexBits&63, len(theta)
	keep := uint64(0) // all ones where the number of the point is kept
	if indexBits > 0 {
		keep = math.MaxUint64
	}
	switch dim {
	case 2:
		t0, t1 := s.scaled[0], s.scaled[1]
		for i := range keys {
			p := points[2*i : 2*i+2 : 2*i+2]
			keys[i] = uint64(int64(float64(p[0])*t0+float64(p[1])*t1-from))<<shift | uint64(i)&keep
		}
	case 3:
		t0, t1, t2 := s.scaled[0], s.scaled[1], s.scaled[2]
		for i := range keys {
			p := points[3*i : 3*i+3 : 3*i+3]
			keys[i] = uint64(int64(float64(p[0])*t0+float64(p[1])*t1+float64(p[2])*t2-from))<<shift | uint64(i)&keep
		}
	default:
		for i := range keys {
			v := 0.0
			for j, c := range points[i*dim : (i+1)*dim] {
				v += float64(c) * s.scaled[j]
			}
			keys[i] = uint64(int64(v-from))<<shift | uint64(i)&keep
		}
	}
}

// scatter moves the keys to the places that a digit's counts give them, in order.
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

// mend sorts keys that are in order above their lowest bits.
func mend(keys []uint64, lowest uint) {
	const near = 32 // a longer way to go means a crowd of points: it is sorted as a whole
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
		slices.Sort(keys[from:to])
		i = to - 1
	}
}
