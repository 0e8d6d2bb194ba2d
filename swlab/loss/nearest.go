package loss

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/internal/loop"
)

// nearest is the index of the point of y nearest to each point of x, int32 [batch, m]; the first of
// equally near ones.
//
// On XLA's CPU it is a loop over blocks of x if the clouds are large; otherwise it is the arg-min of
// the squared distances.
func nearest(x, y *graph.Node) *graph.Node {
	x, y = graph.StopGradient(x), graph.StopGradient(y)
	d, n := x.Shape().Dimensions, y.Shape().Dimensions[1]
	const (
		small = 1 << 18 // total distances that do not justify a loop
		table = 1 << 20 // distances per step
		terms = 24      // coordinates compared in registers; XLA computes more of them twice
	)
	if x.DType() != dtypes.Float32 || !loop.Pays(x.Graph(), d[0]*d[1]*n, small) {
		return graph.ArgMin(squaredDistances(x, y), 2, dtypes.Int32)
	}
	return nearestInBlocks(x, y, max(16, table/n), max(1, terms/d[2]))
}

// nearestInBlocks loops over blocks of lanes points of x. A squared distance is not negative, so
// its bits as an integer keep its order. With the index below them in one int64, the smallest key
// is the first nearest point. Minima are taken over pieces of y and then by halves, element by
// element: loops of a graph cannot share the kinds of a reduction. Blocks, pieces and halves
// overlap where they do not divide a length, which does not change a minimum.
func nearestInBlocks(x, y *graph.Node, lanes, pieces int) *graph.Node {
	g, d, n := x.Graph(), x.Shape().Dimensions, y.Shape().Dimensions[1]
	batch, m, dim := d[0], d[1], d[2]
	lanes, pieces = min(lanes, m), min(pieces, n)
	blocks, length := (m+lanes-1)/lanes, (n+pieces-1)/pieces
	x = graph.TransposeAllAxes(x, 0, 2, 1)
	first := graph.Reshape(graph.Slice(x, graph.AxisElem(0), graph.AxisRange(), graph.AxisRange(0, lanes)), dim, lanes)
	// The block of x is state, read one step ahead, as in tables.sweep.
	state := []*graph.Node{first, graph.Zeros(g, shapes.Make(dtypes.Int32, batch, m))}
	return loop.Count(g, batch*blocks, 1, []*graph.Node{x, y}, state,
		func(i loop.Index, c, s []*graph.Node) []*graph.Node {
			g := i.At.Graph()
			pair, at := blockAt(i.At, blocks, lanes)
			y := graph.Reshape(graph.DynamicSlice(c[1], []*graph.Node{pair, i.Zero, i.Zero}, []int{1, n, dim}), n, dim)
			var best *graph.Node
			for k := range pieces {
				from := min(k*length, n-length)
				key := nearestKeys(s[0], graph.Slice(y, graph.AxisRange(from, from+length)), from)
				if best == nil {
					best = key
				} else {
					best = graph.Min(best, key)
				}
			}
			for rest := length; rest > 1; {
				half := (rest + 1) / 2
				best = graph.Min(graph.Slice(best, graph.AxisRange(0, half)), graph.Slice(best, graph.AxisRange(rest-half, rest)))
				rest = half
			}
			low := graph.BroadcastToDims(graph.Const(g, int64(1<<32-1)), 1, lanes)
			found := graph.ConvertDType(graph.BitwiseAnd(best, low), dtypes.Int32)
			nextPair, nextAt := blockAt(graph.Add(i.At, graph.Const(g, int32(1))), blocks, lanes)
			next := graph.DynamicSlice(c[0], []*graph.Node{nextPair, i.Zero, nextAt}, []int{1, dim, lanes})
			return []*graph.Node{graph.Reshape(next, dim, lanes), graph.DynamicUpdateSlice(s[1], found, []*graph.Node{pair, at})}
		})[1]
}

// nearestKeys are the keys [length, lanes] of points x [dim, lanes] and y [length, dim], whose
// indices start at from.
func nearestKeys(x, y *graph.Node, from int) *graph.Node {
	g, dim, lanes, length := x.Graph(), x.Shape().Dimensions[0], x.Shape().Dimensions[1], y.Shape().Dimensions[0]
	var differences []*graph.Node
	for c := range dim {
		a := graph.BroadcastToDims(graph.Slice(x, graph.AxisElem(c)), length, lanes)
		b := graph.BroadcastToDims(graph.Slice(y, graph.AxisRange(), graph.AxisElem(c)), length, lanes)
		differences = append(differences, graph.Sub(a, b))
	}
	full := func(v int64) *graph.Node { return graph.BroadcastToDims(graph.Const(g, v), length, lanes) }
	bits := graph.ConvertDType(graph.Bitcast(sumOfSquares(differences), dtypes.Int32), dtypes.Int64)
	index := graph.Add(graph.Iota(g, shapes.Make(dtypes.Int64, length, lanes), 0), full(int64(from)))
	return graph.Add(graph.Mul(bits, full(1<<32)), index)
}
