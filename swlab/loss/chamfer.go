package loss

import (
	"cmp"
	"fmt"
	"math"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/internal/loop"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// Chamfer is the Chamfer distance: the distance to the nearest neighbour to the power P, averaged
// over the points of each cloud and added over both directions:
//
//	CD(X, Y) = (1/m) sum_i min_j ||x_i - y_j||^P + (1/n) sum_j min_i ||x_i - y_j||^P
//
// The zero value is the paper's (Nguyen et al. 2023), P = 2. Reduce: Sum leaves out 1/m and 1/n. X
// and Y may differ in size. Masses, divided by their sum, replace 1/m and 1/n; a point without mass
// is still a neighbour. The gradient holds the nearest neighbours fixed, the first of equally
// near ones; between points that coincide it is 0.
type Chamfer struct {
	P      float64   // the exponent, at least 1; 0 means 2
	Reduce Reduction // over points; 0: Mean
}

func (Chamfer) Name() string          { return "CD" }
func (Chamfer) Specs() []weights.Spec { return nil }

// Check returns an error unless the exponent is a number of at least 1.
func (l Chamfer) Check(_, _, _ int) error {
	if p := l.Exponent(); !(p >= 1) || math.IsInf(p, 0) {
		return fmt.Errorf("Chamfer distance: expected an exponent P >= 1, found %v", p)
	}
	return nil
}

// Exponent is P.
func (l Chamfer) Exponent() float64 {
	return cmp.Or(l.P, 2)
}

func (l Chamfer) Convention() Convention {
	p, to := l.Exponent(), "distance to the nearest neighbour"
	cost := fmt.Sprintf("Euclidean %s to the power %g", to, p)
	switch p {
	case 1:
		cost = "Euclidean " + to
	case 2:
		cost = "squared Euclidean " + to
	}
	return Convention{Cost: cost, Exponent: p, Reduce: cmp.Or(l.Reduce, Mean), Then: "both ways added"}
}

func (l Chamfer) Build(c BuildArgs, x, y *graph.Node) Result {
	if err := alike(x, y); err != nil {
		panic(fmt.Errorf("Chamfer distance: %w", err))
	}
	if err := l.Check(x.Shape().Dimensions[1], y.Shape().Dimensions[1], x.Shape().Dimensions[2]); err != nil {
		panic(err)
	}
	return Result{Pairs: graph.Add(l.oneWay(x, y, nearest(x, y), c.MassX), l.oneWay(y, x, nearest(y, x), c.MassY))}
}

// alike returns an error unless x and y are batches of clouds of one dimension and type.
func alike(x, y *graph.Node) error {
	a, b := x.Shape(), y.Shape()
	if a.Rank() != 3 || b.Rank() != 3 || a.Dimensions[0] != b.Dimensions[0] || a.Dimensions[2] != b.Dimensions[2] ||
		a.DType != b.DType {
		return fmt.Errorf("expected clouds [batch, m, dim] and [batch, n, dim], found %s and %s", a, b)
	}
	return nil
}

// CheckMasses returns an error for a sum over points.
func (l Chamfer) CheckMasses() error { return meanMasses(cmp.Or(l.Reduce, Mean)) }

// oneWay reduces over the points of x the distances to the points of y with the given indices
// [batch, m]. mass [batch, m] are the masses of x, or nil.
func (l Chamfer) oneWay(x, y, at, mass *graph.Node) *graph.Node {
	if loop.OnCPU(x.Graph()) {
		return l.reduced(x, loop.GatherRows(y, at), mass)
	}
	// The gradient of GatherRows is a scatter: AddRows says what is wrong with it.
	chosen := loop.GatherRows(graph.StopGradient(y), at)
	pairs := l.reduced(x, chosen, mass)
	pull := graph.Gradient(graph.ReduceAllSum(pairs), chosen)[0]
	return graph.Add(pairs, carry(y, loop.AddRows(graph.ZerosLike(y), at, pull)))
}

// reduced reduces the distances between x and chosen, both [batch, m, dim], over the points.
func (l Chamfer) reduced(x, chosen, mass *graph.Node) *graph.Node {
	d := graph.Sub(x, chosen)
	d = graph.ReduceSum(graph.Mul(d, d), -1)
	if p := l.Exponent(); p != 2 {
		// The floor keeps the root's gradient finite. Where it acts, the value is 0 and has no
		// gradient.
		floor := leastNormal(d.DType())
		apart := graph.GreaterThan(d, graph.MulScalar(graph.OnesLike(d), floor))
		d = graph.Where(apart, graph.PowScalar(graph.MaxScalar(d, floor), p/2), graph.ZerosLike(d))
	}
	switch {
	case l.Reduce == Sum:
		return graph.ReduceSum(d, -1)
	case mass != nil:
		return graph.Div(graph.ReduceSum(graph.Mul(d, mass), -1), graph.ReduceSum(mass, -1))
	}
	return graph.ReduceMean(d, -1)
}

// squaredDistances is ||x_i - y_j||^2, [batch, m, n], from differences, without cancellation.
func squaredDistances(x, y *graph.Node) *graph.Node {
	var differences []*graph.Node
	for c := range x.Shape().Dimensions[2] {
		a := graph.Slice(x, graph.AxisRange(), graph.AxisRange(), graph.AxisElem(c)) // [batch, m, 1]
		b := graph.Slice(y, graph.AxisRange(), graph.AxisRange(), graph.AxisElem(c)) // [batch, n, 1]
		differences = append(differences, graph.Sub(a, graph.TransposeAllAxes(b, 0, 2, 1)))
	}
	return sumOfSquares(differences)
}

// sumOfSquares sums the squares of a point's coordinates.
func sumOfSquares(coordinates []*graph.Node) *graph.Node {
	sum := graph.Mul(coordinates[0], coordinates[0])
	for _, c := range coordinates[1:] {
		sum = graph.Add(sum, graph.Mul(c, c))
	}
	return sum
}
