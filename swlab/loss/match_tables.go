package loss

import (
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/internal/loop"
)

// tables are the tables [m, n] of all pairs of points, one per pair of clouds of a batch. They are
// visited in blocks of rows and never stored. A value per row is an array [batch, blocks height], a
// value per column one of [batch, n].
type tables struct {
	// [batch, blocks height, dim], padded with zeros, and [batch, dim, n]; detached
	x, y             *graph.Node
	batch, m, n, dim int
	height, blocks   int // rows of a block, blocks of a table
}

// newTables cuts tables into blocks of at most height rows.
func newTables(x, y *graph.Node, height int) tables {
	d := x.Shape().Dimensions
	t := tables{batch: d[0], m: d[1], n: y.Shape().Dimensions[1], dim: d[2]}
	t.blocks = (t.m + height - 1) / height
	t.height = (t.m + t.blocks - 1) / t.blocks
	t.x = t.fill(graph.StopGradient(x))
	t.y = graph.TransposeAllAxes(graph.StopGradient(y), 0, 2, 1)
	return t
}

// fill pads x [batch, m, ...] with zeros for the rows of the last block beyond m.
func (t tables) fill(x *graph.Node) *graph.Node {
	d := append([]int{}, x.Shape().Dimensions...)
	d[1] = t.blocks*t.height - t.m
	if d[1] == 0 {
		return x
	}
	return graph.Concatenate([]*graph.Node{x, graph.Zeros(x.Graph(), shapes.Make(x.DType(), d...))}, 1)
}

// rows makes a value per row, such as graph.Zeros.
func (t tables) rows(of func(*graph.Graph, shapes.Shape) *graph.Node) *graph.Node {
	return of(t.x.Graph(), shapes.Make(t.x.DType(), t.batch, t.blocks*t.height))
}

// columns makes a value per column.
func (t tables) columns(of func(*graph.Graph, shapes.Shape) *graph.Node) *graph.Node {
	return of(t.x.Graph(), shapes.Make(t.x.DType(), t.batch, t.n))
}

// sweep calls body on every block of every table, as loop.Count does.
func (t tables) sweep(constants, state []*graph.Node,
	body func(k block, constants, state []*graph.Node) []*graph.Node) []*graph.Node {
	// The block's cloud y is state, read one step ahead: XLA does not vectorize over a slice that
	// it takes itself.
	first := graph.Reshape(graph.Slice(t.y, graph.AxisElem(0)), t.dim, t.n)
	constants = append([]*graph.Node{t.x, t.y}, constants...)
	state = append([]*graph.Node{first}, state...)
	return loop.Count(t.x.Graph(), t.batch*t.blocks, 1, constants, state,
		func(i loop.Index, c, s []*graph.Node) []*graph.Node {
			k := block{tables: t, zero: i.Zero}
			k.pair, k.row = blockAt(i.At, t.blocks, t.height)
			x := graph.DynamicSlice(c[0], []*graph.Node{k.pair, k.row, i.Zero}, []int{1, t.height, t.dim})
			x = graph.Reshape(x, t.height, t.dim)
			for axis := range t.dim {
				a := k.table(graph.Reshape(graph.Slice(x, graph.AxisRange(), graph.AxisElem(axis)), t.height), 0)
				b := k.table(graph.Reshape(graph.Slice(s[0], graph.AxisElem(axis)), t.n), 1)
				k.differences = append(k.differences, graph.Sub(a, b))
			}
			k.square = sumOfSquares(k.differences)
			ahead, _ := blockAt(graph.Add(i.At, graph.Const(i.At.Graph(), int32(1))), t.blocks, t.height)
			next := graph.DynamicSlice(c[1], []*graph.Node{ahead, i.Zero, i.Zero}, []int{1, t.dim, t.n})
			return append([]*graph.Node{graph.Reshape(next, t.dim, t.n)}, body(k, c[2:], s[1:])...)
		})[1:]
}

// blockAt is the pair of clouds and the first point of step at of a loop over blocks of size points
// per pair.
func blockAt(at *graph.Node, blocks, size int) (pair, first *graph.Node) {
	per := graph.Const(at.Graph(), int32(blocks))
	pair = graph.Div(at, per)
	return pair, graph.Mul(graph.Sub(at, graph.Mul(pair, per)), graph.Const(at.Graph(), int32(size)))
}

// block is a block of rows in the body of a sweep.
type block struct {
	tables
	pair, row, zero *graph.Node   // int32 scalars: the pair of clouds, the first row, 0
	differences     []*graph.Node // x_k - y_l, [height, n] per coordinate
	square          *graph.Node   // ||x_k - y_l||^2, [height, n]
}

// exponential is E_kl = exp(-4^j ||x_k - y_l||^2), [height, n].
func (k block) exponential(j int) *graph.Node {
	return graph.Exp(graph.Mul(k.square, k.table(k.vector(factor(j), k.n), 1)))
}

// vector repeats v n times.
func (k block) vector(v float64, n int) *graph.Node {
	return graph.BroadcastToDims(graph.ConvertDType(graph.Const(k.pair.Graph(), v), k.x.DType()), n)
}

// table repeats a vector along the other axis of the block.
func (k block) table(v *graph.Node, axis int) *graph.Node {
	return graph.BroadcastToDims(graph.InsertAxes(v, 1-axis), k.height, k.n)
}

// rowsOf are the block's elements [height] of a value per row.
func (k block) rowsOf(v *graph.Node) *graph.Node {
	return graph.Reshape(graph.DynamicSlice(v, []*graph.Node{k.pair, k.row}, []int{1, k.height}), k.height)
}

// columnsOf are the elements [n] of a value per column.
func (k block) columnsOf(v *graph.Node) *graph.Node {
	return graph.Reshape(graph.DynamicSlice(v, []*graph.Node{k.pair, k.zero}, []int{1, k.n}), k.n)
}

// putRows replaces the block's elements of a value per row.
func (k block) putRows(v, rows *graph.Node) *graph.Node {
	return graph.DynamicUpdateSlice(v, graph.Reshape(rows, 1, k.height), []*graph.Node{k.pair, k.row})
}

// addColumns adds to the elements of a value per column.
func (k block) addColumns(v, more *graph.Node) *graph.Node {
	return graph.DynamicUpdateSlice(v, graph.Reshape(graph.Add(k.columnsOf(v), more), 1, k.n),
		[]*graph.Node{k.pair, k.zero})
}
