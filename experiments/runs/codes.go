package runs

import (
	"context"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/latent"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// atOnce is the number of clouds encoded, or codes decoded, in one call.
const atOnce = 32

// coder encodes clouds of one size, and decodes to that size, with any autoencoder's weights in evaluation mode: compiled once for all
// runs of a table.
type coder struct {
	net            *pointnet.Autoencoder
	encode, decode *graph.Exec
}

func newCoder(e *engine.Engine, points int) (*coder, error) {
	c := &coder{net: &pointnet.Autoencoder{Points: points}}
	var err error
	if c.encode, err = graph.NewExec(e.Backend, func(in []*graph.Node) *graph.Node {
		return c.net.Encode(weights.Bind(c.net.Specs(), in[1:]), in[0], pointnet.Eval)
	}); err != nil {
		return nil, err
	}
	if c.decode, err = graph.NewExec(e.Backend, func(in []*graph.Node) *graph.Node {
		return c.net.Decode(weights.Bind(c.net.Specs(), in[1:]), graph.Squeeze(in[0], 1), pointnet.Eval)
	}); err != nil {
		c.encode.Finalize()
		return nil, err
	}
	return c, nil
}

func (c *coder) close() {
	c.encode.Finalize()
	c.decode.Finalize()
}

// coding is the coder for clouds of that size.
func (l *Lab) coding(points int) (*coder, error) {
	if l.coder != nil && l.coder.net.Points != points {
		l.coder.close()
		l.coder = nil
	}
	if l.coder == nil {
		e, err := l.Engine()
		if err != nil {
			return nil, err
		}
		if l.coder, err = newCoder(e, points); err != nil {
			return nil, err
		}
	}
	return l.coder, nil
}

// codes encodes clouds with the network of a training.
func (l *Lab) codes(ctx context.Context, w *weights.Set, d Data) (latent.Codes, error) {
	clouds, err := l.open(d)
	if err != nil {
		return latent.Codes{}, err
	}
	c, err := l.coding(d.Points)
	if err != nil {
		return latent.Codes{}, err
	}
	h := clouds.Header()
	out := latent.Codes{Name: d.String(), Labels: h.Labels, N: h.N}
	out.Vectors, err = c.run(ctx, c.encode, w, clouds)
	return out, err
}

// clouds decodes codes, with the network of a training on clouds of that size.
func (l *Lab) clouds(ctx context.Context, w *weights.Set, codes []float32, points int) (*datasets.Set, error) {
	c, err := l.coding(points)
	if err != nil {
		return nil, err
	}
	z := &datasets.Set{Name: "codes", Points: codes, N: len(codes) / pointnet.LatentSize, M: 1, D: pointnet.LatentSize}
	out, err := c.run(ctx, c.decode, w, z)
	return &datasets.Set{Kind: "npy", N: z.N, M: points, D: 3, Points: out}, err
}

// run is one of the two programs on every row.
func (c *coder) run(ctx context.Context, program *graph.Exec, w *weights.Set, clouds datasets.Clouds) ([]float32, error) {
	fitted, err := w.Match(c.net.Specs())
	if err != nil {
		return nil, err
	}
	args := []any{nil}
	for _, name := range fitted.Names() {
		t, _ := fitted.Get(name)
		args = append(args, tensors.FromFlatDataAndDimensions(t.Data, t.Shape...))
	}
	defer func() {
		for _, t := range args[1:] {
			t.(*tensors.Tensor).FinalizeAll()
		}
	}()
	h := clouds.Header()
	var out []float32
	for at := 0; at < h.N; at += atOnce {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rows := make([]int32, atOnce) // the last batch is filled up with its own last row
		for i := range rows {
			rows[i] = int32(min(at+i, h.N-1))
		}
		flat := make([]float32, len(rows)*h.M*h.D)
		if err := clouds.Read(flat, rows); err != nil {
			return nil, err
		}
		x := tensors.FromFlatDataAndDimensions(flat, len(rows), h.M, h.D)
		args[0] = x
		z, err := program.Call(args...)
		x.FinalizeAll()
		if err != nil {
			return nil, err
		}
		v, err := tensors.CopyFlatData[float32](z[0])
		z[0].FinalizeAll()
		if err != nil {
			return nil, err
		}
		out = append(out, v[:len(v)/atOnce*min(atOnce, h.N-at)]...)
	}
	return out, nil
}
