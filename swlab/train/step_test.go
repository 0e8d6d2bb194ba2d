package train

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/core/tensors/numpy"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// model is LA v-DSW for clouds of m points.
func model(t testing.TB, m, slices, dk, k int) Model {
	t.Helper()
	s := loss.Defaults()
	s.Slices, s.Amortizer, s.Maps = slices, "la", amortizer.Config{Points: m, DK: dk, K: k}
	l := must.M1(loss.NewGraph("v-dsw", s))
	return Model{Net: &pointnet.Autoencoder{Points: m}, Loss: l, SGD: AutoencoderSGD, Adam: AmortizerAdam}
}

// hashed are the reference sets' weights for the network (tensors 0..31) and LA (40..49), with empty optimizer states.
func hashed(m Model, seed, seedLA uint64) []any {
	var out []any
	for _, v := range graphtest.Network(m.Net.Specs(), seed) {
		out = append(out, v)
	}
	zero := func(specs []weights.Spec) {
		for _, s := range specs {
			out = append(out, tensors.FromFlatDataAndDimensions(make([]float32, s.Size()), s.Shape...))
		}
	}
	zero(m.trained())
	psi := m.Loss.Specs()
	for i, s := range psi {
		amp := 1 / math.Sqrt(3)
		if i >= 6 { // pk, pv: weight [k, m] and bias [k]
			k, points := float64(psi[6].Shape[0]), float64(psi[6].Shape[1])
			amp = 1 / math.Sqrt(points)
			if len(s.Shape) == 2 {
				amp = math.Sqrt(3) * math.Sqrt(2/(points+k))
			}
		}
		out = append(out, graphtest.Hashed(s, seedLA, 40+uint64(i), amp, 0))
	}
	zero(psi)
	return append(out, tensors.FromScalar(float64(0)))
}

// startOf is the state before the first step.
func startOf(m Model, seed uint64) []any {
	var in []any
	start := m.initial(seed).tensors
	for _, s := range m.stateSpecs() {
		v, _ := start.Get(s.Name)
		in = append(in, tensors.FromFlatDataAndDimensions(v.Data, s.Shape...))
	}
	return append(in, tensors.FromScalar(float64(0)))
}

// TestTrace follows three steps of LA v-DSW with given noise against float64 PyTorch: the numbers
// in testdata (256 points), and the project's golden set (2048 points) where it is at hand. A wrong
// order of the two updates, reused noise or a missing one shows at once, for the first Adam step
// turns the directions by tens of degrees.
func TestTrace(t *testing.T) {
	for name, path := range map[string]string{"own": "testdata/trace.npz",
		"golden": filepath.Join("..", "..", "..", "shared", "golden", "train_step_trace.npz")} {
		t.Run(name, func(t *testing.T) {
			if _, err := os.Stat(path); err != nil && name == "golden" {
				t.Skipf("the golden set is not here: %v", err)
			}
			if testing.Short() && name == "golden" {
				t.Skip("2048 points: in make check, on XLA, which its bounds are for")
			}
			trace(t, must.M1(numpy.FromNpzFile(path)))
		})
	}
}

func trace(t *testing.T, z map[string]*tensors.Tensor) {
	d := z["x"].Shape().Dimensions // steps, pairs, points, 3
	slices := z["u"].Shape().Dimensions[3]
	k := 64
	if d[2] == 256 {
		k = 16
	}
	m := model(t, d[2], slices, k, k)
	seed := func(key string) uint64 { return uint64(tensors.MustCopyFlatData[int64](z[key])[0]) }
	state := hashed(m, seed("init_seed"), seed("init_seed_la"))
	x := must.M1(graph.NewExec(backend(t).Backend, func(in []*graph.Node) []*graph.Node {
		half := func(n *graph.Node, i int) *graph.Node {
			dims := n.Shape().Dimensions
			return graph.Reshape(graph.Slice(n, graph.AxisElem(i)), dims[1:]...)
		}
		x, u, v := in[0], in[1], in[2]
		o := m.Step(m.bind(in[3:]), x, nil, Noise{
			Ascend:  slicing.Given(half(u, 0), half(v, 0)),
			Descend: slicing.Given(half(u, 1), half(v, 1))})
		return append([]*graph.Node{o.Loss, o.Objective, o.Before, o.After, o.Report.Angle}, m.unbind(o.State)...)
	}))
	part := func(key string, step int) *tensors.Tensor {
		dims := z[key].Shape().Dimensions
		all := tensors.MustCopyFlatData[float32](z[key])
		n := len(all) / dims[0]
		return tensors.FromFlatDataAndDimensions(all[step*n:(step+1)*n], dims[1:]...)
	}
	want := func(key string, step int) []float64 {
		all := tensors.MustCopyFlatData[float64](z[key])
		n := len(all) / d[0]
		return all[step*n : (step+1)*n]
	}
	flat := func(v *tensors.Tensor) []float32 { return tensors.MustCopyFlatData[float32](v) }
	tol := map[string][3]float64{
		"J": {2e-6, 5e-4, 5e-3}, "loss": {5e-5, 5e-4, 2e-2}, "eps_before": {5e-5, 5e-4, 2e-2},
		"eps_after": {5e-4, 5e-4, 2e-1},
		"ck_ae":     {5e-6, 5e-4, 5e-3}, "ck_la": {1e-5, 5e-5, 6e-4}, // 5.4e-4 on the pure-Go backend, which adds term by term
	}
	for step := range d[0] {
		out := must.M1(x.Call(append([]any{part("x", step), part("u", step), part("normals", step)}, state...)...))
		for i, key := range []string{"loss", "J", "eps_before", "eps_after"} {
			graphtest.Close(t, fmt.Sprintf("step %d %s", step, key), flat(out[i]), want(key, step), tol[key][step])
		}
		if turn := out[4].Value().(float32); step == 0 && d[2] == 2048 && turn < 5 {
			t.Errorf("the first ascent turned the directions by %v degrees, expected tens", turn)
		}
		for i := range state {
			state[i] = out[5+i]
		}
		row := 0
		for i, s := range m.stateSpecs() {
			if s.Buffer || row > 41 {
				continue
			}
			key, r := "ck_ae", row
			switch {
			case i < len(m.Net.Specs()):
			case i >= len(m.Net.Specs())+len(m.trained()) && row < 42:
				key, r = "ck_la", row-32
			default:
				continue
			}
			row++
			sum := 0.0
			for _, v := range flat(state[i].(*tensors.Tensor)) {
				sum += float64(v) * float64(v)
			}
			if w := want(key, step)[10*r+1]; math.Abs(sum-w) > tol[key][step]*w {
				t.Errorf("step %d %s (%s row %d): sum of squares %v, want %v", step, s.Name, key, r, sum, w)
			}
		}
		if row != 42 {
			t.Fatalf("compared %d tensors, expected 42", row)
		}
	}
}

// TestSidesDoNotMix: the gradient of the ascent's objective in the autoencoder's parameters and that of the descended
// loss in the amortizer's are exactly zero (K8 of the protocol), while each moves its own side.
func TestSidesDoNotMix(t *testing.T) {
	const m, batch = 32, 3
	mod := model(t, m, 6, 8, 8)
	in := startOf(mod, 5)
	points := make([]float32, batch*m*3)
	for i := range points {
		points[i] = float32(math.Sin(float64(i*i) * 0.37))
	}
	rng := must.M1(graph.RNGStateFromSeed(3))
	x := must.M1(graph.NewExec(backend(t).Backend, func(n []*graph.Node) []*graph.Node {
		s := mod.bind(n[2:])
		src := slicing.Seeded(n[1])
		o := mod.Step(s, n[0], nil, Noise{src, src})
		var net, psi []*graph.Node
		for _, sp := range mod.trained() {
			net = append(net, s.Net[sp.Name])
		}
		for _, sp := range mod.Loss.Specs() {
			psi = append(psi, s.Amortizer.Weights[sp.Name])
		}
		norm := func(of *graph.Node, in []*graph.Node) *graph.Node {
			sum := graph.Const(of.Graph(), float32(0))
			for _, g := range graph.Gradient(of, in...) {
				sum = graph.Add(sum, graph.ReduceAllSum(graph.Abs(g)))
			}
			return sum
		}
		return []*graph.Node{norm(o.Objective, net), norm(o.Loss, psi), norm(o.Objective, psi), norm(o.Loss, net)}
	}))
	out := must.M1(x.Call(append([]any{tensors.FromFlatDataAndDimensions(points, batch, m, 3), rng}, in...)...))
	for i, what := range []string{"dJ/d autoencoder", "dloss/d amortizer", "dJ/d amortizer", "dloss/d autoencoder"} {
		if v := out[i].Value().(float32); (v == 0) != (i < 2) {
			t.Errorf("|%s| = %v", what, v)
		}
	}
}

// TestBootstrapDrawsWithReplacement: about 63 % of the points of a cloud are distinct in a
// bootstrap, and every point comes from its own cloud. The points say where they are from.
func TestBootstrapDrawsWithReplacement(t *testing.T) {
	const clouds, m = 64, 512
	data := make([]float32, clouds*m*3)
	for i := range data {
		data[i] = []float32{float32(i / 3 / m), float32(i / 3 % m), 0}[i%3]
	}
	var rows []int32
	for i := int32(1); i < clouds; i += 2 {
		rows = append(rows, i)
	}
	got := graphtest.Floats(t, func(in []*graph.Node) []*graph.Node {
		_, x := Bootstrap(in[0], in[1], in[2])
		return []*graph.Node{x}
	}, stepState(t, 1), tensors.FromFlatDataAndDimensions(data, clouds, m, 3), rows)[0]
	distinct := 0
	for b, row := range rows {
		seen := map[float32]bool{}
		for i := range m {
			p := got[(b*m+i)*3:]
			if p[0] != float32(row) {
				t.Fatalf("a point of cloud %v in the draw of cloud %d", p[0], row)
			}
			seen[p[1]] = true
		}
		distinct += len(seen)
	}
	if share := float64(distinct) / float64(len(rows)*m); math.Abs(share-(1-math.Exp(-1))) > 0.01 {
		t.Errorf("%.4f of the points are distinct, expected 0.632", share)
	}
}
