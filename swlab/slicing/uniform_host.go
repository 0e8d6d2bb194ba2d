package slicing

import (
	"encoding/binary"
	"math"
	"math/rand/v2"

	"github.com/sliced-wasserstein/lab/swlab/internal/parallel"
)

// DrawOnHost draws the directions of Draw on the pure-Go backend. One core draws the backend's random bits, and
// all cores turn them into directions, which its graph would do on one. One number in millions may differ from
// the graph's, in its last bit.
func (Uniform) DrawOnHost(state []uint64, batch, perPair, dim int) []float32 {
	u, state := randomBits(state, batch*perPair*dim)
	v, _ := randomBits(state, len(u))
	out := make([]float32, len(u))
	parallel.Pieces(batch*perPair, 1, func(from, to int) {
		from, to = from*dim, to*dim
		unitNormals(out[from:to], u[from:to], v[from:to], dim)
	})
	return out
}

// randomBits are n numbers of the pure-Go backend's generator, a PCG whose 64 bits make two of them,
// the lower half first, and its state after them.
func randomBits(state []uint64, n int) (bits []uint32, after []uint64) {
	pcg := rand.NewPCG(state[0], state[1])
	bits = make([]uint32, n+n%2)
	for i := 0; i < n; i += 2 {
		both := pcg.Uint64()
		bits[i], bits[i+1] = uint32(both), uint32(both>>32)
	}
	raw, _ := pcg.MarshalBinary() // "pcg:" and two words, which the backend takes as little-endian
	return bits[:n], []uint64{binary.LittleEndian.Uint64(raw[4:]), binary.LittleEndian.Uint64(raw[12:])}
}

// unitNormals turns pairs of random bits into normals, as graph.RandomUniform and RandomNormal do by
// Box and Muller (1958), and their rows into unit vectors, as vmf.UniformFromNormals does.
func unitNormals(out []float32, u, v []uint32, dim int) {
	const below1 = 1 - 1.0/(1<<24) // the largest float32 below 1
	uniform := func(bits uint32) float32 { return min(float32(bits)*(1.0/(1<<32)), below1) }
	for row := 0; row < len(out); row += dim {
		x, square := out[row:row+dim], float32(0)
		for j := range x {
			radius := float32(math.Sqrt(float64(-2 * float32(logUniform(uniform(u[row+j]))))))
			x[j] = radius * float32(cosTurn(float64(uniform(v[row+j])*float32(2*math.Pi))))
			square += float32(x[j] * x[j])
		}
		if !(square > 1e-30) {
			clear(x)
			x[0] = 1
			continue
		}
		norm := float32(math.Sqrt(float64(square)))
		for j := range x {
			x[j] /= norm
		}
	}
}

// tabled is the number of places at which logUniform and cosTurn know the function.
const tabled = 256

// logs are the logarithms of 1 + (i + 1/2) / tabled, beside the reciprocals of these numbers. turns are
// cosine and sine of i tabled-ths of a turn.
var (
	logs  [tabled]struct{ log, reciprocal float64 }
	turns [tabled + 1]struct{ cos, sin float64 }
)

func init() {
	for i := range logs {
		at := 1 + (float64(i)+0.5)/tabled
		logs[i].log, logs[i].reciprocal = math.Log(at), 1/at
	}
	for i := range turns {
		turns[i].sin, turns[i].cos = math.Sincos(float64(i) / tabled * 2 * math.Pi)
	}
}

// logUniform is the logarithm of u in [0, 1), of the smallest float32 in place of 0: by its Taylor series from the
// nearest tabled number, or from 1.
func logUniform(u float32) float64 {
	const near1 = 1 - 1.0/tabled
	if u == 0 {
		return math.Log(math.SmallestNonzeroFloat32)
	}
	base, r := 0.0, float64(u)-1
	if u < near1 {
		bits := math.Float32bits(u)
		i := bits >> 15 % tabled
		m := float64(math.Float32frombits(bits&(1<<23-1) | 127<<23)) // in [1, 2)
		base = float64(int(bits>>23)-127)*math.Ln2 + logs[i].log
		r = (m - (1 + (float64(i)+0.5)/tabled)) * logs[i].reciprocal
	}
	return base + r*(1+r*(-1.0/2+r*(1.0/3+r*(-1.0/4+r*(1.0/5-r*(1.0/6))))))
}

// cosTurn is the cosine of an angle in [0, 2 pi], by its Taylor series from the nearest tabled one.
func cosTurn(angle float64) float64 {
	// 2 pi / tabled as the sum of two numbers: multiples of the first are exact.
	const first = 0x1.921fb544p-6
	const second = 2*math.Pi/tabled - first
	i := int(angle*(tabled/(2*math.Pi)) + 0.5)
	d := angle - float64(i)*first - float64(i)*second
	at, square := &turns[i], d*d
	return at.cos*(1-square*(1.0/2-square*(1.0/24))) - at.sin*d*(1-square*(1.0/6-square*(1.0/120)))
}
