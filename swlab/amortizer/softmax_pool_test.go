package amortizer

import (
	"fmt"
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// plainPool is softmaxPool with all scores at once and GoMLX's own gradient.
func plainPool(p, keys, values *graph.Node) *graph.Node {
	dim := p.Shape().Dimensions[2]
	scores := graph.Einsum("bmc,blc->bml", p, graph.SliceAxis(keys, 2, graph.AxisRange(0, dim)))
	offset := graph.TransposeAllAxes(graph.SliceAxis(keys, 2, graph.AxisRange(dim, dim+1)), 0, 2, 1)
	return graph.ReduceMean(graph.Einsum("bml,blc->bmc", softmax(graph.Add(scores, offset), 2), values), 1)
}

// TestSoftmaxPool compares value and all three gradients with the plain form, in tables of one pair, of two, and of all, for scores of
// ordinary size and for scores whose exponentials leave float32 on both sides. Two calls in one graph use each others' nodes.
func TestSoftmaxPool(t *testing.T) {
	const batch, m, k, dim = 4, 19, 7, 3
	for _, backend := range []string{"", "go"} {
		e, err := engine.Open(backend)
		if err != nil {
			t.Fatal(err)
		}
		call := func(f func(p, keys, values *graph.Node) *graph.Node, in ...any) []*tensors.Tensor {
			exec, err := graph.NewExec(e.Backend, func(n []*graph.Node) []*graph.Node {
				twice := graph.Add(f(n[0], n[1], n[2]), f(n[0], graph.Sin(n[1]), n[2]))
				j := graph.ReduceAllSum(graph.Mul(twice, n[3]))
				return append([]*graph.Node{twice}, graph.Gradient(j, n[0], n[1], n[2])...)
			})
			if err != nil {
				t.Fatal(err)
			}
			defer exec.Finalize()
			out, err := exec.Call(in...)
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		for _, size := range []float64{1, 300} {
			in := []any{normal(1, 1, batch, m, dim), normal(2, size, batch, k, dim+1), normal(3, 1, batch, k, dim), normal(4, 1, batch, dim)}
			want := call(plainPool, in...)
			for _, pairs := range []int{1, 2, 3, batch} {
				got := call(func(p, keys, values *graph.Node) *graph.Node { return softmaxPool(p, keys, values, pairs*k*m) }, in...)
				for i, what := range []string{"value", "gradient in the points", "in the keys", "in the values"} {
					tol := 3e-6
					if size > 1 {
						tol = 1e-4 // float32 keeps 4 digits of a score's fraction
					}
					graphtest.Close(t, fmt.Sprintf("%s, scores of %g, tables of %d, %s", e.Name, size, pairs, what), flat(got[i]), vec.To[float64](flat(want[i])), tol)
				}
			}
		}
	}
}

// formula is the direction of an attention map as its formula reads, with all scores stored.
func formula(m Amortizer, w weights.Nodes, x, y *graph.Node) *graph.Node {
	switch m := m.(type) {
	case attention:
		return m.pooled(x, y, func(p *graph.Node) *graph.Node {
			scores := graph.Einsum("bnk,bmk->bnm", affine(w, "attn.toqueries", p), affine(w, "attn.tokeys", p))
			attention := softmax(graph.MulScalar(scores, 1/math.Sqrt(float64(m.DK))), 2)
			return graph.ReduceMean(graph.Einsum("bnm,bmc->bnc", attention, affine(w, "attn.tovalues", p)), 1)
		})
	case efficientAttention:
		return m.pooled(x, y, func(p *graph.Node) *graph.Node {
			queries := softmax(affine(w, "attn.toqueries", p), 2)
			keys := softmax(affine(w, "attn.tokeys", p), 1)
			context := graph.Einsum("bmk,bmc->bkc", keys, affine(w, "attn.tovalues", p))
			return graph.ReduceMean(graph.Einsum("bmk,bkc->bmc", queries, context), 1)
		})
	case linearAttention:
		return m.pooled(x, y, func(p *graph.Node) *graph.Node {
			queries := graph.MulScalar(affine(w, "attn.toqueries", p), 1/math.Sqrt(float64(m.DK)))
			keys, values := projected(w, p, "attn.Kproj", "attn.tokeys"), projected(w, p, "attn.Vproj", "attn.tovalues")
			attention := softmax(graph.Einsum("bmq,bkq->bmk", queries, keys), 2)
			return graph.ReduceMean(graph.Einsum("bmk,bkc->bmc", attention, values), 1)
		})
	case sortedLinearAttention:
		return formula(m.linearAttention, w, sorted(x), sorted(y))
	}
	return nil
}

// TestFormula compares the direction and every gradient of the attention maps, as they are evaluated, with the formulas as they read.
func TestFormula(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles several programs")
	}
	const batch, m = 3, 50
	for _, name := range []string{"a", "ea", "la", "la-sorted"} {
		for _, form := range []Variant{Released, Paper} {
			run := func(stored bool) [][]float32 {
				a, err := New(name, Config{Points: m, DK: 5, K: 6, Variant: form})
				if err != nil {
					t.Fatal(err)
				}
				in := []any{normal(1, 0.4, batch, m, 3), normal(2, 0.5, batch, m, 3), normal(3, 1, batch, 3)}
				for i, s := range a.Specs() {
					in = append(in, normal(uint64(10+i), 0.8, s.Shape...))
				}
				return graphtest.Floats(t, func(n []*graph.Node) []*graph.Node {
					direction := a.Direction
					if stored {
						direction = func(w weights.Nodes, x, y *graph.Node) *graph.Node { return formula(a, w, x, y) }
					}
					d := direction(weights.Bind(a.Specs(), n[3:]), n[0], n[1])
					return append([]*graph.Node{d}, graph.Gradient(graph.ReduceAllSum(graph.Mul(d, n[2])), append([]*graph.Node{n[0], n[1]}, n[3:]...)...)...)
				}, in...)
			}
			got, want := run(false), run(true)
			for i := range want {
				// Against the largest of all gradients: those of inert weights are rounding.
				scale := 0.0
				for _, w := range want[1:] {
					for _, v := range w {
						scale = max(scale, float64(v), float64(-v))
					}
				}
				for j := range want[i] {
					if d := float64(got[i][j] - want[i][j]); d > 1e-5*scale || d < -1e-5*scale {
						t.Errorf("%s %s, output %d: %v, the formula %v", name, form, i, got[i][j], want[i][j])
						break
					}
				}
			}
		}
	}
}
