package amortizer

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
)

func normal(seed uint64, size float64, dims ...int) *tensors.Tensor {
	n := 1
	for _, d := range dims {
		n *= d
	}
	r := rand.New(rand.NewPCG(seed, 1))
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(r.NormFloat64() * size)
	}
	return tensors.FromFlatDataAndDimensions(v, dims...)
}

// plainMean is softmaxMean with all scores at once and GoMLX's own gradient.
func plainMean(q, p *graph.Node) *graph.Node {
	attention := softmax(graph.Einsum("bnc,bmc->bnm", q, p), 2)
	return graph.ReduceMean(graph.Einsum("bnm,bmc->bnc", attention, p), 1)
}

// TestSoftmaxMean compares value and both gradients with the plain form, for scores of ordinary size and for scores of
// thousands, whose exponentials leave float32 on both sides. Tables of 3 rows of 20 do not divide the work; two calls in one
// graph use each others' nodes.
func TestSoftmaxMean(t *testing.T) {
	const batch, m, dim = 2, 20, 3
	for _, backend := range []string{"", "go"} {
		e, err := engine.Open(backend)
		if err != nil {
			t.Fatal(err)
		}
		of := func(f func(q, p *graph.Node) *graph.Node) func([]*graph.Node) []*graph.Node {
			return func(n []*graph.Node) []*graph.Node {
				twice := graph.Add(f(n[0], n[1]), f(graph.Sin(n[0]), n[1]))
				j := graph.ReduceAllSum(graph.Mul(twice, n[2]))
				return append([]*graph.Node{twice}, graph.Gradient(j, n[0], n[1])...)
			}
		}
		chunked, err := graph.NewExec(e.Backend, of(func(q, p *graph.Node) *graph.Node { return softmaxMean(q, p, batch*3*m) }))
		if err != nil {
			t.Fatal(err)
		}
		plain, err := graph.NewExec(e.Backend, of(plainMean))
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []float64{1, 3000} {
			in := []any{normal(1, size, batch, m, dim), normal(2, 1, batch, m, dim), normal(3, 1, batch, dim)}
			got, err := chunked.Call(in...)
			if err != nil {
				t.Fatal(err)
			}
			want, err := plain.Call(in...)
			if err != nil {
				t.Fatal(err)
			}
			tol := 3e-6
			if size > 1 {
				tol = 1e-3 // float32 keeps 3 digits of a score's fraction
			}
			for i, what := range []string{"value", "gradient in q", "gradient in p"} {
				var w []float64
				for _, v := range flat(want[i]) {
					w = append(w, float64(v))
				}
				graphtest.Close(t, fmt.Sprintf("%s, scores of %g, %s", e.Name, size, what), flat(got[i]), w, tol)
			}
		}
		chunked.Finalize()
		plain.Finalize()
	}
}

func flat(t *tensors.Tensor) []float32 { return tensors.MustCopyFlatData[float32](t) }
