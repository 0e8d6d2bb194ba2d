package train

import (
	"math"
	"testing"

	"github.com/sliced-wasserstein/lab/swlab/internal/shard"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

// TestParts: a step in parts is the step in one program: loss, report, gradients (the momentum after the first step), running
// statistics and amortizer, for losses with and without an amortizer, an ascent, both, and for the variants of the update.
func TestParts(t *testing.T) {
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
			var records [2]Record
			var states [2]checkpoint
			for i := range 2 {
				s, _ := probed(t, l, func(m *Model) {
					if c.change != nil {
						c.change(m)
					}
				})
				inParts := i == 1
				p, err := newCompiled(shard.One(backend(t).Backend), s.model, inParts)
				if err != nil {
					t.Fatal(err)
				}
				defer p.close()
				if (p.parts != nil) != inParts || (p.descend != nil) == inParts {
					t.Fatal("another step than asked for")
				}
				s.compiled = p
				records[i], states[i] = step(t, s, 1), saved(t, s)
			}
			whole, parts := records[0], records[1]
			numbers := func(r Record) []float64 {
				v := append([]float64{r.Loss}, r.Direction...)
				if r.Objective != nil {
					v = append(v, *r.Objective, *r.AscentAngle)
				}
				return v
			}
			w, p := numbers(whole), numbers(parts)
			if len(w) != len(p) {
				t.Fatalf("reports of %d and %d numbers", len(w), len(p))
			}
			for i := range w {
				if math.Abs(w[i]-p[i]) > 2e-5*math.Abs(w[i])+1e-6 {
					t.Errorf("the report has %v, that of the whole step %v", p, w)
				}
			}
			if states[0].AdamSteps != states[1].AdamSteps {
				t.Errorf("Adam counts %v and %v steps", states[0].AdamSteps, states[1].AdamSteps)
			}
			for _, group := range []string{"net/", "momentum/", "psi/", "second/", "first/"} {
				a, b := tensorsOf(states[0], group), tensorsOf(states[1], group)
				top := 0.0
				for _, v := range a {
					for _, x := range v {
						top = max(top, math.Abs(float64(x)))
					}
				}
				for name, v := range a {
					for i := range v {
						if d := math.Abs(float64(v[i]) - float64(b[name][i])); d > 1e-3*top {
							t.Errorf("%s%s[%d]: %v, in the whole step %v; the largest is %v", group, name, i, b[name][i], v[i], top)
							break
						}
					}
				}
			}
		})
	}
}

// tensorsOf are the tensors of a state whose names start with prefix.
func tensorsOf(c checkpoint, prefix string) map[string][]float32 {
	out := map[string][]float32{}
	set := group(c.tensors, prefix)
	for _, n := range set.Names() {
		t, _ := set.Get(n)
		out[n] = t.Data
	}
	return out
}
