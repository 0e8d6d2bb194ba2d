package loss

import (
	"cmp"
	"fmt"
	"math"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/internal/loop"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// ApproximateEMD is the approximate EMD (ApproxMatch, Fan et al. 2017): the earth mover's distance
// by the soft assignment of the CUDA kernel behind the published tables. At nine levels c = -4^7,
// ..., -4^-1, with E_kl = exp(c ||x_k - y_l||^2), the rest of X is offered to Y in proportion to E,
// and the rest of Y limits the offers. The match is the sum of the offers (softMatch has the
// formulas), and
//
//	cost(x, y) = sum_kl match_kl ||x_k - y_l||_2
//
// a SUM over points of unsquared distances (Reduce: Mean divides by m). The gradient holds the
// match fixed:
//
//	d cost / d x_k = sum_l match_kl (x_k - y_l) / max(||x_k - y_l||, 1e-10),   and likewise for y
//
// It is not symmetric and not zero on equal clouds. Its levels are lengths, 1/128 to 2, so it is not
// scale-equivariant: use clouds of radius 1. There it is 8 to 53 % above the exact distance. Smaller
// clouds are matched more and more at random, and cost a multiple of the exact distance
// (LargestExcess) although all mass is assigned. Points more than a few units from all others stay
// unassigned and cost nothing, so clouds far apart cost 0: see Result.MatchedMass. Both clouds have
// m points.
//
// On XLA's CPU the m x m tables are built in blocks and never stored: memory does not grow with
// batch m^2. They are stored if all of them together are small, on the pure-Go backend, which has no
// DynamicSlice for such a loop. On a GPU every sum makes its
// table again in its own kernel; a gradient stores one table of at most 2 GB.
type ApproximateEMD struct {
	Reduce Reduction // over points; 0: Sum. Generation tables use Mean
}

func (ApproximateEMD) Name() string { return "EMD" }

// Exponent is 1: distances are not squared.
func (ApproximateEMD) Exponent() float64 { return 1 }

func (ApproximateEMD) Specs() []weights.Spec { return nil }

// Check returns an error for clouds of different sizes.
func (ApproximateEMD) Check(m, n, _ int) error {
	if m != n {
		return fmt.Errorf("approximate EMD: expected clouds of equally many points, found %d and %d", m, n)
	}
	return nil
}

func (l ApproximateEMD) Convention() Convention {
	return Convention{Cost: "approximate matching (ApproxMatch, Fan et al. 2017), unsquared Euclidean distance",
		Exponent: 1, Reduce: cmp.Or(l.Reduce, Sum)}
}

func (l ApproximateEMD) Build(c BuildArgs, x, y *graph.Node) Result {
	if err := alike(x, y); err != nil {
		panic(fmt.Errorf("approximate EMD: %w", err))
	}
	batch, m := x.Shape().Dimensions[0], x.Shape().Dimensions[1]
	if err := l.Check(m, y.Shape().Dimensions[1], x.Shape().Dimensions[2]); err != nil {
		panic(err)
	}
	var r Result
	switch g := x.Graph(); {
	case !loop.OnCPU(g):
		r = fusedCost(x, y)
	case loop.Pays(g, batch*m*m, tableSize/2):
		r = blockedCost(x, y, max(1, tableSize/m))
	default:
		r = storedCost(x, y)
	}
	if l.Reduce == Mean {
		r.Pairs = graph.DivScalar(r.Pairs, float64(m))
	}
	return r
}

// Undivided reports whether a training step of the loss on that engine is one program: of losses without slices,
// whose gradient is found in a graph, on a CPU.
func Undivided(l Graph, e *engine.Engine) bool {
	switch l.(type) {
	case Chamfer, ApproximateEMD:
		return !e.IsCUDA()
	}
	return false
}

// tableSize is the number of table elements that fit the cores' caches.
const tableSize = 1 << 19

// storedCost computes the cost with the match stored as a table.
func storedCost(x, y *graph.Node) Result {
	square := squaredDistances(x, y)
	match, right := softMatch(graph.StopGradient(square))
	match = graph.StopGradient(match)
	length := graph.Sqrt(graph.MaxScalar(square, shortest*shortest))
	// Row by row: the pure-Go backend's single float32 accumulator of m^2 terms is wrong by 0.2 %
	// at m = 2048.
	return Result{Pairs: graph.ReduceSum(graph.ReduceSum(graph.Mul(match, length), 2), 1),
		MatchedMass: assigned(graph.Squeeze(right, 1))}
}

// blockedCost is storedCost with tables in blocks of at most height rows.
func blockedCost(x, y *graph.Node, height int) Result {
	t := newTables(x, y, height)
	a, b, right := t.assign()
	return t.transport(a, b).result(x, y, right)
}

// assigned is the matched part of y's mass [batch, m].
func assigned(right *graph.Node) *graph.Node {
	m := float64(right.Shape().Dimensions[1])
	return graph.OneMinus(graph.DivScalar(graph.ReduceSum(right, 1), m))
}

// carry is 0 for every pair, with the given gradient in x. If nothing reads it, XLA drops its sums.
func carry(x, gradient *graph.Node) *graph.Node {
	moving := graph.IdentityWithCustomGradient(x, func(_, v *graph.Node) *graph.Node {
		return graph.Mul(v, graph.StopGradient(gradient))
	})
	return graph.ReduceSum(graph.Sub(moving, graph.StopGradient(x)), 1, 2)
}

// largestExcess are the largest ratios of the approximate EMD to the exact one that were measured for
// clouds of at least a radius, of 64 to 2048 points (docs/theory.md). A radius of 0.9 counts as 1.
var largestExcess = []struct{ radius, ratio float64 }{{0.9, 1.53}, {0.5, 1.76}, {0.25, 2.55}, {0.1, 5.4}, {0.03, 13.3},
	{0.01, 27.4}, {0, 42.91}}

// LargestExcess is the largest ratio of the approximate EMD to the exact one that was measured for
// pairs of clouds of at most 2048 points and at least that radius: 1.53 at radius 1.
func LargestExcess(radius float64) float64 {
	for _, e := range largestExcess {
		if radius >= e.radius {
			return e.ratio
		}
	}
	return math.NaN()
}

// solvable is the number of points up to which a pair's exact EMD is computed for a warning: a
// fraction of a second, rarely more.
const solvable = 2048

// Excess is ExcessWarning of the first pair of x and y, with that radius and value, and says what
// helps. The exact EMD is computed for up to 2048 points.
func (l ApproximateEMD) Excess(x, y ot1d.Clouds, radius, value float64) string {
	if LargestExcess(radius) <= LargestExcess(1) {
		return ""
	}
	exact := math.NaN()
	if x.Points <= solvable {
		if r, err := (ExactEMD{Reduce: l.Reduce}).Compare(x, y, false); err == nil {
			exact = r.Pairs[0]
		}
	}
	w := ExcessWarning(radius, value, exact)
	if w != "" {
		w += "; normalise the pairs (--normalize unit, in Go Normalize: true), or take emd-exact"
	}
	return w
}

// ExcessWarning says by how much the approximate EMD exceeds the exact one, if that is more than at
// radius 1: of a pair with that radius around its common centre and these two values or, where exact
// is NaN, of any clouds of that radius. Else it is empty.
func ExcessWarning(radius, value, exact float64) string {
	usual := LargestExcess(1)
	const scales = "its scales are for clouds of radius 1"
	switch largest := LargestExcess(radius); {
	case math.IsNaN(exact) && largest > usual:
		return fmt.Sprintf("excess: at radius %.3g the approximate EMD is up to %.3g times the exact one: %s", radius,
			largest, scales)
	case value > usual*exact:
		return fmt.Sprintf(
			"excess: at radius %.3g the approximate EMD is %.6g where the exact one is %.6g, %.3g times as much: %s",
			radius, value, exact, value/exact, scales)
	}
	return ""
}
