// Package experiments turns runs into numbers: evaluations, and the tables and studies based on
// them.
package experiments

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/vmf"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// Score is a mean over clouds with its standard error: the standard deviation over clouds divided
// by sqrt(n). It says nothing about the spread over training seeds.
type Score struct {
	Mean   float64 `json:"mean"`
	StdErr float64 `json:"stderr"`
}

// Scores are the reconstruction metrics of the paper's tables, without its factors of 100.
type Scores struct {
	N int `json:"n"` // clouds
	// CD is the Chamfer distance: squared distances, mean over points, both directions added.
	CD Score `json:"cd"`
	// SW is sqrt((1/100) sum_l F(theta_l)) per cloud with 100 fresh uniform directions, F summed
	// over points.
	SW Score `json:"sw"`
	// EMD is the approximate EMD (ApproxMatch, Fan et al. 2017), unsquared, summed over points.
	EMD Score `json:"emd_approx"`
	// ExactEMD is the EMD of an optimal assignment, in the same units. It is not in the paper, and
	// nil unless requested.
	ExactEMD *Score `json:"emd_exact,omitempty"`
	// PerCloud holds the values behind the means. It is nil unless requested.
	PerCloud *PerCloud `json:"per_cloud,omitempty"`
}

// Conventions describes the numbers of Scores by their JSON keys: what is done over points, what is
// squared.
func Conventions() map[string]string {
	return map[string]string{
		"cd":         "squared distance to the nearest neighbour, mean over points, both ways added",
		"sw":         "root of the mean over directions of the squared cost, sum over points",
		"emd_approx": "approximate matching (ApproxMatch), unsquared distance, sum over points",
		"emd_exact":  "optimal assignment, unsquared distance, sum over points",
	}
}

// PerCloud holds the metrics of every cloud [n], in the order of the set.
type PerCloud struct {
	// Digest is that of the clouds (*datasets.Set); only values of the same clouds can be
	// compared.
	Digest   string    `json:"digest"`
	Seed     uint64    `json:"seed"` // of the directions of SW
	CD       []float64 `json:"cd"`
	SW       []float64 `json:"sw"`
	EMD      []float64 `json:"emd_approx"`
	ExactEMD []float64 `json:"emd_exact,omitempty"`
}

// EvaluateOptions are the options of Evaluate.
type EvaluateOptions struct {
	Seed    uint64          // of the directions of SW
	Context context.Context // if not nil, cancels the evaluation between batches
	// ExactEMD also solves an assignment per cloud: 0.1 s at 2048 points.
	ExactEMD bool
	// PerCloud also returns the values of every cloud; it reads all clouds once more for their
	// digest.
	PerCloud bool
	Progress func(done, total int) // if not nil, called with the number of clouds done
}

// EvaluationSlices is the number of directions of the SW metric.
const EvaluationSlices = 100

// Evaluate reconstructs every cloud with the network in evaluation mode and scores the
// reconstruction (first argument) against the input (second), as the paper does. w holds the
// tensors of net.Specs. A cloud's values depend only on the weights, the cloud, its position in the
// set and the seed.
func Evaluate(e *engine.Engine, net *pointnet.Autoencoder, w *weights.Set, clouds *datasets.Set, o EvaluateOptions) (Scores, error) {
	return evaluate(e, net, w, clouds, o, batchFor(net.Points, e.DeviceMemory()))
}

// evaluate scores batch clouds at a time.
func evaluate(e *engine.Engine, net *pointnet.Autoencoder, w *weights.Set, clouds *datasets.Set, o EvaluateOptions, batch int) (Scores, error) {
	if clouds.Dim != pointnet.Dim || clouds.Points != net.Points {
		return Scores{}, fmt.Errorf("%s: the network takes clouds of %d points of dimension %d, found %d of dimension %d",
			clouds.Name, net.Points, pointnet.Dim, clouds.Points, clouds.Dim)
	}
	if clouds.Clouds == 0 {
		return Scores{}, fmt.Errorf("%s: no clouds to evaluate", clouds.Name)
	}
	w, err := w.Match(net.Specs())
	if err != nil {
		return Scores{}, err
	}
	p := &PerCloud{Seed: o.Seed}
	program := engine.NewProgram[scoring[*tensors.Tensor], scored[*tensors.Tensor]](e, scoredGraph{net.Points}, func(in scoring[*graph.Node]) scored[*graph.Node] {
		return score(net, in)
	})
	in := scoring[*tensors.Tensor]{Weights: w.Upload()}
	defer func() { engine.Free(in.Weights) }()
	err = datasets.EachBatch(o.Context, batch, func(first, n int, sets []*datasets.Set) error {
		x := sets[0]
		var directions []float32
		for i := range n {
			directions = append(directions, evaluationDirections(o.Seed, first+i)...)
		}
		in.X = tensors.FromFlatDataAndDimensions(x.Coords, batch, x.Points, x.Dim)
		defer func() { engine.Free(in.X) }()
		out, err := program.Call(in)
		if err != nil {
			return err
		}
		defer engine.Free(out)
		if err := p.add(n, x.Coords, directions, out, o.ExactEMD); err != nil {
			return err
		}
		if o.Progress != nil {
			o.Progress(first+n, clouds.Clouds)
		}
		return nil
	}, clouds)
	if err != nil {
		return Scores{}, err
	}
	s := p.scores()
	if o.PerCloud {
		p.Digest = clouds.Digest()
		s.PerCloud = p
	}
	return s, nil
}

// scoredGraph configures the graph that scores networks of one size. Weights are arguments.
type scoredGraph struct{ points int }

// scoring are the inputs of that graph: clouds [batch, points, 3].
type scoring[T any] struct {
	Weights map[string]T
	X       T
}

// scored are the reconstructions of the clouds and their metrics [batch]. SW is computed outside of the
// graph.
type scored[T any] struct{ Cloud, CD, EMD T }

func score(net *pointnet.Autoencoder, in scoring[*graph.Node]) scored[*graph.Node] {
	out := scored[*graph.Node]{Cloud: net.Forward(in.Weights, in.X, pointnet.Eval).Cloud}
	value := func(m loss.Graph) *graph.Node {
		return m.Build(loss.BuildArgs{Wrt: ot1d.None}, out.Cloud, in.X).Pairs
	}
	out.CD = value(loss.Chamfer{})
	out.EMD = value(loss.ApproximateEMD{})
	return out
}

// add appends the values of the first n clouds of a batch with points x. directions are those of SW [n,
// EvaluationSlices, 3].
func (p *PerCloud) add(n int, x, directions []float32, out scored[*tensors.Tensor], exact bool) error {
	for _, m := range []struct {
		values *[]float64
		found  *tensors.Tensor
	}{{&p.CD, out.CD}, {&p.EMD, out.EMD}} {
		found, err := tensors.CopyFlatData[float32](m.found)
		if err != nil {
			return err
		}
		for _, f := range found[:n] {
			*m.values = append(*m.values, float64(f))
		}
	}
	y, err := tensors.CopyFlatData[float32](out.Cloud)
	if err != nil {
		return err
	}
	d := out.Cloud.Shape().Dimensions
	clouds := func(v []float32) ot1d.Clouds {
		return ot1d.Clouds{Coords: v[:n*d[1]*d[2]], Batch: n, Points: d[1], Dim: d[2]}
	}
	costs, err := ot1d.HostCosts(clouds(y), clouds(x), directions, EvaluationSlices, ot1d.Config{})
	if err != nil {
		return err
	}
	for of := range slices.Chunk(costs, EvaluationSlices) {
		mean := 0.0
		for _, c := range of {
			mean += c / EvaluationSlices
		}
		p.SW = append(p.SW, float64(float32(math.Sqrt(mean))))
	}
	if !exact {
		return nil
	}
	r, err := loss.ExactEMD{}.Compare(clouds(y), clouds(x), false)
	p.ExactEMD = append(p.ExactEMD, r.Pairs...)
	return err
}

// evaluationDirections are the directions of SW [EvaluationSlices, 3] for a cloud. They depend only
// on its position in the set and the seed, so two networks are scored along the same directions, on
// every backend and with any batch size.
func evaluationDirections(seed uint64, cloud int) []float32 {
	key := [32]byte{}
	copy(key[:], "swlab evaluation")
	binary.LittleEndian.PutUint64(key[16:], seed)
	binary.LittleEndian.PutUint64(key[24:], uint64(cloud))
	var out []float32
	for _, v := range vmf.Uniform(rand.New(rand.NewChaCha8(key)), pointnet.Dim, EvaluationSlices) {
		out = append(out, float32(v))
	}
	return out
}

// evaluatedBytes are the bytes per point of a batch of a GPU's evaluation, as XLA reports them for the compiled
// program: nothing grows with the square of the points.
const evaluatedBytes = 4700

// batchFor returns the number of clouds of one call. On a CPU the [batch, points, points] tables of
// the metrics stay near the size of a cache. A GPU needs more work in a call: up to 128 clouds that
// take a quarter of its memory (device, in bytes; 0: a CPU). Another batch may change the last
// bits of a value, because backends sum in another order, so a CPU's batch, on which stored results
// depend, is fixed.
func batchFor(points int, device int64) int {
	if device == 0 {
		return max(1, min(32, (2<<20)/(points*points)))
	}
	return int(max(1, min(128, device/4/(evaluatedBytes*int64(points)))))
}

// scores averages the values.
func (p *PerCloud) scores() Scores {
	s := Scores{N: len(p.CD), CD: NewScore(p.CD), SW: NewScore(p.SW), EMD: NewScore(p.EMD)}
	if p.ExactEMD != nil {
		v := NewScore(p.ExactEMD)
		s.ExactEMD = &v
	}
	return s
}

// NewScore returns the mean of values and its standard error, 0 for a single value. It sums in
// order: gonum's stat sums in another, which would change the last digits of stored results.
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
