// Package experiments turns runs into numbers: evaluations, and the tables and studies based on
// them.
package experiments

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/internal/exec"
	"github.com/sliced-wasserstein/lab/internal/memory"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
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
	// Digest is that of the clouds (datasets.Clouds); only values of the same clouds can be
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
func Evaluate(e *engine.Engine, net *pointnet.Autoencoder, w *weights.Set, clouds datasets.Clouds, o EvaluateOptions) (Scores, error) {
	if err := engine.Ready(e); err != nil {
		return Scores{}, err
	}
	if net == nil || net.Points < 1 {
		return Scores{}, errors.New("expected a network that pointnet.New has made, found none")
	}
	var device int64
	if e.IsCUDA() {
		device = memory.Device()
	}
	return evaluate(e, net, w, clouds, o, batchFor(e.Name, net.Points, device))
}

// evaluate scores batch clouds at a time.
func evaluate(e *engine.Engine, net *pointnet.Autoencoder, w *weights.Set, clouds datasets.Clouds, o EvaluateOptions, batch int) (Scores, error) {
	set := datasets.HeaderOf(clouds)
	if set.Dim != pointnet.Dim || set.Points != net.Points {
		return Scores{}, fmt.Errorf("%s: the network takes clouds of %d points of dimension %d, found %d of dimension %d",
			set.Name, net.Points, pointnet.Dim, set.Points, set.Dim)
	}
	if set.Clouds == 0 {
		return Scores{}, fmt.Errorf("%s: no clouds to evaluate", set.Name)
	}
	w, err := w.Match(net.Specs())
	if err != nil {
		return Scores{}, err
	}
	p := &PerCloud{Seed: o.Seed}
	scoring := exec.Network{Engine: e, Config: scoredGraph{net.Points}, Weights: w, Batch: batch, Progress: o.Progress,
		Build: func(w weights.Nodes, in []*graph.Node) []*graph.Node { return scored(net, w, in[0], in[1]) }}
	err = scoring.Each(o.Context, func(_, n int, in [][]float32, out []*tensors.Tensor) error {
		return p.add(n, in[1], out, o.ExactEMD)
	}, evaluationDirections{n: set.Clouds, seed: o.Seed}, clouds)
	if err != nil {
		return Scores{}, err
	}
	s := p.scores()
	if o.PerCloud {
		if p.Digest, err = clouds.Digest(); err != nil {
			return Scores{}, err
		}
		s.PerCloud = p
	}
	return s, nil
}

// scoredGraph configures the graph that scores networks of one size. Weights are arguments.
type scoredGraph struct{ points int }

// scored returns the reconstructions of x [batch, points, 3] and their metrics [batch]. The
// directions of SW are [batch, EvaluationSlices, 3].
func scored(net *pointnet.Autoencoder, w weights.Nodes, directions, x *graph.Node) []*graph.Node {
	y := net.Forward(w, x, pointnet.Eval).Cloud
	out := []*graph.Node{y}
	for _, m := range []loss.Graph{
		loss.Chamfer{},
		loss.Sliced{Label: "SW", Slicer: slicing.Slicer{Distribution: slicing.Fixed{Directions: directions}, Slices: EvaluationSlices}, Root: true},
		loss.ApproximateEMD{},
	} {
		out = append(out, m.Build(loss.BuildArgs{Wrt: ot1d.None}, y, x).Pairs)
	}
	return out
}

// add appends the values of the first n clouds of a batch with points x. out is the output of
// scored.
func (p *PerCloud) add(n int, x []float32, out []*tensors.Tensor, exact bool) error {
	for k, values := range []*[]float64{&p.CD, &p.SW, &p.EMD} {
		found, err := tensors.CopyFlatData[float32](out[1+k])
		if err != nil {
			return err
		}
		for _, f := range found[:n] {
			*values = append(*values, float64(f))
		}
	}
	if !exact {
		return nil
	}
	y, err := tensors.CopyFlatData[float32](out[0])
	if err != nil {
		return err
	}
	d := out[0].Shape().Dimensions
	clouds := func(v []float32) ot1d.Clouds {
		return ot1d.Clouds{Coords: v[:n*d[1]*d[2]], Batch: n, Points: d[1], Dim: d[2]}
	}
	r, err := loss.ExactEMD{}.Compare(clouds(y), clouds(x), false)
	p.ExactEMD = append(p.ExactEMD, r.Pairs...)
	return err
}

// evaluationDirections are the directions of SW, as n "clouds" of EvaluationSlices points. Those of
// a cloud depend only on its position in the set and the seed. So two networks are scored along the
// same directions, on every backend and with any batch size.
type evaluationDirections struct {
	datasets.Clouds
	n    int
	seed uint64
}

func (d evaluationDirections) Header() datasets.Header {
	return datasets.Header{Name: "directions", Clouds: d.n, Points: EvaluationSlices, Dim: pointnet.Dim}
}

func (d evaluationDirections) Read(dst []float32, rows []int32) error {
	key := [32]byte{}
	copy(key[:], "swlab evaluation")
	binary.LittleEndian.PutUint64(key[16:], d.seed)
	for i, row := range rows {
		binary.LittleEndian.PutUint64(key[24:], uint64(row))
		for k, v := range vmf.Uniform(rand.New(rand.NewChaCha8(key)), pointnet.Dim, EvaluationSlices) {
			dst[i*EvaluationSlices*pointnet.Dim+k] = float32(v)
		}
	}
	return nil
}

// Of a GPU's evaluation: bytes per point of a batch, as XLA reports them for the compiled program
// (nothing grows with the square of the points), and the device memory assumed where none is known.
const (
	evaluatedBytes = 4700
	assumedDevice  = 8 << 30
)

// batchFor returns the number of clouds of one call. On a CPU the [batch, points, points] tables of
// the metrics stay near the size of a cache. A GPU needs more work in a call: up to 128 clouds that
// take a quarter of its memory (device, in bytes; 0: unknown). Another batch may change the last
// bits of a value, because backends sum in another order, so a CPU's batch, on which stored results
// depend, is fixed.
func batchFor(backend string, points int, device int64) int {
	if backend != "xla:cuda" {
		return max(1, min(32, (2<<20)/(points*points)))
	}
	if device == 0 {
		device = assumedDevice
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
