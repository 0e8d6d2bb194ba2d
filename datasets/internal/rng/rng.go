// Package rng gives the random numbers of the data sets.
package rng

import (
	"math/bits"
	"sort"
)

// Stream is the SplitMix64 generator (Steele, Lea, Flood 2014). It is implemented here because stored
// results depend on every number it gives: subsets, orders and the procedural shapes.
type Stream struct{ state uint64 }

// New mixes the given words, in order, into the state of a new stream.
func New(words ...uint64) *Stream {
	s := &Stream{state: 0x5377536c69636564}
	for _, w := range words {
		s.state = mix64(s.state ^ mix64(w+0x9e3779b97f4a7c15))
	}
	return s
}

// mix64 is SplitMix64's output function, a bijection of 64-bit words.
func mix64(z uint64) uint64 {
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

// Hash turns a name into a word for [New] (FNV-1a, 64 bits).
func Hash(name string) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(name); i++ {
		h = (h ^ uint64(name[i])) * 1099511628211
	}
	return h
}

// Next returns 64 uniform bits.
func (s *Stream) Next() uint64 {
	s.state += 0x9e3779b97f4a7c15
	return mix64(s.state)
}

// Float returns a uniform number in [0, 1) with 53 random bits.
func (s *Stream) Float() float64 { return float64(s.Next()>>11) * (1.0 / (1 << 53)) }

// Below returns a uniform integer in [0, n), n >= 1, without bias (Lemire 2019).
func (s *Stream) Below(n int) int {
	bound := uint64(n)
	hi, lo := bits.Mul64(s.Next(), bound)
	if lo < bound {
		threshold := -bound % bound
		for lo < threshold {
			hi, lo = bits.Mul64(s.Next(), bound)
		}
	}
	return int(hi)
}

// Shuffle draws a uniform random prefix of length k of a permutation of v, in place (Fisher-Yates).
func (s *Stream) Shuffle(v []int32, k int) {
	for i := 0; i < k && i < len(v)-1; i++ {
		j := i + s.Below(len(v)-i)
		v[i], v[j] = v[j], v[i]
	}
}

// Pick draws an index i with a probability proportional to upTo[i] - upTo[i-1]: upTo are cumulated
// weights.
func (s *Stream) Pick(upTo []float64) int {
	x := s.Float() * upTo[len(upTo)-1]
	i := sort.Search(len(upTo), func(i int) bool { return upTo[i] > x })
	return min(i, len(upTo)-1)
}
