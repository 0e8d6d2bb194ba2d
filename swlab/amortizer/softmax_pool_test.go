package amortizer

import (
	"fmt"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
)

// plainPool is softmaxPool with all scores at once and GoMLX's own gradient.
func plainPool(p, keys, values *graph.Node) *graph.Node {
	dim := p.Shape().Dimensions[2]
	scores := graph.Einsum("bmc,blc->bml", p, graph.SliceAxis(keys, 2, graph.AxisRange(0, dim)))
	offset := graph.TransposeAllAxes(graph.SliceAxis(keys, 2, graph.AxisRange(dim, dim+1)), 0, 2, 1)
	return graph.ReduceMean(graph.Einsum("bml,blc->bmc", softmax(graph.Add(scores, offset), 2), values), 1)
}

// TestSoftmaxPool compares value and all three gradients with the plain form, in tables of one
// pair, of two, and of all, for scores of ordinary size and for scores whose exponentials leave
// float32 on both sides. Two calls in one graph use each others' nodes.
func TestSoftmaxPool(t *testing.T) {
	const batch, m, k, dim = 4, 19, 7, 3
	for _, backend := range []string{"", "go"} {
		e := must.M1(engine.Open(backend))
		call := func(f func(p, keys, values *graph.Node) *graph.Node, in ...any) []*tensors.Tensor {
			exec := must.M1(graph.NewExec(e.Backend, func(n []*graph.Node) []*graph.Node {
				twice := graph.Add(f(n[0], n[1], n[2]), f(n[0], graph.Sin(n[1]), n[2]))
				j := graph.ReduceAllSum(graph.Mul(twice, n[3]))
				return append([]*graph.Node{twice}, graph.Gradient(j, n[0], n[1], n[2])...)
			}))
			defer exec.Finalize()
			return must.M1(exec.Call(in...))
		}
		for _, size := range []float64{1, 300} {
			in := []any{normal(1, 1, batch, m, dim), normal(2, size, batch, k, dim+1), normal(3, 1, batch, k, dim),
				normal(4, 1, batch, dim)}
			want := call(plainPool, in...)
			for _, pairs := range []int{1, 2, 3, batch} {
				got := call(func(p, keys, values *graph.Node) *graph.Node { return softmaxPool(p, keys, values, pairs*k*m) }, in...)
				for i, what := range []string{"value", "gradient in the points", "in the keys", "in the values"} {
					tol := 3e-6
					if size > 1 {
						tol = 1e-4 // float32 keeps 4 digits of a score's fraction
					}
					graphtest.Close(t, fmt.Sprintf("%s, scores of %g, tables of %d, %s", e.Name, size, pairs, what), flat(got[i]),
						graphtest.Values(want[i]), tol)
				}
			}
		}
	}
}
