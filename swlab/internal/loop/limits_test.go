package loop_test

import (
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/engine"
)

// three runs body three times on a state x, counted by i.
func three(x *graph.Node, body func(i, x *graph.Node) *graph.Node) *graph.Node {
	g := x.Graph()
	parameters := func(g *graph.Graph) (i, y *graph.Node) {
		return graph.Parameter(g, "i", shapes.Make(dtypes.Int32)), graph.Parameter(g, "x", x.Shape())
	}
	more := graph.NewClosure(g, func(g *graph.Graph) []*graph.Node {
		i, _ := parameters(g)
		return []*graph.Node{graph.LessThan(i, graph.Const(g, int32(3)))}
	})
	one := graph.NewClosure(g, func(g *graph.Graph) []*graph.Node {
		i, y := parameters(g)
		return []*graph.Node{graph.Add(i, graph.Const(g, int32(1))), body(i, y)}
	})
	return graph.While(more, one, graph.Const(g, int32(0)), x)[1]
}

// TestLimits keeps the obstacles of docs/upstream.md: the day one is gone, this fails, and the way
// around it can go too.
func TestLimits(t *testing.T) {
	spread := func(x *graph.Node) *graph.Node { return graph.BroadcastToDims(graph.ReduceAllSum(x), 2, 2) }
	for _, c := range []struct {
		name, backend, problem string
		build                  func(x *graph.Node) *graph.Node
	}{
		{"one sum inside", "xla:cpu", "", func(x *graph.Node) *graph.Node {
			return three(x, func(_, y *graph.Node) *graph.Node { return graph.Add(y, spread(y)) })
		}},
		{"a sum outside and inside", "xla:cpu", "reductionFn is not a StableHLO closure", func(x *graph.Node) *graph.Node {
			return graph.Add(spread(x), three(x, func(_, y *graph.Node) *graph.Node { return graph.Add(y, spread(y)) }))
		}},
		{"a scalar outside and inside", "xla:cpu", "operands are not part of the function", func(x *graph.Node) *graph.Node {
			return three(graph.MulScalar(x, 1.5), func(_, y *graph.Node) *graph.Node { return graph.MulScalar(y, 1.5) })
		}},
		{"a captured value", "xla:cpu", "operands are not part of the function", func(x *graph.Node) *graph.Node {
			return three(x, func(_, y *graph.Node) *graph.Node { return graph.Add(y, x) })
		}},
		{"a captured value", "go", "", func(x *graph.Node) *graph.Node {
			return three(x, func(_, y *graph.Node) *graph.Node { return graph.Add(y, x) })
		}},
		{"a sort inside", "xla:cpu", "must be a closure of the current function", func(x *graph.Node) *graph.Node {
			return three(x, func(_, y *graph.Node) *graph.Node { return graph.Sort(y, 1, true) })
		}},
		{"a dynamic slice", "go", "not implemented", func(x *graph.Node) *graph.Node {
			zero := graph.Const(x.Graph(), int32(0))
			return graph.DynamicSlice(x, []*graph.Node{zero, zero}, []int{1, 2})
		}},
		{"the gradient of a loop", "xla:cpu", "no gradient is defined", func(x *graph.Node) *graph.Node {
			y := three(x, func(_, y *graph.Node) *graph.Node { return graph.Add(y, y) })
			return graph.Gradient(graph.ReduceAllSum(y), x)[0]
		}},
	} {
		t.Run(c.name+" on "+c.backend, func(t *testing.T) {
			e, err := engine.Open(c.backend)
			if err != nil {
				t.Skipf("%s is not here: %v", c.backend, err)
			}
			defer e.Close()
			x := must.M1(graph.NewExec(e.Backend, c.build))
			defer x.Finalize()
			_, err = x.Call(tensors.FromFlatDataAndDimensions([]float32{1, 2, 3, 4}, 2, 2))
			switch {
			case c.problem == "" && err != nil:
				t.Errorf("expected to work: %v", err)
			case c.problem != "" && err == nil:
				t.Error("works now: take it out of docs/upstream.md, and the way around it out of the code")
			case c.problem != "" && !strings.Contains(err.Error(), c.problem):
				t.Errorf("expected %q, found: %v", c.problem, err)
			}
		})
	}
}
