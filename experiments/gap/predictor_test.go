package gap

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/experiments"
	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/vmf"
)

func (p *predictor) values() [][]float32 {
	var out [][]float32
	for _, w := range p.state.Weights {
		out = append(out, tensors.MustCopyFlatData[float32](w))
	}
	return out
}

func (p *predictor) set(values [][]float32) {
	for i, v := range values {
		p.state.Weights[i].FinalizeAll()
		p.state.Weights[i] = tensors.FromFlatDataAndDimensions(v, p.specs[i].Shape...)
	}
}

// TestAmortizerGradient: for every map, the derivative of the mean of J along a random direction of
// weights against central differences of J itself. Chunks do not divide the pairs evenly.
func TestAmortizerGradient(t *testing.T) {
	e, p := must.M1(engine.Open("")), shapePairs(t, 5, 64)
	s := sampler{kappa: 5, slices: 200, reflection: vmf.Released}
	for _, name := range amortizer.Names() {
		c := Config{Method: name, Seed: 4, Pairs: 2, Optimiser: SGD, LearningRate: 0.1, DK: 4, K: 5}
		a := must.M1(newPredictor(e, c, p.m))
		defer a.close()
		r := rand.New(rand.NewPCG(5, 6))
		z := s.noise(r, p.n)
		objective := func() (float64, [][3]float64) {
			eps := must.M1(a.predict(p))
			v, _ := must.M2(s.values(p, eps, z))
			return experiments.NewScore(v).Mean, eps
		}
		_, eps := objective()
		up := must.M1(s.slope(p, eps, z))
		for b := range up {
			for i := range up[b] {
				up[b][i] /= float64(p.n)
			}
		}
		g := must.M1(a.gradient(p, up))
		start := a.values()
		along, square := 0.0, 0.0 // derivative along the direction, and the gradient's norm
		direction := make([][]float64, len(start))
		for i := range start {
			for k := range start[i] {
				d := r.NormFloat64()
				direction[i] = append(direction[i], d)
				along += d * float64(g[i][k])
				square += float64(g[i][k]) * float64(g[i][k])
			}
		}
		move := func(by float64) float64 {
			moved := make([][]float32, len(start))
			for i := range start {
				for k, w := range start[i] {
					moved[i] = append(moved[i], w+float32(by*direction[i][k]))
				}
			}
			a.set(moved)
			v, _ := objective()
			return v
		}
		const step = 2e-4
		want := (move(step) - move(-step)) / (2 * step)
		if math.Abs(along-want) > 0.01*math.Sqrt(square) {
			t.Errorf("%s: derivative %g, differences give %g; the gradient has norm %g", name, along, want, math.Sqrt(square))
		}
	}
}

// TestStep: a step of SGD adds the learning rate times the gradient, a first step of Adam without
// momentum the learning rate times its sign.
func TestStep(t *testing.T) {
	e, p := must.M1(engine.Open("")), shapePairs(t, 3, 64)
	s := sampler{kappa: 1, slices: 10, reflection: vmf.Released}
	for _, optimiser := range []string{SGD, Adam} {
		c := Config{Method: "l", Seed: 4, Pairs: 3, Optimiser: optimiser, LearningRate: 0.01}
		a := must.M1(newPredictor(e, c, p.m))
		defer a.close()
		before := a.values()
		z := s.noise(rand.New(rand.NewPCG(1, 1)), p.n)
		up := must.M1(s.slope(p, must.M1(a.predict(p)), z))
		g := must.M1(a.gradient(p, up)) // of the sum over the pairs
		must.M(a.step(p, s, z))
		for i, v := range a.values() {
			for k, w := range v {
				gradient := float64(g[i][k]) / float64(p.n)
				if optimiser == Adam {
					gradient = math.Copysign(1, gradient)
				}
				if moved := float64(w) - float64(before[i][k]); math.Abs(moved-0.01*gradient) > 1e-4*0.01*math.Abs(gradient)+2e-7 {
					t.Fatalf("%s: weight %d of %s moved by %g, want %g", optimiser, k, a.specs[i].Name, moved, 0.01*gradient)
				}
			}
		}
	}
}
