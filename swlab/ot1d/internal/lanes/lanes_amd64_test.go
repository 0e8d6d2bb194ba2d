//go:build !purego

package lanes

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"golang.org/x/sys/cpu"
)

// kernels are those of this processor, by name.
func kernels() map[string]kernel {
	m := map[string]kernel{}
	if k64, k32, _ := detect(false, cpu.X86.HasAVX2 && cpu.X86.HasFMA, false); k64.lanes > 0 {
		m["256x64"], m["256x32"] = k64, k32
	}
	if k64, k32, _ := detect(cpu.X86.HasAVX512F, false, false); k64.lanes > 0 {
		m["512x64"], m["512x32"] = k64, k32
		_, m["512f32"], _ = detect(true, false, true)
	}
	return m
}

func (k kernel) new(n int) *Keys {
	m := (n + k.rows - 1) / k.rows * k.rows
	return &Keys{kernel: &k, n: n, m: m, v: make([]uint64, m*k.words+k.words/2)}
}

// lists returns the keys of every lane.
func (k *Keys) lists() [][]uint64 {
	raw := make([]byte, 0, 8*len(k.v))
	for _, w := range k.v {
		raw = binary.LittleEndian.AppendUint64(raw, w)
	}
	out := make([][]uint64, k.lanes)
	size := 8 * k.words / k.lanes
	for i := range k.n * k.lanes {
		v := binary.LittleEndian.Uint64(append(slices.Clone(raw[i*size:(i+1)*size]), 0, 0, 0, 0))
		out[i%k.lanes] = append(out[i%k.lanes], v)
	}
	return out
}

// TestKeys projects, sorts and sums on every kernel, beside the same in plain Go: for sizes around
// those of blocks, several dimensions, keys with and without numbers.
func TestKeys(t *testing.T) {
	for name, kernel := range kernels() {
		r := rand.New(rand.NewPCG(1, 2))
		for _, n := range []int{1, 2, 3, 7, 8, 9, 15, 16, 17, 30, 31, 33, 64, 100, 128, 129, 500, 512, 513, 514, 1000, 1024,
			2048, 2049, 3000, 4096, 5000, 5002, 20000} {
			for _, numbered := range []bool{false, true} {
				bits, shift, lowest := 52, uint(0), 0.0
				if kernel.lanes != kernel.words { // 32 bits
					if bits, lowest = 32, First; numbered {
						continue
					}
				}
				if numbered {
					bits, shift = 40, 15
				}
				var keys [2]*Keys
				var want [2][][]uint64
				dim, dither := 1+n%4, .3
				for c := range keys {
					k := kernel.new(n)
					points, theta, origin := make([]float64, n*dim), make([]float64, dim*k.lanes), make([]float64, k.lanes)
					for i := range points {
						points[i] = r.Float64()
					}
					span := float64(uint64(1)<<bits - 4)
					if bits == 32 {
						span = Last - First - 3
					}
					for i := range theta {
						theta[i] = r.Float64() * span / float64(dim)
						if i%5 == 4 {
							theta[i] = float64(1 + c) // many equal keys
						}
					}
					for l := range origin {
						origin[l] = -r.Float64() - lowest
					}
					want[c] = make([][]uint64, k.lanes)
					for l := range want[c] {
						u := uint64(0) // the fraction, in units of 2^-64
						for i := range n {
							v := 0.0
							if bits == 32 {
								v = 1 + float64(u>>12)/(1<<52) - (origin[l] + 1.5)
								u += uint64(dither * (1 << 64))
							}
							for j := range dim {
								c, t := points[i*dim+j], theta[j*k.lanes+l]
								if bits == 32 {
									v = math.FMA(c, t, v)
								} else {
									v += float64(c * t)
								}
							}
							if bits == 32 {
								v = math.RoundToEven(v)
							} else {
								v -= origin[l]
							}
							key := uint64(v) << shift
							if numbered {
								key |= uint64(i)
							}
							want[c][l] = append(want[c][l], key)
						}
					}
					k.Project(points, theta, origin, shift, numbered, dither)
					for l, got := range k.lists() {
						if !slices.Equal(got, want[c][l]) {
							t.Fatalf("%s: %d points in %d dimensions, numbered %v: lane %d: other keys than in plain Go", name, n, dim,
								numbered, l)
						}
						slices.Sort(want[c][l])
					}
					k.Sort()
					for l, got := range k.lists() {
						if !slices.Equal(got, want[c][l]) {
							t.Fatalf("%s: %d points: lane %d is not sorted", name, n, l)
						}
					}
					if k.lanes == k.words {
						flat := make([]uint64, n*k.lanes)
						k.Lists(flat)
						if !slices.Equal(flat, slices.Concat(want[c]...)) {
							t.Fatalf("%s: %d points: Lists differs", name, n)
						}
					}
					keys[c] = k
				}
				if numbered {
					continue
				}
				for p := 1; p <= 2; p++ {
					sums := make([]float64, kernel.lanes)
					Cost(keys[0], keys[1], p, sums)
					for l, got := range sums {
						var part [2]float64
						for i, a := range want[0][l] {
							d := float64(int64(a - want[1][l][i]))
							switch {
							case p == 1:
								part[i%2] += math.Abs(d)
							case bits == 32:
								part[i%2] = math.FMA(d, d, part[i%2])
							default:
								part[i%2] += d * d
							}
						}
						if got != part[0]+part[1] {
							t.Fatalf("%s: %d points, p = %d, lane %d: %v, want %v", name, n, p, l, got, part[0]+part[1])
						}
					}
				}
			}
		}
	}
}

func BenchmarkSort(b *testing.B) {
	for name, kernel := range kernels() {
		for _, n := range []int{512, 2048, 16384, 100000, 1000000} {
			b.Run(fmt.Sprint(name, "/", n), func(b *testing.B) {
				keys := kernel.new(n)
				src := make([]uint64, len(keys.v))
				r := rand.New(rand.NewPCG(1, 2))
				key := func() uint64 { return First + r.Uint64N(Last-First+1) }
				for i := range src {
					src[i] = key()<<32 | key()
				}
				for b.Loop() {
					copy(keys.v, src)
					keys.Sort()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n*keys.lanes), "ns/value")
			})
		}
	}
}
