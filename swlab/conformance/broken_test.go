package conformance_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/conformance"
	"github.com/sliced-wasserstein/lab/swlab/internal/must"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// elsewhere is SW in the shape of a loss from elsewhere, with something done to it: the suite does
// not see that it is sliced.
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
var third = conformance.Options{Dirac: 1. / 3}

// TestElsewhere: a loss that is none of the package's.
func TestElsewhere(t *testing.T) {
	conformance.Loss(t, elsewhere{}, third)
	inFloat32 := third
	inFloat32.Float32 = true
	t.Run("float32", func(t *testing.T) { conformance.Loss(t, elsewhere{}, inFloat32) })
}

// spread is the mean over the points of the squared distance from their mean, [batch].
func spread(x *graph.Node) *graph.Node {
	away := graph.Sub(x, graph.ReduceAndKeep(x, graph.ReduceMean, 1))
	return graph.ReduceMean(graph.ReduceSum(graph.Mul(away, away), -1), 1)
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
		"not scaled":             {elsewhere{spoil: func(_ loss.BuildArgs, v, _, _ node) node { return graph.Log1p(v) }}, "scaling"},
		"directions not rotated": {loss.Sliced{Label: "SW", Slicer: slicing.Slicer{Distribution: flat{}, Slices: 24}}, "rotation"},
		"no metric": {elsewhere{spoil: func(_ loss.BuildArgs, v, x, y node) node {
			return graph.Add(v, graph.Div(graph.Mul(v, v), graph.AddScalar(graph.Add(spread(x), spread(y)), 1e-30)))
		}}, "triangle inequality"},
		"a mean that is a sum": {elsewhere{convention: loss.Convention{Exponent: 2, Reduce: loss.Mean}}, "convention"},
		"a root that is none":  {elsewhere{convention: loss.Convention{Exponent: 2, Reduce: loss.Sum, Root: true}}, "convention, scaling, single points, triangle inequality"},
		"a wrong gradient": {elsewhere{spoil: func(_ loss.BuildArgs, v, _, _ node) node {
			return graph.Add(graph.MulScalar(v, 1.001), graph.StopGradient(graph.MulScalar(v, -0.001)))
		}}, "gradient"},
		"NaN": {elsewhere{spoil: func(_ loss.BuildArgs, v, _, _ node) node {
			root := graph.Sqrt(v)
			return graph.Mul(root, root)
		}}, "finite"},
		"claims to lack what it has": {elsewhere{lacks: []loss.Property{loss.Translation, loss.ZeroOnlyIfEqual}}, "translation, zero only if equal"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			s := must.Get(conformance.New(c.loss, third))
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

// flat draws directions in a plane.
type flat struct{ slicing.Uniform }

func (flat) Draw(r slicing.Request) *graph.Node {
	v := slicing.Uniform{}.Draw(r)
	last := graph.Slice(v, graph.AxisRange(), graph.AxisRange(), graph.AxisRange(-1))
	rest := graph.Slice(v, graph.AxisRange(), graph.AxisRange(), graph.AxisRange(0, -1))
	return slicing.Unit(graph.Concatenate([]*graph.Node{rest, graph.ZerosLike(last)}, 2))
}
