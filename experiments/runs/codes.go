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

// encodes is the number of clouds encoded in one call.
const encodes = 32

// encoder encodes clouds of one size with any autoencoder's weights: compiled once for all runs of a table.
type encoder struct {
	net  *pointnet.Autoencoder
	exec *graph.Exec
}

func newEncoder(e *engine.Engine, points int) (*encoder, error) {
	net := &pointnet.Autoencoder{Points: points}
	x, err := graph.NewExec(e.Backend, func(in []*graph.Node) *graph.Node {
		return net.Encode(weights.Bind(net.Specs(), in[1:]), in[0], pointnet.Eval)
	})
	return &encoder{net: net, exec: x}, err
}

func (c *encoder) close() { c.exec.Finalize() }

// codes encodes clouds with the network of a training, in evaluation mode.
func (l *Lab) codes(ctx context.Context, w *weights.Set, d Data) (latent.Codes, error) {
	clouds, err := l.open(d)
	if err != nil {
		return latent.Codes{}, err
	}
	if l.encoder != nil && l.encoder.net.Points != d.Points {
		l.encoder.close()
		l.encoder = nil
	}
	if l.encoder == nil {
		e, err := l.Engine()
		if err != nil {
			return latent.Codes{}, err
		}
		if l.encoder, err = newEncoder(e, d.Points); err != nil {
			return latent.Codes{}, err
		}
	}
	h := clouds.Header()
	out := latent.Codes{Name: d.String(), Labels: h.Labels, N: h.N}
	out.Vectors, err = l.encoder.encode(ctx, w, clouds)
	return out, err
}

func (c *encoder) encode(ctx context.Context, w *weights.Set, clouds datasets.Clouds) ([]float32, error) {
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
	for at := 0; at < h.N; at += encodes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rows := make([]int32, encodes) // the last batch is filled up with its own last cloud
		for i := range rows {
			rows[i] = int32(min(at+i, h.N-1))
		}
		flat := make([]float32, len(rows)*h.M*h.D)
		if err := clouds.Read(flat, rows); err != nil {
			return nil, err
		}
		x := tensors.FromFlatDataAndDimensions(flat, len(rows), h.M, h.D)
		args[0] = x
		z, err := c.exec.Call(args...)
		x.FinalizeAll()
		if err != nil {
			return nil, err
		}
		v, err := tensors.CopyFlatData[float32](z[0])
		z[0].FinalizeAll()
		if err != nil {
			return nil, err
		}
		out = append(out, v[:min(encodes, h.N-at)*pointnet.LatentSize]...)
	}
	return out, nil
}
