// Package graphtest holds what tests of graph-building packages share: single calls of a graph,
// comparison with reference numbers, and the hashed weights of the reference sets.
package graphtest

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/core/tensors/numpy"

	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// Engine opens the backend that SWLAB_BACKEND names, else the best one found.
func Engine(t testing.TB) *engine.Engine {
	t.Helper()
	e, err := engine.Open("")
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Once skips in make check a test that make test has run in the same form, on the same backend.
func Once(t testing.TB) {
	t.Helper()
	if !testing.Short() {
		t.Skip("runs in make test")
	}
}

// Call builds a graph on the best backend found, calls it once and returns its outputs.
func Call(t testing.TB, f func([]*graph.Node) []*graph.Node, in ...any) []*tensors.Tensor {
	t.Helper()
	return call(t, Engine(t), f, in...)
}

// CallOn is Call on the named backend. The inputs may have been on another.
func CallOn(t testing.TB, backend string, f func([]*graph.Node) []*graph.Node, in ...any) []*tensors.Tensor {
	t.Helper()
	e, err := engine.Open(backend)
	if err != nil {
		t.Fatal(err)
	}
	own := slices.Clone(in)
	for i, v := range in {
		if v, ok := v.(*tensors.Tensor); ok {
			if own[i], err = v.LocalClone(); err != nil {
				t.Fatal(err)
			}
		}
	}
	return call(t, e, f, own...)
}

func call(t testing.TB, e *engine.Engine, f func([]*graph.Node) []*graph.Node, in ...any) []*tensors.Tensor {
	t.Helper()
	x, err := graph.NewExec(e.Backend, f)
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

// InGo is CallOn the pure-Go backend; it returns the values of the outputs.
func InGo(t testing.TB, f func([]*graph.Node) []*graph.Node, in ...any) [][]float64 {
	t.Helper()
	var r [][]float64
	for _, o := range CallOn(t, "go", f, in...) {
		r = append(r, Values(o))
	}
	return r
}

// Values are those of a tensor of float64, float32 or int32.
func Values(x *tensors.Tensor) []float64 {
	switch x.DType() {
	case dtypes.Float64:
		return tensors.MustCopyFlatData[float64](x)
	case dtypes.Int32:
		return widened(tensors.MustCopyFlatData[int32](x))
	}
	return widened(tensors.MustCopyFlatData[float32](x))
}

func widened[T int32 | float32](v []T) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = float64(x)
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
func Close[T float32 | float64](t testing.TB, what string, got []T, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) || len(want) == 0 {
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

// Reference reads reference numbers, by name.
func Reference(t testing.TB, path string) map[string]*tensors.Tensor {
	t.Helper()
	z, err := numpy.FromNpzFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// GoldenFile is the path of a file of the project's golden set, which lies beside the repository.
// If it is missing, the test is skipped.
func GoldenFile(t testing.TB, name string) string {
	t.Helper()
	root := "."
	for range 8 { // folders from here to the repository's root
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		root = filepath.Join(root, "..")
	}
	path := filepath.Join(root, "..", "shared", "golden", name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the golden set is not here: %v", err)
	}
	return path
}

// Golden is the Reference of that GoldenFile.
func Golden(t testing.TB, name string) map[string]*tensors.Tensor {
	t.Helper()
	return Reference(t, GoldenFile(t, name))
}

// References runs f with the package's own numbers and with those of the golden set: subtests "own"
// and "golden", which -short leaves to make check: it has whole networks and clouds of 2048 points.
func References(t *testing.T, own, golden string, f func(t *testing.T, z map[string]*tensors.Tensor)) {
	t.Run("own", func(t *testing.T) { f(t, Reference(t, own)) })
	if !testing.Short() {
		t.Run("golden", func(t *testing.T) { f(t, Golden(t, golden)) })
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

// Network are the hashed tensors 0..31 of the autoencoder, in the order of its specs, with fresh
// running statistics: convolutions by their fan-in, linear weights by Xavier's bound with biases of
// amplitude 0.05, batch norms near 1 and 0.
func Network(specs []weights.Spec, seed uint64) []*tensors.Tensor {
	var out []*tensors.Tensor
	t, fanIn := uint64(0), 0.0
	var normed bool // the current tensors are a batch norm's: gamma, then beta
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
