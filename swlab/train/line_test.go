package train

import (
	"math"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
)

// TestLineCostsTrain: from one state and along the same directions, a step on the energy distance has twice
// the loss of one on Cramer's, and moves the network twice as far. A step on Epps and Pulley's lowers it.
func TestLineCostsTrain(t *testing.T) {
	trainerOf := func(name, amortizer string, cost ot1d.LineCost, rate float64) *trainer {
		s := loss.Defaults()
		s.Slices, s.Maps.Points, s.Amortizer, s.Cost = 30, 16, amortizer, cost
		tr, _ := probed(t, must.M1(loss.NewGraph(name, s)), func(m *Model) { m.SGD.WeightDecay, m.SGD.LearningRate = 0, rate })
		return tr
	}
	cramer, energy := trainerOf("v-dsw", "la", ot1d.Cramer, 1e-3), trainerOf("v-dsw", "la", ot1d.Energy, 1e-3)
	start := saved(t, cramer)
	a, b := oneStep(t, cramer, 1), oneStep(t, energy, 1)
	if !(a.Loss > 0) || math.Abs(b.Loss/a.Loss-2) > 1e-4 {
		t.Errorf("losses %v and %v", a.Loss, b.Loss)
	}
	moved := func(tr *trainer) float64 {
		sum, now := 0.0, saved(t, tr)
		for _, sp := range tr.model.trained() {
			before, _ := start.tensors.Get("net/" + sp.Name)
			after, _ := now.tensors.Get("net/" + sp.Name)
			for i, v := range after.Data {
				sum += math.Pow(float64(v-before.Data[i]), 2)
			}
		}
		return math.Sqrt(sum)
	}
	if one, two := moved(cramer), moved(energy); !(one > 0) || math.Abs(two/one-2) > 1e-2 {
		t.Errorf("the weights move by %v and %v", one, two)
	}
	epps := trainerOf("sw", "", ot1d.EppsPulley, 0.02)
	first := oneStep(t, epps, 1).Loss
	if again := oneStep(t, epps, 1).Loss; !(again < first) { // with the random numbers of the first step
		t.Errorf("losses %v and, after a step, %v", first, again)
	}
}
