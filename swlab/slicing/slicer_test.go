package slicing

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// TestHostMaximizer: an ascent on the mean of (theta'a)^2, whose costs and slopes the host finds, takes
// the graph's steps, with the same random directions; an error of the costs ends it.
func TestHostMaximizer(t *testing.T) {
	e := graphtest.Engine(t)
	x := tensors.FromFlatDataAndDimensions([]float32{3, 1, 0, 0, -2, 1}, 2, 1, 3)
	a := [][]float64{{3, 1, 0}, {0, -2, 1}}
	directions := func(src Source, location, x, _ *graph.Node) *graph.Node {
		return VMF{Kappa: 5}.Draw(Request{Source: src, Location: location, X: x, Slices: 4})
	}
	objective := func(src Source, location, x, y *graph.Node) *graph.Node {
		along := graph.Einsum("bld,bmd->bl", directions(src, location, x, y), x)
		return graph.ReduceMean(graph.Mul(along, along), 1)
	}
	var broken error
	host := HostObjective{
		Directions: directions,
		Costs: func(_, _ *tensors.Tensor) (CostFunc, error) {
			return func(theta *tensors.Tensor) (costs, slopes *tensors.Tensor, err error) {
				v := tensors.MustCopyFlatData[float32](theta)
				c, s := make([]float32, 8), make([]float32, len(v))
				for i := range c {
					along := 0.0
					for j := range 3 {
						along += float64(v[3*i+j]) * a[i/4][j]
					}
					c[i] = float32(along * along)
					for j := range 3 {
						s[3*i+j] = float32(2 * along * a[i/4][j])
					}
				}
				return tensors.FromFlatDataAndDimensions(c, 2, 4), tensors.FromFlatDataAndDimensions(s, 2, 4, 3), broken
			}, nil
		},
		Value: func(costs, _, _, _ *graph.Node) *graph.Node { return graph.ReduceMean(costs, 1) },
	}
	maximizers := func(steps int) (inGraph, onHost *Maximizer) {
		climb := Ascent{Steps: steps, LearningRate: 0.05, Tangent: true}
		inGraph = must.M1(NewMaximizer(e, nil, climb, objective))
		onHost = must.M1(NewHostMaximizer(e, nil, climb, host))
		return inGraph, onHost
	}
	reached := func(m *Maximizer, from *tensors.Tensor) []float32 {
		return tensors.MustCopyFlatData[float32](must.M1(m.Maximize(3, from, x, x)))
	}
	still, stillOnHost := maximizers(0)
	start := reached(still, nil)
	var last []float32
	for _, steps := range []int{1, 5} {
		inGraph, onHost := maximizers(steps)
		g, p := reached(inGraph, nil), reached(onHost, nil)
		for i := range g {
			if math.Abs(float64(g[i]-p[i])) > 1e-5 {
				t.Errorf("%d steps: %v in the graph, %v on the host", steps, g, p)
				break
			}
		}
		last = g
	}
	turned := 0.0
	for i := range start {
		turned += math.Abs(float64(start[i] - last[i]))
	}
	if turned < 0.1 {
		t.Errorf("from %v to %v: no ascent to compare", start, last)
	}
	from := tensors.FromFlatDataAndDimensions([]float32{0, 0, 1, 1, 0, 0}, 2, 3)
	if got := reached(stillOnHost, from); got[2] != 1 || got[3] != 1 {
		t.Errorf("no step from a given location ends at %v", got)
	}
	broken = errors.New("no costs")
	_, onHost := maximizers(1)
	if _, err := onHost.Maximize(3, nil, x, x); !errors.Is(err, broken) {
		t.Errorf("the costs' error is lost: %v", err)
	}
}

// TestSlicerLocation: no location without need, the given one as it is, else the amortizer's, else a uniform one.
func TestSlicerLocation(t *testing.T) {
	predict := must.M1(amortizer.New("l", amortizer.Config{Points: 4, Dim: 3}))
	amortized := Slicer{Distribution: Point{}, Slices: 1, Amortizer: predict}
	specs := amortized.Specs()
	w := weights.Init(specs, 1)
	var values []float32
	for i := range 24 {
		values = append(values, float32(math.Sin(float64(i))))
	}
	x := tensors.FromFlatDataAndDimensions(values, 2, 4, 3)
	given := tensors.FromFlatDataAndDimensions([]float32{0, 1, 0, 0, 0, 1}, 2, 3)
	in := []any{x, given}
	for _, s := range specs {
		v, _ := w.Get(s.Name)
		in = append(in, tensors.FromFlatDataAndDimensions(v.Data, s.Shape...))
	}
	out := graphtest.Floats(t, func(n []*graph.Node) []*graph.Node {
		bound := weights.Bind(specs, n[2:])
		src := Seeded(graph.RNGStateFromSeedForGraph(n[0].Graph(), 1))
		if l := (Slicer{Distribution: Uniform{}, Slices: 2}).Location(src, nil, n[1], n[0], n[0]); l != nil {
			t.Error("uniform directions have a location")
		}
		vmf := Slicer{Distribution: VMF{Kappa: 1}, Slices: 2}
		located := amortized.Location(src, bound, nil, n[0], n[0])
		return []*graph.Node{
			vmf.Location(src, nil, n[1], n[0], n[0]), located, predict.Direction(bound, n[0], n[0]),
			vmf.Location(src, nil, nil, n[0], n[0]), amortized.Draw(src, located, n[0], n[0]),
		}
	}, in...)
	for i, want := range []float32{0, 1, 0, 0, 0, 1} {
		if out[0][i] != want {
			t.Fatalf("the given location becomes %v", out[0])
		}
		if out[1][i] != out[2][i] || out[4][i] != out[1][i] {
			t.Fatalf("location %v, direction %v, the amortizer predicts %v", out[1], out[4], out[2])
		}
	}
	if len(out[3]) != 6 {
		t.Fatalf("%d numbers of random locations, want 2 of dimension 3", len(out[3]))
	}
	for b := range 2 {
		if s := dot(out[3], b, b, 3); math.Abs(s-1) > 1e-5 {
			t.Errorf("a random location of squared length %v", s)
		}
	}
	must.M(amortized.Check(4, 4, 3))
	must.M(Slicer{Distribution: Uniform{}}.Check(10, 10, 2))
	for _, wrong := range []error{amortized.Check(5, 4, 3), amortized.Check(4, 5, 3), Slicer{}.Check(4, 4, 3),
		Slicer{Distribution: Uniform{}}.Check(10, 10, 1)} {
		if wrong == nil {
			t.Error("clouds that do not fit are taken")
		}
	}
	if (Slicer{Distribution: Uniform{}}).Specs() != nil || len(specs) == 0 {
		t.Error("weights without an amortizer, or none with one")
	}
}

// TestFixed: given directions are taken as they are, for every pair or by pair; others are refused.
func TestFixed(t *testing.T) {
	x := make([]float32, 2*5*3)
	each := []float32{1, 0, 0, 0, 2, 0}
	all := append(each[:6:6], 0, 0, 3, 1, 1, 1)
	out := graphtest.Floats(t, func(n []*graph.Node) []*graph.Node {
		r := Request{X: n[0], Y: n[0], Slices: 2}
		if given := (Fixed{Directions: n[1]}); given.Check(3) != nil || given.Check(2) == nil || (Fixed{}).Check(1) == nil {
			t.Error("Check takes what does not fit, or refuses what fits")
		}
		for _, wrong := range []*graph.Node{graph.Reshape(n[1], 3, 2), graph.InsertAxes(n[1], 0), graph.Reshape(n[1], 6)} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("directions %s are taken", wrong.Shape())
					}
				}()
				Fixed{Directions: wrong}.Draw(r)
			}()
		}
		return []*graph.Node{Fixed{Directions: n[1]}.Draw(r), Fixed{Directions: n[2]}.Draw(r), Fixed{}.Draw(r)}
	}, tensors.FromFlatDataAndDimensions(x, 2, 5, 3), tensors.FromFlatDataAndDimensions(each, 2, 3),
		tensors.FromFlatDataAndDimensions(all, 2, 2, 3))
	for i := range 12 {
		if out[0][i] != each[i%6] || out[1][i] != all[i] || out[2][i] != out[2][i%6] {
			t.Fatalf("%v and %v for %v and %v; without any: %v", out[0], out[1], each, all, out[2])
		}
	}
}

// TestNames: every registered distribution has a name; Point and VMF alone have a location.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range Names() {
		l := must.M1(New(name, Config{Kappa: 1, Chain: 2}))
		if l.Name() == "" || seen[l.Name()] {
			t.Errorf("%s: the name %q is empty or taken", name, l.Name())
		}
		seen[l.Name()] = true
		if want := name == "vmf" || name == "point"; l.HasLocation() != want {
			t.Errorf("%s: a location: %t", name, l.HasLocation())
		}
		if _, follows := l.(CloudDependent); follows != (name == "random-path") {
			t.Errorf("%s: its directions depend on the clouds: %t", name, follows)
		}
	}
	for says, c := range map[string]Config{"kappa": {Kappa: -1, Chain: 1}, "chain": {},
		"replicates": {Chain: 1, Replicates: -1}} {
		if _, err := New("vmf", c); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: error %v", c, err)
		}
	}
	if _, err := New("nothing", Config{Chain: 1}); err == nil {
		t.Error("an unknown distribution is made")
	}
}
