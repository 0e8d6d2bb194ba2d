package loss

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// Chamfer is the Chamfer distance: squared Euclidean distances to the nearest neighbour, averaged over the points of
// either cloud, both ways added:
//
//	CD(X, Y) = (1/m) sum_i min_j ||x_i - y_j||^2 + (1/n) sum_j min_i ||x_i - y_j||^2
//
// The gradient holds the nearest neighbours fixed; the first of equally near ones counts. X and Y may differ in size.
type Chamfer struct {
	P   float64
	Sum bool
}

func (Chamfer) Name() string           { return "CD" }
func (Chamfer) Specs() []weights.Spec  { return nil }
func (Chamfer) Fits(_, _, _ int) error { return nil }

func (Chamfer) Convention() string {
	return "squared Euclidean distance to the nearest neighbour, mean over points, both ways added, no root"
}

func (Chamfer) Build(_ Call, x, y *graph.Node) Result {
	square := squaredDistances(graph.StopGradient(x), graph.StopGradient(y))
	one := nearest(x, y, graph.ArgMin(square, 2, dtypes.Int32))
	two := nearest(y, x, graph.ArgMin(square, 1, dtypes.Int32))
	return Result{Pairs: graph.Add(one, two)}
}

// nearest is the mean over the points of x of the squared distance to the point of y at the given index [batch, points].
func nearest(x, y, at *graph.Node) *graph.Node {
	pair := graph.Iota(x.Graph(), at.Shape(), 0)
	d := graph.Sub(x, graph.Gather(y, graph.Stack([]*graph.Node{pair, at}, -1)))
	return graph.ReduceMean(graph.ReduceSum(graph.Mul(d, d), -1), -1)
}

// squaredDistances is ||x_i - y_j||^2, [batch, m, n], from differences (no cancellation).
func squaredDistances(x, y *graph.Node) *graph.Node {
	var sum *graph.Node
	for c := range x.Shape().Dimensions[2] {
		a := graph.Slice(x, graph.AxisRange(), graph.AxisRange(), graph.AxisElem(c)) // [batch, m, 1]
		b := graph.Slice(y, graph.AxisRange(), graph.AxisRange(), graph.AxisElem(c)) // [batch, n, 1]
		d := graph.Sub(a, graph.TransposeAllAxes(b, 0, 2, 1))
		d = graph.Mul(d, d)
		if sum == nil {
			sum = d
		} else {
			sum = graph.Add(sum, d)
		}
	}
	return sum
}
