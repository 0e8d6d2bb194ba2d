// Package loop builds counted loops inside a GoMLX graph, and says where they pay off.
//
// GoMLX v0.28 limits every body: it may use neither a kind of reduction (sum, maximum, ... of one
// dtype) that the outer graph or another loop uses too, nor any of their cached constants (Scalar,
// Zeros, Ones, MulScalar and the like). So inside a body constants are graph.Const of its own
// graph, sums are products with a vector of ones, and outer values come in as constants or as
// state. Sort works in no body, and a loop has no gradient.
package loop

import (
	"fmt"
	"math"
	"math/bits"
	"strings"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

// XLAOnCPU reports whether the graph runs on XLA's CPU, where a loop over tables that fit the cache
// beats one operation over all of them.
func XLAOnCPU(g *graph.Graph) bool { return XLA(g) && OnCPU(g) }

// Pays reports whether a loop over blocks of a table with that many elements is faster than the whole table: on
// XLA's CPU, if its caches hold less.
func Pays(g *graph.Graph, elements, cached int) bool { return XLAOnCPU(g) && elements > cached }

// XLA reports whether the graph runs on XLA.
func XLA(g *graph.Graph) bool { return g.Backend().Name() == "xla" }

// OnCPU reports whether the graph runs on a CPU: XLA's, or the pure-Go backend.
func OnCPU(g *graph.Graph) bool {
	return !XLA(g) || strings.Contains(strings.ToLower(g.Backend().Description()), "cpu")
}

// GatherRows takes from every item of x the rows given by at:
//
//	x       [batch, n, dim]
//	at      [batch, k] int32, in 0, ..., n-1
//	result  [batch, k, dim], x[b, at[b, i]]
func GatherRows(x, at *graph.Node) *graph.Node {
	item := graph.Iota(x.Graph(), at.Shape(), 0)
	return graph.Gather(x, graph.Stack([]*graph.Node{item, at}, -1))
}

// AddRows adds rows to every item of x at the places given by at:
//
//	x       [batch, n, dim]
//	at      [batch, k] int32, in 0, ..., n-1
//	rows    [batch, k, dim]
//	result  [batch, n, dim], x[b, j] plus the rows[b, i] with at[b, i] = j
//
// On a GPU a scatter adds what meets at one place in an order that changes from run to run, and with it the rounding
// of floating-point numbers. So there the rows are added as integers: multiples of 2^-62 k, rounded up to a power
// of two, of the largest number.
func AddRows(x, at, rows *graph.Node) *graph.Node {
	d, g := x.Shape().Dimensions, x.Graph()
	batch, n, dim, k := d[0], d[1], d[2], at.Shape().Dimensions[1]
	first := graph.MulScalar(graph.Iota(g, at.Shape(), 0), n)
	places := graph.Reshape(graph.Add(first, at), -1, 1)
	add := func(x, rows *graph.Node) *graph.Node {
		sum := graph.ScatterSum(graph.Reshape(x, batch*n, dim), places, graph.Reshape(rows, batch*k, dim), false, false)
		return graph.Reshape(sum, d...)
	}
	if OnCPU(g) {
		return add(x, rows)
	}
	exact := graph.ConvertDType(rows, dtypes.Float64) // its range has room for every factor below
	sizes := graph.Where(graph.IsFinite(exact), graph.Abs(exact), graph.MulScalar(graph.OnesLike(exact), math.Inf(1)))
	largest := graph.ReduceAllMax(sizes)
	largest = graph.Where(graph.Equal(largest, graph.ZerosLike(largest)), graph.OnesLike(largest), largest)
	unit := graph.MulScalar(largest, math.Exp2(float64(bits.Len(uint(k))-62)))
	whole := graph.ConvertDType(graph.Div(exact, unit), dtypes.Int64)
	sum := add(graph.Zeros(g, shapes.Make(dtypes.Int64, d...)), whole)
	return graph.Add(x, graph.ConvertDType(graph.Mul(graph.ConvertDType(sum, dtypes.Float64), unit), x.DType()))
}

// GPUTable is how many elements a table has at most that a GPU stores whole: 2 GB of float32.
const GPUTable = 1 << 29

// Index is the loop's counter inside a body.
type Index struct {
	At   *graph.Node // int32 scalar: start, start+step, ...
	Zero *graph.Node // int32 scalar 0, for the other axes of a slice
}

// Rows are the elements At, ..., At+n-1 of x along axis 0, or along another axis.
func (i Index) Rows(x *graph.Node, axis, n int) *graph.Node {
	sizes := append([]int{}, x.Shape().Dimensions...)
	sizes[axis] = n
	return graph.DynamicSlice(x, i.starts(x, axis), sizes)
}

// Put writes rows at At along axis.
func (i Index) Put(x, rows *graph.Node, axis int) *graph.Node {
	return graph.DynamicUpdateSlice(x, rows, i.starts(x, axis))
}

func (i Index) starts(x *graph.Node, axis int) []*graph.Node {
	at := make([]*graph.Node, x.Rank())
	for k := range at {
		at[k] = i.Zero
	}
	at[axis] = i.At
	return at
}

// Count calls body for 0, step, 2 step, ... below end, and returns the last state. The body maps
// the state to the next state, of the same shapes; constants are values of the outer graph g that
// it reads.
func Count(g *graph.Graph, end, step int, constants, state []*graph.Node,
	body func(i Index, constants, state []*graph.Node) []*graph.Node) []*graph.Node {
	all := []*graph.Node{graph.Const(g, int32(0)), graph.Const(g, int32(0)), graph.Const(g, int32(step)),
		graph.Const(g, int32(end))}
	const head = 4
	all = append(append(all, constants...), state...)
	first := head + len(constants)
	parameters := func(g *graph.Graph) []*graph.Node {
		p := make([]*graph.Node, len(all))
		for i, n := range all {
			p[i] = graph.Parameter(g, fmt.Sprintf("s%d", i), n.Shape())
		}
		return p
	}
	more := graph.NewClosure(g, func(g *graph.Graph) []*graph.Node {
		p := parameters(g)
		return []*graph.Node{graph.LessThan(p[0], p[3])}
	})
	one := graph.NewClosure(g, func(g *graph.Graph) []*graph.Node {
		p := parameters(g)
		next := body(Index{p[0], p[1]}, p[head:first:first], p[first:])
		if len(next) != len(state) {
			panic(fmt.Errorf("loop: the body returns %d values for a state of %d", len(next), len(state)))
		}
		out := append([]*graph.Node{graph.Add(p[0], p[2])}, p[1:first]...)
		return append(out, next...)
	})
	return graph.While(more, one, all...)[first:]
}
