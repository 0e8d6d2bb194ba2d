package ot1d

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
	"github.com/sliced-wasserstein/lab/swlab/plain"
)

// floatsOn is graphtest.CallOn for float32 outputs.
func floatsOn(t testing.TB, backend string, f func([]*graph.Node) []*graph.Node, in ...any) [][]float32 {
	t.Helper()
	var out [][]float32
	for _, o := range graphtest.CallOn(t, backend, f, in...) {
		out = append(out, tensors.MustCopyFlatData[float32](o))
	}
	return out
}

// ways are the backends and sorters to test: the network of XLA's CPU, XLA's sort and the pure-Go backend's two networks.
var ways = map[string]struct {
	backend string
	plain   plain.Set
}{"network": {"", ""}, "sort": {"", plain.Sort}, "go": {"go", ""}, "go exact": {"go", plain.Sort}}

// TestQuantile: value and gradients of unequal sizes and weights are those on the host.
func narrow(v []float64) []float32 {
	out := make([]float32, len(v))
	for i, w := range v {
		out[i] = float32(w)
	}
	return out
}

func TestQuantile(t *testing.T) {
	const batch, lines, dim = 2, 3, 3
	for i, c := range []struct{ m, n, weights int }{{20, 13, 0}, {9, 21, 3}, {1, 5, 0}, {16, 48, 0}, {17, 17, 1}, {6, 1, 2}} {
		r := rand.New(rand.NewPCG(uint64(c.m), uint64(c.n)))
		x := Clouds{Coords: normals(r, batch*c.m*dim, .3), Batch: batch, Points: c.m, Dim: dim}
		y := Clouds{Coords: normals(r, batch*c.n*dim, .5), Batch: batch, Points: c.n, Dim: dim}
		d := directions(r, batch*lines, dim)
		in := []any{tensor(x.Coords, batch, c.m, dim), tensor(y.Coords, batch, c.n, dim), tensor(d, batch, lines, dim)}
		if c.weights&1 != 0 {
			x.Mass = positive(r, batch*c.m)
			in = append(in, tensor(narrow(x.Mass), batch, c.m))
		}
		if c.weights&2 != 0 {
			y.Mass = positive(r, batch*c.n)
			in = append(in, tensor(narrow(y.Mass), batch, c.n))
		}
		upstream := make([]float64, batch*lines)
		for i := range upstream {
			upstream[i] = float64(i%3) - .5
		}
		p := []float64{1.5, 2, 3}[c.m%3]
		var err error
		costs, grad, err := HostGradients(x, y, d, lines, upstream, X|Y|Directions, HostConfig{P: p, Reduce: Mean})
		if err != nil {
			t.Fatal(err)
		}
		want := [][]float64{costs, grad.X, grad.Y, grad.Directions}
		for name, way := range ways {
			if i > 1 && way.backend == "" {
				continue // XLA takes its time to compile
			}
			t.Run(fmt.Sprintf("%d-%d weights %b %s", c.m, c.n, c.weights, name), func(t *testing.T) {
				out := floatsOn(t, way.backend, func(in []*graph.Node) []*graph.Node {
					o := Config{P: p, Plain: way.plain, Reduce: Mean}
					rest := in[3:]
					if c.weights&1 != 0 {
						o.MassX, rest = rest[0], rest[1:]
					}
					if c.weights&2 != 0 {
						o.MassY = rest[0]
					}
					alone := Costs(in[0], in[1], in[2], o)
					o.Wrt = X | Y | Directions
					costs := Costs(in[0], in[1], in[2], o)
					up := make([]float32, len(upstream))
					for i, u := range upstream {
						up[i] = float32(u)
					}
					loss := graph.ReduceAllSum(graph.Mul(costs, graph.Reshape(graph.Const(in[0].Graph(), up), batch, lines)))
					return append([]*graph.Node{alone, costs}, graph.Gradient(loss, in[:3]...)...)
				}, in...)
				for i, want := range [][]float64{want[0], want[0], want[1], want[2], want[3]} {
					graphtest.Close(t, []string{"values", "costs", "x", "y", "directions"}[i], out[i], want, 1e-5)
				}
			})
		}
	}
}

// TestQuantileFiniteDifferences: the derivative of the graph along a random change of all arguments at once is that of the
// integral, and weights have none.
func TestQuantileFiniteDifferences(t *testing.T) {
	const m, n, lines, dim, h = 12, 7, 3, 3, 1e-3
	r := rand.New(rand.NewPCG(3, 1))
	args := [][]float32{normals(r, m*dim, .3), normals(r, n*dim, .5), directions(r, lines, dim)}
	wx, wy := positive(r, m), positive(r, n)
	var change [][]float32
	for _, a := range args {
		change = append(change, normals(r, len(a), 1))
	}
	total := func(step float32) float64 {
		var at [3][]float32
		for k, a := range args {
			at[k] = slices.Clone(a)
			for i := range a {
				at[k][i] += step * change[k][i]
			}
		}
		sum := 0.0
		for l := range lines {
			sum += quantile(at[0], at[1], wx, wy, at[2][l*dim:(l+1)*dim], 2)
		}
		return sum
	}
	want := (total(h) - total(-h)) / (2 * h)
	out := floatsOn(t, "go", func(in []*graph.Node) []*graph.Node {
		o := Config{Wrt: X | Y | Directions, Reduce: Mean, MassX: in[3], MassY: in[4]}
		return graph.Gradient(graph.ReduceAllSum(Costs(in[0], in[1], in[2], o)), in...)
	}, tensor(args[0], 1, m, dim), tensor(args[1], 1, n, dim), tensor(args[2], 1, lines, dim), tensor(narrow(wx), 1, m), tensor(narrow(wy), 1, n))
	got := 0.0
	for k, c := range change {
		for i, v := range c {
			got += float64(v) * float64(out[k][i])
		}
	}
	if math.Abs(got-want) > 1e-3*math.Abs(want) {
		t.Errorf("derivative %v, central difference %v", got, want)
	}
	for _, g := range slices.Concat(out[3], out[4]) {
		if g != 0 {
			t.Fatalf("gradient %v in a weight", g)
		}
	}
}

// TestQuantileConsistency: weights of 1/m and the plain mean agree; a point split into two of half its weight changes nothing.
func TestQuantileConsistency(t *testing.T) {
	const m, lines, dim = 33, 5, 3
	r := rand.New(rand.NewPCG(5, 1))
	x, y, d, w := normals(r, m*dim, .3), normals(r, m*dim, .5), directions(r, lines, dim), positive(r, m)
	split, half := append(slices.Clone(x), x[:dim]...), append(slices.Clone(w), w[0]/2)
	half[0] /= 2
	out := floatsOn(t, "go", func(in []*graph.Node) []*graph.Node {
		x, y, d, each := in[0], in[1], in[2], in[3]
		o := Config{Wrt: Y}
		sum := graph.DivScalar(Costs(x, y, d, o), m)
		o.Reduce = Mean
		mean := Costs(x, y, d, o)
		o.MassX, o.MassY = each, each
		equal := Costs(x, y, d, o)
		o.MassX = in[4]
		weighted := Costs(x, y, d, o)
		o.MassX = in[6]
		return []*graph.Node{sum, mean, equal, weighted, Costs(in[5], y, d, o)}
	}, tensor(x, 1, m, dim), tensor(y, 1, m, dim), tensor(d, 1, lines, dim), tensor(slices.Repeat([]float32{1. / m}, m), 1, m), tensor(narrow(w), 1, m), tensor(split, 1, m+1, dim), tensor(narrow(half), 1, m+1))
	same := func(what string, a, b []float32) {
		for i := range a {
			if math.Abs(float64(a[i]-b[i])) > 2e-6*math.Abs(float64(a[i])) {
				t.Errorf("%s: %v and %v", what, a[i], b[i])
			}
		}
	}
	same("mean", out[0], out[1])
	same("equal weights", out[0], out[2])
	same("split point", out[3], out[4])
}

func TestCostsErrors(t *testing.T) {
	node := func(dims ...int) *tensors.Tensor {
		n := 1
		for _, d := range dims {
			n *= d
		}
		return tensor(make([]float32, n), dims...)
	}
	x, d := node(2, 4, 3), node(2, 5, 3)
	for _, c := range []struct {
		y, weights *tensors.Tensor
		o          Config
		want       string
	}{
		{node(2, 5, 3), nil, Config{}, "Reduce: Mean"},
		{x, node(2, 4), Config{}, "Reduce: Mean"},
		{x, node(2, 5), Config{Reduce: Mean}, "masses [2, 4]"},
		{node(3, 4, 3), nil, Config{Reduce: Mean}, "one batch size"},
		{x, nil, Config{P: .5}, "p = 0.5"},
	} {
		in := []any{x, c.y, d}
		if c.weights != nil {
			in = append(in, c.weights)
		}
		e, err := graph.NewExec(graphtest.Engine(t).Backend, func(in []*graph.Node) []*graph.Node {
			if len(in) > 3 {
				c.o.MassY = in[3]
			}
			return []*graph.Node{Costs(in[0], in[1], in[2], c.o)}
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Call(in...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one about %q", err, c.want)
		}
	}
}
