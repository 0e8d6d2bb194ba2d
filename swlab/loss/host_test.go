package loss

import (
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
)

// TestMaximizer: an ascent whose costs are found by plain Go ends where that of the graph ends, for
// exponents, reductions and distributions, sums and means; and it moves. Plain gradient steps are
// proportional to the gradient, so that an error in it shows.
func TestMaximizer(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles several programs")
	}
	const batch = 3
	x, y := cloud(1, batch, 40), cloud(2, batch, 40)
	for name, c := range map[string]struct {
		loss Sliced
		y    *tensors.Tensor
		rate float64
	}{
		"v-DSW":  {Sliced{Slicer: slicing.Slicer{Distribution: slicing.VMF{Kappa: 3}, Slices: 7}}, y, .1},
		"Max-SW": {Sliced{Slicer: slicing.Slicer{Distribution: slicing.Point{}, Slices: 1}}, y, .1},
		"p = 1, energy": {Sliced{P: 1, Estimator: Energy{},
			Slicer: slicing.Slicer{Distribution: slicing.VMF{Kappa: 3}, Slices: 7}}, y, .05},
		"p = 3, mean, root": {Sliced{P: 3, Reduce: Mean, Root: true,
			Slicer: slicing.Slicer{Distribution: slicing.VMF{Kappa: 3}, Slices: 7}}, y, 2},
	} {
		t.Run(name, func(t *testing.T) {
			e := graphtest.Engine(t)
			climb := func(maximizer *slicing.Maximizer, err error) []float32 {
				must.M(err)
				l := must.M1(maximizer.Maximize(4, nil, x, c.y))
				defer l.FinalizeAll()
				return tensors.MustCopyFlatData[float32](l)
			}
			c.loss.Slicer.Ascent = &slicing.Ascent{LearningRate: c.rate, SGD: true}
			start := climb(c.loss.Maximizer(e, nil))
			c.loss.Slicer.Ascent.Steps = 6
			host := climb(c.loss.Maximizer(e, nil))
			inside := climb(slicing.NewMaximizer(e, nil, *c.loss.Slicer.Ascent, c.loss.Objective()))
			moved, apart := 0.0, 0.0
			for i := range start {
				moved = math.Max(moved, math.Abs(float64(host[i]-start[i])))
				apart = math.Max(apart, math.Abs(float64(host[i]-inside[i])))
			}
			if moved < .02 || apart > 1e-4*moved {
				t.Errorf("moved by %.3g, %.3g away from the graph's ascent", moved, apart)
			}
		})
	}
}

// TestHostGradient: value and gradient outside of a graph are those of the graph.
func TestHostGradient(t *testing.T) {
	const batch, points, slices = 2, 12, 5
	x, y, directions := cloud(1, batch, points), cloud(2, batch, points), cloud(3, batch, slices)
	for _, l := range []Sliced{{}, {P: 1}, {P: 3, Reduce: Mean}} {
		pairs := must.M1(l.HostPairs(x, y))
		value, gradient := must.M2(pairs.Gradient(directions, nil))
		want := graphtest.Floats(t, func(in []*graph.Node) []*graph.Node {
			l.Slicer = slicing.Slicer{Distribution: slicing.Fixed{Directions: in[2]}, Slices: slices}
			v := graph.ReduceAllMean(l.Build(BuildArgs{Wrt: ot1d.Y}, in[0], in[1]).Pairs)
			return []*graph.Node{v, graph.Gradient(v, in[1])[0]}
		}, x, y, directions)
		graphtest.Close(t, l.Convention().String(), []float32{float32(value)}, []float64{float64(want[0][0])}, 1e-5)
		graphtest.Close(t, l.Convention().String()+", gradient", tensors.MustCopyFlatData[float32](gradient),
			vec.To[float64](want[1]), 1e-5)
	}
}

// TestHostPairsNotFinite: numbers that are not finite make NaN of the costs and derivatives of
// their own pair, whether they are in a cloud or in a direction, and leave those of the others as
// they are, in every call.
func TestHostPairsNotFinite(t *testing.T) {
	const batch, points, slices = 3, 12, 5
	x, y, directions := cloud(1, batch, points), cloud(2, batch, points), cloud(3, batch, slices)
	spoilt := func(of *tensors.Tensor, pair int, by float64) *tensors.Tensor {
		flat := tensors.MustCopyFlatData[float32](of)
		flat[len(flat)/batch*pair+4] = float32(by)
		return tensors.FromFlatDataAndDimensions(flat, of.Shape().Dimensions...)
	}
	find := func(p *HostPairs, directions *tensors.Tensor) [][]float32 {
		costs, slopes := must.M2(p.Slopes(directions))
		_, gradient := must.M2(p.Gradient(directions, nil))
		return [][]float32{tensors.MustCopyFlatData[float32](costs), tensors.MustCopyFlatData[float32](slopes),
			tensors.MustCopyFlatData[float32](gradient)}
	}
	pairs := func(x, y *tensors.Tensor) *HostPairs { return must.M1(Sliced{}.HostPairs(x, y)) }
	whole := find(pairs(x, y), directions)
	bad := pairs(spoilt(x, 0, math.NaN()), y)
	badY := pairs(x, spoilt(y, 0, math.Inf(1)))
	for name, c := range map[string]struct {
		pairs      *HostPairs
		directions *tensors.Tensor
		lost       [batch]bool
	}{
		"x":                {bad, directions, [batch]bool{true}},
		"y":                {badY, directions, [batch]bool{true}},
		"direction":        {pairs(x, y), spoilt(directions, 2, math.NaN()), [batch]bool{2: true}},
		"x and direction":  {bad, spoilt(directions, 2, math.Inf(-1)), [batch]bool{true, false, true}},
		"x, in a new call": {bad, directions, [batch]bool{true}},
	} {
		for k, found := range find(c.pairs, c.directions) {
			for i, v := range found {
				lost := c.lost[i/(len(found)/batch)]
				if isNaN := v != v; isNaN != lost || !lost && v != whole[k][i] {
					t.Fatalf("%s: array %d, number %d is %v, without bad numbers %v, lost %t", name, k, i, v, whole[k][i], lost)
				}
			}
		}
	}
}
