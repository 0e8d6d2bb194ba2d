// Package broken has tests alone: what other modules register may be wrong, and swlab answers with
// errors. They are in a package of their own because what is registered stays registered.
package broken

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// brokenLoss is a loss whose Build is wrong.
type brokenLoss struct {
	build func(x, y *graph.Node) loss.Result
}

func (brokenLoss) Name() string                { return "broken" }
func (brokenLoss) Convention() loss.Convention { return loss.Convention{} }
func (brokenLoss) Check(_, _, _ int) error     { return nil }
func (brokenLoss) Specs() []weights.Spec       { return nil }
func (b brokenLoss) Build(_ loss.BuildArgs, x, y *graph.Node) loss.Result {
	return b.build(x, y)
}

// brokenLaw is a slicing distribution whose Draw is wrong.
type brokenDistribution struct{ draw func() *graph.Node }

func (brokenDistribution) Name() string                       { return "broken" }
func (brokenDistribution) Check(int) error                    { return nil }
func (brokenDistribution) HasLocation() bool                  { return false }
func (b brokenDistribution) Draw(slicing.Request) *graph.Node { return b.draw() }

// brokenMap is an amortizer whose Direction is wrong.
type brokenMap struct{ direction func() *graph.Node }

func (brokenMap) Name() string                     { return "broken" }
func (brokenMap) Properties() amortizer.Properties { return amortizer.Properties{AnySize: true} }
func (brokenMap) Specs() []weights.Spec            { return nil }
func (brokenMap) Check(int) error                  { return nil }
func (b brokenMap) Direction(weights.Nodes, *graph.Node, *graph.Node) *graph.Node {
	return b.direction()
}

// TestBroken: whatever goes wrong in registered code is an error, at the second call as at the
// first, and the clouds are told.
func TestBroken(t *testing.T) {
	for name, build := range map[string]func(x, y *graph.Node) loss.Result{
		"empty-result": func(_, _ *graph.Node) loss.Result { return loss.Result{} },
		"panics":       func(_, _ *graph.Node) loss.Result { panic("no luck") },
		"panics-error": func(_, _ *graph.Node) loss.Result { panic(fmt.Errorf("no luck")) },
		"one-number":   func(x, _ *graph.Node) loss.Result { return loss.Result{Pairs: graph.ReduceAllSum(x)} },
	} {
		loss.Register(name, loss.Entry{New: func(loss.Config) (loss.Loss, error) { return brokenLoss{build}, nil }})
	}
	for name, f := range map[string]func() *graph.Node{"nil": func() *graph.Node { return nil },
		"panics": func() *graph.Node { panic("no luck") }} {
		slicing.Register(name, slicing.Entry{New: func(slicing.Config) slicing.Distribution { return brokenDistribution{f} }})
		amortizer.Register(name, amortizer.Entry{New: func(amortizer.Config) amortizer.Amortizer { return brokenMap{f} }})
	}

	x := must.M1(datasets.New([]float32{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, 2, 2, 3))
	e := must.M1(engine.Open("go"))
	defer e.Close()
	settings := func(change func(*loss.Config)) swlab.DistanceConfig {
		o := swlab.DistanceConfig{Config: loss.Defaults(), Engine: e}
		change(&o.Config)
		return o
	}
	plain := settings(func(*loss.Config) {})
	type call struct {
		loss string
		o    swlab.DistanceConfig
		want string
	}
	calls := []call{
		{"empty-result", plain, "Pairs: expected a value per pair, shape [2]"},
		{"one-number", plain, "Pairs: expected a value per pair, shape [2]"},
		{"panics", plain, "no luck"}, {"panics-error", plain, "no luck"},
	}
	for _, name := range []string{"nil", "panics"} {
		want := "no luck"
		if name == "nil" {
			want = ""
		}
		calls = append(calls, call{"sw", settings(func(s *loss.Config) { s.Slicing = name }), want},
			call{"v-dsw", settings(func(s *loss.Config) { s.Amortizer = name }), want})
	}
	for _, c := range calls {
		for range 2 {
			if _, err := swlab.Distance(c.loss, x, x, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, slicing %q, amortizer %q: %v, expected an error with %q", c.loss, c.o.Slicing, c.o.Amortizer, err,
					c.want)
			}
		}
	}
}

// turned is an amortizer without weights that reads k.
type turned struct{ amortizer.Config }

func (turned) Name() string                     { return "turned" }
func (turned) Properties() amortizer.Properties { return amortizer.Properties{AnySize: true} }
func (turned) Specs() []weights.Spec            { return nil }
func (turned) Check(int) error                  { return nil }
func (t turned) Direction(_ weights.Nodes, x, _ *graph.Node) *graph.Node {
	one := graph.Reshape(graph.Const(x.Graph(), []float32{1, float32(t.K), 0}), 1, 3)
	return slicing.Unit(graph.BroadcastToDims(one, x.Shape().Dimensions[0], 3))
}

// TestSizesWithoutWeights: maps of two sizes are two, though no weight has that size.
func TestSizesWithoutWeights(t *testing.T) {
	amortizer.Register("turned", amortizer.Entry{New: func(c amortizer.Config) amortizer.Amortizer { return turned{c} }, Reads: []string{"k"}})
	x := must.M1(datasets.New([]float32{0, 0, 0, 1, 0, 0}, 1, 2, 3))
	for _, k := range []int{1, 2} {
		p := must.M1(swlab.Direction("turned", x, x, swlab.DirectionConfig{K: k}))
		if ratio := p.Directions[1] / p.Directions[0]; ratio != float32(k) {
			t.Errorf("k = %d: the direction of k = %v", k, ratio)
		}
	}
}

// TestImpossible: sizes whose product does not fit, a path that is none, engines that are closed or none.
func TestImpossible(t *testing.T) {
	x := must.M1(datasets.New([]float32{0, 0, 0, 1, 0, 0}, 1, 2, 3))
	closed := must.M1(engine.Open("go"))
	closed.Close()
	huge := &datasets.Set{Clouds: 1 << 32, Points: 1 << 32, Dim: 3}
	for want, call := range map[string]func(name string) error{
		"expected clouds": func(name string) error {
			_, err := swlab.Distance(name, huge, huge, swlab.DistanceConfig{})
			return err
		},
		"path: expected": func(name string) error {
			_, err := swlab.Distance(name, x, x, swlab.DistanceConfig{Path: 77})
			return err
		},
		"is closed": func(name string) error {
			_, err := swlab.Distance(name, x, x, swlab.DistanceConfig{Engine: closed})
			return err
		},
		"found none": func(name string) error {
			_, err := swlab.Distance(name, x, x, swlab.DistanceConfig{Engine: &engine.Engine{}})
			return err
		},
	} {
		for _, name := range []string{"sw", "chamfer", "v-dsw", "emd-exact"} {
			if err := call(name); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: %v, expected one line with %q", name, err, want)
			}
		}
	}
}
