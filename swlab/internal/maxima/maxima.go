// Package maxima finds at which point of a cloud a linear function of the points' features is largest,
// with the AVX-512 or AVX2 instructions of the processor.
//
// It computes all values in integers, which takes half of the time of float32 with AVX-512, and bounds
// their errors. With a scale t of the features h of a cloud and a scale s of the weights w of a channel,
//
//	h = t x,  x = u + e,  w = s v,  v = q + f,  u and q integers,
//	|v'x - q'u| = |q'e + f'x| <= |q| |e| + |f| |x|.
//
// Every point whose upper bound reaches the best lower bound is computed again in float32, by fused
// products in the order of the features. So the result is that of such a computation of all points, unless
// products are too small for float32's normal numbers. Of equal values the first is chosen.
package maxima

import (
	"fmt"
	"math"
	"slices"

	"github.com/sliced-wasserstein/lab/swlab/internal/parallel"
)

// Features is the number of features of a point.
const Features = 128

const (
	largestFeature = 4095 // of u
	largestWeight  = 2047 // of q: 128 products are below 2^30
	largestBound   = 1 << 27
	// rounding bounds the relative error of a sum of 128 products in float32, 128 2^-24, and of a product
	// with a scale.
	rounding = 1e-5
)

// kernel is a set of functions of the assembly. screen takes two vectors of channels, candidates and exact
// take one.
type kernel struct {
	lanes, block int // channels of a vector, points of a block of screen
	largest      func(h *float32, points int) float32
	quantise     func(h *float32, u *int16, points int, factor float32, sums *float32)
	screen       func(u, w *int16, blocks int, slack, upper, best *int32)
	candidates   func(upper *int32, points int, below *int32, list *uint64) int
	exact        func(h *float32, list *uint64, blocks int, w, z *float32)
}

// exactBlock is the number of points of a block of kernel.exact, as in asm.
const exactBlock = 4

// Available reports whether this processor has the instructions.
func Available() bool { return using.lanes > 0 }

// Functions are linear functions of the features: channels.
type Functions struct {
	kernel
	rounded []int16   // q [channels/lanes/2][64][2][lanes][2]
	weights []float32 // w [channels/lanes][128][lanes]
	length  []float64 // |q|
	slack   float64   // the largest |f|, and the rounding of float32, both for |x| = 1
}

// New returns the functions w'h of w [channels][128]. The number of channels is a multiple of 32. It panics
// if it is not, or on a processor that is not Available.
func New(w []float32) *Functions { return using.functions(w) }

func (k kernel) functions(w []float32) *Functions {
	channels := len(w) / Features
	if k.lanes == 0 || channels%32 != 0 || len(w) != channels*Features {
		panic(fmt.Errorf("maxima: expected weights [multiple of 32, %d] and a processor with AVX2, found %d weights and %d lanes", Features, len(w), k.lanes))
	}
	f := &Functions{kernel: k, rounded: make([]int16, len(w)), weights: make([]float32, len(w)),
		length: make([]float64, channels)}
	for c := range channels {
		row, vector, lane := w[c*Features:(c+1)*Features], c/k.lanes, c%k.lanes
		largest := 0.0
		for _, v := range row {
			largest = max(largest, math.Abs(float64(v)))
		}
		scale := 0.0
		if largest > 0 {
			scale = largestWeight / largest
		}
		var length, rest, whole float64
		for i, v := range row {
			x := float64(v) * scale
			q := math.RoundToEven(x)
			length, rest, whole = length+q*q, rest+(x-q)*(x-q), whole+x*x
			f.weights[(vector*Features+i)*k.lanes+lane] = v
			f.rounded[(((vector/2*Features/2+i/2)*2+vector%2)*k.lanes+lane)*2+i%2] = int16(q)
		}
		f.length[c] = math.Sqrt(length)
		f.slack = max(f.slack, math.Sqrt(rest)+rounding*math.Sqrt(whole))
	}
	return f
}

// First sets at [clouds][channels] to the index of the first point of each cloud at which a function is
// largest, for features h [clouds][points][128] of at least one point, on GOMAXPROCS goroutines. If a value
// in the cloud is not finite, the index is that of some point.
func (f *Functions) First(h []float32, points int, at []int32) {
	clouds, channels := len(h)/(points*Features), len(f.length)
	if len(h) != clouds*points*Features || len(at) != clouds*channels {
		panic(fmt.Errorf("maxima: expected features [clouds, %d, %d] and results [clouds, %d], found %d and %d numbers",
			points, Features, channels, len(h), len(at)))
	}
	parallel.Each(clouds, func() (func(i int), func()) {
		s := f.newSearch(points)
		return func(i int) {
			s.cloud(h[i*points*Features:(i+1)*points*Features], at[i*channels:(i+1)*channels])
		}, func() {}
	})
}

// search is room for the search of one cloud.
type search struct {
	*Functions
	points   int
	u        []int16   // [padded][128]
	sums     []float32 // [points][2]: |e|^2 and |x|^2
	slacks   []int32   // [padded], bounds of |f| |x|
	upper    []int32   // [padded][2][lanes]
	list     []uint64
	values   []float32
	computed int // in float32: points, for each vector of channels
}

func (f *Functions) newSearch(points int) *search {
	padded := (points + f.block - 1) / f.block * f.block
	s := &search{Functions: f, points: points, u: make([]int16, padded*Features), sums: make([]float32, 2*points),
		slacks: make([]int32, padded), upper: make([]int32, padded*2*f.lanes), list: make([]uint64, points+exactBlock)}
	for i := points; i < padded; i++ {
		s.slacks[i] = math.MaxInt32 // so that w'u - slack is never the best
	}
	return s
}

// cloud sets at [channels] for the features of one cloud.
func (s *search) cloud(h []float32, at []int32) {
	factor := largestFeature / s.largest(&h[0], s.points)
	if !(factor < math.MaxFloat32) {
		factor = 0 // every point is a candidate
	}
	s.quantise(&h[0], &s.u[0], s.points, factor, &s.sums[0])
	residue := 0.0
	for i := range s.points {
		residue = max(residue, float64(s.sums[2*i]))
		s.slacks[i] = bound(s.slack * math.Sqrt(float64(s.sums[2*i+1])))
	}
	residue = math.Sqrt(residue)
	n := s.lanes
	best, below := make([]int32, 2*n), make([]int32, 2*n)
	for from := 0; from < len(at); from += 2 * n {
		for i := range best {
			best[i] = math.MinInt32
		}
		s.screen(&s.u[0], &s.rounded[from*Features], len(s.slacks)/s.block, &s.slacks[0], &s.upper[0], &best[0])
		for i, b := range best {
			below[i] = b - 2*bound(s.length[from+i]*residue) - 1
		}
		for v := 0; v < 2*n; v += n {
			listed := s.candidates(&s.upper[v], s.points, &below[v], &s.list[0])
			s.computed += listed
			s.choose(h, s.list[:listed], from+v, at[from+v:from+v+n])
		}
	}
}

// choose sets at for the channels of one vector, from the first on, of which the list has all candidates.
func (s *search) choose(h []float32, list []uint64, first int, at []int32) {
	clear(at)
	blocks := (len(list) + exactBlock - 1) / exactBlock
	if blocks == 0 {
		return // not a number
	}
	s.values = slices.Grow(s.values[:0], blocks*exactBlock*s.lanes)[:blocks*exactBlock*s.lanes]
	clear(list[len(list) : blocks*exactBlock])
	s.exact(&h[0], &list[0], blocks, &s.weights[first*Features], &s.values[0])
	var best [16]float32
	for i := range at {
		best[i] = float32(math.Inf(-1))
	}
	for i, c := range list {
		values := s.values[i*s.lanes:]
		for lane := range at {
			if c>>lane&1 != 0 && values[lane] > best[lane] {
				best[lane], at[lane] = values[lane], int32(c>>32)
			}
		}
	}
}

// bound returns an integer that is at least x, which has a relative error below 1e-4; largestBound if x is
// not finite. Bounds of finite numbers are far below it.
func bound(x float64) int32 {
	if !(x < largestBound/2) {
		return largestBound
	}
	return int32(math.Ceil(x * 1.0001))
}
