package train

import (
	"context"
	"math"
	"path/filepath"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// after trains c for some steps and returns the whole state.
func after(t *testing.T, c Config, steps int) checkpoint {
	t.Helper()
	c.Steps = steps
	_, dir := finished(t, goBackend(t), c, Options{})
	m := must.M1(c.Model())
	return must.M1(loadCheckpoint(dir, m.stateSpecs(), func(string) {}))
}

// near compares tensors by name, relative to the largest number of each.
func near(t *testing.T, what string, names []weights.Spec, tol float64, got, want func(name string, i int) float64) {
	t.Helper()
	for _, s := range names {
		scale, worst := 0.0, 0.0
		for i := range s.Size() {
			w := want(s.Name, i)
			scale, worst = max(scale, math.Abs(w)), max(worst, math.Abs(got(s.Name, i)-w))
		}
		if worst > tol*scale {
			t.Errorf("%s: %s is off by %.3g of %.3g", what, s.Name, worst, scale)
		}
	}
}

// TestSGDSettingsReachTheStep: with g found by a run without momentum and decay, one step of
// another learning rate and decay is
//
//	w1 = w0 - rate (g + decay w0),
//
// and after a second step momentum mu has moved w2 by -rate mu (g + decay w0).
func TestSGDSettingsReachTheStep(t *testing.T) {
	c := config("sw", "")
	c.Batch, c.LearningRate, c.Momentum, c.WeightDecay = 6, 1, 0, 0
	m := must.M1(c.Model())
	start, plain := m.initial(c.Seed), after(t, c, 1)
	at := func(s checkpoint, group, name string, i int) float64 {
		v, _ := s.tensors.Get(group + name)
		return float64(v.Data[i])
	}
	gradient := func(name string, i int) float64 { return at(plain, "momentum/", name, i) } // the buffer of the first step
	near(t, "rate 1, no decay", m.trained(), 1e-5, func(n string, i int) float64 { return at(plain, "net/", n, i) },
		func(n string, i int) float64 { return at(start, "net/", n, i) - gradient(n, i) })

	const rate, decay, mu = 0.05, 0.3, 0.6
	c.LearningRate, c.WeightDecay = rate, decay
	one, two := after(t, c, 1), after(t, c, 2)
	near(t, "rate and decay", m.trained(), 1e-5, func(n string, i int) float64 { return at(one, "net/", n, i) },
		func(n string, i int) float64 {
			w := at(start, "net/", n, i)
			return w - rate*(gradient(n, i)+decay*w)
		})
	c.Momentum = mu
	moved := after(t, c, 2)
	near(t, "momentum", m.trained(), 1e-5, func(n string, i int) float64 { return at(moved, "net/", n, i) },
		func(n string, i int) float64 {
			return at(two, "net/", n, i) - rate*mu*(gradient(n, i)+decay*at(start, "net/", n, i))
		})
}

// bowl is a loss whose ascended objective is -|w - c|^2 / 2, c = (1, 2, 3), whatever the clouds are.
type bowl struct{ probe }

func (b bowl) Build(c loss.BuildArgs, x, y *graph.Node) loss.Result {
	r := probe{func(_ loss.BuildArgs, x *graph.Node) *graph.Node { return graph.ReduceSum(x, 1, 2) }}.Build(c, x, y)
	d := graph.Sub(c.Weights.Get("w"), graph.Const(x.Graph(), []float32{1, 2, 3}))
	value := graph.MulScalar(graph.ReduceAllSum(graph.Mul(d, d)), -0.5)
	r.Pairs = graph.Add(graph.MulScalar(r.Pairs, 0), value)
	return r
}

// TestAmortizerSteps: the amortizer takes that many steps of Adam per batch, every one from where
// the last has come to, with the moments' decays that were asked for.
func TestAmortizerSteps(t *testing.T) {
	c := DefaultConfig()
	c.AmortizerLearningRate = 0.2
	const steps = 3
	for _, betas := range [][2]float64{{AmortizerAdam.Beta1, AmortizerAdam.Beta2}, {0.6, 0.3}} {
		c.AmortizerBeta1, c.AmortizerBeta2 = betas[0], betas[1]
		s, _ := probed(t, bowl{}, func(m *Model) { m.AmortizerSteps, m.Adam = steps, c.adam() })
		before := saved(t, s)
		oneStep(t, s, 1)
		got := saved(t, s)
		w, _ := before.tensors.Get("psi/w")
		now, _ := got.tensors.Get("psi/w")
		for i, target := range []float64{1, 2, 3} {
			x, m, v := float64(w.Data[i]), 0.0, 0.0
			for k := 1; k <= steps; k++ {
				g := target - x
				m, v = betas[0]*m+(1-betas[0])*g, betas[1]*v+(1-betas[1])*g*g
				x += 0.2 * m / (1 - math.Pow(betas[0], float64(k))) / (math.Sqrt(v/(1-math.Pow(betas[1], float64(k)))) +
					AmortizerAdam.Eps)
			}
			if math.Abs(float64(now.Data[i])-x) > 1e-5 {
				t.Errorf("betas %v: w[%d] = %v, expected %v", betas, i, now.Data[i], x)
			}
		}
		if got.AdamSteps != steps {
			t.Errorf("betas %v: Adam counts %v", betas, got.AdamSteps)
		}
	}
}

// TestAmortizerStepsOfARun: a run takes as many steps of Adam per batch as its configuration says.
func TestAmortizerStepsOfARun(t *testing.T) {
	two := config("v-dsw", "la")
	one := after(t, two, 1)
	two.AmortizerSteps = 2
	if state := after(t, two, 1); one.AdamSteps != 1 || state.AdamSteps != 2 {
		t.Errorf("Adam counts %v and %v steps", one.AdamSteps, state.AdamSteps)
	}
}

// TestWrongOptimizers: each setting is checked, and those of an amortizer need one.
func TestWrongOptimizers(t *testing.T) {
	for says, change := range map[string]func(*Config){
		"learning rate: expected a number > 0 and at most 3.4e+38, found 0":   func(c *Config) { c.LearningRate = 0 },
		"learning rate: expected a number > 0 and at most 3.4e+38, found NaN": func(c *Config) { c.LearningRate = math.NaN() },
		"momentum: expected a number from 0 to below 1, found 1":              func(c *Config) { c.Momentum = 1 },
		"weight decay: expected a number from 0 to 3.4e+38, found -1":         func(c *Config) { c.WeightDecay = -1 },
		"weight decay: expected a number from 0 to 3.4e+38, found +Inf":       func(c *Config) { c.WeightDecay = math.Inf(1) },
		"amortizer beta1: expected a number from 0 to below 1":                func(c *Config) { c.AmortizerBeta1 = 1 },
		"amortizer beta2: expected a number from 0 to below 1":                func(c *Config) { c.AmortizerBeta2 = -0.5 },
		"amortizer-beta1: loss sw has no amortizer to train":                  func(c *Config) { c.AmortizerBeta1 = 0.5 },
		"amortizer steps: expected at least 1, found 0":                       func(c *Config) { c.AmortizerSteps = 0 },
		"amortizer learning rate: expected a number > 0":                      func(c *Config) { c.AmortizerLearningRate = -1 },
		"amortizer-steps: loss sw has no amortizer to train":                  func(c *Config) { c.AmortizerSteps = 2 },
		"amortizer-learning-rate: loss sw has no amortizer to train,":         func(c *Config) { c.AmortizerLearningRate = 1 },
	} {
		c := config("sw", "")
		change(&c)
		refused(t, says)(
			Run(context.Background(), goBackend(t), boxes(12, 32), c, Options{Out: filepath.Join(t.TempDir(), "run")}))
	}
}
