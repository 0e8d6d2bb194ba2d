package loss

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/ot"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
)

// TestGround: with the p-norm, a point moved by d along two axes costs 2 d^p and along a turned
// axis (sqrt(2) d)^p, masses and sums are as ever, the violation of rotation is declared where
// there is one, and losses without a ground cost refuse it.
func TestGround(t *testing.T) {
	const m = 7
	var x, along, turned []float32
	for i := range m {
		a, b := float32(i), float32(3*i%m) // far apart, so that points match their translates
		x, along, turned = append(x, a, b), append(along, a+0.125, b+0.125), append(turned, a+float32(0.125*math.Sqrt2), b)
	}
	mass := slices.Repeat([]float64{1, 2, 3}, 3)[:m]
	clouds := func(v []float32, mass []float64) ot1d.Clouds {
		return ot1d.Clouds{Coords: v, Mass: mass, Batch: 1, Points: m, Dim: 2}
	}
	for _, p := range []float64{1, 2, 3} {
		for _, name := range []string{"emd-exact", "sinkhorn", "sinkhorn-divergence"} {
			s := Defaults()
			s.Ground, s.P, s.Reg = ot.PNorm, p, 0.02
			total := 1.0
			if name == "emd-exact" {
				total = m
			}
			for _, masses := range [][]float64{nil, mass} {
				if masses != nil && name == "emd-exact" {
					s.Reduce, total = Mean, 1
				}
				l := must.M1(New(name, s))
				for i, y := range [][]float32{along, turned} {
					want := total * []float64{2 * math.Pow(0.125, p), math.Pow(0.125*math.Sqrt2, p)}[i]
					c := must.M1(l.(Host).Compare(clouds(x, masses), clouds(y, masses), true))
					if math.Abs(c.Pairs[0]-want) > 1e-4*want || len(c.GradientY) != len(y) {
						t.Errorf("%s, p = %g, masses %t, %d: %v, expected %v", name, p, masses != nil, i, c.Pairs[0], want)
					}
				}
				if slices.Contains(Violates(l), Rotation) != (p != 2) ||
					!strings.Contains(l.Convention().String(), "p-norm of the difference to the power p = ") {
					t.Errorf("%s, p = %g: violates %v; %s", name, p, Violates(l), l.Convention())
				}
			}
		}
	}
}
