package experiments

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/vmf"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// Evaluator scores networks of one size: their weights are arguments of its graph, which is compiled at the first call of Evaluate and
// serves all others, whatever the weights and the number of clouds. A cloud's values depend on the weights, the cloud, its position in
// the set and the seed, and on no other cloud. Not for use from several goroutines at once.
type Evaluator struct {
	net   *pointnet.Autoencoder
	exec  *graph.Exec // directions [batch, EvaluationSlices, 3], clouds [batch, points, 3], parameters -> reconstructions, values [batch]
	batch int
}

// NewEvaluator prepares the evaluation of networks with the size of net. Close it.
func NewEvaluator(e *engine.Engine, net *pointnet.Autoencoder) (*Evaluator, error) {
	if err := engine.Ready(e); err != nil {
		return nil, err
	}
	if net == nil || net.Points < 1 {
		return nil, errors.New("expected a network that pointnet.New has made, found none")
	}
	x, err := graph.NewExec(e.Backend, func(in []*graph.Node) []*graph.Node {
		directions, x := in[0], in[1]
		y := net.Forward(weights.Bind(net.Specs(), in[2:]), x, pointnet.Eval).Cloud
		out := []*graph.Node{y}
		for _, m := range []loss.Graph{
			loss.Chamfer{},
			loss.Sliced{Label: "SW", Rule: slicing.Rule{Law: slicing.Fixed{Directions: directions}, Slices: EvaluationSlices}, Root: true},
			loss.ApproximateEMD{},
		} {
			out = append(out, m.Build(loss.Call{Wrt: ot1d.None}, y, x).Pairs)
		}
		return out
	})
	if err != nil {
		return nil, err
	}
	x.SetMaxCache(1) // a second compilation is an error
	return &Evaluator{net: net, exec: x, batch: batchFor(net.Points)}, nil
}

// Close frees the compiled graph.
func (v *Evaluator) Close() {
	if v != nil && v.exec != nil {
		v.exec.Finalize()
	}
}

// Evaluate is [Evaluate] for the weights w. It stops between two batches when ctx is done, with ctx's error.
func (v *Evaluator) Evaluate(ctx context.Context, w *weights.Set, clouds datasets.Clouds, o EvaluateOptions) (Scores, error) {
	if v == nil || v.exec == nil {
		return Scores{}, errors.New("expected an evaluator that NewEvaluator has made, found none")
	}
	if ctx == nil {
		ctx = context.Background()
	}
	set := datasets.HeaderOf(clouds)
	if set.D != pointnet.Dim || set.M != v.net.Points {
		return Scores{}, fmt.Errorf("%s: the network takes clouds of %d points of dimension %d, found %d of dimension %d",
			set.Name, v.net.Points, pointnet.Dim, set.M, set.D)
	}
	if set.N == 0 {
		return Scores{}, fmt.Errorf("%s: no clouds to evaluate", set.Name)
	}
	params, err := parameters(v.net, w)
	if err != nil {
		return Scores{}, err
	}
	defer finalize(params)
	p := &PerCloud{Seed: o.Seed}
	for at := 0; at < set.N; at += v.batch {
		if err := ctx.Err(); err != nil {
			return Scores{}, err
		}
		done := min(at+v.batch, set.N)
		if err := v.score(p, params, clouds, at, done, o.ExactEMD); err != nil {
			return Scores{}, err
		}
		if o.Progress != nil {
			o.Progress(done, set.N)
		}
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

// score appends the values of the clouds at, ..., done-1 to p.
func (v *Evaluator) score(p *PerCloud, params []any, clouds datasets.Clouds, at, done int, exact bool) error {
	h := clouds.Header()
	rows := make([]int32, v.batch) // a last batch is filled up with its own last cloud, so that one graph serves all
	var theta []float32
	for i := range rows {
		row := min(at+i, h.N-1)
		rows[i] = int32(row)
		for _, c := range evaluationDirections(p.Seed, row) {
			theta = append(theta, float32(c))
		}
	}
	part := &datasets.Set{N: v.batch, M: h.M, D: h.D, Points: make([]float32, v.batch*h.M*h.D)}
	if err := clouds.Read(part.Points, rows); err != nil {
		return err
	}
	in := []any{
		tensors.FromFlatDataAndDimensions(theta, v.batch, EvaluationSlices, h.D),
		tensors.FromFlatDataAndDimensions(part.Points, v.batch, h.M, h.D),
	}
	out, err := v.exec.Call(append(in[:2:2], params...)...)
	finalize(in)
	if err != nil {
		return err
	}
	defer func() {
		for _, t := range out {
			t.FinalizeAll()
		}
	}()
	if exact {
		more, err := exactEMD(out[0], part, done-at)
		if err != nil {
			return err
		}
		p.ExactEMD = append(p.ExactEMD, more...)
	}
	for k, values := range []*[]float64{&p.CD, &p.SW, &p.EMD} {
		found, err := tensors.CopyFlatData[float32](out[1+k])
		if err != nil {
			return err
		}
		for _, f := range found[:done-at] {
			*values = append(*values, float64(f))
		}
	}
	return nil
}

// evaluationDirections are those of the cloud at that position of a set, [EvaluationSlices, 3]. They depend on nothing else than the seed, so
// two networks are scored along the same ones, on every backend and in batches of any size.
func evaluationDirections(seed uint64, cloud int) []float64 {
	key := [32]byte{}
	copy(key[:], "swlab evaluation")
	binary.LittleEndian.PutUint64(key[16:], seed)
	binary.LittleEndian.PutUint64(key[24:], uint64(cloud))
	return vmf.Uniform(rand.New(rand.NewChaCha8(key)), pointnet.Dim, EvaluationSlices)
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
func batchFor(points int) int { return max(1, min(32, (2<<20)/(points*points))) }
