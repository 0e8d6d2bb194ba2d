package train

import (
	"math"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

// TestStepIsTheOracle: along 20 steps of training, each step gives the loss, report, weights, momentum,
// running statistics and amortizer of the step in one graph from the same state. Two things would
// magnify the rounding by which the two may differ, and by how much depends on the processor: the
// batch norms of two clouds divide by the differences between them, so there are four; and Adam
// divides by the size of its gradient, be it rounding alone, so here its Eps exceeds that. Then the
// reports of a step differ by 3e-5 at most and the state by 1e-4, with and without vectors and FMA.
func TestStepIsTheOracle(t *testing.T) {
	for name, c := range map[string]struct {
		loss   string
		steps  int
		set    func(*loss.Config)
		change func(*Model)
	}{
		"sw":               {"sw", 20, func(c *loss.Config) { c.P, c.Reduce = 1, loss.Mean }, nil},
		"eb-sw":            {"eb-sw", 20, func(c *loss.Config) {}, nil},
		"cv-sw":            {"cv-sw", 20, func(c *loss.Config) {}, nil},
		"la":               {"v-dsw", 20, func(c *loss.Config) { c.Amortizer = "la" }, nil},
		"max-sw":           {"max-sw", 20, func(c *loss.Config) { c.AscentTangent, c.AscentLearningRate = true, 0.05 }, nil},
		"root":             {"sw", 2, func(c *loss.Config) { c.P, c.Root = 3, true }, nil},
		"la, two steps":    {"v-dsw", 2, func(c *loss.Config) { c.Amortizer = "la" }, func(m *Model) { m.AmortizerSteps = 2 }},
		"la, common":       {"v-dsw", 2, func(c *loss.Config) { c.Amortizer = "la" }, func(m *Model) { m.Simultaneous, m.CommonSlices = true, true }},
		"la, location":     {"v-dsw", 2, func(c *loss.Config) { c.Amortizer = "la" }, func(m *Model) { m.LocationGradient, m.Simultaneous = true, true }},
		"la, other":        {"v-dsw", 2, func(c *loss.Config) { c.Amortizer = "la" }, func(m *Model) { m.OtherLocation = true }},
		"la, fine-tuning":  {"v-dsw", 2, func(c *loss.Config) { c.Amortizer, c.FineTune = "la", true }, nil},
		"la, first moment": {"v-dsw", 2, func(c *loss.Config) { c.Amortizer = "la" }, func(m *Model) { m.Adam.Beta1 = 0.5 }},
		"chamfer":          {"chamfer", 2, func(c *loss.Config) { c.Slices = 0 }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			settings := loss.Defaults()
			settings.Slices, settings.AscentSteps, settings.Maps.Points = 5, 3, 16
			if c.loss == "max-sw" {
				settings.Slices = 1
			}
			c.set(&settings)
			l := must.M1(loss.NewGraph(c.loss, settings))
			trainer, _ := probed(t, l, func(m *Model) {
				m.Adam.Eps = 0.1
				if c.change != nil {
					c.change(m)
				}
			})
			oracle := engine.NewProgram[oracleIn[tensor], oracleOut[tensor]](backend(t), nil, trainer.model.oracle)
			for n := range c.steps {
				sameStep(t, trainer, oracle, n+1)
			}
		})
	}
}

type (
	oracleIn[T any] struct {
		Clouds, Rows, Random T
		Ascend, Location     T // random state of the amortizer's step in fine-tuning; result of an ascent
		State                State[T]
	}
	oracleOut[T any] struct {
		Loss, Objective T
		Report          report[T]
		State           State[T]
	}
)

func (m Model) oracle(in oracleIn[node]) oracleOut[node] {
	random, x := Bootstrap(in.Random, in.Clouds, in.Rows)
	noise := m.noise(random)
	if in.Ascend != nil {
		noise.Ascend = m.noise(in.Ascend).Ascend
	}
	o := m.Step(in.State, x, in.Location, noise)
	return oracleOut[node]{o.Loss, o.Objective, o.Report, o.State}
}

// sameStep takes step n, and compares it with the oracle's from the same state.
func sameStep(t *testing.T, tr *trainer, oracle engine.Program[oracleIn[tensor], oracleOut[tensor]], n int) {
	t.Helper()
	in := oracleIn[tensor]{Clouds: tr.batches.all, Rows: vector(probeRows), Random: stepState(t, n), State: tr.state} // which the step frees at its end
	s := &step{trainer: tr, Record: Record{Step: n}}
	defer s.free()
	do := s.run
	if tr.undivided {
		do = s.once
	}
	must.M(do(probeRows))
	in.Location = s.draw.Location
	if in.Location != nil && len(tr.model.Loss.Specs()) > 0 {
		in.Ascend = must.M1(graph.RNGStateFromSeed(int64(stream(probeSeed, n, predictStream))))
	}
	out := must.M1(oracle.Call(in))
	whole := Record{Loss: take(out.Loss)}
	whole.read(out.Report)
	numbers := func(r Record) []float64 {
		all := append([]float64{r.Loss}, r.Direction...)
		if r.Objective != nil {
			all = append(all, *r.Objective)
		}
		if r.AscentAngle != nil {
			all = append(all, *r.AscentAngle*math.Pi/180)
		}
		return all
	}
	if out.Objective != nil {
		whole.Objective = new(take(out.Objective))
	}
	got, want := numbers(s.Record), numbers(whole)
	if len(got) != len(want) {
		t.Fatalf("step %d: reports of %d and %d numbers", n, len(got), len(want))
	}
	for i, w := range want {
		if math.Abs(w-got[i]) > 2e-4*max(1, math.Abs(w)) {
			t.Fatalf("step %d: the report has %v, the oracle's %v", n, got, want)
		}
	}
	defer engine.Free(out)
	if n > 2 && n%10 != 0 {
		return
	}
	after := saved(t, tr)
	expected := must.M1(tr.model.download(out.State, progress{}))
	if after.AdamSteps != expected.AdamSteps {
		t.Errorf("step %d: Adam counts %v and %v steps", n, after.AdamSteps, expected.AdamSteps)
	}
	top := map[string]float64{}
	group := func(name string) string { return name[:strings.Index(name, "/")] }
	for _, name := range expected.tensors.Names() {
		v, _ := expected.tensors.Get(name)
		for _, x := range v.Data {
			top[group(name)] = max(top[group(name)], math.Abs(float64(x)))
		}
	}
	for _, name := range expected.tensors.Names() {
		v, _ := expected.tensors.Get(name)
		w, _ := after.tensors.Get(name)
		for i := range v.Data {
			if d := math.Abs(float64(v.Data[i]) - float64(w.Data[i])); d > 1e-3*top[group(name)] {
				t.Fatalf("step %d: %s[%d] is %v, the oracle's %v; the largest is %v", n, name, i, w.Data[i], v.Data[i], top[group(name)])
			}
		}
	}
}
