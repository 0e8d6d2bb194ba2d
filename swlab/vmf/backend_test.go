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
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
)

// testBackend is the backend of the graph tests: pure Go, which needs no plugin, unless GOMLX_BACKEND names another.
func testBackend(t *testing.T) compute.Backend {
	t.Helper()
	e := must.M1(engine.Open(cmp.Or(os.Getenv("GOMLX_BACKEND"), "go")))
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

// run executes a graph function and returns its outputs as float64.
func run(t *testing.T, fn func(in []*graph.Node) []*graph.Node, args ...any) [][]float64 {
	t.Helper()
	var values [][]float64
	for _, out := range graphtest.CallOn(t, cmp.Or(os.Getenv("GOMLX_BACKEND"), "go"), fn, args...) {
		values = append(values, graphtest.Values(out))
	}
	return values
}

// golden reads testdata/vmf.npz as float64 slices.
func golden(t *testing.T) map[string][]float64 {
	t.Helper()
	out := map[string][]float64{}
	for key, x := range graphtest.Reference(t, filepath.Join("testdata", "vmf.npz")) {
		out[key] = graphtest.Values(x)
	}
	return out
}
