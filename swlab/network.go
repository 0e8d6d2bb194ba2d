package swlab

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/internal/memory"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// Network is a point-cloud autoencoder with its weights.
type Network struct {
	// Points m of the clouds that the decoder makes. The encoder takes clouds of any size.
	Points  int
	weights *weights.Set
}

// NetworkOptions configures Encode, Reconstruct and Decode.
type NetworkOptions struct {
	// BatchStats normalises by the statistics of all given clouds, as in training, instead of the
	// running ones.
	BatchStats bool
	// Normalize centres every cloud and scales it to radius 1 before the encoder, as training does;
	// Reconstruct then moves its clouds back (datasets.Frame). False: clouds are taken as they
	// are.
	Normalize bool
	// Batch is the number of clouds at a time, with running statistics; 0: as many as have 65,536
	// points together.
	Batch    int
	Context  context.Context       // stops the work between two batches; nil: nothing does
	Engine   *engine.Engine        // nil: the best backend found
	Progress func(done, total int) // if not nil, called with the number of clouds done
}

// NewNetwork is the autoencoder with the weights w (names and shapes of
// pointnet.Autoencoder.Specs). The decoder's last layer gives the number of points. The error lists
// what is missing, unknown or of another shape.
func NewNetwork(w *weights.Set) (*Network, error) {
	const last = "decoder.fc3.bias"
	t, ok := w.Get(last)
	if !ok {
		return nil, fmt.Errorf("no tensor %q: expected the weights of an autoencoder", last)
	}
	if len(t.Shape) != 1 || t.Shape[0] == 0 || t.Shape[0]%pointnet.Dim != 0 {
		return nil, fmt.Errorf("tensor %q: expected shape [%d m] for m points, found %v", last, pointnet.Dim, t.Shape)
	}
	net, err := pointnet.New(t.Shape[0] / pointnet.Dim)
	if err != nil {
		return nil, err
	}
	fitted, err := w.Match(net.Specs())
	if err != nil {
		return nil, err
	}
	return &Network{Points: net.Points, weights: fitted}, nil
}

// Parameters is the number of trained parameters.
func (n *Network) Parameters() int { return (&pointnet.Autoencoder{Points: n.Points}).Parameters() }

// CheckEncode returns the error that Encode would return for an invalid call, before any work.
func (n *Network) CheckEncode(clouds *datasets.Set, o NetworkOptions) error {
	switch {
	case clouds.Clouds < 1 || clouds.Points < 1:
		return fmt.Errorf("%s: expected at least one cloud, found none", clouds.Name)
	case clouds.Dim != pointnet.Dim:
		return fmt.Errorf("%s: the network takes clouds of dimension %d, found %d",
			clouds.Name, pointnet.Dim, clouds.Dim)
	}
	rows := o.batch(clouds.Clouds, encodedAtOnce(clouds.Points))
	return memory.Check(fmt.Sprintf("%s: %d clouds of %d points at a time through the encoder",
		clouds.Name, rows, clouds.Points), memory.Bytes(encodedBytes, rows, clouds.Points))
}

// encodedBytes is the memory of a point in the encoder, measured on both CPU backends.
const encodedBytes = 3000

// CheckReconstruct is CheckEncode for Reconstruct.
func (n *Network) CheckReconstruct(clouds *datasets.Set, o NetworkOptions) error {
	if err := n.CheckEncode(clouds, o); err != nil {
		return err
	}
	if o.BatchStats && clouds.Clouds < 2 {
		return fmt.Errorf("%s: the decoder's batch statistics need at least 2 clouds, found %d",
			clouds.Name, clouds.Clouds)
	}
	return nil
}

// Encode returns the codes of clouds [N, any m, 3]: [N, 256] unit vectors. The networks of the
// paper were trained on centred clouds of radius 1. Give such clouds, as datasets.Load does
// by default, or set NetworkOptions.Normalize.
//
// With running statistics (the default) each cloud has its own code, and large sets are encoded in
// parts. With BatchStats the code of a cloud depends on all others, so the whole set is one batch
// in memory: up to 8 kB per point.
func (n *Network) Encode(x *datasets.Set, o NetworkOptions) ([]float32, error) {
	if err := n.CheckEncode(x, o); err != nil {
		return nil, err
	}
	x, _, err := o.normalize(x)
	if err != nil {
		return nil, err
	}
	encoder := &pointnet.Autoencoder{Points: x.Points}
	return n.rows(x, o, "codes", encodedAtOnce(encoder.Points), encoder.Encode)
}

// normalize returns the clouds as the network sees them, and their frames; nil if taken as they
// are.
func (o NetworkOptions) normalize(x *datasets.Set) (*datasets.Set, []datasets.Frame, error) {
	if !o.Normalize {
		return x, nil, nil
	}
	moved := *x
	moved.Coords, moved.Origins, moved.Frames = slices.Clone(x.Coords), slices.Clone(x.Origins), nil
	err := moved.Normalize()
	return &moved, moved.Frames, err
}

// Reconstruct returns the decoded codes of clouds [N, any m, 3]: [N, Points, 3], inside (-1, 1)^3,
// or at the place of the given clouds with NetworkOptions.Normalize. Otherwise it behaves as
// Encode.
func (n *Network) Reconstruct(x *datasets.Set, o NetworkOptions) ([]float32, error) {
	if err := n.CheckReconstruct(x, o); err != nil {
		return nil, err
	}
	x, frames, err := o.normalize(x)
	if err != nil {
		return nil, err
	}
	encoder, decoder := &pointnet.Autoencoder{Points: x.Points}, &pointnet.Autoencoder{Points: n.Points}
	y, err := n.rows(x, o, "reconstructions", encodedAtOnce(encoder.Points),
		func(w weights.Nodes, x *graph.Node, mode pointnet.Mode) *graph.Node {
			return decoder.Decode(w, encoder.Encode(w, x, mode), mode)
		})
	if err != nil {
		return nil, err
	}
	for i, f := range frames {
		size := n.Points * pointnet.Dim
		f.Undo(y[i*size : (i+1)*size])
	}
	return y, nil
}

// Decode returns the clouds [N, Points, 3] of codes [N, 256] in row-major order: unit vectors of
// Encode or, say, of a latent generator.
func (n *Network) Decode(codes []float32, o NetworkOptions) ([]float32, error) {
	z := &datasets.Set{Name: "codes", Coords: codes, Clouds: len(codes) / pointnet.LatentSize, Points: 1,
		Dim: pointnet.LatentSize}
	switch {
	case len(codes) != z.Clouds*z.Dim:
		return nil, fmt.Errorf("codes: expected a multiple of %d numbers, found %d", z.Dim, len(codes))
	case z.Clouds == 0:
		return nil, errors.New("codes: expected at least one, found none")
	case o.Normalize:
		return nil, errors.New("codes: they are not clouds: expected NetworkOptions.Normalize to be false")
	case o.BatchStats && z.Clouds < 2:
		return nil, fmt.Errorf("codes: the decoder's batch statistics need at least 2, found %d", z.Clouds)
	}
	decoder := &pointnet.Autoencoder{Points: n.Points}
	return n.rows(z, o, "clouds", codesAtOnce, func(w weights.Nodes, z *graph.Node, mode pointnet.Mode) *graph.Node {
		return decoder.Decode(w, graph.Squeeze(z, 1), mode)
	})
}

// codesAtOnce is the number of codes decoded in one part.
const codesAtOnce = 1 << 9

// pointsAtOnce is the number of points encoded in one part.
const pointsAtOnce = 1 << 16

// encodedAtOnce is the number of clouds in one part.
func encodedAtOnce(points int) int { return max(1, pointsAtOnce/max(1, points)) }

// rows maps each cloud to a row of numbers, by default most clouds at a time, or all together with
// the batch's statistics.
func (n *Network) rows(x *datasets.Set, o NetworkOptions, what string, most int,
	build func(w weights.Nodes, x *graph.Node, mode pointnet.Mode) *graph.Node) ([]float32, error) {
	mode, batch := pointnet.Eval, o.batch(x.Clouds, most)
	if o.BatchStats {
		mode = pointnet.BatchStats
	}
	e := o.Engine
	if e == nil {
		var err error
		if e, err = engine.Open(""); err != nil {
			return nil, err
		}
	}
	m := pairMap{graphKey{what, [2]any{n.Points, mode}}, n.weights, batch, o.Progress,
		func(w weights.Nodes, x, _ *graph.Node) *graph.Node {
			return build(w, x, mode)
		}}
	return m.rows(o.Context, e, x)
}

// pairMap maps clouds, or pairs of them, to rows of numbers by a graph with weights, batch clouds
// at a time.
type pairMap struct {
	key      graphKey // decides the graph, apart from the weights' shapes
	weights  *weights.Set
	batch    int
	progress func(done, total int)
	build    func(w weights.Nodes, x, y *graph.Node) *graph.Node // y is nil for single clouds
}

// pairMapIn are the inputs of a pairMap's program.
type pairMapIn[T any] struct {
	Weights map[string]T
	X, Y    T
}

// rows is the map of all clouds, or pairs, of one or two sets.
func (m pairMap) rows(ctx context.Context, e *engine.Engine, sets ...*datasets.Set) (all []float32, err error) {
	program := engine.NewProgram[pairMapIn[*tensors.Tensor], *tensors.Tensor](e, m.key,
		func(in pairMapIn[*graph.Node]) *graph.Node {
			return m.build(in.Weights, in.X, in.Y)
		})
	in := pairMapIn[*tensors.Tensor]{Weights: m.weights.Upload()}
	defer func() { engine.Free(in.Weights) }()
	total := sets[0].Clouds
	err = datasets.EachBatch(ctx, m.batch, func(first, n int, batch []*datasets.Set) error {
		in.X = tensor(batch[0])
		defer in.X.FinalizeAll()
		if len(batch) > 1 {
			in.Y = tensor(batch[1])
			defer in.Y.FinalizeAll()
		}
		out, err := program.Call(in)
		if err != nil {
			return err
		}
		defer out.FinalizeAll()
		width := out.Size() / m.batch
		all = append(all, tensors.MustCopyFlatData[float32](out)[:n*width]...)
		if m.progress != nil {
			m.progress(first+n, total)
		}
		return nil
	}, sets...)
	return all, err
}

// batch is the number of clouds in a batch, of n in all.
func (o NetworkOptions) batch(n, most int) int {
	switch {
	case o.BatchStats:
		return n
	case o.Batch > 0:
		return o.Batch
	}
	return min(n, most)
}
