package losstest_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/loss/losstest"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// elsewhere is SW in the shape of a loss from elsewhere, with something done to it: the suite does not see that it is sliced.
type elsewhere struct {
	dist       slicing.Distribution // nil: uniform
	convention loss.Convention      // of no exponent: SW's
	lacks      []loss.Property
	spoil      func(c loss.BuildArgs, pairs, x, y *graph.Node) *graph.Node
}

func (e elsewhere) sw() loss.Sliced {
	if e.dist == nil {
		e.dist = slicing.Uniform{}
	}
	return loss.Sliced{Label: "SW", Slicer: slicing.Slicer{Distribution: e.dist, Slices: 24}}
}

func (e elsewhere) Name() string              { return "elsewhere" }
func (e elsewhere) Violates() []loss.Property { return e.lacks }
func (e elsewhere) Check(m, n, dim int) error { return e.sw().Check(m, n, dim) }
func (e elsewhere) Specs() []weights.Spec     { return nil }

func (e elsewhere) Convention() loss.Convention {
	if e.convention.Exponent > 0 {
		return e.convention
	}
	return e.sw().Convention()
}

func (e elsewhere) Build(c loss.BuildArgs, x, y *graph.Node) loss.Result {
	pairs := e.sw().Build(c, x, y).Pairs
	if e.spoil != nil {
		pairs = e.spoil(c, pairs, x, y)
	}
	return loss.Result{Pairs: pairs}
}

// third: single points at distance 1 cost SW_2^2 = 1/3.
var third = losstest.Options{Dirac: 1. / 3}

// TestElsewhere: a loss that is none of the package's.
func TestElsewhere(t *testing.T) {
	losstest.Suite(t, elsewhere{}, third)
	inFloat32 := third
	inFloat32.Float32 = true
	t.Run("float32", func(t *testing.T) { losstest.Suite(t, elsewhere{}, inFloat32) })
}

// spread is the mean over the points of the squared distance from their mean, [batch].
func spread(x *graph.Node) *graph.Node {
	away := graph.Sub(x, graph.ReduceAndKeep(x, graph.ReduceMean, 1))
	return graph.ReduceMean(graph.ReduceSum(graph.Mul(away, away), -1), 1)
}

// gap is the squared distance between the means, of the first coordinates alone or of all, [batch].
func gap(x, y *graph.Node, axes ...graph.SliceAxisSpec) *graph.Node {
	d := graph.Slice(graph.Sub(graph.ReduceMean(x, 1), graph.ReduceMean(y, 1)), append([]graph.SliceAxisSpec{graph.AxisRange()}, axes...)...)
	return graph.ReduceSum(graph.Mul(d, d), 1)
}

// TestBroken: losses that are wrong in one way each are caught by name.
func TestBroken(t *testing.T) {
	type node = *graph.Node
	for what, c := range map[string]struct {
		loss  loss.Loss
		fails string // the checks that must fail, in alphabetical order
	}{
		"asymmetric": {elsewhere{spoil: func(_ loss.BuildArgs, v, x, y node) node {
			return graph.Mul(v, graph.AddScalar(graph.Div(spread(x), graph.AddScalar(graph.Add(spread(x), spread(y)), 1e-30)), 0.5))
		}}, "symmetry"},
		"not zero on itself": {elsewhere{spoil: func(_ loss.BuildArgs, v, x, y node) node {
			return graph.Add(v, graph.MulScalar(graph.Add(spread(x), spread(y)), 16))
		}}, "zero on itself"},
		"zero for different clouds":      {elsewhere{spoil: func(_ loss.BuildArgs, _, x, y node) node { return gap(x, y) }}, "zero only if equal"},
		"amortized, and does not say so": {undeclared{amortized(t)}, "order of the points, symmetry, triangle inequality"},
		"negative":                       {elsewhere{spoil: func(_ loss.BuildArgs, v, _, _ node) node { return graph.Neg(v) }}, "not negative, single points"},
		"depends on the order": {elsewhere{spoil: func(_ loss.BuildArgs, v, x, y node) node {
			d := graph.Slice(graph.Sub(x, y), graph.AxisRange(), graph.AxisElem(0))
			return graph.Add(v, graph.ReduceSum(graph.Mul(d, d), 1, 2))
		}}, "order of the points"},
		"not translated": {elsewhere{spoil: func(_ loss.BuildArgs, v, x, y node) node {
			return graph.Mul(v, graph.AddScalar(gap(graph.Concatenate([]node{x, y}, 1), graph.ZerosLike(x)), 1))
		}}, "translation"},
		"not scaled": {elsewhere{spoil: func(_ loss.BuildArgs, v, _, _ node) node { return graph.Log1p(v) }}, "scaling"},
		"not rotated": {elsewhere{spoil: func(_ loss.BuildArgs, v, x, y node) node {
			return graph.Add(v, graph.MulScalar(gap(x, y, graph.AxisRange(0, 1)), 160))
		}}, "rotation"},
		"directions not rotated": {loss.Sliced{Label: "SW", Slicer: slicing.Slicer{Distribution: flat{}, Slices: 24}}, "rotation"},
		"no metric": {elsewhere{spoil: func(_ loss.BuildArgs, v, x, y node) node {
			return graph.Add(v, graph.Div(graph.Mul(v, v), graph.AddScalar(graph.Add(spread(x), spread(y)), 1e-30)))
		}}, "triangle inequality"},
		"depends on the batch": {elsewhere{spoil: func(_ loss.BuildArgs, v, _, _ node) node {
			return graph.Add(v, graph.ReduceAndKeep(v, graph.ReduceMean, 0))
		}}, "batch"},
		"a mean that is a sum": {elsewhere{convention: loss.Convention{Exponent: 2, Reduce: loss.Mean}}, "convention"},
		"a root that is none":  {elsewhere{convention: loss.Convention{Exponent: 2, Reduce: loss.Sum, Root: true}}, "convention, scaling, single points, triangle inequality"},
		"a wrong gradient": {elsewhere{spoil: func(_ loss.BuildArgs, v, _, _ node) node {
			return graph.Add(graph.MulScalar(v, 1.001), graph.StopGradient(graph.MulScalar(v, -0.001)))
		}}, "gradient"},
		"a gradient that depends on the side": {elsewhere{spoil: func(c loss.BuildArgs, v, _, _ node) node {
			if c.Wrt == ot1d.Y {
				return graph.Sub(graph.MulScalar(v, 2), graph.StopGradient(v))
			}
			return v
		}}, "sides of the gradient"},
		"NaN": {elsewhere{spoil: func(_ loss.BuildArgs, v, _, _ node) node {
			root := graph.Sqrt(v)
			return graph.Mul(root, root)
		}}, "finite"},
		"noise that is not used": {elsewhere{dist: lazy{}}, "seed"},
		"too coarse": {elsewhere{spoil: func(_ loss.BuildArgs, v, _, _ node) node {
			return graph.AddScalar(graph.AddScalar(v, 3e3), -3e3)
		}}, "float32"},
		"claims to lack what it has": {elsewhere{lacks: []loss.Property{loss.Translation, loss.ZeroOnlyIfEqual}}, "translation, zero only if equal"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			s, err := losstest.New(c.loss, third)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			failed := map[string]error{}
			for _, check := range s.Checks() {
				if err := s.Check(check); err != nil {
					failed[check.Name] = err
				}
			}
			t.Log(strings.Join(slices.Sorted(maps.Keys(failed)), ", "))
			for _, name := range strings.Split(c.fails, ", ") {
				if failed[name] == nil {
					t.Errorf("%q passes", name)
				}
			}
		})
	}
}

// undeclared hides the violations of a loss.
type undeclared struct{ loss.Graph }

// amortized is v-DSW around the prediction of L.
func amortized(t *testing.T) loss.Graph {
	s := loss.Defaults()
	s.Amortizer, s.Slices, s.Maps.Points = "l", 24, 16
	l, err := loss.NewGraph("v-dsw", s)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// flat draws directions in a plane.
type flat struct{ slicing.Uniform }

func (flat) Draw(r slicing.Request) *graph.Node {
	v := slicing.Uniform{}.Draw(r)
	last := graph.Slice(v, graph.AxisRange(), graph.AxisRange(), graph.AxisRange(-1))
	rest := graph.Slice(v, graph.AxisRange(), graph.AxisRange(), graph.AxisRange(0, -1))
	return slicing.Unit(graph.Concatenate([]*graph.Node{rest, graph.ZerosLike(last)}, 2))
}

// lazy asks for random numbers and does not use them.
type lazy struct{ slicing.Uniform }

func (lazy) Draw(r slicing.Request) *graph.Node {
	r.Source.Normal(1)
	r.Source = slicing.Seeded(graph.RNGStateFromSeedForGraph(r.X.Graph(), 3))
	return graph.ConvertDType(slicing.Uniform{}.Draw(r), r.X.DType())
}

// TestNew: what cannot be tested is an error.
func TestNew(t *testing.T) {
	for says, c := range map[string]struct {
		loss loss.Loss
		o    losstest.Options
	}{
		`declares to violate "beauty"`:             {elsewhere{lacks: []loss.Property{"beauty"}}, third},
		"Check rejects the clouds of the suite":    {elsewhere{}, losstest.Options{Dim: 1}},
		"neither a loss.Graph nor a loss.Host":     {nameless{}, third},
		`backend "nope" is unknown`:                {elsewhere{}, losstest.Options{Backend: "nope"}},
		"2 directions are not enough: the control": {loss.Sliced{Slicer: slicing.Slicer{Distribution: slicing.Uniform{}, Slices: 24}, Estimator: loss.Upper}, losstest.Options{Slices: 2}},
	} {
		if _, err := losstest.New(c.loss, c.o); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, expected one that says %q", err, says)
		}
	}
}

// nameless is a loss.Loss and no more.
type nameless struct{}

func (nameless) Name() string                { return "nameless" }
func (nameless) Convention() loss.Convention { return loss.Convention{Exponent: 1} }
func (nameless) Check(_, _, _ int) error     { return nil }
