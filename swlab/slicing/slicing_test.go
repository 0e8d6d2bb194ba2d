package slicing

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
	"github.com/sliced-wasserstein/lab/swlab/vmf"
)

// draw draws around locations [batch, 3], padded with zeros to dim, for clouds of the origin and e1.
func draw(l Distribution, location *graph.Node, seed int64, batch, slices, dim int) *graph.Node {
	g := location.Graph()
	if dim > 3 {
		location = graph.Concatenate([]*graph.Node{location, graph.Zeros(g, shapes.Make(dtypes.Float32, batch, dim-3))}, 1)
	} else if dim == 2 {
		location = Unit(graph.Slice(location, graph.AxisRange(), graph.AxisRange(0, 2)))
	}
	x := graph.Zeros(g, shapes.Make(dtypes.Float32, batch, 1, dim))
	y := graph.OneHot(graph.Zeros(g, shapes.Make(dtypes.Int32, batch, 1)), dim, dtypes.Float32)
	return l.Draw(Request{Source: Seeded(graph.RNGStateFromSeedForGraph(g, seed)), Location: location, X: x, Y: y,
		Slices: slices})
}

// TestDistributions: every distribution draws unit vectors whose mean and second moment are those of its closed form.
func TestDistributions(t *testing.T) {
	const batch, slices = 2, 20000
	location := [][]float32{{0.6, 0, 0.8}, {0, -1, 0}}
	for name, c := range map[string]struct {
		dist   Distribution
		dim    int
		length float64 // mean resultant length
		along  float64 // E[(theta'location)^2]
	}{
		"uniform":              {Uniform{}, 3, 0, 1.0 / 3},
		"vmf(1)":               {VMF{Kappa: 1}, 3, 0.31304, 0.31304 + 0.06089},
		"vmf(10)":              {VMF{Kappa: 10, Reflection: vmf.Exact}, 3, 0.9, 0.82},
		"vmf(1e6)":             {VMF{Kappa: 1e6}, 3, 1, 1},
		"vmf(0)":               {VMF{}, 3, 0, 1.0 / 3},
		"uniform 5":            {Uniform{}, 5, 0, 1.0 / 5},
		"vmf(2) in 2-D":        {VMF{Kappa: 2, Reflection: vmf.Stable}, 2, vmf.MeanResultantLength(2, 2), vmf.MeanCos2(2, 2)},
		"vmf(4) in 5-D":        {VMF{Kappa: 4, Reflection: vmf.Stable}, 5, vmf.MeanResultantLength(5, 4), vmf.MeanCos2(5, 4)},
		"orthogonal":           {Orthogonal{}, 3, 0, 1.0 / 3},
		"orthogonal 4":         {Orthogonal{}, 4, 0, 1.0 / 4},
		"qmc 2":                {QMC{}, 2, 0, 1.0 / 2},
		"qmc 3":                {QMC{Replicates: 1}, 3, 0, 1.0 / 3},
		"qmc 5":                {QMC{}, 5, 0, 1.0 / 5},
		"markov":               {Markov{Kappa: 3, Chain: 7}, 3, 0, 1.0 / 3},
		"markov 4":             {Markov{Kappa: 3, Chain: 2}, 4, 0, 1.0 / 4},
		"path, kappa 10":       {RandomPath{Kappa: 10}, 3, 0.9, math.NaN()},
		"path, kappa 4 in 4-D": {RandomPath{Kappa: 4}, 4, vmf.MeanResultantLength(4, 4), math.NaN()},
	} {
		t.Run(name, func(t *testing.T) {
			out := graphtest.Floats(t, func(n []*graph.Node) []*graph.Node {
				return []*graph.Node{draw(c.dist, n[0], 3, batch, slices, c.dim)}
			}, location)[0]
			for b := range batch {
				at := make([]float64, max(c.dim, 3))
				for k := range 3 {
					at[k] = float64(location[b][k])
				}
				if c.dim == 2 {
					n := math.Hypot(at[0], at[1])
					at[0], at[1] = at[0]/n, at[1]/n
				}
				mean, second := make([]float64, c.dim), 0.0
				for l := range slices {
					v := out[(b*slices+l)*c.dim:][:c.dim]
					norm, dot := 0.0, 0.0
					for k, x := range v {
						norm += float64(x) * float64(x)
						dot += float64(x) * at[k]
						mean[k] += float64(x) / slices
					}
					second += dot * dot / slices
					if math.Abs(norm-1) > 1e-3 { // the released reflection is a little short
						t.Fatalf("squared norm %v", norm)
					}
				}
				length := 0.0
				for _, x := range mean {
					length += x * x
				}
				if got := math.Sqrt(length); math.Abs(got-c.length) > 0.015 {
					t.Errorf("mean resultant length %v, want %v", got, c.length)
				}
				if math.Abs(second-c.along) > 0.01 { // never for NaN: not asked
					t.Errorf("second moment along the location %v, want %v", second, c.along)
				}
			}
		})
	}
}

// TestAscentDrawsFreshNoise: on the objective location'noise Adam repeats its steps on equal noise.
func TestAscentDrawsFreshNoise(t *testing.T) {
	noisy := func(src Source, location, _, _ *graph.Node) *graph.Node {
		d := location.Shape().Dimensions
		return graph.ReduceSum(graph.Mul(location, src.Normal(d[0], d[1])), -1)
	}
	x := tensors.FromFlatDataAndDimensions(make([]float32, 4*3), 4, 1, 3)
	var at [3][]float32
	for steps := range at {
		c := must.M1(NewMaximizer(graphtest.Engine(t), nil, Ascent{Steps: steps, LearningRate: 1e-3}, noisy))
		l := must.M1(c.Maximize(5, nil, x, x))
		at[steps] = tensors.MustCopyFlatData[float32](l)
		l.FinalizeAll()
	}
	first, change := 0.0, 0.0
	for i := range at[0] {
		a, b := float64(at[1][i]-at[0][i]), float64(at[2][i]-at[1][i])
		first, change = first+a*a, change+(b-a)*(b-a)
	}
	if first == 0 || change < 0.05*first {
		t.Errorf("squared length of the first step %v, of its difference to the second %v", first, change)
	}
}

// TestGivenNumbers: numbers come in order, and a draw of another shape is refused while the graph is built.
func TestGivenNumbers(t *testing.T) {
	build := func(dims ...int) error {
		x := must.M1(graph.NewExec(graphtest.Engine(t).Backend,
			func(a *graph.Node) *graph.Node { return Given(a).Normal(dims...) }))
		_, err := x.Call([][]float32{{1, 2}})
		return err
	}
	must.M(build(1, 2))
	if err := build(2, 1); err == nil || !strings.Contains(err.Error(), "a draw of [2 1] was given numbers of shape") {
		t.Errorf("error %v", err)
	}
}

// TestStarts: of several ascents every pair keeps the one that reached most. The first is the single one's,
// from where it was told to start; the others start elsewhere.
func TestStarts(t *testing.T) {
	first := func(_ Source, location, _, _ *graph.Node) *graph.Node {
		return graph.Squeeze(graph.Slice(location, graph.AxisRange(), graph.AxisElem(0)), 1)
	}
	x := tensors.FromFlatDataAndDimensions(make([]float32, 2*1*3), 2, 1, 3)
	from := tensors.FromFlatDataAndDimensions([]float32{0, 0, 1, 1, 0, 0}, 2, 3)
	reach := func(starts int) ([]float32, [][]float32) {
		a := Ascent{Steps: 1, LearningRate: 1e-3, Starts: starts}
		c := must.M1(NewMaximizer(graphtest.Engine(t), nil, a, first))
		location, values := must.M2(c.MaximizeAll(5, from, x, x))
		return tensors.MustCopyFlatData[float32](location), values
	}
	one, none := reach(1)
	best, values := reach(6)
	if none != nil || len(values) != 6 || values[0][0] != one[0] || values[0][1] != one[3] {
		t.Errorf("one start reaches %v and says %v, of six the first %v", one, none, values)
	}
	for b, top := range []float32{best[0], best[3]} {
		of := make([]float32, len(values))
		for i := range values {
			of[i] = values[i][b]
		}
		if all := slices.Sorted(slices.Values(of)); top != all[5] || len(slices.Compact(all)) < 6 {
			t.Errorf("pair %d: %v, of %v", b, top, of)
		}
	}
	if best[3] != one[3] || best[0] == one[0] {
		t.Errorf("from %v to %v", one, best) // the second pair starts at the maximum, the first does not
	}
}

// TestMaximize: on theta'A theta the released ascent hardly moves, or ends at a diagonal; the tangent
// one finds the maximum; T = 0 leaves the random start, which depends on the seed alone.
func TestMaximize(t *testing.T) {
	top := func(_ Source, location, x, _ *graph.Node) *graph.Node { // x holds sqrt of the eigenvalues in its first point
		d := location.Shape().Dimensions
		scale := graph.Reshape(graph.Slice(x, graph.AxisRange(), graph.AxisElem(0)), d[0], d[1])
		return graph.ReduceSum(graph.Square(graph.Mul(location, scale)), -1)
	}
	x := tensors.FromFlatDataAndDimensions([]float32{10, 5, 3, 10, 5, 3}, 2, 1, 3)
	climb := func(a Ascent, seed int64) []float32 {
		c := must.M1(NewMaximizer(graphtest.Engine(t), nil, a, top))
		return tensors.MustCopyFlatData[float32](must.M1(c.Maximize(seed, nil, x, x)))
	}
	value := func(l []float32) (v float64) {
		for i, e := range []float64{100, 25, 9, 100, 25, 9} {
			v += e * float64(l[i]) * float64(l[i]) / 2
		}
		return v
	}
	start := climb(Ascent{Steps: 0, LearningRate: 1}, 5)
	if other := climb(Ascent{Steps: 0, LearningRate: 1}, 6); start[0] == other[0] {
		t.Error("another seed gives the same start")
	}
	slow, fast := climb(Ascent{Steps: 50, LearningRate: 1e-4}, 5), climb(Ascent{Steps: 200, LearningRate: 0.02}, 5)
	honest := climb(Ascent{Steps: 200, LearningRate: 0.02, Tangent: true}, 5)
	for b := range 2 { // trap T2: 50 steps of the released code's rate turn a direction by a fraction of a degree
		chord := 0.0
		for c := range 3 {
			d := float64(slow[3*b+c] - start[3*b+c])
			chord += d * d
		}
		if degrees := math.Sqrt(chord) * 180 / math.Pi; degrees > 0.6 || degrees == 0 {
			t.Errorf("50 steps of rate 1e-4 turned pair %d by %v degrees", b, degrees)
		}
	}
	if v := value(fast); v < 40 || v > 60 { // as the doc comment of Ascent says
		t.Errorf("200 steps of rate 0.02 reach %v from %v; expected the diagonal's 45 or little more", v, value(start))
	}
	if v := value(honest); v < 99 {
		t.Errorf("200 tangent steps of rate 0.02 reach %v, the maximum is 100", v)
	}
	if _, err := NewMaximizer(graphtest.Engine(t), nil, Ascent{Steps: 1}, top); err == nil {
		t.Error("no error for rate 0")
	}
}
