//go:build goexperiment.simd && amd64

package ot1d

import (
	"math"
	"simd/archsimd"
)

// simdMissing returns why HostConfig.SIMD is unavailable in this build on this processor; "" if it
// is available.
func simdMissing() string {
	if !archsimd.X86.AVX512() {
		return "this processor has no AVX-512"
	}
	return ""
}

// lanes are the projections of one point on 16 directions.
type lanes = [simdLanes]int32

// simdScratch belongs to a goroutine: both clouds' keys, padded to the next power of two.
type simdScratch struct{ a, b []lanes }

func newSIMDScratch(points int) *simdScratch {
	n := 1
	for n < points {
		n *= 2
	}
	return &simdScratch{make([]lanes, n), make([]lanes, n)}
}

// costs writes the costs of up to 16 directions, theta [n][dim], scaled so that projections of the
// coordinates x, y [dim][m] fit 31 bits. A unit of the result is that of the keys, to the power p.
func (s *simdScratch) costs(x, y [][]float32, theta [simdLanes][]float32, p float64, out *[simdLanes]float64) {
	d := make([]archsimd.Float32x16, len(x))
	for c := range d {
		var v [simdLanes]float32
		for l := range v {
			v[l] = theta[l][c]
		}
		d[c] = archsimd.LoadFloat32x16(&v)
	}
	simdKeys(s.a, x, d)
	simdKeys(s.b, y, d)
	simdSort(s.a)
	simdSort(s.b)
	*out = [simdLanes]float64{}
	m := len(x[0])
	a, b := s.a[:m], s.b[:m]
	if p != 2 {
		for i := range a {
			for l := range simdLanes {
				out[l] += math.Pow(math.Abs(float64(a[i][l])-float64(b[i][l])), p)
			}
		}
		return
	}
	const run = 64 // so few float32 squares sum with little rounding
	for from := 0; from < m; from += run {
		var sum archsimd.Float32x16
		for i := from; i < min(from+run, m); i++ {
			e := archsimd.LoadInt32x16(&a[i]).Sub(archsimd.LoadInt32x16(&b[i])).ConvertToFloat32()
			sum = e.MulAdd(e, sum)
		}
		var v [simdLanes]float32
		sum.Store(&v)
		for l, f := range v {
			out[l] += float64(f)
		}
	}
}

// simdKeys projects coordinates [dim][m] and pads v with keys that sort last.
func simdKeys(v []lanes, coordinates [][]float32, d []archsimd.Float32x16) {
	m := len(coordinates[0])
	for i := range m {
		p := archsimd.BroadcastFloat32x16(coordinates[0][i]).Mul(d[0])
		for c := 1; c < len(d); c++ {
			p = archsimd.BroadcastFloat32x16(coordinates[c][i]).MulAdd(d[c], p)
		}
		p.ConvertToInt32().Store(&v[i])
	}
	last := archsimd.BroadcastInt32x16(math.MaxInt32)
	for i := m; i < len(v); i++ {
		last.Store(&v[i])
	}
}

// simdSort sorts every lane of v, a power of two of vectors, by the network of bitonic, two or
// three stages at a time in registers.
func simdSort(v []lanes) {
	for k := 1; k < len(v); k *= 2 { // merge runs of k: i with 2k-1-i, then half cleaners
		for s := 0; s < len(v); s += 2 * k {
			low, high := v[s:s+k], v[s+k:s+2*k]
			for i := range low {
				a, b := archsimd.LoadInt32x16(&low[i]), archsimd.LoadInt32x16(&high[k-1-i])
				a.Min(b).Store(&low[i])
				a.Max(b).Store(&high[k-1-i])
			}
		}
		j := k / 2
		for ; j >= 4; j /= 8 {
			simdThree(v, j)
		}
		for ; j >= 1; j /= 2 {
			for s := 0; s < len(v); s += 2 * j {
				low, high := v[s:s+j], v[s+j:s+2*j]
				for i := range low {
					a, b := archsimd.LoadInt32x16(&low[i]), archsimd.LoadInt32x16(&high[i])
					a.Min(b).Store(&low[i])
					a.Max(b).Store(&high[i])
				}
			}
		}
	}
}

// simdThree does the half cleaners of distance j, j/2 and j/4.
func simdThree(v []lanes, j int) {
	h := j / 4
	for s := 0; s < len(v); s += 2 * j {
		w := v[s : s+2*j]
		for i := range h {
			a0, a1, a2, a3 := archsimd.LoadInt32x16(&w[i]), archsimd.LoadInt32x16(&w[i+h]), archsimd.LoadInt32x16(&w[i+2*h]), archsimd.LoadInt32x16(&w[i+3*h])
			b0, b1, b2, b3 := archsimd.LoadInt32x16(&w[i+4*h]), archsimd.LoadInt32x16(&w[i+5*h]), archsimd.LoadInt32x16(&w[i+6*h]), archsimd.LoadInt32x16(&w[i+7*h])
			a0, b0 = a0.Min(b0), a0.Max(b0)
			a1, b1 = a1.Min(b1), a1.Max(b1)
			a2, b2 = a2.Min(b2), a2.Max(b2)
			a3, b3 = a3.Min(b3), a3.Max(b3)
			a0, a2 = a0.Min(a2), a0.Max(a2)
			a1, a3 = a1.Min(a3), a1.Max(a3)
			b0, b2 = b0.Min(b2), b0.Max(b2)
			b1, b3 = b1.Min(b3), b1.Max(b3)
			a0.Min(a1).Store(&w[i])
			a0.Max(a1).Store(&w[i+h])
			a2.Min(a3).Store(&w[i+2*h])
			a2.Max(a3).Store(&w[i+3*h])
			b0.Min(b1).Store(&w[i+4*h])
			b0.Max(b1).Store(&w[i+5*h])
			b2.Min(b3).Store(&w[i+6*h])
			b2.Max(b3).Store(&w[i+7*h])
		}
	}
}
