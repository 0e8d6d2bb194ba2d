package slicing

import (
	"encoding/binary"
	"math"
	"math/rand/v2"

	"github.com/sliced-wasserstein/lab/swlab/internal/parallel"
)

// DrawOnHost draws the directions of Draw on the pure-Go backend, to the last bit. One core draws the
// backend's random bits, and all cores turn them into directions, which its graph would do on one.
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
			log := float32(math.Log(float64(max(uniform(u[row+j]), math.SmallestNonzeroFloat32))))
			radius := float32(math.Sqrt(float64(-2 * log)))
			x[j] = radius * float32(math.Cos(float64(uniform(v[row+j])*float32(2*math.Pi))))
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
