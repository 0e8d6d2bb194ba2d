package loss

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/core/tensors/numpy"

	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// golden reads a reference set, or skips the test.
func golden(t *testing.T, name string) map[string]*tensors.Tensor {
	t.Helper()
	path := filepath.Join("..", "..", "..", "shared", "golden", name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the golden set is not here: %v", err)
	}
	z, err := numpy.FromNpzFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

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

// kernel is the soft assignment as published, in float64: its cost, mass and gradients for one pair.
func kernel(x, y []float32, dim int) (cost, mass float64, dx, dy []float64) {
	m := len(x) / dim
	distance := func(k, l int) float64 {
		s := 0.0
		for c := range dim {
			d := float64(x[k*dim+c]) - float64(y[l*dim+c])
			s += d * d
		}
		return math.Sqrt(s)
	}
	left, right, match := make([]float64, m), make([]float64, m), make([]float64, m*m)
	for k := range m {
		left[k], right[k] = 1, 1
	}
	for j := 7; j >= -1; j-- {
		e, a, s, b := make([]float64, m*m), make([]float64, m), make([]float64, m), make([]float64, m)
		for k := range m {
			sum := 1e-9
			for l := range m {
				e[k*m+l] = math.Exp(-math.Pow(4, float64(j)) * distance(k, l) * distance(k, l))
				sum += e[k*m+l] * right[l]
			}
			a[k] = left[k] / sum
		}
		for l := range m {
			for k := range m {
				s[l] += e[k*m+l] * a[k] * right[l]
			}
			b[l] = math.Min(right[l]/(s[l]+1e-9), 1) * right[l]
			right[l] = math.Max(0, right[l]-s[l])
		}
		for k := range m {
			sum := 0.0
			for l := range m {
				w := e[k*m+l] * a[k] * b[l]
				match[k*m+l] += w
				sum += w
			}
			left[k] = math.Max(0, left[k]-sum)
		}
	}
	dx, dy = make([]float64, m*dim), make([]float64, m*dim)
	for k := range m {
		for l := range m {
			d := distance(k, l)
			cost += match[k*m+l] * d
			mass += match[k*m+l]
			for c := range dim {
				g := match[k*m+l] * (float64(x[k*dim+c]) - float64(y[l*dim+c])) / math.Max(d, 1e-10)
				dx[k*dim+c] += g
				dy[l*dim+c] -= g
			}
		}
	}
	return cost, mass, dx, dy
}

// needLoops skips a test of loops where the backend cannot run them.
func needLoops(t *testing.T) {
	t.Helper()
	if graphtest.Engine(t).Name == "go" {
		t.Skip("the pure-Go backend does not run these loops")
	}
}

// TestApproximateEMD compares tables that are stored and tables in blocks, whole and with a last block that is not full,
// with the recipe in float64: costs and gradients, dimension 2 and 3, duplicates and points in common.
func TestApproximateEMD(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 1))
	for _, c := range []struct{ batch, m, dim, repeat, height int }{
		{3, 24, 3, 5, 0}, {3, 5, 2, 0, 2}, {1, 7, 3, 0, 7}, {2, 130, 3, 4, 50}, {2, 9, 3, 3, 1},
	} {
		build := storedCost
		if c.height > 0 {
			if graphtest.Engine(t).Name == "go" {
				continue
			}
			build = func(x, y *graph.Node) *graph.Node { return blockedCost(x, y, c.height) }
		}
		x, y := points(r, c.batch, c.m, c.dim, c.repeat), points(r, c.batch, c.m, c.dim, 0)
		size := c.m * c.dim
		fx, fy := tensors.MustCopyFlatData[float32](x), tensors.MustCopyFlatData[float32](y)
		if c.repeat > 0 {
			copy(fy[:c.dim], fx) // a point of both clouds
			y = tensors.FromFlatDataAndDimensions(fy, c.batch, c.m, c.dim)
		}
		out := graphtest.Floats(t, func(n []*graph.Node) []*graph.Node {
			// Weights on the pairs: the gradient of a sum alone would not see a pair's own.
			cost := build(n[0], n[1])
			weighed := graph.Mul(cost, graph.AddScalar(graph.Iota(cost.Graph(), cost.Shape(), 0), 1))
			return append([]*graph.Node{cost}, gradients(weighed, n[0], n[1])...)
		}, x, y)
		for b := range c.batch {
			at := b * size
			cost, _, dx, dy := kernel(fx[at:at+size], fy[at:at+size], c.dim)
			for i := range dx {
				dx[i] *= float64(b + 1)
				dy[i] *= float64(b + 1)
			}
			graphtest.Close(t, "cost", out[0][b:b+1], []float64{cost}, 3e-6)
			graphtest.Close(t, "gradient in x", out[1][at:at+size], dx, 1e-4)
			graphtest.Close(t, "gradient in y", out[2][at:at+size], dy, 1e-4)
			if t.Failed() {
				t.Fatalf("%+v, pair %d", c, b)
			}
		}
	}
}

// TestApproximateEMDKnownAnswers are K1 of the protocol: four points, float64 values.
func TestApproximateEMDKnownAnswers(t *testing.T) {
	x := tensors.FromFlatDataAndDimensions([]float32{0, 0, 0, .5, 0, 0, 0, .5, 0, 0, 0, .5}, 1, 4, 3)
	y := tensors.FromFlatDataAndDimensions([]float32{.1, 0, 0, .4, .1, 0, 0, .3, .2, -.2, 0, .6}, 1, 4, 3)
	out := graphtest.Floats(t, func(n []*graph.Node) []*graph.Node {
		return []*graph.Node{
			ApproximateEMD{}.Build(Call{}, n[0], n[1]).Pairs, ApproximateEMD{}.Build(Call{}, n[1], n[0]).Pairs,
			ApproximateEMD{PerPoint: true}.Build(Call{}, n[0], n[1]).Pairs, softMatch(squaredDistances(n[0], n[1])),
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
		cost := ApproximateEMD{}.Build(Call{}, n[0], n[1]).Pairs
		return append([]*graph.Node{cost}, gradients(cost, n[1])...)
	}, tensors.FromFlatDataAndDimensions(x, 1, m, 3), tensors.FromFlatDataAndDimensions(y, 1, m, 3))
	graphtest.Close(t, "cost", out[0], []float64{m * 0.75}, 1e-6)
	graphtest.Close(t, "gradient", out[1], want, 1e-5)
}

// TestApproximateEMDReference: costs in both orders and all gradients, through the blocks on XLA.
func TestApproximateEMDReference(t *testing.T) {
	z := golden(t, "chamfer_emd.npz")
	for _, big := range []string{"", "_big"} {
		out := graphtest.Floats(t, func(n []*graph.Node) []*graph.Node {
			xy, yx := ApproximateEMD{}.Build(Call{}, n[0], n[1]).Pairs, ApproximateEMD{}.Build(Call{}, n[1], n[0]).Pairs
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

// TestMatchReference: the match of pair 0 and the mass of all pairs, stored and put together from the blocks' factors.
func TestMatchReference(t *testing.T) {
	z := golden(t, "chamfer_emd.npz")
	blocks := graphtest.Engine(t).Name != "go"
	out := graphtest.Floats(t, func(n []*graph.Node) []*graph.Node {
		square := squaredDistances(n[0], n[1])
		matches := []*graph.Node{softMatch(square)}
		if blocks {
			tab := newTables(n[0], n[1], 100) // three blocks of 86 rows, two of them empty
			a, b := tab.assign()
			match := graph.ZerosLike(square)
			for l := range a {
				e := graph.Exp(graph.MulScalar(square, factor(sharpest-l)))
				left := graph.Slice(a[l], graph.AxisRange(), graph.AxisRange(0, 256))
				match = graph.Add(match, graph.Mul(graph.Mul(e, graph.InsertAxes(left, -1)), graph.InsertAxes(b[l], 1)))
			}
			matches = append(matches, match)
		}
		var out []*graph.Node
		for _, m := range matches {
			out = append(out, graph.Slice(m, graph.AxisElem(0)), graph.ReduceSum(graph.ReduceSum(m, 2), 1))
		}
		return out
	}, z["x"], z["y"])
	for i := 0; i < len(out); i += 2 {
		graphtest.Close(t, "match", out[i], tensors.MustCopyFlatData[float64](z["match_xy_pair0"]), 1e-5)
		graphtest.Close(t, "mass", out[i+1], tensors.MustCopyFlatData[float64](z["emd_xy_mass"]), 1e-6)
	}
}

// TestLossesInOneGraph puts everything that loops into one graph, as a training step and an evaluation do: the autoencoder in
// training, sliced costs by the sorting network, the Chamfer distance and the approximate EMD, with their gradients.
// Every loss must be what it is alone.
func TestLossesInOneGraph(t *testing.T) {
	needLoops(t)
	const batch, m = 3, 320 // large enough for the loops of all of them
	net, err := pointnet.New(m)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(12, 1))
	in := []any{points(r, batch, m, 3, 0), tensors.FromFlatDataAndDimensions([]float32{1, 0, 0, 0, .6, .8}, 1, 2, 3)}
	for _, w := range graphtest.Network(net.Specs(), 7) {
		in = append(in, w)
	}
	losses := []func(x, y, theta *graph.Node) *graph.Node{
		func(x, y, theta *graph.Node) *graph.Node {
			return ot1d.Costs(x, y, graph.BroadcastToDims(theta, batch, 2, 3), ot1d.Options{Method: ot1d.Network, Wrt: ot1d.X | ot1d.Y})
		},
		func(x, y, _ *graph.Node) *graph.Node { return Chamfer{}.Build(Call{}, x, y).Pairs },
		func(x, y, _ *graph.Node) *graph.Node { return Chamfer{P: 1, Sum: true}.Build(Call{}, y, x).Pairs },
		func(x, y, _ *graph.Node) *graph.Node { return ApproximateEMD{}.Build(Call{}, x, y).Pairs },
		func(x, y, _ *graph.Node) *graph.Node { return ApproximateEMD{PerPoint: true}.Build(Call{}, y, x).Pairs },
	}
	forward := func(n []*graph.Node) (x, y, theta *graph.Node) {
		return n[0], net.Forward(weights.Bind(net.Specs(), n[2:]), n[0], pointnet.Train).Cloud, n[1]
	}
	weight := slices.IndexFunc(net.Specs(), func(s weights.Spec) bool { return s.Name == "encoder.mlp1.0.weight" })
	together := graphtest.Floats(t, func(n []*graph.Node) []*graph.Node {
		x, y, theta := forward(n)
		out := []*graph.Node{y}
		var sum *graph.Node
		for _, l := range losses {
			v := l(x, y, theta)
			out = append(out, v, gradients(v, y)[0])
			if v = graph.ReduceAllSum(v); sum == nil {
				sum = v
			} else {
				sum = graph.Add(sum, v)
			}
		}
		return append(out, gradients(sum, n[2+weight])...)
	}, in...)
	cloud := tensors.FromFlatDataAndDimensions(together[0], batch, m, 3)
	for k, l := range losses {
		alone := graphtest.Floats(t, func(n []*graph.Node) []*graph.Node {
			v := l(n[0], n[1], n[2])
			return append([]*graph.Node{v}, gradients(v, n[1])...)
		}, in[0], cloud, in[1])
		for i, what := range []string{"value", "gradient"} {
			want := make([]float64, len(alone[i]))
			for j, v := range alone[i] {
				want[j] = float64(v)
			}
			graphtest.Close(t, what, together[1+2*k+i], want, 1e-5)
		}
		if t.Failed() {
			t.Fatalf("loss %d", k)
		}
	}
	norm := 0.0
	for _, g := range together[len(together)-1] {
		norm += float64(g) * float64(g)
	}
	if !(norm > 0) || math.IsInf(norm, 0) {
		t.Errorf("the gradient in the encoder's first layer has the squared length %v", norm)
	}
}

// TestApproximateEMDStoresNoTable: where tables are large, no array of the graph is, with gradients.
func TestApproximateEMDStoresNoTable(t *testing.T) {
	needLoops(t)
	const batch, m = 2, 8192
	g := graph.NewGraph(graphtest.Engine(t).Backend, "large")
	x := graph.BroadcastToDims(graph.Parameter(g, "x", shapes.Make(dtypes.Float32, 1, 1, 3)), batch, m, 3)
	g.Compile(gradients(ApproximateEMD{}.Build(Call{}, x, x).Pairs, x)...)
	for _, n := range g.Nodes() {
		if size := n.Shape().Size(); size > tableSize(g) {
			t.Fatalf("an array %s for tables of %d x %d", n.Shape(), m, m)
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
	e, err := graph.NewExec(graphtest.Engine(t).Backend, func(x, y *graph.Node) *graph.Node { return l.Build(Call{}, x, y).Pairs })
	if err != nil {
		t.Fatal(err)
	}
	defer e.Finalize()
	_, err = e.Call(x, y)
	return err
}
