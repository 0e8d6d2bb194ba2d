package datasets

import "math/bits"

// rng is the SplitMix64 generator (Steele, Lea, Flood 2014). It is implemented here because stored
// results depend on every number it gives: subsets, orders and the procedural shapes.
type rng struct{ state uint64 }

// newStream mixes the given words, in order, into the state of a new stream.
func newStream(words ...uint64) *rng {
	s := &rng{state: 0x5377536c69636564}
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

// hashName turns a name into a word for newStream (FNV-1a, 64 bits).
func hashName(name string) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(name); i++ {
		h = (h ^ uint64(name[i])) * 1099511628211
	}
	return h
}

// next returns 64 uniform bits.
func (s *rng) next() uint64 {
	s.state += 0x9e3779b97f4a7c15
	return mix64(s.state)
}

// float returns a uniform number in [0, 1) with 53 random bits.
func (s *rng) float() float64 { return float64(s.next()>>11) * (1.0 / (1 << 53)) }

// below returns a uniform integer in [0, n), n >= 1, without bias (Lemire 2019).
func (s *rng) below(n int) int {
	bound := uint64(n)
	hi, lo := bits.Mul64(s.next(), bound)
	if lo < bound {
		threshold := -bound % bound
		for lo < threshold {
			hi, lo = bits.Mul64(s.next(), bound)
		}
	}
	return int(hi)
}

// shuffle draws a uniform random prefix of length k of a permutation of v, in place (Fisher-Yates).
func (s *rng) shuffle(v []int32, k int) {
	for i := 0; i < k && i < len(v)-1; i++ {
		j := i + s.below(len(v)-i)
		v[i], v[j] = v[j], v[i]
	}
}
