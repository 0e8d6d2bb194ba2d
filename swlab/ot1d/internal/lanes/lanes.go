// Package lanes projects and sorts a cloud on several directions at once, one direction in each lane
// of a vector register, with the AVX-512 or AVX2 instructions of the processor.
//
// The sort is the bitonic network whose comparators all point the same way (K. E. Batcher, "Sorting
// networks and their applications", 1968): rows i and 2k-1-i of two sorted runs of k, then rows at
// distances k/2, k/4, ... 1. Comparators with a row beyond the last one are left out. The assembly
// does up to five stages for each time that it reads a row.
package lanes

import "math/bits"

// First and Last bound keys of 32 bits: those of the positive, normal float32 numbers, which have the same
// order as integers and as float32.
const (
	First = 0x0080_0000
	Last  = 0x7F7F_FFFF
)

// Keys are the keys of one cloud on as many directions as there are lanes.
type Keys struct {
	*kernel
	v []uint64 // rows of the points, padding up to a multiple of the kernel's rows, half a row for CostOfHalves
	n int      // points
	m int      // rows
}

// New returns room for the keys of that many points, of 64 or 32 bits, with lanes for that many
// directions, or as many as there are.
func New(points, bits, directions int) *Keys {
	k := &Keys{kernel: &using64, n: points}
	switch {
	case bits == 32 && directions <= narrow32.lanes:
		k.kernel = &narrow32
	case bits == 32:
		k.kernel = &using32
	}
	k.m = (points + k.rows - 1) / k.rows * k.rows
	k.v = make([]uint64, k.m*k.words+k.words/2)
	return k
}

// Width returns the number of lanes.
func (k *Keys) Width() int { return k.lanes }

// Len returns the number of points.
func (k *Keys) Len() int { return k.n }

// Lanes is the number of directions that are sorted at once with keys of 64 or 32 bits; 0 on a
// processor without AVX2.
func Lanes(bits int) int {
	if bits == 32 {
		return using32.lanes
	}
	return using64.lanes
}

// Project sets the keys of points [n][dim],
//
//	key = floor(theta'x - origin) 2^shift + (number of the point, if numbered)
//
// with theta [dim][lanes] and origin [lanes]. The floor must be in [0, 2^52), the key below 2^62. Sums
// are in the order of the coordinates, in float64, without fused products.
//
// Keys of 32 bits have no shift and no number, and their products are fused. They are dithered:
// key = floor(theta'x - origin + u), which must be in [First, Last], with u in [0, 1) the fraction of the
// point's number times dither, also in [0, 1). So their rounding errors, however regular the points,
// are spread evenly and cancel in sums.
func (k *Keys) Project(points, theta, origin []float64, shift uint, numbered bool, dither float64) {
	step := uint64(0)
	switch {
	case k.lanes != k.words:
		step = uint64(dither * (1 << 64))
	case numbered:
		step = 1
	}
	k.project(&k.v[0], &points[0], &theta[0], &origin[0], len(theta)/k.lanes, k.n, uint64(shift), step)
	for i := k.n * k.words; i < len(k.v); i++ {
		k.v[i] = k.last
	}
}

// Lists copies the keys of 64 bits [lanes][points], lane by lane.
func (k *Keys) Lists(to []uint64) {
	n := k.lanes
	for l := 0; l < n; l += 4 { // four streams at a time
		a, b, c, d := to[l*k.n:(l+1)*k.n], to[(l+1)*k.n:(l+2)*k.n], to[(l+2)*k.n:(l+3)*k.n], to[(l+3)*k.n:(l+4)*k.n]
		v := k.v[l : k.n*n]
		b, c, d = b[:len(a)], c[:len(a)], d[:len(a)]
		for i := range a {
			row := v[i*n:][:4]
			a[i], b[i], c[i], d[i] = row[0], row[1], row[2], row[3]
		}
	}
}

// Cost sums |a - b|^p, p = 1 or 2, of keys of shift 0 in every lane: those of even places plus those
// of odd ones.
func Cost(a, b *Keys, p int, sums []float64) {
	var even, odd [16]float64
	cost := a.cost1
	if p == 2 {
		cost = a.cost2
	}
	cost(&a.v[0], &b.v[0], a.n, &even[0], &odd[0])
	for l := range a.lanes {
		sums[l] = even[l] + odd[l]
	}
}

// Join puts the first half of other's lanes in place of the second half of k's, so that one Sort sorts
// both. Both have the same size.
func (k *Keys) Join(other *Keys) {
	n := k.words / 2
	for at := n; at < k.n*k.words; at += k.words {
		copy(k.v[at:at+n], other.v[at-n:at])
	}
}

// CostOfHalves is Cost of the lanes of the first half and those of the second, after Join.
func (k *Keys) CostOfHalves(p int, sums []float64) {
	second := *k
	second.v = k.v[k.words/2:]
	Cost(k, &second, p, sums)
}

// Sort sorts every lane.
func (k *Keys) Sort() {
	if k.n < 2 {
		return
	}
	size := k.rows
	for size < k.m {
		size *= 2
	}
	k.sortBlock(0, size)
}

// cached is the number of rows that a core's first cache holds.
const cached = 512

// near is the number of rows of which those of one pass fit their sets of a core's first cache: rows 4 kB
// apart share a set, which has room for 8 to 12 rows of 64 bytes.
func (k *Keys) near() int { return cached * 8 / k.words }

func (k *Keys) at(row int) *uint64 { return &k.v[row*k.words] }

// sortBlock sorts the rows of a block of that size.
func (k *Keys) sortBlock(from, size int) {
	end := min(from+size, k.m)
	if size <= cached {
		k.base(k.at(from), (end-from)/k.rows)
		for s := 2 * k.rows; s <= size; s *= 2 {
			for at := from; at < end; at += s {
				k.merge(at, s)
			}
		}
		return
	}
	k.sortBlock(from, size/2)
	if from+size/2 < end {
		k.sortBlock(from+size/2, size/2)
		k.merge(from, size)
	}
}

// merge merges the sorted halves of a block.
func (k *Keys) merge(from, size int) {
	half := size / 2
	switch over := from + size - k.m; {
	case over <= 0:
		merge, rows := k.kernel.merge, k.rows
		if size > k.near() || size <= rows*rows/4 { // small: two passes either way, and equal ones take less time
			merge, rows = k.mergeFar, rows/2
		}
		merge(k.at(from), size/rows)
		k.clean(from, size/rows, rows)
	case over < half: // the last rows of the block are beyond the end, and so are their partners' comparators
		k.mirror(k.at(from+over), k.at(k.m-1), half-over)
		k.cleanPart(from, half)
		k.cleanPart(from+half, half)
	}
}

// cleanPart sorts a bitonic block that may go beyond the last row.
func (k *Keys) cleanPart(from, size int) {
	if from >= k.m || size < 2 {
		return
	}
	if from+size <= k.m {
		k.clean(from, size, 1)
		return
	}
	half := size / 2
	if from+half < k.m {
		k.pairs(k.at(from), k.at(from+half), k.m-from-half)
	}
	k.cleanPart(from, half)
	k.cleanPart(from+half, half)
}

// clean sorts bitonic blocks of that size, a power of two, that follow one another.
func (k *Keys) clean(from, size, blocks int) {
	if size > k.rows && size*blocks > cached && blocks > 1 {
		for b := range blocks {
			k.clean(from+b*size, size, 1)
		}
		return
	}
	switch {
	case size > k.near():
		k.cleanFar(k.at(from), size/8, blocks)
		k.clean(from, size/8, 8*blocks)
	case size > k.rows:
		h := size / k.rows
		k.kernel.clean(k.at(from), h, blocks)
		k.clean(from, h, k.rows*blocks)
	case size > 1:
		k.tail[log2(size)](k.at(from), size*blocks/k.rows)
	}
}

func log2(n int) int { return bits.Len(uint(n)) - 1 }

// kernel is the assembly for one width of the vectors and one kind of keys.
type kernel struct {
	lanes, words int    // of a row: keys, and 64-bit words
	rows         int    // that the registers hold
	last         uint64 // a word that no key comes after: keys are compared as float64, float32 or unsigned
	base         func(v *uint64, blocks int)
	merge        func(v *uint64, h int)
	mergeFar     func(v *uint64, h int) // on half as many rows at a time
	clean        func(v *uint64, h, blocks int)
	cleanFar     func(v *uint64, h, blocks int) // on 8 rows at a time
	tail         [6]func(v *uint64, blocks int) // by the number of stages
	pairs        func(low, high *uint64, n int)
	mirror       func(low, high *uint64, n int)
	project      func(v *uint64, points, theta, origin *float64, dim, n int, shift, step uint64)
	cost1, cost2 func(a, b *uint64, n int, even, odd *float64)
}
