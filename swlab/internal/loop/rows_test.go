package loop

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
)

// TestAddRows: rows are taken and added where they belong, also where several meet, whatever their size, and what is no
// number does not get lost.
func TestAddRows(t *testing.T) {
	const batch, n, k, dim = 2, 3, 5, 2
	at := []int32{2, 0, 2, 2, 1, 1, 1, 1, 1, 1}
	e := must.M1(graph.NewExec(graphtest.Engine(t).Backend, func(x, at, rows *graph.Node) (added, gathered *graph.Node) {
		return AddRows(x, at, rows), GatherRows(x, at)
	}))
	defer e.Finalize()
	x, rows := make([]float32, batch*n*dim), make([]float32, batch*k*dim)
	call := func() (added, gathered []float32) {
		out := must.M1(e.Call(tensors.FromFlatDataAndDimensions(x, batch, n, dim), tensors.FromFlatDataAndDimensions(at, batch, k),
			tensors.FromFlatDataAndDimensions(rows, batch, k, dim)))
		return tensors.MustCopyFlatData[float32](out[0]), tensors.MustCopyFlatData[float32](out[1])
	}
	for _, size := range []float64{0, 1e-30, 1, 1e30} {
		for i := range x {
			x[i] = float32(size * float64(i))
		}
		for i := range rows {
			rows[i] = float32(size * math.Sin(float64(i)))
		}
		sum, taken := vec.To[float64](x), make([]float32, len(rows))
		for i, to := range at {
			for c := range dim {
				place := (i/k*n+int(to))*dim + c
				sum[place] += float64(rows[i*dim+c])
				taken[i*dim+c] = x[place]
			}
		}
		added, gathered := call()
		graphtest.Close(t, fmt.Sprint("added, of size ", size), vec.To[float64](added), sum, 1e-6)
		if !slices.Equal(gathered, taken) {
			t.Errorf("gathered %v, expected %v", gathered, taken)
		}
	}
	rows[0] = float32(math.NaN())
	if added, _ := call(); !math.IsNaN(float64(added[2*dim])) {
		t.Errorf("NaN is added, and the sum is %v", added)
	}
}
