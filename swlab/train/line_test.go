package train

import (
	"math"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
)

// TestLineCostsTrain: from one state, a step on the energy distance has twice the loss and moves the
// amortizer as that on Cramer's, along the same directions, and moves the network twice as far; steps on
// Epps and Pulley's lower it.
func TestLineCostsTrain(t *testing.T) {
	trainerOf := func(name, amortizer string, cost ot1d.LineCost) *trainer {
		s := loss.Defaults()
		s.Slices, s.Maps.Points, s.Amortizer, s.Cost, s.AscentSteps = 30, 16, amortizer, cost, 2
		tr, _ := probed(t, must.M1(loss.NewGraph(name, s)), func(m *Model) {
			m.SGD.WeightDecay = 0
			if cost == ot1d.EppsPulley {
				m.SGD.LearningRate = 0.02
			}
		})
		return tr
	}
	for _, c := range [][2]string{{"sw", ""}, {"v-dsw", "la"}} {
		cramer, energy := trainerOf(c[0], c[1], ot1d.Cramer), trainerOf(c[0], c[1], ot1d.Energy)
		start := saved(t, cramer)
		a, b := oneStep(t, cramer, 1), oneStep(t, energy, 1)
		if !(a.Loss > 0) || math.Abs(b.Loss/a.Loss-2) > 1e-4 {
			t.Errorf("%v: losses %v and %v", c, a.Loss, b.Loss)
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
			t.Errorf("%v: the weights move by %v and %v", c, one, two)
		}
	}
	epps := trainerOf("sw", "", ot1d.EppsPulley)
	first, last := oneStep(t, epps, 1).Loss, 0.0
	for n := range 8 {
		last = oneStep(t, epps, n+2).Loss
	}
	if !(last < 0.9*first) {
		t.Errorf("losses from %v to %v", first, last)
	}
}
