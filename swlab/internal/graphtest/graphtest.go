// Package graphtest holds what the tests of graph-building packages share: calling a graph once, comparing with
// reference numbers, and the hashed weights of the reference sets.
package graphtest

import (
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// Best is Engine whatever SWLAB_BACKEND says, for a test that has to run on XLA where it is there: make test chooses pure Go.
func Best(t *testing.T) *engine.Engine {
	t.Helper()
	t.Setenv(engine.Variable, "auto")
	return Engine(t)
}

// Engine opens the backend that SWLAB_BACKEND names, or else the best one found.
func Engine(t testing.TB) *engine.Engine {
	t.Helper()
	e, err := engine.Open("")
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Call builds a graph, calls it once and returns its outputs.
func Call(t testing.TB, f func([]*graph.Node) []*graph.Node, in ...any) []*tensors.Tensor {
	t.Helper()
	x, err := graph.NewExec(Engine(t).Backend, f)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Finalize()
	out, err := x.Call(in...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Floats is Call for float32 outputs.
func Floats(t testing.TB, f func([]*graph.Node) []*graph.Node, in ...any) [][]float32 {
	t.Helper()
	var r [][]float32
	for _, o := range Call(t, f, in...) {
		r = append(r, tensors.MustCopyFlatData[float32](o))
		o.FinalizeAll()
	}
	return r
}

// Close requires max|got - want| <= tol max|want|, the convention of the reference sets.
func Close(t testing.TB, what string, got []float32, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	worst, top := 0.0, 0.0
	for i, w := range want {
		worst, top = math.Max(worst, math.Abs(float64(got[i])-w)), math.Max(top, math.Abs(w))
	}
	if !(worst <= tol*top) {
		t.Errorf("%s: error %.3g of the largest value %.3g, allowed %.3g", what, worst/top, top, tol)
	}
}

// Hash is the reference sets' number in [-1, 1) for element i of tensor t.
func Hash(seed, t, i uint64) float64 {
	z := seed<<40 + t<<32 + i + 0x9E3779B97F4A7C15
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	z ^= z >> 31
	return 2*(float64(z>>11)/(1<<53)) - 1
}

// Hashed is tensor number t: offset + amp Hash(seed, t, i), rounded once.
func Hashed(s weights.Spec, seed, t uint64, amp, offset float64) *tensors.Tensor {
	v := make([]float32, s.Size())
	for i := range v {
		v[i] = float32(offset + amp*Hash(seed, t, uint64(i)))
	}
	return tensors.FromFlatDataAndDimensions(v, s.Shape...)
}

// Network are the hashed tensors 0..31 of the autoencoder, in the order of its specs, with fresh running statistics:
// convolutions by their fan-in, linear weights by Xavier's bound with biases of amplitude 0.05, batch norms near 1 and 0.
func Network(specs []weights.Spec, seed uint64) []*tensors.Tensor {
	var out []*tensors.Tensor
	t, fanIn := uint64(0), 0.0
	var normed bool // the tensors at hand are a batch norm's: gamma, then beta
	for i, s := range specs {
		if s.Buffer {
			v := make([]float32, s.Size())
			s.Init(nil, v)
			out = append(out, tensors.FromFlatDataAndDimensions(v, s.Shape...))
			continue
		}
		amp, offset := 0.1, 0.0 // beta
		switch {
		case len(s.Shape) == 3:
			fanIn, normed = float64(s.Shape[1]), false
			amp = 1 / math.Sqrt(fanIn)
		case len(s.Shape) == 2:
			fanIn, normed = 0, false
			amp = math.Sqrt(6 / float64(s.Shape[0]+s.Shape[1]))
		case i > 0 && len(specs[i-1].Shape) > 1: // the bias of the weight before
			amp = 0.05
			if fanIn > 0 {
				amp = 1 / math.Sqrt(fanIn)
			}
		case !normed:
			normed, offset = true, 1 // gamma
		default:
			normed = false
		}
		out = append(out, Hashed(s, seed, t, amp, offset))
		t++
	}
	return out
}
