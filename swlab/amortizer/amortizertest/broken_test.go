package amortizertest_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/amortizer/amortizertest"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// spoiled is a registered map with something done to it, or to what it says of itself.
type spoiled struct {
	amortizer.Amortizer
	says  func(p *amortizer.Properties)
	spoil func(direction, x *graph.Node) *graph.Node
}

func (s spoiled) Properties() amortizer.Properties {
	p := s.Amortizer.Properties()
	if s.says != nil {
		s.says(&p)
	}
	return p
}

func (s spoiled) Direction(w weights.Nodes, x, y *graph.Node) *graph.Node {
	d := s.Amortizer.Direction(w, x, y)
	if s.spoil != nil {
		d = s.spoil(d, x)
	}
	return d
}

// broken are maps that are wrong in one way each, and what the suite must say of them.
var broken = map[string]struct {
	of    string
	says  func(p *amortizer.Properties)
	spoil func(direction, x *graph.Node) *graph.Node
	fails string
}{
	"claims invariance":      {of: "la", says: func(p *amortizer.Properties) { p.Invariant = true }, fails: "permuting X turns the direction"},
	"denies its symmetry":    {of: "ea", says: func(p *amortizer.Properties) { p.Symmetric = false }, fails: "exchanging X and Y turns the direction by only"},
	"claims any size":        {of: "la", says: func(p *amortizer.Properties) { p.AnySize = true }, fails: "though Properties claims any size"},
	"an inert weight is not": {of: "ea", says: func(p *amortizer.Properties) { p.Inert = []string{"attn.toqueries.weight"} }, fails: "in Properties.Inert: true"},
	"no unit vectors":        {of: "ea", spoil: func(d, _ *graph.Node) *graph.Node { return graph.MulScalar(d, 1.01) }, fails: "expected 1"},
	"a wrong gradient": {of: "ea", spoil: func(d, _ *graph.Node) *graph.Node {
		return graph.Sub(graph.MulScalar(d, 1.1), graph.StopGradient(graph.MulScalar(d, 0.1)))
	}, fails: "differences say"},
	"pairs that depend on each other": {of: "ea", spoil: func(d, _ *graph.Node) *graph.Node {
		first := graph.SliceAxis(d, 0, graph.AxisRange(0, 1))
		both := graph.Add(d, graph.MulScalar(graph.BroadcastToDims(first, d.Shape().Dimensions...), 0.5))
		return graph.Div(both, graph.Sqrt(graph.ReduceAndKeep(graph.Mul(both, both), graph.ReduceSum, -1)))
	}, fails: "pairs depend on each other"},
}

const chosen = "SWLAB_TEST_BROKEN_MAP"

// TestBroken: every broken map fails the suite, for the reason that it has. The suite runs in a process of its own, which must fail.
func TestBroken(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make check")
	}
	if c, ok := broken[os.Getenv(chosen)]; ok {
		amortizertest.Suite(t, func(config amortizer.Config) amortizer.Amortizer {
			if config.Variant != amortizer.Released || config.Dim != 3 {
				return nil
			}
			a, err := amortizer.New(c.of, config)
			if err != nil {
				t.Fatal(err)
			}
			return spoiled{a, c.says, c.spoil}
		})
		return
	}
	for name, c := range broken {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := exec.Command(os.Args[0], "-test.run=^TestBroken$")
			p.Env = append(os.Environ(), chosen+"="+name)
			out, err := p.CombinedOutput()
			if err == nil {
				t.Fatalf("the suite passes:\n%s", out)
			}
			if !strings.Contains(string(out), c.fails) {
				t.Errorf("the suite does not say %q:\n%s", c.fails, out)
			}
		})
	}
}

// TestSound: with nothing done to it the map passes, so that what fails above is what was done.
func TestSound(t *testing.T) {
	amortizertest.Suite(t, func(config amortizer.Config) amortizer.Amortizer {
		if config.Variant != amortizer.Released || config.Dim != 3 {
			return nil
		}
		a, err := amortizer.New("ea", config)
		if err != nil {
			t.Fatal(err)
		}
		return spoiled{Amortizer: a}
	})
}
