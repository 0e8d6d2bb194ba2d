package loss

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
)

// nearestOf is the first nearest point of y [n, dim] to a point, and the squared distance, in
// float32 as the graph has it.
func nearestOf[T float32 | float64](point, y []T) (at int, square T) {
	for j := range len(y) / len(point) {
		var s T
		for c, v := range point {
			d := v - y[j*len(point)+c]
			s += d * d
		}
		if j == 0 || s < square {
			at, square = j, s
		}
	}
	return at, square
}

// TestNearest: the loop finds what a search finds, with blocks and pieces that do not divide the
// sizes, and of equally near points the first.
func TestNearest(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 1))
	for _, c := range []struct{ batch, m, n, dim, lanes, pieces int }{
		{1, 1, 1, 3, 16, 8}, {3, 5, 7, 3, 2, 3}, {2, 130, 17, 3, 48, 8}, {2, 3, 130, 2, 16, 1},
	} {
		// On a lattice of few points there are many ties, and its squared distances are exact.
		x, y := points(r, c.batch, c.m, c.dim, 0), points(r, c.batch, c.n, c.dim, 0)
		fx, fy := tensors.MustCopyFlatData[float32](x), tensors.MustCopyFlatData[float32](y)
		for _, v := range [][]float32{fx, fy} {
			for i := range v {
				v[i] = float32(math.Round(float64(v[i])*2.5)) / 2
			}
		}
		out := graphtest.Call(t, func(n []*graph.Node) []*graph.Node {
			at := []*graph.Node{graph.ArgMin(squaredDistances(n[0], n[1]), 2, dtypes.Int32)}
			if loops(t) {
				at = append(at, nearestInBlocks(n[0], n[1], c.lanes, c.pieces))
			}
			return at
		}, tensors.FromFlatDataAndDimensions(fx, c.batch, c.m, c.dim),
			tensors.FromFlatDataAndDimensions(fy, c.batch, c.n, c.dim))
		for form, o := range out {
			for i, got := range tensors.MustCopyFlatData[int32](o) {
				b := i / c.m
				want, _ := nearestOf(fx[i*c.dim:(i+1)*c.dim], fy[b*c.n*c.dim:(b+1)*c.n*c.dim])
				if int(got) != want {
					t.Fatalf("%+v, form %d: pair %d, point %d: nearest %d, want %d", c, form, b, i%c.m, got, want)
				}
			}
		}
	}
}

// TestChamferTranslation: of points far apart, each sees its own translate: CD = 2 |v|^P, and its
// gradient in a point of y is 2 P |v|^(P-2) v / m; Sum leaves out 1/m.
func TestChamferTranslation(t *testing.T) {
	const m = 10
	v := []float64{0.25, -0.5, 0.5} // of length 3/4
	x, y := make([]float32, m*3), make([]float32, m*3)
	for i := range m {
		x[3*i] = float32(8 * i)
		for c := range 3 {
			y[3*i+c] = x[3*i+c] + float32(v[c])
		}
	}
	forms := []Chamfer{{}, {P: 2, Reduce: Sum}, {P: 1}, {P: 1, Reduce: Sum}, {P: 1.5}, {P: 3}}
	out := graphtest.Floats(t, func(n []*graph.Node) []*graph.Node {
		var out []*graph.Node
		for _, l := range forms {
			cost := l.Build(BuildArgs{}, n[0], n[1]).Pairs
			out = append(out, cost, gradients(cost, n[1])[0])
		}
		return out
	}, tensors.FromFlatDataAndDimensions(x, 1, m, 3), tensors.FromFlatDataAndDimensions(y, 1, m, 3))
	for k, l := range forms {
		p, over := l.Exponent(), 1.0
		if l.Reduce == Sum {
			over = m
		}
		graphtest.Close(t, l.Convention().String(), out[2*k], []float64{2 * math.Pow(0.75, p) * over}, 1e-6)
		want := make([]float64, m*3)
		for i := range want {
			want[i] = 2 * p * math.Pow(0.75, p-2) * v[i%3] * over / m
		}
		graphtest.Close(t, l.Convention().String()+", gradient", out[2*k+1], want, 1e-6)
	}
}

// TestChamferKnownAnswers are K1 of the protocol, and one point against four: the two ways differ.
func TestChamferKnownAnswers(t *testing.T) {
	x := tensors.FromFlatDataAndDimensions([]float32{0, 0, 0, .5, 0, 0, 0, .5, 0, 0, 0, .5}, 1, 4, 3)
	y := tensors.FromFlatDataAndDimensions([]float32{.1, 0, 0, .4, .1, 0, 0, .3, .2, -.2, 0, .6}, 1, 4, 3)
	out := graphtest.Floats(t, func(n []*graph.Node) []*graph.Node {
		one := graph.Slice(n[1], graph.AxisRange(), graph.AxisElem(0)) // at squared distances .01, .16, .26, .26
		return []*graph.Node{
			Chamfer{}.Build(BuildArgs{}, n[0], n[1]).Pairs, Chamfer{}.Build(BuildArgs{}, n[1], n[0]).Pairs,
			Chamfer{}.Build(BuildArgs{}, n[0], one).Pairs, Chamfer{Reduce: Sum}.Build(BuildArgs{}, one, n[0]).Pairs,
			Chamfer{P: 1}.Build(BuildArgs{}, n[0], one).Pairs,
		}
	}, x, y)
	root := (0.1 + 0.4 + 2*math.Sqrt(0.26)) / 4
	graphtest.Close(t, "distances", slices.Concat(out...), []float64{0.08, 0.08, 0.1825, 0.70, root + 0.1}, 1e-6)
}

// chamfer is the definition in float64 for one pair.
func chamfer(x, y []float64, dim int, l Chamfer) float64 {
	total := 0.0
	for _, way := range [][2][]float64{{x, y}, {y, x}} {
		n := len(way[0]) / dim
		for i := range n {
			_, square := nearestOf(way[0][i*dim:(i+1)*dim], way[1])
			if v := math.Pow(square, l.Exponent()/2); l.Reduce == Sum {
				total += v
			} else {
				total += v / float64(n)
			}
		}
	}
	return total
}

// TestChamferGradients: clouds of different sizes against the definition and its central
// differences, every pair of a batch on its own.
func TestChamferGradients(t *testing.T) {
	const batch, m, n, dim, h = 3, 9, 14, 3, 1e-6
	r := rand.New(rand.NewPCG(22, 1))
	x, y := points(r, batch, m, dim, 0), points(r, batch, n, dim, 0)
	forms := []Chamfer{{}, {P: 1, Reduce: Sum}, {P: 2.5}}
	out := graphtest.Floats(t, func(n []*graph.Node) []*graph.Node {
		var out []*graph.Node
		for _, l := range forms {
			cost := l.Build(BuildArgs{}, n[0], n[1]).Pairs
			out = append(append(out, cost), gradients(cost, n...)...)
		}
		return out
	}, x, y)
	wx, wy := graphtest.Values(x), graphtest.Values(y)
	for k, l := range forms {
		for b := range batch {
			clouds := [][]float64{wx[b*m*dim : (b+1)*m*dim], wy[b*n*dim : (b+1)*n*dim]}
			graphtest.Close(t, "cost", out[3*k][b:b+1], []float64{chamfer(clouds[0], clouds[1], dim, l)}, 1e-6)
			for side, v := range clouds {
				want := make([]float64, len(v))
				for i, old := range v {
					v[i] = old + h
					up := chamfer(clouds[0], clouds[1], dim, l)
					v[i] = old - h
					want[i] = (up - chamfer(clouds[0], clouds[1], dim, l)) / (2 * h)
					v[i] = old
				}
				graphtest.Close(t, "gradient", out[3*k+1+side][b*len(v):(b+1)*len(v)], want, 1e-5)
			}
			if t.Failed() {
				t.Fatalf("%s, pair %d", l.Convention(), b)
			}
		}
	}
}

// TestChamferOfCoincidingPoints: zero, with a gradient of zero, whatever the exponent.
func TestChamferOfCoincidingPoints(t *testing.T) {
	x := points(rand.New(rand.NewPCG(23, 1)), 2, 12, 3, 3)
	out := graphtest.Floats(t, func(n []*graph.Node) []*graph.Node {
		var out []*graph.Node
		for _, p := range []float64{1, 1.2, 2, 3} {
			cost := Chamfer{P: p}.Build(BuildArgs{}, n[0], n[1]).Pairs
			out = append(append(out, cost), gradients(cost, n...)...)
		}
		return out
	}, x, x)
	for i, v := range slices.Concat(out...) {
		if v != 0 {
			t.Fatalf("number %d: %v, want 0", i, v)
		}
	}
}

// TestChamferReference: distances and gradients, the last pair with many ties.
func TestChamferReference(t *testing.T) {
	z := graphtest.Golden(t, "chamfer_emd.npz")
	for _, big := range []string{"", "_big"} {
		out := graphtest.Floats(t, func(n []*graph.Node) []*graph.Node {
			cd := Chamfer{}.Build(BuildArgs{}, n[0], n[1]).Pairs
			return append([]*graph.Node{cd}, gradients(cd, n...)...)
		}, z["x"+big], z["y"+big])
		for i, key := range []string{"cd", "cd_grad_x", "cd_grad_y"} {
			tol := 5e-6
			if i == 0 {
				tol = 1e-6
			}
			graphtest.Close(t, key+big, out[i], tensors.MustCopyFlatData[float64](z[key+big]), tol)
		}
	}
}

func TestChamferRefuses(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	x := points(r, 2, 4, 3, 0)
	for says, c := range map[string]struct {
		l Chamfer
		y *tensors.Tensor
	}{
		"P >= 1, found 0.5": {Chamfer{P: 0.5}, x},
		"P >= 1, found NaN": {Chamfer{P: math.NaN()}, x},
		"P >= 1, found -1":  {Chamfer{P: -1}, x},
		"found (Float32)[2, 4, 3] and (Float32)[2, 4, 2]": {Chamfer{}, points(r, 2, 4, 2, 0)},
	} {
		if err := buildError(t, c.l, x, c.y); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, expected one that says %q", err, says)
		}
	}
}
