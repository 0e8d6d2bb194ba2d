package ot1d

import (
	"fmt"
	"math"
	"runtime"
	"sync"

	"github.com/sliced-wasserstein/lab/internal/memory"
	"github.com/sliced-wasserstein/lab/swlab/internal/parallel"
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

// Outlying reports whether at least a sixteenth of a pair's points lie within ratio times the pair's
// extent of 0, those at 0 not counted: others are then so far out that numbers in units of the extent
// lose log2(1/ratio) bits of these. It looks at up to 128 points of each cloud.
func (p *HostPairs) Outlying(pair int, ratio float64) bool {
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

// group is a run of tasks of one pair whose directions are sorted at once.
type group struct{ task, n int }

const (
	// fewDirections are sorted one by one: a vector of them would be mostly empty.
	fewDirections = 2
	// maxLanePoints and maxFastPoints are the largest clouds for the network, which does m log^2 m
	// work, with keys of 64 and of 32 bits: beyond them a radix sort is faster, or the network's
	// memory is too much, up to 250 bytes a point and goroutine.
	maxLanePoints = 200_000
	maxFastPoints = 1_000_000

	fastBits = 32 // of a key, which takes not quite 31 of them: see lanes
)

// dithers are the steps of the two clouds' dithers, irrational numbers without a small integer
// relation: the golden ratio and the square root of 2.
var dithers = [2]float64{0.6180339887498949, 0.4142135623730951}

// isFast reports whether a sum of m terms |a - b|^p of short keys has a relative error of at most
// 1e-6. Every a - b is off by less than one unit. For p = 1 the sum is off by less than m. For p = 2
// and the root mean square r, it is off by less than m (2 r + 1); and because dithered errors have
// mean 0 and standard deviations of up to 1/2, by 6 sqrt(2 m) r + m/2 at six standard deviations.
func isFast(sum, p float64, m int) bool {
	n := float64(m)
	if p == 1 {
		return sum >= 1e6*n
	}
	r := math.Sqrt(sum / n)
	return r >= 2.1e6 || r >= max(2e3, 8.6e6/math.Sqrt(n))
}

// fastCost is the cost of a task from short keys, and whether it is exact enough.
func (s *hostSorter) fastCost(task int) (cost float64, certain bool) {
	if s.outlying[task/s.slices] || s.usesRadix(task) {
		return 0, false
	}
	b := s.block(fastBits)
	lane := s.sortBlock(b, task, fastBits, 0)
	if b.scale[lane] == 0 { // all projections are equal
		return 0, true
	}
	sum := b.sum(lane, s.p)
	cost = sum / b.scale[lane]
	if s.p == 2 {
		cost /= b.scale[lane]
	}
	if s.normalized {
		cost /= float64(s.x.Points)
	}
	return cost, isFast(sum, s.p, s.x.Points)
}

// each calls task for tasks from ... to-1 on up to GOMAXPROCS goroutines. Those of a group follow one
// another on one goroutine and, where there are enough pairs, those of a pair.
func (h *host) each(from, to int, task func(s *hostSorter, task int)) {
	procs, run := runtime.GOMAXPROCS(0), 1
	groups := h.groups(from, to, procs)
	if h.x.Batch >= 16*procs {
		run = (h.slices + h.width() - 1) / h.width()
	}
	parallel.Each((len(groups)+run-1)/run, func() (func(i int), func()) {
		s := h.newSorter()
		return func(i int) {
			for _, g := range groups[i*run : min((i+1)*run, len(groups))] {
				g.each(s, task)
			}
		}, s.release
	})
}

// each calls task for the tasks of the group.
func (g group) each(s *hostSorter, task func(s *hostSorter, task int)) {
	s.group = g
	for k := range g.n {
		task(s, g.task+k)
	}
}

// groups divides tasks from ... to-1, into smaller groups if there would be fewer than goroutines.
func (h *host) groups(from, to, goroutines int) (all []group) {
	size := h.width()
	if (to-from+size-1)/size < goroutines {
		size = (to - from + goroutines - 1) / goroutines
	}
	for at := from; at < to; {
		end := min(at+size, to, (at/h.slices+1)*h.slices)
		all = append(all, group{at, end - at})
		at = end
	}
	return all
}

// fits returns an error if the vectors of large clouds would not fit into the memory of this machine.
func (h *host) fits() error {
	points := max(h.x.Points, h.y.Points)
	if points <= maxLanePoints || !h.vectors() {
		return nil
	}
	procs := runtime.GOMAXPROCS(0)
	n := min(procs, len(h.groups(0, h.x.Batch*h.slices, procs)))
	const keys, coordinate = 64, 8 // bytes of a point of either cloud
	what := "points: clouds of %d points sorted by %d goroutines, with short keys (path host needs a quarter)"
	return memory.Check(fmt.Sprintf(what, points, n),
		memory.Bytes(2*(keys+coordinate*h.x.Dim), n, points))
}

// usesRadix reports whether a task's direction is sorted by itself: without vectors, and if it is one of
// few that remain when the others of its pair fill vectors. It does not depend on the group.
func (h *host) usesRadix(task int) bool {
	rest := h.slices % h.width()
	return !h.vectors() || rest <= fewDirections && task%h.slices >= h.slices-rest
}

// width is the largest number of tasks in a group.
func (h *host) width() int {
	switch {
	case !h.vectors():
		return 1
	case h.fast:
		return lanes.Lanes(fastBits)
	}
	return lanes.Lanes(64)
}

// vectors reports whether directions are sorted several at a time.
func (h *host) vectors() bool {
	most := maxLanePoints
	if h.fast {
		most = maxFastPoints
	}
	return lanes.Lanes(64) > 0 && h.slices > fewDirections && max(h.x.Points, h.y.Points) <= most
}

// block holds the sorted keys of several directions of a pair, one in each lane.
type block struct {
	keys          [2]*lanes.Keys
	joined        bool        // keys[0] has both clouds
	theta, origin []float64   // [Dim, lanes], [lanes], in units of keys
	scale         []float64   // [lanes] of the quantizers
	task          int         // of lane 0; -1: none
	lists         [2][]uint64 // [lanes, Points] keys, for what needs them one by one; nil: not made
	sums          []float64   // [lanes] of byRanks, in units of keys; nil: not made
	spare         [2][]uint64 // of lists
	room          []float64   // of sums
}

// newBlock makes room for that many directions at a time.
func (h *host) newBlock(bits, directions int) *block {
	b := &block{task: -1}
	for i, c := range h.clouds() {
		b.keys[i] = lanes.New(c.Points, bits, directions)
	}
	n := b.keys[0].Width()
	b.theta, b.origin = make([]float64, h.x.Dim*n), make([]float64, n)
	b.scale, b.room = make([]float64, n), make([]float64, n)
	return b
}

// sortBlock makes sure that a block holds the keys of a task of the group at hand, and returns its
// lane. bits is the width of a projection in a key.
func (s *hostSorter) sortBlock(b *block, task int, bits, indexBits uint) (lane int) {
	n, g := len(b.origin), s.group
	first := g.task + (task-g.task)/n*n
	if b.task == first {
		return task - first
	}
	b.task, b.lists, b.sums = first, [2][]uint64{}, nil
	pair := first / s.slices
	s.load(pair)
	lowest := 0.0
	if bits == fastBits {
		lowest = lanes.First
	}
	for l := range n { // lanes beyond the group repeat its last direction
		theta := s.direction(pair, min(first+l, g.task+g.n-1)%s.slices)
		r := s.quantizer(pair, theta, bits)
		b.origin[l], b.scale[l] = r.origin*r.scale-lowest, r.scale
		for j, t := range theta {
			b.theta[j*n+l] = t * r.scale
		}
	}
	for i, k := range b.keys {
		k.Project(s.points[i], b.theta, b.origin, indexBits, indexBits > 0, dithers[i])
	}
	// Few directions leave room for the other cloud, if nothing but sums is asked for.
	if b.joined = s.sumsAlone(indexBits) && 2*(g.task+g.n-first) <= n; b.joined {
		b.keys[0].Join(b.keys[1])
	} else {
		b.keys[1].Sort()
	}
	b.keys[0].Sort()
	return task - first
}

// load makes sure that points holds the coordinates of a pair.
func (s *hostSorter) load(pair int) {
	if s.pair == pair {
		return
	}
	s.pair = pair
	for i, clouds := range s.clouds() {
		c := clouds.cloud(pair)
		if s.points[i] == nil {
			s.points[i] = make([]float64, len(c))
		}
		to := s.points[i][:len(c)]
		for j, v := range c {
			to[j] = float64(v)
		}
	}
}

// sum is the sum of |a - b|^p in a lane, in units of keys.
func (b *block) sum(lane int, p float64) float64 {
	if b.sums == nil {
		b.sums = b.room
		if b.joined {
			b.keys[0].CostOfHalves(int(p), b.sums)
		} else {
			lanes.Cost(b.keys[0], b.keys[1], int(p), b.sums)
		}
	}
	return b.sums[lane]
}

// list returns the keys of cloud 0 or 1 in a lane of a block that is not joined.
func (b *block) list(cloud, lane int) []uint64 {
	n := b.keys[cloud].Len()
	if b.lists[cloud] == nil {
		if b.spare[cloud] == nil {
			b.spare[cloud] = make([]uint64, n*len(b.origin))
		}
		b.lists[cloud] = b.spare[cloud]
		b.keys[cloud].Lists(b.lists[cloud])
	}
	return b.lists[cloud][lane*n:][:n]
}
