//go:build unix && !swlab_cell

package lab

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
)

var moments = Loss("test-moments", func(x, y *Node) *Node {
	return graph.ReduceSum(graph.Square(graph.Sub(graph.ReduceMean(x, 1), graph.ReduceMean(y, 1))), -1)
})

var farthest = LossFunc("test-farthest", func(x, y [][]float64) float64 {
	most := 0.0
	for i := range x {
		most = math.Max(most, math.Abs(x[i][0]-y[i][0]))
	}
	return most
})

var upright = Directions("test-upright", func(r *rand.Rand) []float32 { return []float32{0, 0, 2} })

var linear = Amortizer("test-linear", Weights{"w": {3, 3}, "b": {3}}, func(w W, x, y *Node) *Node {
	d := graph.Sub(graph.ReduceMean(y, 1), graph.ReduceMean(x, 1))
	return graph.Add(graph.Dot(d, graph.Transpose(w.Get("w"), 0, 1)).Product(), graph.BroadcastToShape(graph.InsertAxes(w.Get("b"), 0), d.Shape()))
})

// TestOwn: losses, directions and amortizers of one's own give what their formulas say, with and without a
// process that knows nothing of them, and go with the rest.
func TestOwn(t *testing.T) {
	for _, with := range []bool{false, true} {
		if with {
			process(t, "")
		}
		x, y := Points([][]float64{{0, 0, 0}, {2, 0, 4}}), Points([][]float64{{1, 0, 2}, {3, 2, 2}})
		if d := moments(x, y); math.Abs(d.Value-2) > 1e-6 { // means (1, 0, 2) and (2, 1, 2)
			t.Errorf("moments: %v", d)
		}
		if d := farthest(x, y); d.Value != 1 {
			t.Errorf("farthest: %v", d)
		}
		if d := SW(x, y, upright, Slices(3), Mean()); math.Abs(d.Value-4) > 1e-6 { // 0, 4 against 2, 2
			t.Errorf("upright: %v %v", d, d.Directions())
		} else if p := d.Slice(); !p.isPNG() {
			t.Error("no picture of own directions")
		}
		d := VDSW(Cloud("chair"), Cloud("bed"), linear, Slices(4))
		if at := d.Location(); len(at) != 3 || math.Abs(float64(at[0]*at[0]+at[1]*at[1]+at[2]*at[2])-1) > 1e-5 {
			t.Errorf("location %v", at)
		}
		if a := Ablate(x, y, Losses(moments, farthest, SW), Slices(2)); len(a.Rows) != 3 || math.Abs(a.Rows[0].Mean-2) > 1e-6 || a.Rows[1].Mean != 1 {
			t.Errorf("ablation %+v", a)
		}
	}
}

// TestOwnTraining: a training on a loss of one's own lowers it.
func TestOwnTraining(t *testing.T) {
	if testing.Short() {
		t.Skip("trains")
	}
	t.Chdir(t.TempDir())
	run := Train(moments, On(Shapes("builtin", Size(32))), Steps(12), Batch(8))
	if l := run.Losses(); l[11] >= l[0] {
		t.Errorf("losses %v", l)
	}
}
