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
)

func tensor(v []float32, dims ...int) *tensors.Tensor {
	return tensors.FromFlatDataAndDimensions(v, dims...)
}

func normals(r *rand.Rand, n int, sd float64) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(sd * r.NormFloat64())
	}
	return v
}

// normalClouds are batch clouds of n normal points.
func normalClouds(r *rand.Rand, batch, n, dim int, sd float64) Clouds {
	return Clouds{Coords: normals(r, batch*n*dim, sd), Batch: batch, Points: n, Dim: dim}
}

func directions(r *rand.Rand, n, dim int) []float32 {
	v := normals(r, n*dim, 1)
	for i := 0; i < len(v); i += dim {
		s := 0.0
		for _, c := range v[i : i+dim] {
			s += float64(c) * float64(c)
		}
		for j := range dim {
			v[i+j] /= float32(math.Sqrt(s))
		}
	}
	return v
}

// reference is F in float64 for one pair and direction.
func reference(x, y, theta []float32, p float64) float64 {
	dim := len(theta)
	project := func(c []float32) []float64 {
		out := make([]float64, len(c)/dim)
		for i := range out {
			for j, t := range theta {
				out[i] += float64(t) * float64(c[i*dim+j])
			}
		}
		slices.Sort(out)
		return out
	}
	a, b := project(x), project(y)
	sum := 0.0
	for i := range a {
		sum += math.Pow(math.Abs(a[i]-b[i]), p)
	}
	return sum
}

// TestValues compares with float64, for sizes that are and are not powers of two, several dimensions and exponents.
func TestValues(t *testing.T) {
	const batch, slices = 3, 7
	for _, c := range []struct {
		points, dim int
		p           float64
	}{{1, 3, 2}, {2, 3, 2}, {5, 2, 1}, {64, 3, 2}, {100, 3, 1.5}, {129, 4, 3}, {256, 3, 2}} {
		r := rand.New(rand.NewPCG(uint64(c.points), 1))
		x, y := normals(r, batch*c.points*c.dim, .3), normals(r, batch*c.points*c.dim, .5)
		d := directions(r, batch*slices, c.dim)
		for _, wrt := range []Wrt{None, Y, Directions, X | Y | Directions} {
			t.Run(fmt.Sprintf("m=%d d=%d p=%g wrt=%d", c.points, c.dim, c.p, wrt), func(t *testing.T) {
				got := graphtest.Floats(t, func(in []*graph.Node) []*graph.Node {
					return []*graph.Node{Costs(in[0], in[1], in[2], Config{P: c.p}, wrt)}
				}, tensor(x, batch, c.points, c.dim), tensor(y, batch, c.points, c.dim), tensor(d, batch, slices, c.dim))[0]
				for b := range batch {
					for l := range slices {
						n, k := c.points*c.dim, b*slices+l
						want := reference(x[b*n:(b+1)*n], y[b*n:(b+1)*n], d[k*c.dim:(k+1)*c.dim], c.p)
						if math.Abs(float64(got[k])-want) > 2e-6*math.Max(want, 1e-3) {
							t.Errorf("pair %d slice %d: %v, want %v", b, l, got[k], want)
						}
					}
				}
			})
		}
	}
}

// TestGradients compares with central differences of the float64 reference in every argument.
func TestGradients(t *testing.T) {
	const batch, points, slices, dim = 2, 24, 3, 3
	r := rand.New(rand.NewPCG(3, 1))
	args := [][]float32{normals(r, batch*points*dim, .3), normals(r, batch*points*dim, .5),
		directions(r, batch*slices, dim)}
	for _, p := range []float64{1.5, 2, 3} {
		total := func(a [][]float32) float64 {
			sum := 0.0
			for b := range batch {
				for l := range slices {
					n, k := points*dim, b*slices+l
					sum += reference(a[0][b*n:(b+1)*n], a[1][b*n:(b+1)*n], a[2][k*dim:(k+1)*dim], p)
				}
			}
			return sum
		}
		grads := graphtest.Floats(t, func(in []*graph.Node) []*graph.Node {
			return graph.Gradient(graph.ReduceAllSum(Costs(in[0], in[1], in[2], Config{P: p}, X|Y|Directions)), in...)
		}, tensor(args[0], batch, points, dim), tensor(args[1], batch, points, dim), tensor(args[2], batch, slices, dim))
		for k, g := range grads {
			for i := 0; i < len(g); i += 5 {
				const h = 1.0 / 4096 // exact in float32; smaller than the gaps between most projections
				keep := args[k][i]
				args[k][i] = keep + h
				up := total(args)
				args[k][i] = keep - h
				down := total(args)
				args[k][i] = keep
				if want := (up - down) / (2 * h); math.Abs(float64(g[i])-want) > 2e-2*math.Max(1, math.Abs(want)) {
					t.Errorf("p=%g argument %d element %d: %v, central difference %v", p, k, i, g[i], want)
				}
			}
		}
	}
}

// TestOnlyAsked checks that the gradient is zero in arguments that Wrt does not name, and agrees where it does.
func TestOnlyAsked(t *testing.T) {
	const batch, points, slices = 2, 32, 5
	r := rand.New(rand.NewPCG(4, 1))
	cloud := func() *tensors.Tensor { return tensor(normals(r, batch*points*3, 1), batch, points, 3) }
	in := []any{cloud(), cloud(), tensor(directions(r, batch*slices, 3), batch, slices, 3)}
	gradient := func(w Wrt) [][]float32 {
		return graphtest.Floats(t, func(in []*graph.Node) []*graph.Node {
			return graph.Gradient(graph.ReduceAllSum(Costs(in[0], in[1], in[2], Config{}, w)), in...)
		}, in...)
	}
	all := gradient(X | Y | Directions)
	for i, w := range []Wrt{X, Y, Directions} {
		for k, g := range gradient(w) {
			for j, v := range g {
				if k != i && v != 0 {
					t.Fatalf("Wrt %d: gradient %v in argument %d", w, v, k)
				}
				if k == i && math.Abs(float64(v-all[k][j])) > 1e-4 {
					t.Fatalf("Wrt %d: gradient %v in argument %d element %d, with all asked %v", w, v, k, j, all[k][j])
				}
			}
		}
	}
}

// TestTies: duplicated points (a bootstrap) and identical clouds give exact values and finite gradients.
func TestTies(t *testing.T) {
	const points = 128
	r := rand.New(rand.NewPCG(5, 1))
	x := normals(r, points*3, 1)
	y := make([]float32, 0, points*3)
	for range points {
		i := r.IntN(points)
		y = append(y, x[3*i:3*i+3]...)
	}
	d := directions(r, 9, 3)
	out := graphtest.Floats(t, func(in []*graph.Node) []*graph.Node {
		same := Costs(in[0], in[0], in[2], Config{}, Y)
		boot := Costs(in[0], in[1], in[2], Config{}, Y)
		return []*graph.Node{same, boot, graph.Gradient(graph.ReduceAllSum(boot), in[1])[0]}
	}, tensor(x, 1, points, 3), tensor(y, 1, points, 3), tensor(d, 1, 9, 3))
	for l, v := range out[0] {
		if v != 0 {
			t.Errorf("cost %v between a cloud and itself", v)
		}
		want := reference(x, y, d[3*l:3*l+3], 2)
		if got := float64(out[1][l]); math.Abs(got-want) > 2e-6*want {
			t.Errorf("cost %v to its bootstrap, want %v", got, want)
		}
	}
	for _, g := range out[2] {
		if math.IsNaN(float64(g)) || math.IsInf(float64(g), 0) {
			t.Fatalf("gradient %v", g)
		}
	}
}

// TestReference compares with float64 numbers: those in testdata, and the project's golden set where it is at hand.
func TestReference(t *testing.T) {
	graphtest.References(t, "testdata/sliced.npz", "sliced.npz", func(t *testing.T, z map[string]*tensors.Tensor) {
		out := graphtest.Floats(t, func(in []*graph.Node) []*graph.Node {
			f2 := Costs(in[0], in[1], in[2], Config{}, X|Y|Directions)
			f1 := Costs(in[0], in[1], in[2], Config{P: 1}, X|Y|Directions)
			mean := graph.ReduceMean(f2, 1)
			g := graph.Gradient(graph.ReduceAllSum(mean), in[1], in[2])
			return []*graph.Node{f2, f1, mean, graph.ReduceMean(f1, 1), graph.ReduceMean(graph.Mul(f2, f2), 1), g[0], g[1]}
		}, z["x"], z["y"], z["theta"])
		for i, key := range []string{"F2", "F1", "mean2", "mean1", "meansq2", "grad_y", "grad_theta"} {
			tol := 2e-6 // the pure-Go backend adds term by term: 1.03e-6 for F2, XLA less than 1e-6
			if strings.HasPrefix(key, "mean") {
				tol = 1e-6
			}
			graphtest.Close(t, key, out[i], graphtest.Values(z[key]), tol)
		}
	})
}

// meanIf is Mean or Sum.
func meanIf(mean bool) Reduction {
	if mean {
		return Mean
	}
	return Sum
}
