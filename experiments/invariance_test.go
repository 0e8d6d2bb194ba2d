package experiments

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/engine"
)

func invarianceShapes(t *testing.T) *datasets.Set {
	t.Helper()
	set, err := datasets.Shapes{Train: 1, Test: 1, Points: 64, Classes: []string{"chair", "car", "mug"}}.Generate()
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestInvariance: every registered map has its claimed properties, LA is not invariant and its
// sorted control is, and angles have the expected size.
func TestInvariance(t *testing.T) {
	r, err := Invariance(bestEngine(t), invarianceShapes(t), InvarianceConfig{Points: 48, DK: 8, K: 8, Pairs: 2, Seeds: []uint64{1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Rows) != len(amortizer.Names()) || r.Points != 48 || r.Pairs != 2 || r.Initialisations != 2 {
		t.Errorf("report %+v", r)
	}
	for _, row := range r.Rows {
		if row.Found != row.Claimed {
			t.Errorf("%s: found %+v, claimed %+v", row.Map, row.Found, row.Claimed)
		}
		for what, v := range map[string]Range{"permute X": row.PermuteX, "permute Y": row.PermuteY, "exchange": row.Exchange, "bootstrap": row.Bootstrap} {
			still := row.Claimed.Invariant && strings.HasPrefix(what, "permute") || row.Claimed.Symmetric && what == "exchange"
			if still != (v.Max < 1e-4) || !(v.Min <= v.Max) || v.Max > 180 {
				t.Errorf("%s, %s: %+v", row.Map, what, v)
			}
		}
		if row.Spread.Min < 0 || row.Spread.Max > 1+1e-6 || row.Spread.Max == 0 {
			t.Errorf("%s: spread %+v", row.Map, row.Spread)
		}
		if row.Reference != nil {
			t.Errorf("%s: a reference for other settings", row.Map)
		}
		if !strings.Contains(r.Markdown(), "| "+row.Map+" | ") {
			t.Errorf("%s is not in the table", row.Map)
		}
	}
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back InvarianceReport
	if err := json.Unmarshal(raw, &back); err != nil || back.Rows[0].Bootstrap != r.Rows[0].Bootstrap {
		t.Errorf("%v: %s", err, raw)
	}
}

// TestDisturbed checks the disturbances of the clouds.
func TestDisturbed(t *testing.T) {
	set := invarianceShapes(t)
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

// TestInvarianceMarkdown shows the reference for its own settings only, and says where a claim does
// not hold.
func TestInvarianceMarkdown(t *testing.T) {
	ref := invarianceReference["la"]
	row := InvarianceRow{Map: "la", Found: InvarianceVerdict{Symmetric: true}, Claimed: InvarianceVerdict{true, true}, Reference: &ref}
	row.PermuteX, row.Spread = Range{25.2, 144.6}, Range{0.80371, 0.9002}
	r := InvarianceReport{Data: "d", Points: 2048, DK: 64, K: 64, Variant: "released", Rows: []InvarianceRow{row}}
	want := "| la | 25-145 (21-50) | 0 (18-37) | 0 (0) | 0 (19-56) | 0.8037-0.9002 (0.41-0.95) | no, against the map's claim | yes |"
	if got := r.Markdown(); !strings.Contains(got, want) {
		t.Errorf("got\n%s\nwant the line\n%s", got, want)
	}
	for _, other := range []InvarianceReport{{Points: 1024, DK: 64, K: 64, Variant: "released"}, {Points: 2048, DK: 64, K: 64, Variant: "paper"}} {
		if !r.comparable() || other.comparable() {
			t.Errorf("%+v", other)
		}
	}
}

func TestInvarianceWrongCalls(t *testing.T) {
	e, set := bestEngine(t), invarianceShapes(t)
	for says, f := range map[string]func() error{
		"cannot take 65 points":              func() error { _, err := Invariance(e, set, InvarianceConfig{Points: 65}); return err },
		"expected pairs >= 1":                func() error { _, err := Invariance(e, set, InvarianceConfig{Pairs: -1}); return err },
		`unknown amortizer "zz"`:             func() error { _, err := Invariance(e, set, InvarianceConfig{Names: []string{"zz"}}); return err },
		"take two clouds or more":            func() error { _, err := Invariance(e, set.Select([]int{0}), InvarianceConfig{}); return err },
		"expected variant Released (0) or P": func() error { _, err := Invariance(e, set, InvarianceConfig{Variant: 7}); return err },
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, expected one that says %q", err, says)
		}
	}
}

func bestEngine(t *testing.T) *engine.Engine {
	t.Helper()
	e, err := engine.Open("")
	if err != nil {
		t.Fatal(err)
	}
	return e
}
