// Package experiments turns runs into numbers: evaluations, and the tables and studies made of them.
package experiments

import (
	"fmt"
	"math"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
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
}

// EvaluateOptions of Evaluate.
type EvaluateOptions struct {
	Seed     uint64                // of the directions of SW
	ExactEMD bool                  // also solve an assignment per cloud, a tenth of a second at 2048 points
	Progress func(done, total int) // called with the number of clouds done, if not nil
}

// EvaluationSlices is the number of directions of the SW metric.
const EvaluationSlices = 100

// Evaluate reconstructs every one of the clouds with the network in evaluation mode and scores reconstruction (first argument)
// against input (second), as the paper does. w holds the tensors of net.Specs.
func Evaluate(e *engine.Engine, net *pointnet.Autoencoder, w *weights.Set, clouds datasets.Clouds, o EvaluateOptions) (Scores, error) {
	set := clouds.Header()
	if set.D != pointnet.Dim || set.M != net.Points {
		return Scores{}, fmt.Errorf("%s: the network takes clouds of %d points of dimension %d, found %d of dimension %d", set.Name, net.Points, pointnet.Dim, set.M, set.D)
	}
	if set.N == 0 {
		return Scores{}, fmt.Errorf("%s: no clouds to evaluate", set.Name)
	}
	params, err := parameters(net, w)
	if err != nil {
		return Scores{}, err
	}
	defer finalize(params)
	metrics := []loss.Graph{
		loss.Chamfer{},
		loss.Sliced{Label: "SW", Rule: slicing.Rule{Law: slicing.Uniform{}, Slices: EvaluationSlices}, Root: true},
		loss.ApproximateEMD{},
	}
	x, err := graph.NewExec(e.Backend, func(in []*graph.Node) []*graph.Node {
		x := in[1]
		y := net.Forward(weights.Bind(net.Specs(), in[2:]), x, pointnet.Eval).Cloud
		out := []*graph.Node{y}
		for _, m := range metrics {
			out = append(out, m.Build(loss.Call{Source: slicing.Seeded(in[0]), Wrt: ot1d.None}, y, x).Pairs)
		}
		return out
	})
	if err != nil {
		return Scores{}, err
	}
	defer x.Finalize()
	values := make([][]float64, len(metrics))
	var exact []float64
	batch := batchFor(set.M, set.N)
	for at := 0; at < set.N; at += batch {
		rows := make([]int32, batch) // the last batch is filled up with its own last cloud, so that one graph serves all
		for i := range rows {
			rows[i] = int32(min(at+i, set.N-1))
		}
		part := &datasets.Set{N: batch, M: set.M, D: set.D, Points: make([]float32, batch*set.M*set.D)}
		if err := clouds.Read(part.Points, rows); err != nil {
			return Scores{}, err
		}
		rng, err := graph.RNGStateFromSeed(int64(o.Seed)<<32 + int64(at))
		if err != nil {
			return Scores{}, err
		}
		in := []any{rng, tensors.FromFlatDataAndDimensions(part.Points, batch, set.M, set.D)}
		out, err := x.Call(append(in, params...)...)
		finalize(in)
		if err != nil {
			return Scores{}, err
		}
		done := min(at+batch, set.N)
		if o.ExactEMD {
			more, err := exactEMD(out[0], part, done-at)
			if err != nil {
				return Scores{}, err
			}
			exact = append(exact, more...)
		}
		out[0].FinalizeAll()
		for k, t := range out[1:] {
			v, err := tensors.CopyFlatData[float32](t)
			if err != nil {
				return Scores{}, err
			}
			for _, f := range v[:done-at] {
				values[k] = append(values[k], float64(f))
			}
			t.FinalizeAll()
		}
		if o.Progress != nil {
			o.Progress(done, set.N)
		}
	}
	s := Scores{N: set.N, CD: score(values[0]), SW: score(values[1]), EMD: score(values[2])}
	if o.ExactEMD {
		v := score(exact)
		s.ExactEMD = &v
	}
	return s, nil
}

// exactEMD compares the first n reconstructions y [batch, m, dim] with the clouds of part.
func exactEMD(y *tensors.Tensor, part *datasets.Set, n int) ([]float64, error) {
	flat, err := tensors.CopyFlatData[float32](y)
	if err != nil {
		return nil, err
	}
	size := part.M * part.D
	one := func(v []float32) ot1d.Clouds {
		return ot1d.Clouds{Points: v[:n*size], Batch: n, N: part.M, Dim: part.D}
	}
	r, err := loss.ExactEMD{}.Compare(one(flat), one(part.Points), false)
	return r.Pairs, err
}

// parameters are the tensors of net.Specs in their order.
func parameters(net *pointnet.Autoencoder, w *weights.Set) ([]any, error) {
	fitted, err := w.Match(net.Specs())
	if err != nil {
		return nil, err
	}
	var out []any
	for _, name := range fitted.Names() {
		t, _ := fitted.Get(name)
		out = append(out, tensors.FromFlatDataAndDimensions(t.Data, t.Shape...))
	}
	return out, nil
}

// finalize frees tensors on the device, which Go's collector does not see.
func finalize(args []any) {
	for _, t := range args {
		t.(*tensors.Tensor).FinalizeAll()
	}
}

// batchFor keeps the [batch, points, points] tables of the metrics near the size of a cache.
func batchFor(points, clouds int) int {
	return max(1, min(clouds, 32, (2<<20)/(points*points)))
}

func score(v []float64) Score {
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
