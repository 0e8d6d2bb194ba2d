package loss

import (
	"cmp"
	"fmt"
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/internal/memory"
)

// Adaptive is the mean over the first n slices, with n chosen by the data (ASW; Nguyen et al.
// 2021). With m1 and m2 the means of the costs and of their squares over the first n slices of a
// pair,
//
//	n = Start; while more than the fraction Violating of the pairs have
//	    Confidence^2 (m2 - m1^2) > (n-1) Epsilon^2, and n + Step <= slices:
//	    n = n + Step
//
// So Confidence standard errors of the mean are at most Epsilon for (nearly) every pair; one n
// serves the whole batch. All slices are drawn and their costs computed, because a graph has one
// shape; those beyond n get weight 0, in value and gradient.
type Adaptive struct {
	Start, Step int
	Epsilon     float64 // on the scale of the costs
	Confidence  float64 // k of the released program, which the paper does not state
	Violating   float64 // r of the released program, likewise
}

// PaperAdaptive has the settings of the paper's tables: it starts with 2 slices and adds one at a
// time, up to the number drawn, 500.
func PaperAdaptive() Adaptive {
	return Adaptive{Start: 2, Step: 1, Epsilon: 0.5, Confidence: 2, Violating: 1e-5}
}

func (a Adaptive) Name() string {
	return fmt.Sprintf("mean over the first n slices, n until %g standard errors <= %g", a.Confidence, a.Epsilon)
}

func (a Adaptive) Check(slices, _ int) error {
	switch {
	case a.Start < 2:
		return fmt.Errorf("adaptive slices: expected a start of at least 2, found %d", a.Start)
	case a.Step < 1:
		return fmt.Errorf("adaptive slices: expected a step of at least 1, found %d", a.Step)
	case !(a.Epsilon > 0) || math.IsInf(a.Epsilon, 0):
		return fmt.Errorf("adaptive slices: expected epsilon > 0, found %v", a.Epsilon)
	}
	table := fmt.Sprintf("slices: a table of %d times %d for their adaptive number", slices, slices)
	return cmp.Or(needSlices("the adaptive number of slices", a.Start, slices),
		memory.Check(table, memory.Bytes(9, slices, slices)))
}

func (a Adaptive) Estimate(c Costs) Estimate {
	d, g := c.Values.Shape().Dimensions, c.Values.Graph()
	batch, slices, dtype := d[0], d[1], c.Values.DType()
	stopped := graph.StopGradient(c.Values)
	tries := (slices-a.Start)/a.Step + 1 // n = Start + j Step, j = 0 .. tries-1
	count := make([]float64, tries)
	for j := range count {
		count[j] = float64(a.Start + j*a.Step)
	}
	n := graph.Reshape(graph.ConstAsDType(g, dtype, count), 1, tries)
	slice := graph.Iota(g, shapes.Make(dtype, slices, tries), 0)
	among := graph.ConvertDType(graph.LessThan(slice, graph.BroadcastToDims(n, slices, tries)), dtype) // 1 for the first n
	mean := func(x *graph.Node) *graph.Node { return graph.Div(graph.Einsum("bl,lj->bj", x, among), n) }
	// The variance does not depend on the origin. Measured from the first cost, float32 keeps its
	// digits.
	from := graph.Sub(stopped, graph.Slice(stopped, graph.AxisRange(), graph.AxisElem(0)))
	m1, m2 := mean(from), mean(graph.Mul(from, from))
	spread := graph.MulScalar(graph.Sub(m2, graph.Mul(m1, m1)), a.Confidence*a.Confidence)
	bound := graph.BroadcastToDims(graph.MulScalar(graph.AddScalar(n, -1), a.Epsilon*a.Epsilon), batch, tries)
	if c.Unit != nil {
		bound = graph.Div(graph.Div(bound, c.Unit), c.Unit)
	}
	violates := graph.LogicalNot(graph.LessOrEqual(spread, bound))       // so does NaN
	fraction := graph.ReduceMean(graph.ConvertDType(violates, dtype), 0) // [tries]
	// The first n that is good enough, or the last.
	last := graph.BroadcastToDims(graph.Scalar(g, dtype, float64(a.Start+(tries-1)*a.Step)), tries)
	good := graph.LessOrEqual(fraction, graph.BroadcastToDims(graph.Scalar(g, dtype, a.Violating), tries))
	used := graph.ReduceAllMin(graph.Where(good, graph.Reshape(n, tries), last))
	index := graph.ConvertDType(graph.Iota(g, shapes.Make(dtypes.Int32, batch, slices), 1), dtype)
	counts := graph.LessThan(index, graph.BroadcastToDims(used, batch, slices))
	pairs := graph.Div(graph.ReduceSum(graph.Where(counts, c.Values, graph.ZerosLike(stopped)), 1),
		graph.BroadcastToDims(used, batch))
	return Estimate{Pairs: pairs, Shares: c.Values, Used: graph.ConvertDType(used, dtypes.Int32)}
}
