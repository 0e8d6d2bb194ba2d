package loss

import (
	"math"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

const (
	sharpest, softest = 7, -1 // the exponents j of the soft assignment's levels
	tiny              = 1e-9  // added to denominators by the CUDA kernel
	shortest          = 1e-10 // its floor on a length before division
)

// softMatch is the soft assignment of two clouds, match [batch, m, m], from their squared distances
// [batch, m, m], and the rest of y, [batch, 1, m]:
//
//	left_k = right_l = 1
//	for j = 7, 6, ..., 0, -1:
//	    E_kl      = exp(-4^j ||x_k - y_l||^2)
//	    a_k       = left_k / (1e-9 + sum_l E_kl right_l)
//	    s_l       = right_l sum_k E_kl a_k
//	    b_l       = min(right_l / (s_l + 1e-9), 1) right_l
//	    right_l   = max(right_l - s_l, 0)
//	    w_kl      = a_k E_kl b_l
//	    match_kl += w_kl
//	    left_k    = max(left_k - sum_l w_kl, 0)
func softMatch(square *graph.Node) (match, right *graph.Node) {
	d := square.Shape().Dimensions
	left := graph.Ones(square.Graph(), shapes.Make(square.DType(), d[0], d[1], 1))
	right = graph.Ones(square.Graph(), shapes.Make(square.DType(), d[0], 1, d[2]))
	match = graph.ZerosLike(square)
	for j := sharpest; j >= softest; j-- {
		e := graph.Exp(graph.MulScalar(square, factor(j)))
		a := graph.Div(left, graph.AddScalar(graph.ReduceAndKeep(graph.Mul(e, right), graph.ReduceSum, 2), tiny))
		var b *graph.Node
		b, right = limit(right, graph.ReduceAndKeep(graph.Mul(e, a), graph.ReduceSum, 1))
		w := graph.Mul(graph.Mul(e, a), b)
		match = graph.Add(match, w)
		left = graph.MaxScalar(graph.Sub(left, graph.ReduceAndKeep(w, graph.ReduceSum, 2)), 0)
	}
	return match, right
}

// factor is a level's factor on the squared distance.
func factor(j int) float64 { return -math.Pow(4, float64(j)) }

// limit turns right and the sums sum_k E_kl a_k of a level into b and the next right.
func limit(right, sums *graph.Node) (b, rest *graph.Node) {
	s := graph.Mul(right, sums)
	b = graph.Mul(graph.MinScalar(graph.Div(right, graph.AddScalar(s, tiny)), 1), right)
	return b, graph.MaxScalar(graph.Sub(right, s), 0)
}

// transport is what the earth mover's distance needs of a match.
type transport struct {
	cost   *graph.Node // [batch]          sum_kl match_kl ||x_k - y_l||
	dx, dy *graph.Node // [batch, m, dim]  its gradients with the match held fixed
}

// result is the cost as a function of x and y, of whose mass the given rest [batch, m] is left.
func (t transport) result(x, y, right *graph.Node) Result {
	return Result{Pairs: graph.Add(graph.StopGradient(t.cost), graph.Add(carry(x, t.dx), carry(y, t.dy))),
		MatchedMass: assigned(right)}
}

// assign finds a [batch, rows] and b [batch, columns] of softMatch's levels, the sharpest first,
// and the rest of y. It makes one sweep per level, which ends the level before, because only then
// is left known, and begins its own. Both sweeps of a level take the same E to the last digit: left
// is what remains of nearly equal numbers, and the next level's division by 1e-9 + sum_l E_kl
// right_l would turn an error of 1e-6 in it into one of a hundredth of the gradient in a point.
func (t tables) assign() (a, b []*graph.Node, right *graph.Node) {
	right = t.columns(graph.Ones)
	// rows beyond m offer nothing
	left := t.fill(graph.Ones(right.Graph(), shapes.Make(right.DType(), t.batch, t.m)))
	for j := sharpest; j >= softest; j-- {
		constants := []*graph.Node{left, right}
		if j < sharpest {
			constants = append(constants, a[len(a)-1], b[len(b)-1])
		}
		state := []*graph.Node{t.rows(graph.Zeros), t.rows(graph.Zeros), t.columns(graph.Zeros)}
		r := t.sweep(constants, state, func(k block, c, s []*graph.Node) []*graph.Node {
			e, left := ofLevel(k.exponential, j), k.rowsOf(c[0])
			if j < sharpest {
				taken := graph.Mul(k.rowsOf(c[2]), graph.Dot(ofLevel(k.exponential, j+1), k.columnsOf(c[3])).Product())
				left = graph.Max(graph.Sub(left, taken), k.vector(0, t.height))
			}
			wanted := graph.Dot(e, k.columnsOf(c[1])).Product()
			a := graph.Div(left, graph.Add(wanted, k.vector(tiny, t.height)))
			return []*graph.Node{k.putRows(s[0], left), k.putRows(s[1], a), k.addColumns(s[2], graph.Dot(a, e).Product())}
		})
		left, a = r[0], append(a, r[1])
		var limited *graph.Node
		limited, right = limit(right, r[2])
		b = append(b, limited)
	}
	return a, b, right
}

// transport rebuilds the match of every block from all levels, for its cost and gradients.
func (t tables) transport(a, b []*graph.Node) transport {
	state := []*graph.Node{t.rows(graph.Zeros)}
	for range t.dim {
		state = append(state, t.rows(graph.Zeros), t.columns(graph.Zeros))
	}
	r := t.sweep(append(append([]*graph.Node{}, a...), b...), state, func(k block, c, s []*graph.Node) []*graph.Node {
		match := k.match(c[:len(a)], c[len(a):])
		length := graph.Sqrt(graph.Max(k.square, k.table(k.vector(shortest*shortest, t.n), 1)))
		acrossRow, acrossColumn := k.vector(1, t.n), k.vector(1, t.height)
		out := []*graph.Node{k.putRows(s[0], graph.Dot(graph.Mul(match, length), acrossRow).Product())}
		pull := graph.Div(match, length)
		for i, d := range k.differences {
			p := graph.Mul(pull, d)
			out = append(out,
				k.putRows(s[1+2*i], graph.Dot(p, acrossRow).Product()),
				k.addColumns(s[2+2*i], graph.Dot(acrossColumn, p).Product()))
		}
		return out
	})
	var dx, dy []*graph.Node
	for i := range t.dim {
		dx = append(dx, graph.Slice(r[1+2*i], graph.AxisRange(), graph.AxisRange(0, t.m)))
		dy = append(dy, graph.Neg(r[2+2*i]))
	}
	return transport{cost: graph.ReduceSum(r[0], 1), dx: graph.Stack(dx, -1), dy: graph.Stack(dy, -1)}
}

// match is the block's sum over levels of a_k E_kl b_l.
func (k block) match(a, b []*graph.Node) *graph.Node {
	return sumOfLevels(k.exponential, func(e *graph.Node, level int) *graph.Node {
		return graph.Mul(graph.Mul(e, k.table(k.rowsOf(a[level]), 0)), k.table(k.columnsOf(b[level]), 1))
	})
}

// sumOfLevels is the sum over levels, the sharpest of which has the number 0, of what weighed makes
// of their exponentials.
func sumOfLevels(exponential func(j int) *graph.Node, weighed func(e *graph.Node, level int) *graph.Node) *graph.Node {
	sum := weighed(ofLevel(exponential, softest), sharpest-softest)
	for j := softest + 1; j <= sharpest; j++ {
		sum = graph.Add(sum, weighed(ofLevel(exponential, j), sharpest-j))
	}
	return sum
}

// ofLevel is E of level j. Every third E is an exponential, the next two are its fourth powers:
// accurate to 16 units in the last place. XLA computes what levels share once.
func ofLevel(exponential func(j int) *graph.Node, j int) *graph.Node {
	powers := (j - softest) % 3
	e := exponential(j - powers)
	for range powers {
		square := graph.Mul(e, e)
		e = graph.Mul(square, square)
	}
	return e
}
