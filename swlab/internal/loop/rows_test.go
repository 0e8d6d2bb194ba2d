package loop

import (
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
)

// TestAddRows: rows are taken and added where they belong, also where several meet; the numbers are whole, so that
// every order of adding gives the same.
func TestAddRows(t *testing.T) {
	const batch, n, k, dim = 2, 3, 5, 2
	at := []int32{2, 0, 2, 2, 1, 1, 1, 1, 1, 1}
	x, rows := make([]float32, batch*n*dim), make([]float32, batch*k*dim)
	for i := range x {
		x[i] = float32(100 * i)
	}
	for i := range rows {
		rows[i] = float32(i + 1)
	}
	sum, taken := slices.Clone(x), make([]float32, len(rows))
	for i, to := range at {
		for c := range dim {
			place := (i/k*n+int(to))*dim + c
			sum[place] += rows[i*dim+c]
			taken[i*dim+c] = x[place]
		}
	}
	e := must.M1(graph.NewExec(graphtest.Engine(t).Backend, func(x, at, rows *graph.Node) (added, gathered *graph.Node) {
		return AddRows(x, at, rows), GatherRows(x, at)
	}))
	defer e.Finalize()
	out := must.M1(e.Call(tensors.FromFlatDataAndDimensions(x, batch, n, dim), tensors.FromFlatDataAndDimensions(at, batch, k),
		tensors.FromFlatDataAndDimensions(rows, batch, k, dim)))
	for i, want := range [][]float32{sum, taken} {
		if got := tensors.MustCopyFlatData[float32](out[i]); !slices.Equal(got, want) {
			t.Errorf("output %d: %v, expected %v", i, got, want)
		}
	}
}
