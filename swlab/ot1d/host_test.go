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
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
)

// quantile integrates |A(t) - B(t)|^p between all levels of both cumulative weights; nil: equal ones.
func quantile(x, y []float32, wx, wy []float64, theta []float32, p float64) float64 {
	side := func(c []float32, w []float64) (value, upTo []float64) {
		type point struct{ v, w float64 }
		var pts []point
		total := 0.0
		for i := range len(c) / len(theta) {
			q := point{w: 1}
			if w != nil {
				q.w = w[i]
			}
			for j, t := range theta {
				q.v += float64(t) * float64(c[i*len(theta)+j])
			}
			total += q.w
			pts = append(pts, q)
		}
		slices.SortFunc(pts, func(a, b point) int { return int(math.Copysign(1, a.v-b.v)) })
		sum := 0.0
		for _, q := range pts {
			sum += q.w / total
			value, upTo = append(value, q.v), append(upTo, sum)
		}
		return
	}
	a, la := side(x, wx)
	b, lb := side(y, wy)
	levels := append(append([]float64{0}, la...), lb...)
	slices.Sort(levels)
	at := func(v, l []float64, t float64) float64 {
		for i := range l {
			if t < l[i] {
				return v[i]
			}
		}
		return v[len(v)-1]
	}
	sum := 0.0
	for i := 1; i < len(levels); i++ {
		if width := levels[i] - levels[i-1]; width > 1e-14 {
			t := levels[i-1] + width/2
			sum += width * math.Pow(math.Abs(at(a, la, t)-at(b, lb, t)), p)
		}
	}
	return sum
}

func positive(r *rand.Rand, n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = float64(r.Float32())
	}
	if n > 3 {
		w[r.IntN(n)] = 0
	}
	return w
}

// TestHostValues compares every slice with float64 sorting: sizes, dimensions, exponents, near pairs, clouds far away,
// a point far from all others (whose crowd falls into one bucket), and directions of any length.
func TestHostValues(t *testing.T) {
	const batch, lines = 2, 5
	for _, n := range []int{1, 2, 3, 17, 300, 2500} {
		for _, dim := range []int{1, 2, 3, 5} {
			r := rand.New(rand.NewPCG(uint64(n), uint64(dim)))
			x := normals(r, batch*n*dim, .3)
			far := slices.Clone(x)
			for i := range far {
				far[i] += 1e5
			}
			outlier := slices.Clone(x)
			outlier[0] = 1e9
			near := slices.Clone(x)
			for i := range near {
				near[i] += float32(.01 * r.NormFloat64())
			}
			farNear := slices.Clone(far)
			for i := range near {
				farNear[i] += float32(.05 * r.NormFloat64())
			}
			d := directions(r, batch*lines, dim)
			for i := range dim {
				d[i] *= 1e-3
			}
			for name, c := range map[string][2][]float32{"general": {x, normals(r, len(x), .5)}, "near": {x, near},
				"far": {far, farNear}, "apart": {x, far}, "outlier": {outlier, near}} {
				cloud := func(v []float32) Clouds { return Clouds{Coords: v, Batch: batch, Points: n, Dim: dim} }
				for _, p := range []float64{1, 1.5, 2, 3} {
					for _, mean := range []bool{false, true}[:1+n%2] {
						got := must.M1(HostCosts(cloud(c[0]), cloud(c[1]), d, lines, Config{P: p, Reduce: meanIf(mean)}))
						for k, v := range got {
							b := k / lines
							want := reference(c[0][b*n*dim:(b+1)*n*dim], c[1][b*n*dim:(b+1)*n*dim], d[k*dim:(k+1)*dim], p)
							if mean {
								want /= float64(n)
							}
							if !(math.Abs(v-want) <= 1e-7*want) {
								t.Fatalf("%s n=%d dim=%d p=%g slice %d: %v, want %v", name, n, dim, p, k, v, want)
							}
						}
					}
				}
			}
		}
	}
}

// TestHostQuantiles: unequal sizes and weights against a brute-force integration, in every combination.
func TestHostQuantiles(t *testing.T) {
	const batch, lines, dim = 2, 4, 3
	for _, c := range [][2]int{{1, 1}, {1, 7}, {6, 4}, {12, 36}, {50, 31}, {40, 40}} {
		r := rand.New(rand.NewPCG(uint64(c[0]), uint64(c[1])))
		d := directions(r, lines, dim)
		for weights := range 4 {
			x := Clouds{Coords: normals(r, batch*c[0]*dim, 1), Batch: batch, Points: c[0], Dim: dim}
			y := Clouds{Coords: normals(r, batch*c[1]*dim, 1), Batch: batch, Points: c[1], Dim: dim}
			if weights&1 != 0 {
				x.Mass = positive(r, batch*c[0])
			}
			if weights&2 != 0 {
				y.Mass = positive(r, batch*c[1])
			}
			for _, p := range []float64{1, 1.5, 2, 3} {
				got := must.M1(HostCosts(x, y, d, lines, Config{P: p, Reduce: Mean}))
				for k, v := range got {
					b, l := k/lines, k%lines
					want := quantile(x.cloud(b), y.cloud(b), x.mass(b), y.mass(b), d[l*dim:(l+1)*dim], p)
					if math.Abs(v-want) > 1e-9*want {
						t.Fatalf("sizes %v weights %b p=%g: %v, want %v", c, weights, p, v, want)
					}
				}
			}
		}
	}
}

// TestHostLarge: clouds whose keys are sorted by buckets, spread out and with nearly all points in one,
// cost what float64 says, and the derivative in the direction numbers the points rightly.
func TestHostLarge(t *testing.T) {
	const m = manyKeys + 1
	r := rand.New(rand.NewPCG(3, 9))
	crowd := normals(r, m*3, 1e-5)
	copy(crowd, []float32{-40, 3, 2, 50, 1, 1})
	for name, x := range map[string][]float32{"spread": normals(r, m*3, 1), "crowd": crowd} {
		y, theta := normals(r, m*3, 1), directions(r, 1, 3)
		cx, cy := Clouds{Coords: x, Batch: 1, Points: m, Dim: 3}, Clouds{Coords: y, Batch: 1, Points: m, Dim: 3}
		costs, grad := must.M2(HostGradients(cx, cy, theta, 1, []float64{1}, Directions, Config{}))
		alone := must.M1(HostCosts(cx, cy, theta, 1, Config{}))
		want := reference(x, y, theta, 2)
		along := 0.0 // theta'dF/dtheta = 2 F
		for j, g := range grad.Directions {
			along += g * float64(theta[j])
		}
		off := max(math.Abs(costs[0]-want), math.Abs(alone[0]-want), math.Abs(along-2*want)/10)
		if !(off <= 1e-11*want) {
			t.Errorf("%s: cost %v and %v, expected %v; slope along the direction %v", name, costs[0], alone[0], want, along)
		}
	}
}

// TestHostProperties: a permuted copy costs exactly 0, arguments commute, a common shift changes
// nothing, a shift of one cloud costs |theta's|^p, points that coincide may be one of their summed
// weight, and sizes may be multiplied by repeating points.
func TestHostProperties(t *testing.T) {
	const n, dim, lines = 700, 3, 8
	r := rand.New(rand.NewPCG(8, 1))
	d := directions(r, lines, dim)
	points := normals(r, n*dim, 1)
	copy(points[30*dim:60*dim], points[:30*dim]) // duplicates
	permuted := make([]float32, 0, n*dim)
	weights := make([]float64, n) // so different that their sum depends on the order
	for i := range weights {
		weights[i] = math.Exp(8 * r.NormFloat64())
	}
	copy(weights[30:60], weights[:30])
	var permutedWeights []float64
	for _, i := range r.Perm(n) {
		permuted = append(permuted, points[i*dim:(i+1)*dim]...)
		permutedWeights = append(permutedWeights, weights[i])
	}
	cost := func(x, y []float32, wx, wy []float64) []float64 {
		t.Helper()
		cloud := func(v []float32, w []float64) Clouds {
			return Clouds{Coords: v, Mass: w, Batch: 1, Points: len(v) / dim, Dim: dim}
		}
		return must.M1(HostCosts(cloud(x, wx), cloud(y, wy), d, lines, Config{P: 2, Reduce: Mean}))
	}
	same := func(what string, a, b []float64, tol float64) {
		t.Helper()
		for l := range a {
			if !(math.Abs(a[l]-b[l]) <= tol*math.Max(a[l], b[l])) {
				t.Errorf("%s, slice %d: %v and %v", what, l, a[l], b[l])
			}
		}
	}
	zero := make([]float64, lines)
	same("permuted", cost(points, permuted, nil, nil), zero, 0)
	same("permuted, with masses", cost(points, permuted, weights, permutedWeights), zero, 0)
	point := slices.Repeat(points[:dim], n)
	same("one point many times", cost(point, point, nil, nil), zero, 0)
	same("the origin", cost(make([]float32, n*dim), make([]float32, n*dim), nil, nil), zero, 0)

	other := normals(r, 500*dim, 2)
	forth := cost(points, other, weights, nil)
	same("swapped", forth, cost(other, points, nil, weights), 1e-12)
	same("permuted points", forth, cost(permuted, other, permutedWeights, nil), 1e-12)
	moved := func(c []float32) []float32 {
		c = slices.Clone(c)
		for i := range c {
			c[i] += []float32{4, -2, 8}[i%dim]
		}
		return c
	}
	same("moved together", forth, cost(moved(points), moved(other), weights, nil), 1e-5) // what float32 loses
	shift := make([]float64, lines)
	for l := range shift {
		s := 4*float64(d[l*dim]) - 2*float64(d[l*dim+1]) + 8*float64(d[l*dim+2])
		shift[l] = s * s
	}
	lattice := make([]float32, n*dim)
	for i := range lattice {
		lattice[i] = float32(math.Round(float64(points[i]*64))) / 64
	}
	same("moved", cost(lattice, moved(lattice), nil, nil), shift, 1e-12)

	split, half := append(slices.Clone(points), points[:dim]...), append(slices.Clone(weights), weights[0]/2)
	half[0] /= 2
	same("split point", forth, cost(split, other, half, nil), 1e-12)
	thrice, twice := slices.Repeat(points, 3), slices.Repeat(other, 2)
	same("repeated cloud", cost(points, other, nil, nil), cost(thrice, twice, nil, nil), 1e-12)
	equal := slices.Repeat([]float64{.25}, n)
	same("equal weights", cost(points, permuted[:n*dim], equal, nil), zero, 0)
}

// TestHostEqualsGraph: the graph's costs and gradients, at what float32 allows.
func TestHostEqualsGraph(t *testing.T) {
	const batch, n, dim, lines = 2, 200, 3, 6
	r := rand.New(rand.NewPCG(9, 1))
	x, y, d := normalClouds(r, batch, n, dim, .3), normalClouds(r, batch, n, dim, .5), directions(r, batch*lines, dim)
	up := slices.Repeat([]float64{1}, batch*lines)
	for _, p := range []float64{1, 1.5, 2} {
		out := graphtest.Floats(t, func(in []*graph.Node) []*graph.Node {
			c := Costs(in[0], in[1], in[2], Config{P: p}, X|Y|Directions)
			return append([]*graph.Node{c}, graph.Gradient(graph.ReduceAllSum(c), in...)...)
		}, tensor(x.Coords, batch, n, dim), tensor(y.Coords, batch, n, dim), tensor(d, batch, lines, dim))
		c, grad := must.M2(HostGradients(x, y, d, lines, up, X|Y|Directions, Config{P: p}))
		for i, want := range [][]float64{c, grad.X, grad.Y, grad.Directions} {
			graphtest.Close(t, fmt.Sprintf("p=%g, output %d", p, i), out[i], want, 1e-5)
		}
	}
}

// TestHostReference compares with float64 numbers: those in testdata, and the project's golden set where it is at hand.
func TestHostReference(t *testing.T) {
	graphtest.References(t, "testdata/sliced.npz", "sliced.npz", func(t *testing.T, z map[string]*tensors.Tensor) {
		s := z["x"].Shape().Dimensions
		lines := z["theta"].Shape().Dimensions[1]
		clouds := func(key string) Clouds {
			return Clouds{Coords: tensors.MustCopyFlatData[float32](z[key]), Batch: s[0], Points: s[1], Dim: s[2]}
		}
		theta := tensors.MustCopyFlatData[float32](z["theta"])
		up := slices.Repeat([]float64{1 / float64(lines)}, s[0]*lines)
		f2, grad := must.M2(HostGradients(clouds("x"), clouds("y"), theta, lines, up, Y|Directions, Config{}))
		gy, gd := grad.Y, grad.Directions
		f1 := must.M1(HostCosts(clouds("x"), clouds("y"), theta, lines, Config{P: 1}))
		for key, got := range map[string][]float64{"F2": f2, "F1": f1, "grad_y": gy, "grad_theta": gd} {
			graphtest.Close(t, key, got, graphtest.Values(z[key]), 1e-9)
		}
	})
}

func TestHostErrors(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	clouds := func(n int, change func(*Clouds)) Clouds {
		c := Clouds{Coords: make([]float32, 2*n*3), Batch: 2, Points: n, Dim: 3}
		if change != nil {
			change(&c)
		}
		return c
	}
	good, d := clouds(4, nil), []float32{1, 0, 0, 0, 1, 0}
	for _, c := range []struct {
		x, y Clouds
		d    []float32
		n    int
		o    Config
		want string
	}{
		{good, clouds(4, func(c *Clouds) { c.Coords[3*(4+2)+1] = nan }), d, 2, Config{}, "cloud y of pair 1, point 2"},
		{clouds(4, func(c *Clouds) { c.Coords[3] = inf }), good, d, 2, Config{}, "cloud x of pair 0, point 1"},
		{good, clouds(5, nil), d, 2, Config{}, "Reduce: Mean"},
		{good, clouds(4, func(c *Clouds) { c.Mass = make([]float64, 8) }), d, 2, Config{}, "points with masses"},
		{good, clouds(4, func(c *Clouds) { c.Mass = make([]float64, 8) }), d, 2, Config{Reduce: Mean},
			"all masses are 0"},
		{good, clouds(4, func(c *Clouds) { c.Mass = []float64{1, 1, 1, 1, 1, 1, -1, 1} }), d, 2, Config{Reduce: Mean},
			"pair 1, point 2: mass -1"},
		{good, clouds(4, func(c *Clouds) { c.Mass = make([]float64, 7) }), d, 2, Config{Reduce: Mean}, "8 masses"},
		{clouds(4, func(c *Clouds) { c.Coords = c.Coords[1:] }), good, d, 2, Config{}, "23 numbers"},
		{Clouds{Dim: 3}, good, d, 2, Config{}, "at least 1"},
		{clouds(4, func(c *Clouds) { c.Batch, c.Points = 1, 8 }), good, d, 2, Config{}, "one batch size"},
		{good, good, d, 3, Config{}, "directions [3, 3]"},
		{good, good, []float32{1, 0, 0, 0, nan, 0}, 2, Config{}, "direction 1"},
		{good, good, d, 2, Config{P: .5}, "p = 0.5"},
		{good, good, d, 2, Config{P: math.NaN()}, "p = NaN"},
	} {
		if _, err := HostCosts(c.x, c.y, c.d, c.n, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one about %q", err, c.want)
		}
	}
	_, _, err := HostGradients(good, good, d, 2, make([]float64, 3), Y, Config{})
	if err == nil || !strings.Contains(err.Error(), "upstream") {
		t.Errorf("error %v, want one about the upstream gradient", err)
	}
}
