package experiments

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/plan"
	"github.com/sliced-wasserstein/lab/swlab/vmf"
)

// PlanScores compare the plan of one direction per pair of clouds with those of random directions: what
// they cost in space (package plan), means over the pairs.
type PlanScores struct {
	Location  Score `json:"location"`      // of the given directions
	Random    Score `json:"random"`        // of a random direction
	BestOf10  Score `json:"best_of_10"`    // the best of 10 random ones, mean over 1000 such tens
	BestOfAll Score `json:"best_of_10000"` // the best of all these
	// Resultant is the length of the mean of the given directions: 1 where all pairs have one.
	Resultant float64 `json:"resultant"`
}

// PlanOptions are the options of ScorePlans.
type PlanOptions struct {
	Seed     uint64                // of the random directions
	Context  context.Context       // if not nil, cancels the work between pairs
	Progress func(done, total int) // if not nil, called with the number of pairs done
}

// ScorePlans scores a direction for each pair of clouds (x_b, y_b), [B, dim].
func ScorePlans(x, y *datasets.Set, directions []float32, o PlanOptions) (s PlanScores, err error) {
	const tens = 1000
	if x.Clouds != y.Clouds || x.Dim != y.Dim || len(directions) != x.Clouds*x.Dim {
		return s, fmt.Errorf("plans: expected a direction for each pair of clouds, found %d and %d clouds and %d numbers of directions",
			x.Clouds, y.Clouds, len(directions))
	}
	var at, random, ten, all []float64
	sum := make([]float64, x.Dim)
	for b := range x.Clouds {
		if o.Context != nil && o.Context.Err() != nil {
			return s, o.Context.Err()
		}
		var theta []float64
		for _, v := range directions[b*x.Dim : (b+1)*x.Dim] {
			theta = append(theta, float64(v))
		}
		floats.AddScaled(sum, 1/float64(x.Clouds), theta)
		theta = append(theta, vmf.Uniform(rand.New(rand.NewPCG(o.Seed, uint64(b))), x.Dim, 10*tens)...)
		plans, err := plan.New(x.Positions(b), y.Positions(b), x.Dim, plan.Config{Directions: theta})
		if err != nil {
			return s, fmt.Errorf("pair %d: %w", b, err)
		}
		others, best := plans.Costs[1:], 0.0
		for costs := range slices.Chunk(others, 10) {
			best += slices.Min(costs) / tens
		}
		at, random = append(at, plans.Costs[0]), append(random, floats.Sum(others)/float64(len(others)))
		ten, all = append(ten, best), append(all, slices.Min(others))
		if o.Progress != nil {
			o.Progress(b+1, x.Clouds)
		}
	}
	return PlanScores{NewScore(at), NewScore(random), NewScore(ten), NewScore(all), floats.Norm(sum, 2)}, nil
}
