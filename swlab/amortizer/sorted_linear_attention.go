package amortizer

import (
	"fmt"
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/internal/loop"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// newSortedLinearAttention is the control "la-sorted", which is not in the paper: LA on the points of
// each cloud in the order of their projections on one fixed direction. It has LA's weights and
// names, and unlike LA it is invariant to the order of the points. Points of equal projection are
// ordered by their coordinates, so only equal points tie.
func newSortedLinearAttention(c Config) Amortizer {
	la := newLinearAttention(c)
	return &builtin{c, "la-sorted", Properties{Symmetric: true, Invariant: true}, la.Specs(),
		func(w weights.Nodes, x, y *graph.Node) *graph.Node { return la.Direction(w, sorted(x), sorted(y)) }}
}

// sorted is p [batch, points, dim] with the points of every cloud in rising order of theta'p,
// theta_c = cos(c), c = 1, ..., dim. This direction has no rational relations, so no plane or
// lattice along the axes collapses. The order carries no gradient.
func sorted(p *graph.Node) *graph.Node {
	g, d := p.Graph(), p.Shape().Dimensions
	held := graph.StopGradient(p)
	operands := make([]*graph.Node, d[2]+2) // the projection, the coordinates, the place
	for c := range d[2] {
		x := graph.Squeeze(graph.SliceAxis(held, 2, graph.AxisRange(c, c+1)), 2)
		term := graph.MulScalar(x, math.Cos(float64(c+1)))
		if c > 0 {
			term = graph.Add(operands[0], term)
		}
		operands[0], operands[c+1] = term, x
	}
	place := shapes.Make(dtypes.Int32, d[0], d[1])
	operands[d[2]+1] = graph.Iota(g, place, 1)
	// The comparator sees pairs of scalars in the order of the operands, and compares all but the
	// places.
	before := graph.NewClosure(g, func(g *graph.Graph) []*graph.Node {
		left, right := make([]*graph.Node, len(operands)), make([]*graph.Node, len(operands))
		for i, o := range operands {
			left[i] = graph.Parameter(g, fmt.Sprintf("l%d", i), shapes.Make(o.DType()))
			right[i] = graph.Parameter(g, fmt.Sprintf("r%d", i), shapes.Make(o.DType()))
		}
		less := graph.LessThan(left[d[2]], right[d[2]])
		for i := d[2] - 1; i >= 0; i-- {
			tie := graph.LogicalAnd(graph.Equal(left[i], right[i]), less)
			less = graph.LogicalOr(graph.LessThan(left[i], right[i]), tie)
		}
		return []*graph.Node{less}
	})
	order := graph.SortFunc(before, 1, false, operands...)[d[2]+1]
	return loop.GatherRows(p, order)
}
