package experiments

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/engine"
)

// TestInvariance: every registered map has its claimed properties, LA is not invariant and its
// sorted control is, and angles have the expected size.
func TestInvariance(t *testing.T) {
	rows := must.M1(Invariance(must.M1(engine.Open("")), must.M1(datasets.Shapes{Train: 1, Test: 1, Points: 64, Classes: []string{"chair", "car", "mug"}}.Generate()), InvarianceConfig{Names: amortizer.Names(), Pairs: 2, Seeds: []uint64{1, 2}}))
	for _, row := range rows {
		claimed := must.M1(amortizer.New(row.Map, amortizer.Config{Points: 64})).Properties()
		for what, v := range map[string]Range{"permute X": row.PermuteX, "permute Y": row.PermuteY, "exchange": row.Exchange, "bootstrap": row.Bootstrap} {
			still := claimed.Invariant && strings.HasPrefix(what, "permute") || claimed.Symmetric && what == "exchange"
			if still != (v.Max < 1e-4) || !(v.Min <= v.Max) || v.Max > 180 {
				t.Errorf("%s, %s: %+v", row.Map, what, v)
			}
		}
		if row.Spread.Min < 0 || row.Spread.Max > 1+1e-6 || row.Spread.Max == 0 {
			t.Errorf("%s: spread %+v", row.Map, row.Spread)
		}
	}
	if len(rows) != len(amortizer.Names()) {
		t.Errorf("%d rows", len(rows))
	}
}

// TestDisturbed checks the disturbances of the clouds.
func TestDisturbed(t *testing.T) {
	set := must.M1(datasets.Shapes{Train: 1, Test: 1, Points: 64, Classes: []string{"chair", "car", "mug"}}.Generate())
	first, second := disturbed(set, InvarianceConfig{Pairs: 5})
	for pair := range 5 {
		part := func(s *datasets.Set, k int) []float32 { return s.Cloud(pair*disturbances + k) }
		x, y := part(first, asIs), part(second, asIs)
		points := func(v []float32) [][3]float32 {
			var out [][3]float32
			for i := 0; i < len(v); i += 3 {
				out = append(out, [3]float32(v[i:]))
			}
			slices.SortFunc(out, func(a, b [3]float32) int { return slices.Compare(a[:], b[:]) })
			return out
		}
		for what, ok := range map[string]bool{
			"different clouds":        !slices.Equal(x, y),
			"X permuted":              !slices.Equal(part(first, permuteX), x) && slices.Equal(points(part(first, permuteX)), points(x)) && slices.Equal(part(second, permuteX), y),
			"Y permuted":              !slices.Equal(part(second, permuteY), y) && slices.Equal(points(part(second, permuteY)), points(y)) && slices.Equal(part(first, permuteY), x),
			"exchanged":               slices.Equal(part(first, exchange), y) && slices.Equal(part(second, exchange), x),
			"Y kept by the bootstrap": slices.Equal(part(second, bootstrapX), y),
		} {
			if !ok {
				t.Errorf("not so: %s", what)
			}
		}
		drawn := slices.Compact(points(part(first, bootstrapX)))
		for _, p := range drawn {
			if !slices.Contains(points(x), p) {
				t.Errorf("the bootstrap holds %v, which is not in X", p)
			}
		}
		if share := float64(len(drawn)) / float64(set.Points); math.Abs(share-0.63) > 0.15 {
			t.Errorf("the bootstrap holds %.2f of the points, expected about 0.63", share)
		}
	}
	if got := Angle([]float64{1, 0}, []float64{math.Cos(0.3), math.Sin(0.3)}); math.Abs(got-0.3*180/math.Pi) > 1e-9 {
		t.Errorf("angle %v", got)
	}
}
