package runs

import (
	"context"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/latent"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// atOnce is the number of clouds encoded, or codes decoded, in one call. It is fixed so that the
// runs of a table share compiled programs.
const atOnce = 32

// network returns the autoencoder of a training and the options for running it in the store.
func (l *Store) network(ctx context.Context, w *weights.Set) (*swlab.Network, swlab.NetworkOptions, error) {
	n, err := swlab.NewNetwork(w)
	if err != nil {
		return nil, swlab.NetworkOptions{}, err
	}
	e, err := l.Engine()
	return n, swlab.NetworkOptions{Batch: atOnce, Context: ctx, Engine: e}, err
}

// codes encodes clouds with the network of a training.
func (l *Store) codes(ctx context.Context, w *weights.Set, d Data) (latent.Codes, error) {
	clouds, err := l.Clouds(d)
	if err != nil {
		return latent.Codes{}, err
	}
	out := latent.Codes{Name: d.String(), Labels: clouds.Labels, N: clouds.Clouds}
	out.Vectors, err = l.encode(ctx, w, clouds)
	return out, err
}

func (l *Store) encode(ctx context.Context, w *weights.Set, clouds *datasets.Set) ([]float32, error) {
	n, o, err := l.network(ctx, w)
	if err != nil {
		return nil, err
	}
	return n.Encode(clouds, o)
}

// clouds decodes codes with the network of a training.
func (l *Store) clouds(ctx context.Context, w *weights.Set, codes []float32) (*datasets.Set, error) {
	n, o, err := l.network(ctx, w)
	if err != nil {
		return nil, err
	}
	points, err := n.Decode(codes, o)
	return &datasets.Set{Kind: "npy", Clouds: len(points) / (3 * n.Points), Points: n.Points, Dim: 3, Coords: points}, err
}
