package loss

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
)

// points makes batch clouds of m points of dimension dim; repeat > 0 makes every repeat-th point a copy of the first.
func points(r *rand.Rand, batch, m, dim, repeat int) *tensors.Tensor {
	v := make([]float32, batch*m*dim)
	for i := range v {
		v[i] = float32(r.NormFloat64() * 0.4)
		if point := i / dim % m; repeat > 0 && point%repeat == 0 {
			v[i] = v[i-point*dim]
		}
	}
	return tensors.FromFlatDataAndDimensions(v, batch, m, dim)
}

// gradients are the derivatives of the sum of a loss over the batch.
func gradients(pairs *graph.Node, wrt ...*graph.Node) []*graph.Node {
	return graph.Gradient(graph.ReduceAllSum(pairs), wrt...)
}

// TestApproximateEMDKnownAnswers are K1 of the protocol: four points, float64 values.
func TestApproximateEMDKnownAnswers(t *testing.T) {
	x := tensors.FromFlatDataAndDimensions([]float32{0, 0, 0, .5, 0, 0, 0, .5, 0, 0, 0, .5}, 1, 4, 3)
	y := tensors.FromFlatDataAndDimensions([]float32{.1, 0, 0, .4, .1, 0, 0, .3, .2, -.2, 0, .6}, 1, 4, 3)
	out := graphtest.Floats(t, func(n []*graph.Node) []*graph.Node {
		match, _ := softMatch(squaredDistances(n[0], n[1]))
		return []*graph.Node{
			ApproximateEMD{}.Build(BuildArgs{}, n[0], n[1]).Pairs, ApproximateEMD{}.Build(BuildArgs{}, n[1], n[0]).Pairs,
			ApproximateEMD{Reduce: Mean}.Build(BuildArgs{}, n[0], n[1]).Pairs, match,
		}
	}, x, y)
	graphtest.Close(t, "costs", slices.Concat(out[:3]...), []float64{0.74793068, 0.74787130, 0.74793068 / 4}, 2e-6)
	graphtest.Close(t, "match", out[3], []float64{
		1, 0, 0, 0,
		0, 1, 0, 0,
		0, 0, 0.999917, 0.000083,
		0, 0, 0.000083, 0.999917,
	}, 2e-6)
	mass := 0.0
	for _, w := range out[3] {
		mass += float64(w)
	}
	if math.Abs(mass-4) > 1e-6 {
		t.Errorf("mass %v, want 4", mass)
	}
}

// TestApproximateEMDTranslation: points 40 apart see only their own translate, so the cost is m |v| and the gradient in
// every point of y is v/|v|.
func TestApproximateEMDTranslation(t *testing.T) {
	const m = 12
	v := []float32{0.25, -0.5, 0.5} // of length 3/4
	x, y := make([]float32, m*3), make([]float32, m*3)
	want := make([]float64, m*3)
	for i := range m {
		x[3*i] = float32(40 * i)
		for c := range 3 {
			y[3*i+c] = x[3*i+c] + v[c]
			want[3*i+c] = float64(v[c]) / 0.75
		}
	}
	out := graphtest.Floats(t, func(n []*graph.Node) []*graph.Node {
		cost := ApproximateEMD{}.Build(BuildArgs{}, n[0], n[1]).Pairs
		return append([]*graph.Node{cost}, gradients(cost, n[1])...)
	}, tensors.FromFlatDataAndDimensions(x, 1, m, 3), tensors.FromFlatDataAndDimensions(y, 1, m, 3))
	graphtest.Close(t, "cost", out[0], []float64{m * 0.75}, 1e-6)
	graphtest.Close(t, "gradient", out[1], want, 1e-5)
}

// TestApproximateEMDReference: costs in both orders and all gradients, through the blocks on XLA.
func TestApproximateEMDReference(t *testing.T) {
	z := graphtest.Golden(t, "chamfer_emd.npz")
	for _, big := range []string{"", "_big"} {
		if big != "" && testing.Short() {
			return // in make check
		}
		out := graphtest.Floats(t, func(n []*graph.Node) []*graph.Node {
			xy, yx := ApproximateEMD{}.Build(BuildArgs{}, n[0], n[1]).Pairs,
				ApproximateEMD{}.Build(BuildArgs{}, n[1], n[0]).Pairs
			return slices.Concat([]*graph.Node{xy, yx}, gradients(xy, n...), gradients(yx, n...))
		}, z["x"+big], z["y"+big])
		for i, key := range []string{"emd_xy", "emd_yx", "emd_xy_grad_x", "emd_xy_grad_y", "emd_yx_grad_x", "emd_yx_grad_y"} {
			want := tensors.MustCopyFlatData[float64](z[key+big])
			switch {
			case i < 2:
				graphtest.Close(t, key+big, out[i], want, 1e-5)
			case big != "":
				graphtest.Close(t, key+big, out[i], want, 5e-5)
			default: // the last pair is a cloud and its bootstrap
				last := len(want) * 5 / 6
				graphtest.Close(t, key, out[i][:last], want[:last], 2e-3)
				graphtest.Close(t, key+" of pair 5", out[i][last:], want[last:], 5e-2)
			}
		}
	}
}

func TestApproximateEMDRefuses(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for says, y := range map[string]*tensors.Tensor{
		"equally many points, found 4 and 5":              points(r, 2, 5, 3, 0),
		"found (Float32)[2, 4, 3] and (Float32)[3, 4, 3]": points(r, 3, 4, 3, 0),
	} {
		err := buildError(t, ApproximateEMD{}, points(r, 2, 4, 3, 0), y)
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, expected one that says %q", err, says)
		}
	}
}

// buildError is the error of a graph with a loss.
func buildError(t *testing.T, l Graph, x, y *tensors.Tensor) error {
	t.Helper()
	e := must.M1(graph.NewExec(graphtest.Engine(t).Backend,
		func(x, y *graph.Node) *graph.Node { return l.Build(BuildArgs{}, x, y).Pairs }))
	defer e.Finalize()
	_, err := e.Call(x, y)
	return err
}
