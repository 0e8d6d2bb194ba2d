package amortizer

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
	"github.com/sliced-wasserstein/lab/swlab/internal/loop"
	"github.com/sliced-wasserstein/lab/swlab/weights"
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

// softmax is exp(x) / sum exp(x) along an axis, with the largest subtracted first.
func softmax(x *graph.Node, axis int) *graph.Node {
	e := graph.Exp(graph.Sub(x, graph.StopGradient(graph.ReduceAndKeep(x, graph.ReduceMax, axis))))
	return graph.Div(e, graph.ReduceAndKeep(e, graph.ReduceSum, axis))
}

// plainMean is the mean of attend with all scores at once and GoMLX's own gradient.
func plainMean(q, p *graph.Node) *graph.Node {
	attention := softmax(graph.Einsum("bnc,bmc->bnm", q, p), 2)
	return graph.ReduceMean(graph.Einsum("bnm,bmc->bnc", attention, p), 1)
}

// TestAttend compares value and both gradients with the plain form in float64, for scores of ordinary size and for scores of
// thousands, whose exponentials leave float32 on both sides. Tables of 3 rows of 20 do not divide
// the work; two calls in one graph use each others' nodes.
func TestAttend(t *testing.T) {
	const batch, m, dim = 2, 20, 3
	for _, backend := range []string{"", "go"} {
		e := must.M1(engine.Open(backend))
		of := func(f func(q, p *graph.Node) *graph.Node) func([]*graph.Node) []*graph.Node {
			return func(n []*graph.Node) []*graph.Node {
				twice := graph.Add(f(n[0], n[1]), f(graph.Sin(n[0]), n[1]))
				j := graph.ReduceAllSum(graph.Mul(twice, n[2]))
				return append([]*graph.Node{twice}, graph.Gradient(j, n[0], n[1])...)
			}
		}
		chunked := must.M1(graph.NewExec(e.Backend,
			of(func(q, p *graph.Node) *graph.Node { return graph.ReduceMean(attend(q, p, batch*3*m), 1) })))
		exact := of(plainMean)
		plain := must.M1(graph.NewExec(e.Backend, func(n []*graph.Node) []*graph.Node {
			wide := make([]*graph.Node, len(n))
			for i, x := range n {
				wide[i] = graph.ConvertDType(x, dtypes.Float64)
			}
			return exact(wide)
		}))
		for _, size := range []float64{1, 3000} {
			in := []any{normal(1, size, batch, m, dim), normal(2, 1, batch, m, dim), normal(3, 1, batch, dim)}
			got := must.M1(chunked.Call(in...))
			want := must.M1(plain.Call(in...))
			tol := 3e-6
			if size > 1 {
				tol = 1e-3 // float32 keeps 3 digits of the fraction of a score
			}
			for i, what := range []string{"value", "gradient in q", "gradient in p"} {
				graphtest.Close(t, fmt.Sprintf("%s, scores of %g, %s", e.Name, size, what), flat(got[i]),
					graphtest.Values(want[i]), tol)
			}
		}
		chunked.Finalize()
		plain.Finalize()
	}
}

func flat(t *tensors.Tensor) []float32 { return tensors.MustCopyFlatData[float32](t) }

// TestAttentionMemory builds A with the gradient in weights and clouds at 20,000 points, where
// scores would take 1.6 GB, and looks at every array in the graph, those inside the loops too.
func TestAttentionMemory(t *testing.T) {
	const m, batch = 20000, 1
	g := graph.NewGraph(graphtest.Engine(t).Backend, "memory")
	defer g.Finalize()
	parameter := func(name string, dims ...int) *graph.Node {
		return graph.Parameter(g, name, shapes.Make(dtypes.Float32, dims...))
	}
	a := newAttention(Config{Points: m}.withDefaults())
	x, y := parameter("x", batch, m, 3), parameter("y", batch, m, 3)
	wrt := []*graph.Node{x, y}
	for _, s := range a.Specs() {
		wrt = append(wrt, parameter(s.Name, s.Shape...))
	}
	graph.Gradient(graph.ReduceAllSum(a.Direction(weights.Bind(a.Specs(), wrt[2:]), x, y)), wrt...)
	allowed, top := tableSize(g), 0
	if !loop.XLA(g) {
		allowed = batch * m * m / maxUnrolled
	}
	for _, n := range g.Nodes() {
		if n.NumOutputs() == 1 { // the outputs of a loop are nodes of their own too
			top = max(top, n.Shape().Size())
		}
	}
	if top > allowed || top < allowed/2 {
		t.Errorf("the largest array holds %d numbers, expected the tables' %d and no more", top, allowed)
	}
}
