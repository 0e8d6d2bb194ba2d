package slicing

import (
	"math"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
	"github.com/sliced-wasserstein/lab/swlab/vmf"
)

// drawn returns the directions [batch, slices, dim] of a distribution.
func drawn(t *testing.T, l Distribution, seed int64, batch, slices, dim int) []float32 {
	t.Helper()
	location := make([][]float32, batch)
	for b := range location {
		location[b] = []float32{0, 0.6, 0.8}
	}
	return graphtest.Floats(t, func(n []*graph.Node) []*graph.Node {
		return []*graph.Node{draw(l, n[0], seed, batch, slices, dim)}
	}, location)[0]
}

func dot(v []float32, i, j, dim int) (s float64) {
	for c := range dim {
		s += float64(v[i*dim+c]) * float64(v[j*dim+c])
	}
	return s
}

// TestOrthogonalFrames: each frame of d directions is orthonormal, frames are not orthogonal to
// each other, the last one is cut.
func TestOrthogonalFrames(t *testing.T) {
	for _, dim := range []int{2, 3, 7} {
		slices := 2*dim + 1
		v := drawn(t, Orthogonal{}, 1, 1, slices, dim)
		block := BlockSize(Orthogonal{}, slices, dim)
		across := 0.0
		for i := range slices {
			for j := range i {
				switch d := math.Abs(dot(v, i, j, dim)); {
				case i/block == j/block && d > 1e-5:
					t.Errorf("d = %d: directions %d and %d of one frame have product %v", dim, i, j, d)
				case i/block != j/block:
					across = math.Max(across, d)
				}
			}
		}
		if across < 0.1 {
			t.Errorf("d = %d: the frames are all orthogonal to each other", dim)
		}
	}
}

// TestNumbersDrawn: no more frames, sets and chains are drawn than the slices need.
func TestNumbersDrawn(t *testing.T) {
	for _, c := range []struct {
		l           Distribution
		slices, dim int
		normals     bool
		draws       []int // the first draw
	}{
		{Orthogonal{}, 3, 3, true, []int{1, 1, 3, 3}}, {Orthogonal{}, 4, 3, true, []int{1, 2, 3, 3}},
		{Orthogonal{}, 6, 3, true, []int{1, 2, 3, 3}},
		{QMC{}, 63, 2, false, []int{1, 1, 1}}, {QMC{}, 64, 2, false, []int{1, 4, 1}},
		{QMC{Replicates: 5}, 10, 3, true, []int{1, 5, 4}},
		{QMC{Replicates: 9}, 4, 3, true, []int{1, 4, 4}}, {QMC{}, 20, 5, false, []int{1, 1, 1, 6}},
	} {
		graphtest.Floats(t, func(n []*graph.Node) []*graph.Node {
			first := graph.OnesLike(graph.Zeros(n[0].Graph(), shapes.Make(dtypes.Float32, c.draws...)))
			if !c.normals {
				first = graph.MulScalar(first, 0.5)
			}
			x := graph.Zeros(n[0].Graph(), shapes.Make(dtypes.Float32, 1, 1, c.dim))
			out := c.l.Draw(Request{Source: Given(first), X: x, Y: x, Slices: c.slices}) // Given panics at another shape
			if d := out.Shape().Dimensions; d[1] != c.slices {
				t.Errorf("%s: %d directions, want %d", c.l.Name(), d[1], c.slices)
			}
			return []*graph.Node{out}
		}, []float32{0})
	}
}

// TestMarkovSteps: the cosine of a step has the mean resultant length as mean, that over a chain's end is nothing.
func TestMarkovSteps(t *testing.T) {
	const chain, chains, kappa = 5, 3000, 4.0
	v := drawn(t, Markov{Kappa: kappa, Chain: chain}, 2, 1, chain*chains, 3)
	within, between := 0.0, 0.0
	for i := range chains*chain - 1 {
		if d := dot(v, i, i+1, 3); i%chain == chain-1 {
			between += d / (chains - 1)
		} else {
			within += d / (chains * (chain - 1))
		}
	}
	if want := vmf.MeanResultantLength(3, kappa); math.Abs(within-want) > 0.01 || math.Abs(between) > 0.04 {
		t.Errorf("mean cosine %v within chains, %v between, want %v and 0", within, between, want)
	}
	if got := BlockSize(Markov{Chain: 5}, 3, 3); got != 3 {
		t.Errorf("a chain longer than the slices is a block of %d, want 3", got)
	}
}

// TestQMCIsMoreExact: the mean of the squared first coordinate over 128 directions varies far less
// than with independent directions, in every dimension, and its mean is 1/d.
func TestQMCIsMoreExact(t *testing.T) {
	const batch, slices = 200, 128
	for _, dim := range []int{2, 3, 6} {
		spread := func(l Distribution) (mean, variance float64) {
			v := drawn(t, l, 3, batch, slices, dim)
			sums := make([]float64, batch)
			for i := 0; i < len(v); i += dim {
				sums[i/(dim*slices)] += float64(v[i]) * float64(v[i]) / slices
			}
			for _, s := range sums {
				mean += s / batch
			}
			for _, s := range sums {
				variance += (s - mean) * (s - mean) / (batch - 1)
			}
			return mean, variance
		}
		_, plain := spread(Uniform{})
		for _, q := range []QMC{{Replicates: 1}, {}} {
			mean, variance := spread(q)
			if variance > 0.4*plain {
				t.Errorf("d = %d, %+v: variance %.3g, independent directions have %.3g", dim, q, variance, plain)
			}
			if want := 1 / float64(dim); math.Abs(mean-want) > 5*math.Sqrt(plain/batch) {
				t.Errorf("d = %d, %+v: mean %v, want %v", dim, q, mean, want)
			}
		}
	}
	if a, b := BlockSize(QMC{}, 100, 3), BlockSize(QMC{}, 50, 3); a != 25 || b != 50 {
		t.Errorf("blocks of %d and %d, want 25 and 50", a, b)
	}
}

// TestEverySliceIsUniform: distributions that estimate SW draw every single direction uniformly, so
// that a set that is cut keeps the expectation too: no mean, second moments 1/d.
func TestEverySliceIsUniform(t *testing.T) {
	const batch, slices = 3000, 5
	for _, c := range []struct {
		dist Distribution
		dim  int
	}{{Orthogonal{}, 2}, {QMC{}, 2}, {QMC{Replicates: 2}, 2}, {QMC{}, 3}, {Markov{Kappa: 5, Chain: 3}, 3}, {QMC{}, 5},
		{Auto{}, 2}, {Auto{}, 3}, {Auto{}, 7}, {Auto{}, 21}} {
		v, d := drawn(t, c.dist, 7, batch, slices, c.dim), float64(c.dim)
		for s := range slices {
			for k := range c.dim {
				mean, square := 0.0, 0.0
				for b := range batch {
					x := float64(v[(b*slices+s)*c.dim+k])
					mean, square = mean+x/batch, square+x*x/batch
				}
				if z1, z2 := mean*math.Sqrt(batch*d), (square-1/d)/math.Sqrt((3/(d*(d+2))-1/(d*d))/batch); math.Abs(z1) > 4.5 ||
					math.Abs(z2) > 4.5 {
					t.Errorf("%+v, slice %d: coordinate %d has mean %v and mean square %v, %.1f and %.1f standard errors off", c, s, k,
						mean, square, z1, z2)
				}
			}
		}
	}
}

// TestAutoLines: six lines in space are those through the corners of an icosahedron, as many as the
// dimension are orthogonal above dimension 5, and more than 128 are sets of equal size.
func TestAutoLines(t *testing.T) {
	v := drawn(t, Auto{}, 1, 1, 6, 3)
	for i := range 6 {
		for j := range i {
			if c := math.Abs(dot(v, i, j, 3)); math.Abs(c-1/math.Sqrt(5)) > 1e-4 {
				t.Errorf("lines %d and %d of six in space have the cosine %v, want 1/sqrt(5)", i, j, c)
			}
		}
	}
	v = drawn(t, Auto{}, 1, 1, 7, 7)
	for i := range 7 {
		for j := range i {
			if c := dot(v, i, j, 7); math.Abs(c) > 1e-3 {
				t.Errorf("of seven lines in dimension 7, %d and %d have the cosine %v", i, j, c)
			}
		}
	}
	v = drawn(t, Auto{}, 1, 1, 130, 7)
	within, between := 0.0, 0.0
	for i := range 65 {
		for j := range i {
			within = max(within, math.Abs(dot(v, i, j, 7)))
			between = max(between, math.Abs(dot(v, i, 65+j, 7)))
		}
	}
	if within > 0.75 || between < within {
		t.Errorf("the largest cosine is %v within a set of 65 lines, %v between two sets", within, between)
	}
}

// TestPlaneAnglesDiffer: no two directions of a plane's set are opposite, as these cost the same.
func TestPlaneAnglesDiffer(t *testing.T) {
	for _, slices := range []int{2, 3, 8} {
		v := drawn(t, QMC{Replicates: 1}, 1, 1, slices, 2)
		for i := range slices {
			for j := range i {
				if c := math.Abs(dot(v, i, j, 2)); c > math.Cos(math.Pi/float64(slices))+1e-5 {
					t.Errorf("%d slices: lines %d and %d are closer than pi/%d, cosine %v", slices, i, j, slices, c)
				}
			}
		}
	}
}

// TestRandomPathScale: clouds whose squares leave float32 have unit directions too.
func TestRandomPathScale(t *testing.T) {
	for _, size := range []float32{1e-18, 1e-25, 1e25} {
		out := graphtest.Floats(t, func(n []*graph.Node) []*graph.Node {
			src := Seeded(graph.RNGStateFromSeedForGraph(n[0].Graph(), 4))
			return []*graph.Node{RandomPath{Kappa: 1e6}.Draw(Request{Source: src, X: n[0], Y: n[1], Slices: 20})}
		}, [][][]float32{{{0, 0, 0}}}, [][][]float32{{{0.6 * size, 0, 0.8 * size}}})[0]
		for i := range 20 {
			if c := -0.6*out[3*i] - 0.8*out[3*i+2]; !(c > 0.99 && c < 1.01) {
				t.Errorf("size %g: direction %d is %v", size, i, out[3*i:3*i+3])
			}
		}
	}
}

// TestRandomPathLooksAtTheClouds: between the origin and e1 directions gather around the first
// axis; between equal points they are uniform.
func TestRandomPathLooksAtTheClouds(t *testing.T) {
	out := graphtest.Floats(t, func(n []*graph.Node) []*graph.Node {
		src := Seeded(graph.RNGStateFromSeedForGraph(n[0].Graph(), 4))
		dist := RandomPath{Kappa: 20}
		return []*graph.Node{
			dist.Draw(Request{Source: src, X: n[0], Y: n[1], Slices: 2000}),
			dist.Draw(Request{Source: src, X: n[0], Y: n[0], Slices: 2000}),
		}
	}, [][][]float32{{{0, 0, 0}}}, [][][]float32{{{0.5, 0, 0}}})
	for k, want := range []float64{-vmf.MeanResultantLength(3, 20), 0} { // x - y points along -e1
		mean := 0.0
		for i := 0; i < len(out[k]); i += 3 {
			mean += float64(out[k][i]) / 2000
		}
		if math.Abs(mean-want) > 0.05 {
			t.Errorf("pair %d: mean first coordinate %v, want %v", k, mean, want)
		}
	}
}

// TestRandomPathTakesEveryPoint: each point of both clouds is as likely an end of the path as any other.
func TestRandomPathTakesEveryPoint(t *testing.T) {
	const draws = 3000
	axes, origin := [][][]float32{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, [][][]float32{{{0, 0, 0}}}
	out := graphtest.Floats(t, func(n []*graph.Node) []*graph.Node {
		src := Seeded(graph.RNGStateFromSeedForGraph(n[0].Graph(), 4))
		dist := RandomPath{Kappa: 1e4}
		return []*graph.Node{dist.Draw(Request{Source: src, X: n[0], Y: n[1], Slices: draws}),
			dist.Draw(Request{Source: src, X: n[1], Y: n[0], Slices: draws})}
	}, axes, origin)
	for k, v := range out {
		var near [3]float64
		for i := range v {
			if math.Abs(float64(v[i])) > 0.9 {
				near[i%3]++
			}
		}
		for axis, n := range near { // the standard deviation is 26
			if math.Abs(n-draws/3) > 130 {
				t.Errorf("cloud %d: %v of %d paths end at point %d", k, n, draws, axis)
			}
		}
	}
}

// TestSeeds: equal seeds give equal directions, others do not, for every registered distribution.
func TestSeeds(t *testing.T) {
	for _, name := range Names() {
		l := must.M1(New(name, Config{Kappa: 2, Chain: 3}))
		a, b, c := drawn(t, l, 1, 1, 8, 3), drawn(t, l, 1, 1, 8, 3), drawn(t, l, 2, 1, 8, 3)
		same, other := true, name == "point" || name == "fixed"
		for i := range a {
			same = same && a[i] == b[i]
			other = other || a[i] != c[i]
		}
		if !same || !other {
			t.Errorf("%s: equal seeds agree: %v; others differ: %v", name, same, other)
		}
		if err := l.Check(1); err == nil {
			t.Errorf("%s takes clouds of dimension 1", name)
		}
	}
	for _, d := range []Distribution{Markov{Kappa: 1}, QMC{Replicates: -1}} {
		if err := d.Check(3); err == nil {
			t.Errorf("no error for %+v", d)
		}
	}
}
