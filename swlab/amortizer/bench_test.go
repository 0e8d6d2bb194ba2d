package amortizer

import (
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
)

// BenchmarkAttend times the gradient in the queries, which is what a step of the ascent needs, of
// 32 clouds of 2048 points: in tables of a few rows, and with all scores stored and GoMLX's
// gradient.
func BenchmarkAttend(b *testing.B) {
	const batch, m, dim = 32, 2048, 3
	q, p := normal(1, 0.3, batch, m, dim), normal(2, 0.3, batch, m, dim)
	for name, f := range map[string]func(q, p *graph.Node) *graph.Node{
		"tables": func(q, p *graph.Node) *graph.Node { return graph.ReduceMean(attend(q, p, tableSize(q.Graph())), 1) },
		"plain":  plainMean,
	} {
		b.Run(name, func(b *testing.B) {
			e := must.M1(graph.NewExec(graphtest.Engine(b).Backend, func(q, p *graph.Node) *graph.Node {
				return graph.Gradient(graph.ReduceAllSum(graph.Sin(f(q, p))), q)[0]
			}))
			defer e.Finalize()
			once := func() {
				out := must.M1(e.Call(q, p))
				_ = out[0].Value() // waits for the result
				out[0].FinalizeAll()
			}
			once() // compiles
			for b.Loop() {
				once()
			}
		})
	}
}
