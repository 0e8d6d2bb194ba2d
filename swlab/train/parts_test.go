package train

import (
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/plain"
)

// TestParts: a step in parts is the step in one program: loss, report, gradients (the momentum after the first step), running
// statistics and amortizer, for losses with and without an amortizer, an ascent, both, and for the variants of the update. Equal
// operations round equally on the pure-Go backend; TestPlainHost is for XLA.
func TestParts(t *testing.T) {
	if backend(t).Name != "go" {
		t.Skip("for the pure-Go backend")
	}
	for name, c := range map[string]struct {
		loss   string
		set    func(*loss.Config)
		change func(*Model)
	}{
		"sw":               {"sw", func(c *loss.Config) { c.P, c.Reduce = 1, loss.Mean }, nil},
		"max-sw":           {"max-sw", func(c *loss.Config) { c.AscentTangent, c.AscentLearningRate = true, 0.05 }, nil},
		"v-dsw":            {"v-dsw", func(c *loss.Config) { c.P = 3 }, nil},
		"la":               {"v-dsw", func(c *loss.Config) { c.Amortizer = "la" }, func(m *Model) { m.AmortizerSteps = 2 }},
		"la, common":       {"v-dsw", func(c *loss.Config) { c.Amortizer = "la" }, func(m *Model) { m.Simultaneous, m.CommonSlices = true, true }},
		"la, fine-tuning":  {"v-dsw", func(c *loss.Config) { c.Amortizer, c.FineTune = "la", true }, nil},
		"la, first moment": {"v-dsw", func(c *loss.Config) { c.Amortizer = "la" }, func(m *Model) { m.Adam.Beta1 = 0.5 }},
		"sw, arg-max":      {"sw", func(c *loss.Config) {}, nil}, // as on a processor without maxima
	} {
		t.Run(name, func(t *testing.T) {
			settings := loss.Defaults()
			settings.Slices, settings.AscentSteps, settings.Maps.Points = 5, 3, 16
			if c.loss == "max-sw" {
				settings.Slices = 1
			}
			c.set(&settings)
			l, err := loss.NewGraph(c.loss, settings)
			if err != nil {
				t.Fatal(err)
			}
			sameStep(t, 1e-3, func(inParts bool) *stepper {
				s, _ := probed(t, l, func(m *Model) {
					if c.change != nil {
						c.change(m)
					}
				})
				p, err := newCompiled(backend(t).Backend, s.model, inParts)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(p.close)
				if inParts && name == "sw, arg-max" && p.parts.argMax == nil {
					if p.parts.argMax, err = graph.NewExec(backend(t).Backend, s.model.buildArgMax); err != nil {
						t.Fatal(err)
					}
				}
				s.compiled = p
				return s
			}, probeRows)
		})
	}
}

// TestPlainHost is TestParts on XLA's CPU, where the step in parts is a fast path with a name.
func TestPlainHost(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles several programs")
	}
	e := backend(t)
	if e.Name != "xla:cpu" {
		t.Skip("for XLA's CPU")
	}
	const batch, points = 8, 300
	set, err := datasets.Load("builtin", datasets.Options{Points: points})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", "la"} {
		t.Run("amortizer "+name, func(t *testing.T) {
			sameStep(t, 5e-3, func(inParts bool) *stepper {
				c := DefaultConfig()
				c.Points, c.Amortizer = points, name
				if name != "" {
					c.Loss = "v-dsw"
				}
				if !inParts {
					c.Plain = plain.Host
				}
				m, err := c.Model()
				if err != nil {
					t.Fatal(err)
				}
				p, err := newCompiled(e.Backend, m, m.inParts(e.Backend))
				if err != nil {
					t.Fatal(err)
				}
				data, err := newBatches(e, set, 0)
				if err != nil {
					t.Fatal(err)
				}
				s := newStepper(m, p, probeSeed, data, m.initial(probeSeed))
				t.Cleanup(func() { s.close(); data.close(); p.close() })
				return s
			}, []int32{0, 3, 17, 30, 31, 55, 70, 84})
		})
	}
}

// sameStep compares the first step in one program with that in parts.
func sameStep(t *testing.T, tolerance float64, make func(inParts bool) *stepper, rows []int32) {
	t.Helper()
	var reports [2][]float64
	var states [2]checkpoint
	for i, inParts := range []bool{false, true} {
		s := make(inParts)
		if (s.parts != nil) != inParts || (s.descend != nil) == inParts {
			t.Fatal("another step than asked for")
		}
		r, err := s.step(1, rows)
		if err != nil {
			t.Fatal(err)
		}
		reports[i] = append([]float64{r.Loss}, r.Direction...)
		if r.Objective != nil {
			reports[i] = append(reports[i], *r.Objective, *r.AscentAngle)
		}
		states[i] = saved(t, s)
	}
	if len(reports[0]) != len(reports[1]) {
		t.Fatalf("reports of %d and %d numbers", len(reports[0]), len(reports[1]))
	}
	for i, w := range reports[0] {
		if math.Abs(w-reports[1][i]) > tolerance/50*max(1, math.Abs(w)) {
			t.Errorf("the report has %v, that of the whole step %v", reports[1], reports[0])
			break
		}
	}
	if states[0].AdamSteps != states[1].AdamSteps {
		t.Errorf("Adam counts %v and %v steps", states[0].AdamSteps, states[1].AdamSteps)
	}
	for _, prefix := range []string{"net/", "momentum/", "psi/", "second/", "first/"} {
		a, b := group(states[0].tensors, prefix), group(states[1].tensors, prefix)
		top := 0.0
		for _, n := range a.Names() {
			v, _ := a.Get(n)
			for _, x := range v.Data {
				top = max(top, math.Abs(float64(x)))
			}
		}
		for _, n := range a.Names() {
			v, _ := a.Get(n)
			w, _ := b.Get(n)
			for i := range v.Data {
				if d := math.Abs(float64(v.Data[i]) - float64(w.Data[i])); d > tolerance*top {
					t.Errorf("%s%s[%d]: %v, in the whole step %v; the largest is %v", prefix, n, i, w.Data[i], v.Data[i], top)
					break
				}
			}
		}
	}
}
