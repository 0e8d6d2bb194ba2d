package experiments

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/engine"
)

// InvarianceConfig configures Invariance.
type InvarianceConfig struct {
	Names []string // registered amortizers
	Seeds []uint64 // one initialisation each
	Pairs int      // random pairs of different clouds
	Seed  uint64   // of pairs, permutations and bootstraps
}

// InvarianceRow describes one amortizer. Angles are means over the pairs, in degrees. Ranges are
// over the initialisations.
type InvarianceRow struct {
	Map                                     string
	PermuteX, PermuteY, Exchange, Bootstrap Range
	// Spread is the length R of the mean direction over the pairs: 1 where all pairs get one
	// direction.
	Spread Range
}

// Range is the smallest and the largest value.
type Range struct{ Min, Max float64 }

// Invariance measures, per amortizer with initial weights, by how much the direction a(X, Y) turns
// when the points of X or of Y are permuted, when X and Y are exchanged, and when the points of X
// are resampled with replacement, as training does in every epoch. It also measures how much
// directions differ between pairs. Angles come from the chord, 2 asin(|a - b| / 2).
func Invariance(e *engine.Engine, set *datasets.Set, o InvarianceConfig) ([]InvarianceRow, error) {
	if err := set.Validate(); err != nil {
		return nil, err
	}
	if set.Clouds < 2 || o.Pairs < 1 || len(o.Seeds) == 0 {
		return nil, fmt.Errorf("invariance: expected clouds >= 2, pairs >= 1 and seeds >= 1, found %d, %d and %d",
			set.Clouds, o.Pairs, len(o.Seeds))
	}
	x, y := disturbed(set, o)
	var rows []InvarianceRow
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
		rows = append(rows, InvarianceRow{name, rangeOf(turns[permuteX]), rangeOf(turns[permuteY]), rangeOf(turns[exchange]),
			rangeOf(turns[bootstrapX]), rangeOf(spread)})
	}
	return rows, nil
}

func rangeOf(v []float64) Range { return Range{slices.Min(v), slices.Max(v)} }

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
func disturbed(set *datasets.Set, o InvarianceConfig) (first, second *datasets.Set) {
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

// Angle returns the angle between two vectors of equal length, in degrees from 0 to 180. It is
// accurate for small angles too. Without a direction, or with unequal lengths, it is NaN.
func Angle[T float32 | float64](a, b []T) float64 {
	u, v := unit(a), unit(b)
	if len(u) != len(v) || len(u) == 0 {
		return math.NaN()
	}
	chord := floats.Distance(u, v, 2)
	return 2 * math.Asin(math.Min(1, chord/2)) * 180 / math.Pi
}

// unit divides by the norm, in float64.
func unit[T float32 | float64](a []T) []float64 {
	u := make([]float64, len(a))
	for i, x := range a {
		u[i] = float64(x)
	}
	floats.Scale(1/floats.Norm(u, 2), u)
	return u
}
