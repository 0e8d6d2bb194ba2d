package loss

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// loops says whether the backend can run the loops.
func loops(t *testing.T) bool { return graphtest.Engine(t).Name != "go" }

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

// TestApproximateEMD compares tables that are stored, tables fused into their sums and tables in
// blocks, whole and with a last block that is not full, with the recipe in float64: costs and
// gradients, dimension 2 and 3, duplicates and points in common.
func TestApproximateEMD(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 1))
	for n, c := range []struct {
		batch, m, dim, repeat, height int
		size                          float32
	}{
		{3, 24, 3, 5, 0, 1}, {3, 5, 2, 0, 2, 1}, {1, 7, 3, 3, 1, 1}, {2, 130, 3, 4, 50, 1}, {2, 24, 3, 0, 0, 8}, {2, 24, 3, 0, 5, 8},
	} {
		if n == 2 && testing.Short() {
			return // the others in make check
		}
		builds := map[string]func(x, y *graph.Node) Result{"stored": storedCost, "fused": fusedCost}
		if c.height > 0 {
			if !loops(t) {
				continue
			}
			builds = map[string]func(x, y *graph.Node) Result{"blocked": func(x, y *graph.Node) Result { return blockedCost(x, y, c.height) }}
		}
		x, y := points(r, c.batch, c.m, c.dim, c.repeat), points(r, c.batch, c.m, c.dim, 0)
		size := c.m * c.dim
		fx, fy := tensors.MustCopyFlatData[float32](x), tensors.MustCopyFlatData[float32](y)
		for i := range fx { // where they are large, mass is left over
			fx[i], fy[i] = c.size*fx[i], c.size*fy[i]
		}
		if c.repeat > 0 {
			copy(fy[:c.dim], fx) // a point of both clouds
		}
		x, y = tensors.FromFlatDataAndDimensions(fx, c.batch, c.m, c.dim), tensors.FromFlatDataAndDimensions(fy, c.batch, c.m, c.dim)
		for name, build := range builds {
			out := graphtest.Floats(t, func(n []*graph.Node) []*graph.Node {
				// Weights on the pairs: the gradient of a sum alone would not see a pair's own.
				r := build(n[0], n[1])
				weighed := graph.Mul(r.Pairs, graph.AddScalar(graph.Iota(n[0].Graph(), r.Pairs.Shape(), 0), 1))
				return append([]*graph.Node{r.Pairs, r.MatchedMass}, gradients(weighed, n[0], n[1])...)
			}, x, y)
			for b := range c.batch {
				at := b * size
				cost, mass, dx, dy := kernel(fx[at:at+size], fy[at:at+size], c.dim)
				for i := range dx {
					dx[i] *= float64(b + 1)
					dy[i] *= float64(b + 1)
				}
				graphtest.Close(t, "cost", out[0][b:b+1], []float64{cost}, 3e-6)
				graphtest.Close(t, "assigned", out[1][b:b+1], []float64{mass / float64(c.m)}, 1e-5)
				tol := 1e-4
				if c.size > 1 { // remainders are as small as their rounding: TestGradientInPoints
					tol = 1e-3
				}
				graphtest.Close(t, "gradient in x", out[2][at:at+size], dx, tol)
				graphtest.Close(t, "gradient in y", out[3][at:at+size], dy, tol)
				if t.Failed() {
					t.Fatalf("%s: %+v, pair %d", name, c, b)
				}
			}
		}
	}
}

// inFloat32 is the soft assignment's gradient in the arithmetic of the CUDA kernel: float32, sums
// one term after the other, exponentials by powers of 2 of a rounded argument.
func inFloat32(x, y []float32) (dx, dy []float64) {
	m := len(x) / 3
	square, e, match := make([]float32, m*m), make([]float32, m*m), make([]float32, m*m)
	for k := range m {
		for l := range m {
			for c := range 3 {
				d := y[3*l+c] - x[3*k+c]
				square[k*m+l] += d * d
			}
		}
	}
	left, right, a, b := make([]float32, m), make([]float32, m), make([]float32, m), make([]float32, m)
	for k := range m {
		left[k], right[k] = 1, 1
	}
	for j := 7; j >= -1; j-- {
		level := -float32(math.Pow(4, float64(j)))
		for i, s := range square {
			e[i] = float32(math.Exp2(float64(level * s * float32(math.Log2E))))
		}
		for k := range m {
			sum := float32(1e-9)
			for l := range m {
				sum += e[k*m+l] * right[l]
			}
			a[k] = left[k] / sum
		}
		for l := range m {
			sum := float32(0)
			for k := range m {
				sum += e[k*m+l] * a[k]
			}
			sum *= right[l]
			b[l] = min(right[l]/(sum+1e-9), 1) * right[l]
			right[l] = max(0, right[l]-sum)
		}
		for k := range m {
			sum := float32(0)
			for l := range m {
				w := e[k*m+l] * a[k] * b[l]
				match[k*m+l] += w
				sum += w
			}
			left[k] = max(0, left[k]-sum)
		}
	}
	dx, dy = make([]float64, 3*m), make([]float64, 3*m)
	for k := range m {
		for l := range m {
			length := math.Max(math.Sqrt(float64(square[k*m+l])), 1e-10)
			for c := range 3 {
				g := float64(match[k*m+l]) * (float64(x[3*k+c]) - float64(y[3*l+c])) / length
				dx[3*k+c] += g
				dy[3*l+c] -= g
			}
		}
	}
	return dx, dy
}

// TestGradientInPoints: all paths have the gradient of float64 as closely as the CUDA kernel's
// arithmetic does, in every point. Remainders are small differences of sums, and later levels
// enlarge their rounding, in one pair of spheres of thirty to 3e-2 of a point's gradient, whose
// length is at most 1. So the test looks at the median pair's worst point.
func TestGradientInPoints(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make check")
	}
	const pairs, m = 11, 1024
	r := rand.New(rand.NewPCG(7, 1))
	x, y := make([]float32, pairs*m*3), make([]float32, pairs*m*3)
	for _, cloud := range [][]float32{x, y} {
		for i := 0; i < len(cloud); i += 3 {
			a, b, c := r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
			n := math.Sqrt(a*a + b*b + c*c)
			cloud[i], cloud[i+1], cloud[i+2] = float32(a/n), float32(b/n), float32(c/n)
		}
	}
	var want, of32 []float64 // pair by pair, in x and in y
	for b := 0; b < len(x); b += m * 3 {
		_, _, dx, dy := kernel(x[b:b+m*3], y[b:b+m*3], 3)
		want = slices.Concat(want, dx, dy)
		dx, dy = inFloat32(x[b:b+m*3], y[b:b+m*3])
		of32 = slices.Concat(of32, dx, dy)
	}
	got := map[string][]float64{"the CUDA kernel": of32}
	builds := map[string]func(x, y *graph.Node) Result{"stored": storedCost, "fused": fusedCost}
	if loops(t) {
		builds["blocked"] = func(x, y *graph.Node) Result { return blockedCost(x, y, tableSize/m) }
	}
	for name, build := range builds {
		out := graphtest.Floats(t, func(n []*graph.Node) []*graph.Node {
			return []*graph.Node{graph.Stack(gradients(build(n[0], n[1]).Pairs, n[0], n[1]), 1)}
		}, tensors.FromFlatDataAndDimensions(x, pairs, m, 3), tensors.FromFlatDataAndDimensions(y, pairs, m, 3))
		got[name] = vec.To[float64](out[0])
	}
	for name, g := range got {
		var worst []float64 // of each pair
		for b := 0; b < len(want); b += 2 * m * 3 {
			most := 0.0
			for i := b; i < b+2*m*3; i += 3 {
				most = max(most, math.Hypot(math.Hypot(g[i]-want[i], g[i+1]-want[i+1]), g[i+2]-want[i+2]))
			}
			worst = append(worst, most)
		}
		slices.Sort(worst)
		t.Logf("%s: %.1e in the worst point of the median pair, %.1e in that of the worst pair", name, worst[pairs/2], worst[pairs-1])
		if worst[pairs/2] > 1e-3 {
			t.Errorf("%s: the gradient differs from that of float64 by %.1e in the worst point of the median pair, expected at most 1e-3", name, worst[pairs/2])
		}
	}
}

// TestMatchReference: the match of pair 0 and the mass of all pairs, stored and put together from the blocks' factors.
func TestMatchReference(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make check")
	}
	z := graphtest.Golden(t, "chamfer_emd.npz")
	blocks := loops(t)
	out := graphtest.Floats(t, func(n []*graph.Node) []*graph.Node {
		square := squaredDistances(n[0], n[1])
		stored, _ := softMatch(square)
		matches := []*graph.Node{stored}
		if blocks {
			tab := newTables(n[0], n[1], 100) // three blocks of 86 rows, two of them empty
			a, b, _ := tab.assign()
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

// TestApproximateEMDStoresNoTable: where tables are large, no array of the graph is, with gradients.
func TestApproximateEMDStoresNoTable(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make check")
	}
	if !loops(t) {
		t.Skip("the pure-Go backend does not run these loops")
	}
	if graphtest.Engine(t).IsCUDA() {
		t.Skip("on CUDA a graph has tables, and XLA fuses them away: docs/results/cuda.md has its memory")
	}
	const batch, m = 2, 8192
	g := graph.NewGraph(graphtest.Engine(t).Backend, "large")
	x := graph.BroadcastToDims(graph.Parameter(g, "x", shapes.Make(dtypes.Float32, 1, 1, 3)), batch, m, 3)
	g.Compile(gradients(ApproximateEMD{}.Build(BuildArgs{}, x, x).Pairs, x)...)
	for _, n := range g.Nodes() {
		if size := n.Shape().Size(); size > tableSize {
			t.Fatalf("an array %s for tables of %d x %d", n.Shape(), m, m)
		}
	}
}

// TestLossesInOneGraph puts everything that loops into one graph, as a training step and an
// evaluation do: the autoencoder in training, sliced costs by the sorting network, the Chamfer
// distance and the approximate EMD twice each, with their gradients. They must be what a graph says
// of the same clouds that has only the network's loop.
func TestLossesInOneGraph(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make check")
	}
	if !loops(t) {
		t.Skip("the pure-Go backend does not run these loops")
	}
	const batch, m = 3, 320 // large enough for the loops of all of them
	net := must.M1(pointnet.New(m))
	in := []any{points(rand.New(rand.NewPCG(12, 1)), batch, m, 3, 0), tensors.FromFlatDataAndDimensions([]float32{1, 0, 0, 0, .6, .8}, 1, 2, 3)}
	for _, w := range graphtest.Network(net.Specs(), 7) {
		in = append(in, w)
	}
	sliced := func(x, y, theta *graph.Node) *graph.Node {
		theta = graph.BroadcastToDims(theta, batch, 2, 3)
		return graph.ReduceSum(ot1d.Costs(x, y, theta, ot1d.Config{}, ot1d.X|ot1d.Y), 1)
	}
	plainChamfer := func(l Chamfer, x, y *graph.Node) *graph.Node {
		square := graph.StopGradient(squaredDistances(x, y))
		there, back := graph.ArgMin(square, 2, dtypes.Int32), graph.ArgMin(square, 1, dtypes.Int32)
		return graph.Add(l.oneWay(x, y, there, nil), l.oneWay(y, x, back, nil))
	}
	// all are the losses and their gradients in y.
	all := func(x, y, theta *graph.Node, looped bool) []*graph.Node {
		unsquared := Chamfer{P: 1, Reduce: Sum}
		values := []*graph.Node{
			sliced(x, y, theta), plainChamfer(Chamfer{}, x, y), plainChamfer(unsquared, y, x), storedCost(x, y).Pairs, storedCost(y, x).Pairs,
		}
		if looped {
			values = []*graph.Node{
				sliced(x, y, theta), Chamfer{}.Build(BuildArgs{}, x, y).Pairs, unsquared.Build(BuildArgs{}, y, x).Pairs,
				ApproximateEMD{}.Build(BuildArgs{}, x, y).Pairs, ApproximateEMD{}.Build(BuildArgs{}, y, x).Pairs,
			}
		}
		for _, v := range values[:len(values):len(values)] {
			values = append(values, gradients(v, y)...)
		}
		return values
	}
	weight := slices.IndexFunc(net.Specs(), func(s weights.Spec) bool { return s.Name == "encoder.mlp1.0.weight" })
	together := graphtest.Floats(t, func(n []*graph.Node) []*graph.Node {
		y := net.Forward(weights.Bind(net.Specs(), n[2:]), n[0], pointnet.Train).Cloud
		out := all(n[0], y, n[1], true)
		sum := graph.ReduceAllSum(graph.Add(graph.Add(out[0], out[1]), out[3]))
		return append(out, y, graph.Gradient(sum, n[2+weight])[0])
	}, in...)
	cloud := tensors.FromFlatDataAndDimensions(together[len(together)-2], batch, m, 3)
	plain := graphtest.Floats(t, func(n []*graph.Node) []*graph.Node { return all(n[0], n[1], n[2], false) }, in[0], cloud, in[1])
	for k, v := range plain {
		tol := 2e-5
		if k >= len(plain)/2 {
			tol = 5e-3 // an untrained network's points lie so close that the gradient of the EMD amplifies rounding
		}
		graphtest.Close(t, fmt.Sprintf("result %d", k), together[k], vec.To[float64](v), tol)
	}
	if norm := vec.Norm(together[len(together)-1]); !(norm > 0) || math.IsInf(norm, 0) {
		t.Errorf("the gradient in the encoder's first layer has the length %v", norm)
	}
}
