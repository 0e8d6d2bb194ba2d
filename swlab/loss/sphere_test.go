package loss_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"gonum.org/v1/gonum/stat"

	"github.com/sliced-wasserstein/lab/swlab/conformance"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/vmf"
)

// sample are m points of N(at, diag(sd^2)), moved and stretched so that mean and standard deviations are exactly those.
func sample(seed uint64, m int, at, sd []float64) ot1d.Clouds {
	r, dim := rand.New(rand.NewPCG(seed, 2)), len(at)
	c := ot1d.Clouds{Coords: make([]float32, m*dim), Batch: 1, Points: m, Dim: dim}
	for k := range dim {
		v, mean, square := make([]float64, m), 0.0, 0.0
		for i := range v {
			v[i] = r.NormFloat64()
			mean += v[i] / float64(m)
		}
		for i := range v {
			v[i] -= mean
			square += v[i] * v[i] / float64(m)
		}
		for i := range v {
			c.Coords[i*dim+k] = float32(at[k] + sd[k]*v[i]/math.Sqrt(square))
		}
	}
	return c
}

// times is the cloud, n times.
func times(c ot1d.Clouds, n int) *tensors.Tensor {
	return tensors.FromFlatDataAndDimensions(slices.Repeat(c.Coords, n), n, c.Points, c.Dim)
}

// TestGaussians: SW_2^2 between N(a, s^2 I) and N(b, t^2 I) is |a-b|^2/d + (s-t)^2, for every slice
// costs (theta'(a-b))^2 + (s-t)^2 (mean over points). Of samples of m points what is left of the
// cost when a = b and s = t is about 2 s t loglog(m)/m.
func TestGaussians(t *testing.T) {
	const m = 512
	for dim, tol := range map[int]float64{3: 0.02, 5: 0.02} {
		a, b, s, u := make([]float64, dim), make([]float64, dim), make([]float64, dim), make([]float64, dim)
		want := 0.4 * 0.4
		for k := range dim {
			a[k], b[k], s[k], u[k] = 0.2, 0.2-0.3*float64(k), 1, 0.6
			want += (a[k] - b[k]) * (a[k] - b[k]) / float64(dim)
		}
		x, y := sample(1, m, a, s), sample(2, m, b, u)
		l := must.M1(loss.NewGraph("sw",
			settings(func(s *loss.Config) { s.Slices, s.Reduce, s.Slicing = 300, loss.Mean, "qmc" })))
		got := graphtest.InGo(t, func(n []*graph.Node) []*graph.Node {
			return []*graph.Node{l.Build(loss.BuildArgs{Source: slicing.Seeded(graph.RNGStateFromSeedForGraph(n[0].Graph(), 1))},
				n[0], n[1]).Pairs}
		}, times(x, 1), times(y, 1))[0][0]
		if math.Abs(got-want) > tol*want {
			t.Errorf("dimension %d: %v, want %v", dim, got, want)
		}
		if dim == 3 {
			q := must.M1(conformance.Sphere(3, 8))
			exact := must.M1(q.SW(x, y, ot1d.Config{Reduce: loss.Mean}))
			if math.Abs(exact[0]-want) > tol*want {
				t.Errorf("quadrature: %v, want %v", exact[0], want)
			}
		}
	}
}

// TestKappa: v-DSW around a given location has the expectation of vMF; at kappa near 0 it is SW on
// the same noise, at a large one the single direction of Max-SW.
func TestKappa(t *testing.T) {
	const batch = 64
	location := []float64{0.48, -0.6, 0.64}
	x, y := sample(3, 12, []float64{0, 0, 0}, []float64{1, 0.2, 0.4}),
		sample(4, 12, []float64{0.3, 0, 0}, []float64{0.3, 0.9, 0.4})
	at := tensors.FromFlatDataAndDimensions(slices.Repeat([]float32{0.48, -0.6, 0.64}, batch), batch, 3)
	build := func(name string, kappa float64) []float64 {
		l := must.M1(loss.NewGraph(name, settings(func(s *loss.Config) { s.Kappa, s.Reflection = kappa, vmf.Stable })))
		return graphtest.InGo(t, func(n []*graph.Node) []*graph.Node {
			c := loss.BuildArgs{Source: slicing.Seeded(graph.RNGStateFromSeedForGraph(n[0].Graph(), 1)), Location: n[2]}
			return []*graph.Node{l.Build(c, n[0], n[1]).Pairs}
		}, times(x, batch), times(y, batch), at)[0]
	}
	q := must.M1(conformance.Sphere(3, 32))
	costs := must.M1(ot1d.HostCosts(x, y, q.Directions, len(q.Weights), ot1d.Config{}))
	for _, kappa := range []float64{0.1, 1, 10} {
		mean, se := summary(build("v-dsw", kappa))
		if want := around(q, costs, location, kappa); !(math.Abs(mean-want) <= 4*se+1e-3*want) {
			t.Errorf("kappa %v: %v +- %v, want %v", kappa, mean, se, want)
		}
	}
	for what, c := range map[string][2][]float64{
		"kappa near 0":  {build("v-dsw", 1e-5), build("v-dsw", 0)},
		"a large kappa": {build("v-dsw", 1e12), build("max-sw", 1)},
	} {
		for i, want := range c[1] {
			if math.Abs(c[0][i]-want) > 1e-4*want {
				t.Fatalf("%s: pair %d costs %v, want %v", what, i, c[0][i], want)
			}
		}
	}
}

// around is the expectation of the costs at the nodes, which are even, under vMF(location, kappa).
func around(q conformance.Nodes, costs, location []float64, kappa float64) float64 {
	sum, norm := 0.0, 0.0
	for l, w := range q.Weights {
		dot := 0.0
		for k, v := range location {
			dot += v * float64(q.Directions[3*l+k])
		}
		w *= math.Cosh(kappa * dot)
		sum, norm = sum+w*costs[l], norm+w
	}
	return sum / norm
}

func summary(v []float64) (mean, se float64) {
	mean, sd := stat.MeanStdDev(v, nil)
	return mean, stat.StdErr(sd, float64(len(v)))
}

// TestMaxSWAboveVDSW: the largest slice >= v-DSW at its best location >= SW >= v-DSW at its worst
// >= the smallest slice, over a dense grid of directions; the ascent on the tangent reaches the
// largest from the best of eight starts.
func TestMaxSWAboveVDSW(t *testing.T) {
	const starts = 8
	x, y := sample(5, 16, []float64{0, 0, 0}, []float64{1, 0.2, 0.4}),
		sample(6, 16, []float64{0, 0.2, 0}, []float64{0.3, 0.9, 0.4})
	q := must.M1(conformance.Sphere(3, 20))
	costs := must.M1(ot1d.HostCosts(x, y, q.Directions, len(q.Weights), ot1d.Config{}))
	best, worst, sw := math.Inf(-1), math.Inf(1), 0.0
	for l, w := range q.Weights {
		at := make([]float64, 3)
		for k := range at {
			at[k] = float64(q.Directions[3*l+k])
		}
		v := around(q, costs, at, 5)
		best, worst, sw = math.Max(best, v), math.Min(worst, v), sw+w*costs[l]
	}
	l := must.M1(loss.New("max-sw", settings(nil)))
	e := must.M1(engine.Open("go"))
	maxSW := l.(loss.Sliced)
	maximizer := must.M1(slicing.NewMaximizer(e, nil, slicing.Ascent{Steps: 150, LearningRate: 0.05, Tangent: true},
		maxSW.Objective()))
	reached := must.M1(maximizer.Maximize(1, nil, times(x, starts), times(y, starts)))
	top := slices.Max(graphtest.InGo(t, func(n []*graph.Node) []*graph.Node {
		return []*graph.Node{maxSW.Build(loss.BuildArgs{Location: n[2]}, n[0], n[1]).Pairs}
	}, times(x, starts), times(y, starts), reached)[0])
	largest, smallest := slices.Max(costs), slices.Min(costs)
	if !(top >= largest*(1-1e-3) && top <= largest*1.05) {
		t.Errorf("the ascent reaches %v, the largest slice on the grid is %v", top, largest)
	}
	chain := []float64{smallest, worst, sw, best, top}
	if !slices.IsSorted(chain) || top-smallest < 0.5*top {
		t.Errorf("smallest slice, worst v-DSW, SW, best v-DSW, largest slice: %v", chain)
	}
}

// TestEngines: values and gradients of the default engine are those of the pure-Go backend, which the suites run on.
func TestEngines(t *testing.T) {
	const m = 20
	x, y := sample(7, m, []float64{0, 0, 0}, []float64{0.3, 0.3, 0.6}),
		sample(8, m, []float64{0.2, 0, 0}, []float64{0.5, 0.3, 0.3})
	theta := sample(9, 12, []float64{0, 0, 0}, []float64{1, 1, 1})
	build := func(n []*graph.Node) []*graph.Node {
		slicer := slicing.Slicer{Distribution: slicing.Fixed{Directions: slicing.Unit(n[2])}, Slices: 12}
		var out []*graph.Node
		for _, l := range []loss.Graph{
			loss.Sliced{Slicer: slicer}, loss.Sliced{Slicer: slicer, P: 3, Reduce: loss.Mean, Estimator: loss.Energy{},
				Root: true}, loss.Sliced{Slicer: slicer, Estimator: loss.Harmonics},
			loss.Sliced{Slicer: slicer, Estimator: loss.PaperAdaptive()},
		} {
			v := l.Build(loss.BuildArgs{Wrt: ot1d.Y}, n[0], n[1]).Pairs
			out = append(out, v, graph.Gradient(graph.ReduceAllSum(v), n[1])[0])
		}
		return out
	}
	in := func() []any { // a tensor belongs to one backend
		return []any{times(x, 2), times(y, 2), tensors.FromFlatDataAndDimensions(theta.Coords, 12, 3)}
	}
	want := graphtest.InGo(t, build, in()...)
	for k, got := range graphtest.Floats(t, build, in()...) {
		graphtest.Close(t, []string{"value", "gradient"}[k%2], got, want[k], 1e-4)
	}
}
