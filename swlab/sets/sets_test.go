package sets

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/datasets/shapes"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

// normal is a set of float64 clouds of normal points, moved far from 0 by offset.
func normal(seed uint64, clouds, points, dim int, offset float64) (flat []float64, set *datasets.Set) {
	r := rand.New(rand.NewPCG(seed, 0))
	flat = make([]float64, clouds*points*dim)
	for i := range flat {
		flat[i] = offset + r.NormFloat64()*(1+float64(i/(points*dim))/4) + float64(i/(points*dim))
	}
	return flat, must.M1(datasets.New(flat, clouds, points, dim))
}

// sliced is SW_2 between clouds of equal size along directions, by the definition.
func sliced(x, y, directions []float64, dim int) float64 {
	sum, n := 0.0, len(x)/dim
	for l := 0; l < len(directions); l += dim {
		a, b := make([]float64, n), make([]float64, n)
		for i := range n {
			a[i], b[i] = floats.Dot(x[i*dim:(i+1)*dim], directions[l:l+dim]), floats.Dot(y[i*dim:(i+1)*dim], directions[l:l+dim])
		}
		slices.Sort(a)
		slices.Sort(b)
		for i := range a {
			sum += (a[i] - b[i]) * (a[i] - b[i])
		}
	}
	return math.Sqrt(sum / float64(n*len(directions)/dim))
}

// TestEmbed: distances of vectors are SW_2 of the numbers as given, to 1e-12, on every path to them.
func TestEmbed(t *testing.T) {
	for _, dim := range []int{1, 2, 3, 10} {
		for _, points := range []int{1, 64} {
			flat, set := normal(1, 5, points, dim, 0)
			e := must.M1(Embed(set, Config{Slices: 20, Slicing: "orthogonal", Seed: 3}))
			if want := []int{20, 1}[min(1, 2/(dim+1))]; e.Slices != want || e.Size != want*points {
				t.Fatalf("d = %d: %d slices, %d numbers", dim, e.Slices, e.Size)
			}
			d := must.M1(e.Distances())
			for i := range 5 {
				for j := range 5 {
					x, y := flat[i*points*dim:(i+1)*points*dim], flat[j*points*dim:(j+1)*points*dim]
					want := sliced(x, y, e.Directions, dim)
					if got := d[i*5+j]; math.Abs(got-want) > 1e-12*(1+want) || i == j && got != 0 || got != d[j*5+i] {
						t.Errorf("d = %d, m = %d, %d and %d: %v, expected %v", dim, points, i, j, got, want)
					}
				}
			}
		}
	}
}

// TestEmbedIsDistance: swlab.Distance takes the same directions for a pair, so the values agree.
func TestEmbedIsDistance(t *testing.T) {
	_, set := normal(2, 2, 100, 3, 0)
	for _, slicing := range []string{"uniform", "qmc", "common", "fixed"} {
		e := must.M1(Embed(set, Config{Slices: 30, Slicing: slicing, Seed: 5}))
		o := swlab.DistanceConfig{Config: loss.Defaults(), Seed: 5, Path: swlab.HostPath}
		o.Slices, o.Slicing, o.Reduce, o.Root = 30, slicing, loss.Mean, true
		want := must.M1(swlab.Distance("sw", set.Select([]int{0}), set.Select([]int{1}), o)).Value
		if got := must.M1(e.Distances())[1]; math.Abs(got-want) > 1e-6*want { // it rounds to float32
			t.Errorf("%s: %v, expected %v", slicing, got, want)
		}
	}
}

// TestFarFromZero: with an origin among the clouds, distances far from 0 have the digits of the numbers.
func TestFarFromZero(t *testing.T) {
	flat, set := normal(3, 3, 50, 3, 1e9)
	e := must.M1(Embed(set, Config{Slices: 10, Origin: Centre(set)}))
	near := slices.Clone(flat)
	for i := range near {
		near[i] -= 1e9
	}
	d := must.M1(e.Distances())
	if want := sliced(near[:150], near[150:300], e.Directions, 3); math.Abs(d[1]-want) > 1e-12 {
		t.Errorf("%v, expected %v", d[1], want)
	}
}

// TestQuantiles: means over pieces of [0, 1]; as many as points, or a multiple, give SW_2, fewer a lower
// bound, which grows along divisors.
func TestQuantiles(t *testing.T) {
	to := make([]float64, 2)
	quantiles(to, []float64{1, 2, 6}, 1)
	if math.Abs(to[0]-4.0/3) > 1e-15 || math.Abs(to[1]-14.0/3) > 1e-15 {
		t.Errorf("quantile means %v, expected 4/3 and 14/3", to)
	}
	_, set := normal(4, 2, 24, 3, 0)
	last := 0.0
	for _, q := range []int{1, 2, 4, 12, 24, 48} {
		e := must.M1(Embed(set, Config{Slices: 7, Quantiles: q}))
		if bytes := must.M1(Config{Slices: 7, Quantiles: q}.Bytes(set)); bytes != int64(8*q*7) || e.Size != 7*q {
			t.Errorf("q = %d: %d bytes, %d numbers", q, bytes, e.Size)
		}
		d := must.M1(e.Distances())[1]
		if d < last*(1-1e-12) || q == 48 && math.Abs(d-last) > 1e-12 {
			t.Errorf("q = %d: %v after %v", q, d, last)
		}
		last = d
	}
}

// TestKernel: positive semidefinite to -1e-10 for narrow and wide scales, 1 on the diagonal.
func TestKernel(t *testing.T) {
	_, set := normal(5, 40, 30, 3, 0)
	d := must.M1(must.M1(Embed(set, Config{Slices: 20})).Distances())
	for _, scale := range []float64{0.01, 1, 30, 1e5} {
		k := must.M1(Kernel(d, scale))
		var eigen mat.EigenSym
		if !eigen.Factorize(mat.NewSymDense(40, k), false) {
			t.Fatal("no eigenvalues")
		}
		if least := eigen.Values(nil)[0]; least < -1e-10 || k[0] != 1 {
			t.Errorf("scale %v: eigenvalue %v, diagonal %v", scale, least, k[0])
		}
		if want := math.Exp(-d[1] * d[1] / (2 * scale * scale)); math.Abs(k[1]-want) > 1e-14 {
			t.Errorf("scale %v: %v, expected %v", scale, k[1], want)
		}
	}
}

// TestNeighbours: those of the sorted rows of the matrix, without the cloud itself, equal ones by number.
func TestNeighbours(t *testing.T) {
	_, set := normal(6, 100, 12, 3, 0)
	set = set.Select(append(slices.Repeat([]int{3}, 4), spread(100)...))
	e := must.M1(Embed(set, Config{Slices: 15}))
	d, n, k := must.M1(e.Distances()), set.Clouds, 7
	rows, distances, err := e.Neighbours(k)
	must.M(err)
	for i := range n {
		order := slices.DeleteFunc(spread(n), func(j int) bool { return j == i })
		slices.SortStableFunc(order, func(a, b int) int {
			if d[i*n+a] < d[i*n+b] {
				return -1
			}
			return 1 - b2i(d[i*n+a] == d[i*n+b])
		})
		for j, row := range rows[i*k : (i+1)*k] {
			at := distances[i*k+j]
			if math.Abs(at-d[i*n+order[j]]) > 1e-12 || at < 1e-12 && int(row) != order[j] || int(row) == i {
				t.Fatalf("cloud %d, neighbour %d: %d at %v, expected %d at %v", i, j, row, at, order[j], d[i*n+order[j]])
			}
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func spread(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// TestCluster: k-means finds shapes of three kinds, the same ones again, and its inertia is that of its
// centres, which are the means of their clouds.
func TestCluster(t *testing.T) {
	o := datasets.Options{Points: 256, Raw: true, Classes: shapes.Classes()[:3]}
	set := must.M1(datasets.Load(datasets.Builtin, o))
	e := must.M1(Embed(set, Config{Slices: 50}))
	c := must.M1(e.Cluster(ClusterConfig{K: 3, Seed: 1}))
	again := must.M1(e.Cluster(ClusterConfig{K: 3, Seed: 1}))
	inertia := 0.0
	for i, k := range c.Labels {
		inertia += square(e.Vector(i), c.Centres[int(k)*e.Size:(int(k)+1)*e.Size])
	}
	if !slices.Equal(c.Labels, again.Labels) || math.Abs(inertia-c.Inertia) > 1e-9*inertia || c.Labels[0] != 0 {
		t.Errorf("inertia %v, expected %v, labels %v", c.Inertia, inertia, c.Labels)
	}
	agree := map[[2]int32]int{}
	for i, k := range c.Labels {
		agree[[2]int32{k, set.Labels[i]}]++
	}
	for k, size := range c.Sizes {
		best := 0
		for class := range int32(20) {
			best = max(best, agree[[2]int32{int32(k), class}])
		}
		if float64(best) < 0.9*float64(size) || size == 0 {
			t.Errorf("cluster %d of %d clouds has %d of one class", k, size, best)
		}
	}
	same := must.M1(Embed(set.Select([]int{5, 5, 5, 7}), Config{Slices: 5}))
	if c := must.M1(same.Cluster(ClusterConfig{K: 3})); c.Inertia != 0 || !slices.Equal(c.Labels, []int32{0, 0, 0, 1}) {
		t.Errorf("equal clouds: inertia %v, labels %v", c.Inertia, c.Labels)
	}
}

// TestRefused: errors name the setting and what was found.
func TestRefused(t *testing.T) {
	_, set := normal(7, 3, 5, 2, 0)
	_, line := normal(7, 3, 5, 1, 0)
	e := must.M1(Embed(set, Config{}))
	nan := *set
	nan.Coords = slices.Clone(set.Coords)
	nan.Coords[11] = float32(math.NaN())
	bad := func(s *datasets.Set, o Config) error { _, err := Embed(s, o); return err }
	_, _, neighbours := e.Neighbours(3)
	_, cluster := e.Cluster(ClusterConfig{K: 4})
	_, kernel := Kernel(nil, 0)
	for i, c := range []struct {
		err  error
		says string
	}{
		{bad(set, Config{Slices: -1}), "slices: expected at least 1, found -1"},
		{bad(set, Config{Quantiles: -2}), "quantiles: expected at least 1, found -2"},
		{bad(set, Config{Slicing: "vmf"}), "location"},
		{bad(set, Config{Slicing: "random-path"}), "slicing: expected directions that all clouds share"},
		{bad(set, Config{Directions: []float64{1, 2, 3}}), "directions: expected shape [L, 2]"},
		{bad(set, Config{Directions: []float64{0, 0}}), "direction 0"},
		{bad(set, Config{Origin: []float64{1}}), "origin: expected 2"},
		{bad(&nan, Config{}), "cloud 1: point 0, coordinate 1: expected a finite number, found NaN"},
		{bad(nil, Config{}), "found nil"},
		{bad(line, Config{Slices: 10, Quantiles: 1 << 40}), "quantiles"},
		{neighbours, "k: expected 1 to 2"},
		{cluster, "k: expected 1 to 3"},
		{kernel, "kernel: expected a number > 0, found 0"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.says) {
			t.Errorf("%d: %v, expected %q", i, c.err, c.says)
		}
	}
}

// BenchmarkDistances times the matrix of 200 clouds of 512 points, and BenchmarkOneByOne a pair by
// swlab.Distance, of which it would take 19,900.
func BenchmarkDistances(b *testing.B) { benchmark(b, false) }
func BenchmarkOneByOne(b *testing.B)  { benchmark(b, true) }

func benchmark(b *testing.B, pair bool) {
	_, set := normal(8, 200, 512, 3, 0)
	x, y := set.Select([]int{0}), set.Select([]int{1})
	for name, slices := range map[string]int{"L=100": 100, "L=10": 10} {
		b.Run(name, func(b *testing.B) {
			o := swlab.DistanceConfig{Config: loss.Defaults(), Path: swlab.AutoPath}
			o.Slices, o.Reduce, o.Root = slices, loss.Mean, true
			for b.Loop() {
				if pair {
					must.M1(swlab.Distance("sw", x, y, o))
					continue
				}
				must.M1(must.M1(Embed(set, Config{Slices: slices})).Distances())
			}
		})
	}
}
