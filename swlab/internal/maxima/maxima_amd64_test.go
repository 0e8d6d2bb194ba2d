//go:build !purego

package maxima

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"golang.org/x/sys/cpu"
)

// kernels are those of this processor, by name.
func kernels() map[string]kernel {
	m := map[string]kernel{}
	if k := detect(cpu.X86.HasAVX512F && cpu.X86.HasAVX512VNNI, false); k.lanes > 0 {
		m["512"] = k
	}
	if k := detect(false, cpu.X86.HasAVX2 && cpu.X86.HasFMA); k.lanes > 0 {
		m["256"] = k
	}
	return m
}

// value is w'h in float32 with fused products, in the order of the features.
func value(w, h []float32) (sum float32) {
	for i := range w {
		sum = float32(math.FMA(float64(w[i]), float64(h[i]), float64(sum)))
	}
	return sum
}

// first is First in plain Go.
func first(w, h []float32, points int) (at []int32) {
	for from := 0; from < len(h); from += points * Features {
		for c := 0; c < len(w); c += Features {
			best, most := int32(0), float32(math.Inf(-1))
			for p := range points {
				if v := value(w[c:c+Features], h[from+p*Features:from+(p+1)*Features]); v > most {
					best, most = int32(p), v
				}
			}
			at = append(at, best)
		}
	}
	return at
}

// cases are kinds of features, for the weights w.
var cases = map[string]func(r *rand.Rand, h []float32, points int, w []float32){
	"positive parts of normal numbers": func(r *rand.Rand, h []float32, _ int, _ []float32) {
		for i := range h {
			h[i] = max(0, float32(r.NormFloat64()))
		}
	},
	"both signs": func(r *rand.Rand, h []float32, _ int, _ []float32) {
		for i := range h {
			h[i] = float32(r.NormFloat64())
		}
	},
	"points that repeat": func(r *rand.Rand, h []float32, points int, _ []float32) {
		for i := range h {
			h[i] = max(0, float32(r.NormFloat64()))
		}
		for p := 1; p < len(h)/Features; p++ {
			if from := r.IntN(p); from/points == p/points {
				copy(h[p*Features:(p+1)*Features], h[from*Features:(from+1)*Features])
			}
		}
	},
	"points that differ in the last bits": func(r *rand.Rand, h []float32, _ int, _ []float32) {
		for i := range h {
			h[i] = 1 + float32(i%Features) + float32(r.IntN(4))*0x1p-17
		}
	},
	"points of which integers get the order wrong": func(r *rand.Rand, h []float32, _ int, _ []float32) {
		for i := range h {
			h[i] = 1 + float32(i%Features)/Features + float32(r.NormFloat64())*0x1p-14
		}
	},
	"points far apart with nearly equal values": func(r *rand.Rand, h []float32, _ int, w []float32) {
		for from := 0; from < len(h); from += Features {
			row, c := h[from:from+Features], w[len(w)/2:len(w)/2+Features]
			for i := range row {
				row[i] = max(0, float32(r.NormFloat64()))
				if c[i] < 0 {
					row[i] /= 2
				}
			}
			for v := value(c, row); v > 0 && row[0] > 0; v = 0 {
				for i := range row {
					row[i] *= (1 + float32(r.Float64())*0x1p-14) / v
				}
			}
		}
	},
	"integers in many orders": func(r *rand.Rand, h []float32, _ int, _ []float32) {
		row := make([]float32, Features)
		for i := range row {
			row[i] = float32(r.IntN(largestFeature))
		}
		row[0] = largestFeature
		for from := 0; from < len(h); from += Features {
			r.Shuffle(Features-1, func(i, j int) { row[1+i], row[1+j] = row[1+j], row[1+i] })
			copy(h[from:], row)
		}
	},
	"points on a line": func(_ *rand.Rand, h []float32, points int, _ []float32) {
		for i := range h {
			h[i] = float32(i/Features%points+1) / float32(points)
		}
	},
	"one large feature": func(r *rand.Rand, h []float32, points int, _ []float32) {
		for i := range h {
			h[i] = max(0, float32(r.NormFloat64()))
			if i%(points*Features) == 77 {
				h[i] = 1e6
			}
		}
	},
	"small integers": func(r *rand.Rand, h []float32, _ int, _ []float32) {
		for i := range h {
			h[i] = float32(r.IntN(3))
		}
	},
	"zeros": func(*rand.Rand, []float32, int, []float32) {},
	"tiny numbers": func(r *rand.Rand, h []float32, _ int, _ []float32) {
		for i := range h {
			h[i] = float32(r.Float64()) * 1e-41
		}
	},
	"large numbers": func(r *rand.Rand, h []float32, _ int, _ []float32) {
		for i := range h {
			h[i] = float32(r.Float64()) * 1e32
		}
	},
}

// TestFirst compares every kernel with plain Go, to the last point: numbers of points around those
// of blocks, many kinds of features, weights of several scales, some of them 0.
func TestFirst(t *testing.T) {
	for name, k := range kernels() {
		for kind, fill := range cases {
			t.Run(name+" "+kind, func(t *testing.T) {
				r := rand.New(rand.NewPCG(1, 2))
				for _, points := range []int{1, 2, 3, 4, 5, 7, 8, 9, 16, 31, 100} {
					clouds, channels := 1+r.IntN(4), 32*(1+r.IntN(3))
					h, w := make([]float32, clouds*points*Features), make([]float32, channels*Features)
					for i := range w {
						w[i] = float32(r.NormFloat64() * math.Exp2(float64(i/Features%7-3)))
						if i/Features%17 == 5 || i/Features%17 == 6 && i%3 > 0 {
							w[i] = 0
						}
						switch i / Features % 17 {
						case 7:
							w[i] = 1
						case 9:
							w[i] = -1
						case 8: // of nearly equal integers
							w[i] = 500 + r.Float32()
							if i%Features == 0 {
								w[i] = largestWeight
							}
						}
					}
					fill(r, h, points, w)
					got := make([]int32, clouds*channels)
					k.functions(w).First(h, points, got)
					for i, want := range first(w, h, points) {
						if got[i] != want {
							t.Fatalf("%d points, cloud %d, channel %d: point %d, expected %d", points, i/channels, i%channels, got[i], want)
						}
					}
				}
			})
		}
	}
}

// TestCandidates: of 2048 points with normal features, the mean channel has fewer than two whose
// value is computed in float32.
func TestCandidates(t *testing.T) {
	const points, channels = 2048, 64
	r := rand.New(rand.NewPCG(1, 2))
	h, w := make([]float32, points*Features), make([]float32, channels*Features)
	cases["positive parts of normal numbers"](r, h, points, nil)
	for i := range w {
		w[i] = float32(r.NormFloat64())
	}
	for name, k := range kernels() {
		s := k.functions(w).newSearch(points)
		s.cloud(h, make([]int32, channels))
		if mean := float64(s.computed) / channels; mean < 0.9 || mean > 2 {
			t.Errorf("%s: %.2f points for each channel", name, mean)
		} else {
			t.Logf("%s: %.2f points for each channel", name, mean)
		}
	}
}

// TestNotANumber: whatever the features and weights are, the result is the number of a point.
func TestNotANumber(t *testing.T) {
	const points = 9
	for name, k := range kernels() {
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			for _, where := range []string{"feature", "weight", "all"} {
				r := rand.New(rand.NewPCG(1, 2))
				h, w, at := make([]float32, 2*points*Features), make([]float32, 32*Features), make([]int32, 64)
				for i := range h {
					h[i] = r.Float32()
				}
				for i := range w {
					w[i] = r.Float32() - .5
				}
				switch where {
				case "feature":
					h[5*Features+3] = float32(bad)
				case "weight":
					w[7*Features+3] = float32(bad)
				case "all":
					for i := range h {
						h[i] = float32(bad)
					}
				}
				k.functions(w).First(h, points, at)
				for i, p := range at {
					if p < 0 || p >= points {
						t.Errorf("%s, %v in %s: channel %d has point %d of %d", name, bad, where, i, p, points)
					}
				}
			}
		}
	}
}

// TestSizes refuses sizes that do not fit.
func TestSizes(t *testing.T) {
	if !Available() {
		t.Skip("no AVX2 here")
	}
	refuses := func(name string, f func()) {
		defer func() {
			if recover() == nil {
				t.Errorf("%s: not refused", name)
			}
		}()
		f()
	}
	refuses("31 channels", func() { New(make([]float32, 31*Features)) })
	refuses("127 features", func() { New(make([]float32, 32*127)) })
	f := New(make([]float32, 32*Features))
	refuses("half a cloud", func() { f.First(make([]float32, 3*Features), 2, make([]int32, 32)) })
	refuses("results of another size", func() { f.First(make([]float32, 4*Features), 2, make([]int32, 32)) })
}

func BenchmarkFirst(b *testing.B) {
	for name, k := range kernels() {
		for _, size := range [][2]int{{128, 2048}, {32, 512}} {
			clouds, points, channels := size[0], size[1], 1024
			r := rand.New(rand.NewPCG(1, 2))
			h, w, at := make([]float32, clouds*points*Features), make([]float32, channels*Features),
				make([]int32, clouds*channels)
			cases["positive parts of normal numbers"](r, h, points, nil)
			for i := range w {
				w[i] = float32(r.NormFloat64())
			}
			b.Run(fmt.Sprintf("%s/%dx%d", name, clouds, points), func(b *testing.B) {
				for b.Loop() {
					k.functions(w).First(h, points, at)
				}
				b.ReportMetric(2*float64(len(h)*channels)/1e9*float64(b.N)/b.Elapsed().Seconds(), "GFLOP/s")
			})
		}
	}
}
