package loss

import (
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/internal/loop"
)

// fusedCost is blockedCost for a GPU, without loops: every sum over a table computes the table's
// elements again from the points, inside of its own kernel.
func fusedCost(x, y *graph.Node) Result {
	f := &fusion{x: graph.StopGradient(x), y: graph.StopGradient(y)}
	a, b, right := f.assign()
	return f.transport(a, b).result(x, y, right)
}

// fusion makes the tables of all pairs of points anew for every sum. XLA would find equal tables
// and store one for all, so each is made of points of its own: the rows', plus 0 times a result of
// the sum before.
type fusion struct {
	x, y *graph.Node // [batch, m, dim]; detached
	last *graph.Node // [batch, m], or nil
}

// table returns x_k - y_l for each coordinate, and ||x_k - y_l||^2, all [batch, m, m].
func (f *fusion) table(x, y *graph.Node) (differences []*graph.Node, square *graph.Node) {
	if f.last != nil {
		x = graph.Add(x, graph.MulScalar(graph.InsertAxes(f.last, -1), 0))
	}
	for i := range x.Shape().Dimensions[2] {
		a := graph.SliceAxis(x, 2, graph.AxisElem(i))
		b := graph.TransposeAllAxes(graph.SliceAxis(y, 2, graph.AxisElem(i)), 0, 2, 1)
		differences = append(differences, graph.Sub(a, b))
	}
	return differences, sumOfSquares(differences)
}

// weighed is sum_l E_kl w_l of level j for the rows x and the columns y, [batch, m].
func (f *fusion) weighed(x, y *graph.Node, j int, w *graph.Node) *graph.Node {
	_, square := f.table(x, y)
	f.last = graph.ReduceSum(graph.Mul(graph.Exp(graph.MulScalar(square, factor(j))), graph.InsertAxes(w, 1)), 2)
	return f.last
}

// assign finds a and b [batch, m] of softMatch's levels, the sharpest first, and the rest of y.
func (f *fusion) assign() (a, b []*graph.Node, right *graph.Node) {
	d := f.x.Shape().Dimensions
	left := graph.Ones(f.x.Graph(), shapes.Make(f.x.DType(), d[0], d[1]))
	right = left
	for j := sharpest; j >= softest; j-- {
		offer := graph.Div(left, graph.AddScalar(f.weighed(f.x, f.y, j, right), tiny))
		var limited *graph.Node
		limited, right = limit(right, f.weighed(f.y, f.x, j, offer))
		left = graph.MaxScalar(graph.Sub(left, graph.Mul(offer, f.weighed(f.x, f.y, j, limited))), 0)
		a, b = append(a, offer), append(b, limited)
	}
	return a, b, right
}

// transport makes the match from all levels, once for the cost and once for each gradient.
func (f *fusion) transport(a, b []*graph.Node) transport {
	length, _, match := f.match(f.x, f.y, a, b)
	f.last = graph.ReduceSum(graph.Mul(match, length), 2)
	return transport{cost: graph.ReduceSum(f.last, 1), dx: f.pull(f.x, f.y, a, b), dy: f.pull(f.y, f.x, b, a)}
}

// match returns the lengths, the differences and the match of the rows x and the columns y.
func (f *fusion) match(x, y *graph.Node, a, b []*graph.Node) (length *graph.Node, differences []*graph.Node,
	match *graph.Node) {
	differences, square := f.table(x, y)
	length = graph.Sqrt(graph.MaxScalar(square, shortest*shortest))
	exponential := func(j int) *graph.Node { return graph.Exp(graph.MulScalar(square, factor(j))) }
	return length, differences, sumOfLevels(exponential, func(e *graph.Node, level int) *graph.Node {
		return graph.Mul(graph.Mul(e, graph.InsertAxes(a[level], 2)), graph.InsertAxes(b[level], 1))
	})
}

// pull is sum_l match_kl (x_k - y_l) / ||x_k - y_l||, [batch, m, dim]. XLA stores the table that its
// coordinates share; too large a one is made again for each.
func (f fusion) pull(x, y *graph.Node, a, b []*graph.Node) *graph.Node {
	var sums, differences []*graph.Node
	var pull *graph.Node
	for i := range x.Shape().Dimensions[2] {
		if i == 0 || pull.Shape().Size() > loop.GPUTable {
			var length, match *graph.Node
			length, differences, match = f.match(x, y, a, b)
			pull = graph.Div(match, length)
		}
		f.last = graph.ReduceSum(graph.Mul(pull, differences[i]), 2)
		sums = append(sums, f.last)
	}
	return graph.Stack(sums, -1)
}
