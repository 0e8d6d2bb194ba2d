package vmf

import (
	"cmp"
	"os"
	"path/filepath"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/core/tensors/numpy"

	"github.com/sliced-wasserstein/lab/swlab/engine"
)

// testBackend is the backend of the graph tests: pure Go, which needs no plugin, unless GOMLX_BACKEND names another.
func testBackend(t *testing.T) compute.Backend {
	t.Helper()
	e, err := engine.Open(cmp.Or(os.Getenv("GOMLX_BACKEND"), "go"))
	if err != nil {
		t.Fatal(err)
	}
	return e.Backend
}

// tensorOf makes a tensor of the given dtype (float32 or float64) from float64 values.
func tensorOf(dtype dtypes.DType, values []float64, dims ...int) *tensors.Tensor {
	if dtype == dtypes.Float64 {
		return tensors.FromFlatDataAndDimensions(values, dims...)
	}
	short := make([]float32, len(values))
	for i, v := range values {
		short[i] = float32(v)
	}
	return tensors.FromFlatDataAndDimensions(short, dims...)
}

// floats returns the values of a tensor as float64.
func floats(t *testing.T, x *tensors.Tensor) []float64 {
	t.Helper()
	var out []float64
	switch x.DType() {
	case dtypes.Float64:
		out = tensors.MustCopyFlatData[float64](x)
	case dtypes.Float32:
		for _, v := range tensors.MustCopyFlatData[float32](x) {
			out = append(out, float64(v))
		}
	case dtypes.Int32:
		for _, v := range tensors.MustCopyFlatData[int32](x) {
			out = append(out, float64(v))
		}
	default:
		t.Fatalf("tensor of dtype %s", x.DType())
	}
	return out
}

// run executes a graph function and returns its outputs as float64.
func run(t *testing.T, fn func(in []*graph.Node) []*graph.Node, args ...any) [][]float64 {
	t.Helper()
	exec, err := graph.NewExec(testBackend(t), fn)
	if err != nil {
		t.Fatal(err)
	}
	defer exec.Finalize()
	outs, err := exec.Call(args...)
	if err != nil {
		t.Fatal(err)
	}
	values := make([][]float64, len(outs))
	for i, out := range outs {
		values[i] = floats(t, out)
		out.FinalizeAll()
	}
	return values
}

// golden reads testdata/vmf.npz as float64 slices.
func golden(t *testing.T) map[string][]float64 {
	t.Helper()
	file, err := numpy.FromNpzFile(filepath.Join("testdata", "vmf.npz"))
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string][]float64, len(file))
	for key, x := range file {
		out[key] = floats(t, x)
	}
	return out
}

// checkArray requires max|got-want| <= tol * max|want|.
func checkArray(t *testing.T, name string, got, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", name, len(got), len(want))
	}
	scale := 0.0
	for _, w := range want {
		scale = max(scale, abs(w))
	}
	for i := range want {
		if !(abs(got[i]-want[i]) <= tol*scale) {
			t.Errorf("%s[%d] = %.12g, want %.12g (tolerance %g of %g)", name, i, got[i], want[i], tol, scale)
			return
		}
	}
}

func abs(x float64) float64 {
	if x < 0 {
		return -x
	}
	return x
}
