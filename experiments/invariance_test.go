package experiments

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"gonum.org/v1/gonum/floats"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/engine"
)

// TestInvariance: every registered map has its claimed properties, LA is not invariant and its
// sorted control is, and angles have the expected size.
func TestInvariance(t *testing.T) {
	rows := must.M1(invariance(must.M1(engine.Open("")), must.M1(datasets.Shapes{Train: 1, Test: 1, Points: 64, Classes: []string{"chair", "car", "mug"}}.Generate()), invarianceConfig{Names: amortizer.Names(), Pairs: 2, Seeds: []uint64{1, 2}}))
	for _, row := range rows {
		claimed := must.M1(amortizer.New(row.Map, amortizer.Config{Points: 64})).Properties()
		for what, v := range map[string]limits{"permute X": row.PermuteX, "permute Y": row.PermuteY, "exchange": row.Exchange, "bootstrap": row.Bootstrap} {
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

// TestAngle: of vectors 0.3 apart.
func TestAngle(t *testing.T) {
	if got := Angle([]float64{1, 0}, []float64{math.Cos(0.3), math.Sin(0.3)}); math.Abs(got-0.3*180/math.Pi) > 1e-9 {
		t.Errorf("angle %v", got)
	}
}

// invarianceConfig configures invariance.
type invarianceConfig struct {
	Names []string // registered amortizers
	Seeds []uint64 // one initialisation each
	Pairs int      // random pairs of different clouds
	Seed  uint64   // of pairs, permutations and bootstraps
}

// invarianceRow describes one amortizer. Angles are means over the pairs, in degrees. Ranges are
// over the initialisations.
type invarianceRow struct {
	Map                                     string
	PermuteX, PermuteY, Exchange, Bootstrap limits
	// Spread is the length R of the mean direction over the pairs: 1 where all pairs get one
	// direction.
	Spread limits
}

// limits is the smallest and the largest value.
type limits struct{ Min, Max float64 }

// invariance measures, per amortizer with initial weights, by how much the direction a(X, Y) turns
// when the points of X or of Y are permuted, when X and Y are exchanged, and when the points of X
// are resampled with replacement, as training does in every epoch. It also measures how much
// directions differ between pairs. Angles come from the chord, 2 asin(|a - b| / 2).
func invariance(e *engine.Engine, set *datasets.Set, o invarianceConfig) ([]invarianceRow, error) {
	x, y := disturbed(set, o)
	var rows []invarianceRow
	for _, name := range o.Names {
		var turns [disturbances][]float64 // one per initialisation
		var spread []float64
		for _, seed := range o.Seeds {
			p, err := swlab.Direction(name, x, y, swlab.DirectionConfig{Seed: seed, Engine: e})
			if err != nil {
				return nil, err
			}
			turn, sum := [disturbances]float64{}, make([]float64, x.Dim)
			for pair := range slices.Chunk(p.Directions, disturbances*x.Dim) {
				d := slices.Collect(slices.Chunk(pair, x.Dim))
				for k := permuteX; k < disturbances; k++ {
					turn[k] += Angle(d[asIs], d[k]) / float64(o.Pairs)
				}
				for i, v := range d[asIs] {
					sum[i] += float64(v) / float64(o.Pairs)
				}
			}
			for k, v := range turn {
				turns[k] = append(turns[k], v)
			}
			spread = append(spread, floats.Norm(sum, 2))
		}
		rows = append(rows, invarianceRow{name, rangeOf(turns[permuteX]), rangeOf(turns[permuteY]), rangeOf(turns[exchange]),
			rangeOf(turns[bootstrapX]), rangeOf(spread)})
	}
	return rows, nil
}

func rangeOf(v []float64) limits { return limits{slices.Min(v), slices.Max(v)} }

// The disturbances of a pair, by position in the batch.
const (
	asIs = iota
	permuteX
	permuteY
	exchange
	bootstrapX
	disturbances
)

// disturbed draws the pairs, permutations and bootstraps, the same for all maps and
// initialisations: `disturbances` clouds of x and y for each pair.
func disturbed(set *datasets.Set, o invarianceConfig) (first, second *datasets.Set) {
	set = set.Rebase(nil)                                // as the maps read it
	r := rand.New(rand.NewPCG(o.Seed, 0x696e_7661_7269)) // second word: "invari"
	first = &datasets.Set{Name: set.Name, Clouds: o.Pairs * disturbances, Points: set.Points, Dim: set.Dim}
	second = &datasets.Set{Name: set.Name, Clouds: first.Clouds, Points: set.Points, Dim: set.Dim}
	for range o.Pairs {
		i := r.IntN(set.Clouds)
		j := (i + 1 + r.IntN(set.Clouds-1)) % set.Clouds
		x, y := set.Cloud(i), set.Cloud(j)
		rows := func(cloud []float32, order []int) []float32 {
			var v []float32
			for _, k := range order {
				v = append(v, cloud[k*set.Dim:(k+1)*set.Dim]...)
			}
			return v
		}
		again := make([]int, set.Points)
		for k := range again {
			again[k] = r.IntN(set.Points)
		}
		for _, v := range [disturbances][2][]float32{
			asIs:       {x, y},
			permuteX:   {rows(x, r.Perm(set.Points)), y},
			permuteY:   {x, rows(y, r.Perm(set.Points))},
			exchange:   {y, x},
			bootstrapX: {rows(x, again), y},
		} {
			first.Coords, second.Coords = append(first.Coords, v[0]...), append(second.Coords, v[1]...)
		}
	}
	return first, second
}
