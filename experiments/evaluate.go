// Package experiments turns runs into numbers: evaluations, and the tables and studies made of them.
package experiments

import (
	"context"
	"math"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// Score is a mean over clouds with its standard error (standard deviation over clouds, divided by sqrt(n); it says nothing
// about the spread over training seeds).
type Score struct {
	Mean   float64 `json:"mean"`
	StdErr float64 `json:"stderr"`
}

// Scores are the reconstruction metrics of the paper's tables, without its factors of 100.
type Scores struct {
	N int `json:"n"` // clouds
	// CD is the Chamfer distance, squared distances, mean over points, both ways added.
	CD Score `json:"cd"`
	// SW is sqrt((1/100) sum_l F(theta_l)) per cloud with 100 fresh uniform directions, F summed over points.
	SW Score `json:"sw"`
	// EMD is the approximate earth mover's distance of the field's kernel, unsquared, summed over points.
	EMD Score `json:"emd_approx"`
	// ExactEMD is that of an optimal assignment, in the same units; not in the paper. Nil where it was not asked for.
	ExactEMD *Score `json:"emd_exact,omitempty"`
	// PerCloud are the values behind the means. Nil where they were not asked for.
	PerCloud *PerCloud `json:"per_cloud,omitempty"`
}

// Conventions says what the numbers of Scores are, by their keys in JSON: what is done over points, what is squared.
func Conventions() map[string]string {
	return map[string]string{
		"cd":         "squared distance to the nearest neighbour, mean over points, both ways added",
		"sw":         "root of the mean over directions of the squared cost, sum over points",
		"emd_approx": "approximate matching (ApproxMatch), unsquared distance, sum over points",
		"emd_exact":  "optimal assignment, unsquared distance, sum over points",
	}
}

// PerCloud are the metrics of every cloud [n], in the order of the set.
type PerCloud struct {
	Digest   string    `json:"digest"` // of the clouds (datasets.Clouds): values of other clouds cannot be compared cloud by cloud
	Seed     uint64    `json:"seed"`   // of the directions of SW
	CD       []float64 `json:"cd"`
	SW       []float64 `json:"sw"`
	EMD      []float64 `json:"emd_approx"`
	ExactEMD []float64 `json:"emd_exact,omitempty"`
}

// EvaluateOptions of Evaluate.
type EvaluateOptions struct {
	Seed     uint64                // of the directions of SW
	ExactEMD bool                  // also solve an assignment per cloud, a tenth of a second at 2048 points
	PerCloud bool                  // also return the values of every cloud; takes a pass over the clouds for their digest
	Progress func(done, total int) // called with the number of clouds done, if not nil
}

// EvaluationSlices is the number of directions of the SW metric.
const EvaluationSlices = 100

// Evaluate reconstructs every one of the clouds with the network in evaluation mode and scores reconstruction (first argument)
// against input (second), as the paper does. w holds the tensors of net.Specs. To evaluate more than once, keep an [Evaluator].
func Evaluate(e *engine.Engine, net *pointnet.Autoencoder, w *weights.Set, clouds datasets.Clouds, o EvaluateOptions) (Scores, error) {
	v, err := NewEvaluator(e, net)
	if err != nil {
		return Scores{}, err
	}
	defer v.Close()
	return v.Evaluate(context.Background(), w, clouds, o)
}

// scores averages.
func (p *PerCloud) scores() Scores {
	s := Scores{N: len(p.CD), CD: NewScore(p.CD), SW: NewScore(p.SW), EMD: NewScore(p.EMD)}
	if p.ExactEMD != nil {
		v := NewScore(p.ExactEMD)
		s.ExactEMD = &v
	}
	return s
}

// NewScore is the mean of values and its standard error, 0 for a single value. Sums are in order: gonum's stat adds in another, and the last
// digits of stored results would change.
func NewScore(v []float64) Score {
	mean, square := 0.0, 0.0
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		square += (x - mean) * (x - mean)
	}
	s := Score{Mean: mean}
	if n := float64(len(v)); n > 1 {
		s.StdErr = math.Sqrt(square / (n - 1) / n)
	}
	return s
}
