package all

import (
	"fmt"

	"github.com/sliced-wasserstein/lab/experiments/calls"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/latent"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// networkSettings choose an autoencoder.
type networkSettings struct {
	Weights string `json:"weights"` // its file
}

// network is the autoencoder of a request, and how it works.
func network(r *calls.Request) (*swlab.Network, swlab.NetworkOptions, error) {
	var s networkSettings
	o := swlab.NetworkOptions{Context: r.Context()}
	if err := r.Apply(&s); err != nil {
		return nil, o, err
	}
	w, err := weights.ReadSafetensors(r.Path(s.Weights))
	if err != nil {
		return nil, o, err
	}
	if o.Engine, err = trainer(); err != nil {
		return nil, o, err
	}
	net, err := swlab.NewNetwork(w)
	return net, o, err
}

// encoded makes codes of clouds: a cloud of as many points.
func encoded(r *calls.Request, a *calls.Answer) error {
	set, err := r.Clouds("x")
	if err != nil {
		return err
	}
	net, o, err := network(r)
	if err != nil {
		return err
	}
	z, err := net.Encode(set, o)
	calls.Add(a, "x", z, 1, set.Clouds, pointnet.LatentSize)
	return err
}

// decoded makes clouds of codes.
func decoded(r *calls.Request, a *calls.Answer) error {
	set, err := codes(r)
	if err != nil {
		return err
	}
	net, o, err := network(r)
	if err != nil {
		return err
	}
	y, err := net.Decode(set, o)
	calls.Add(a, "points", y, len(set)/pointnet.LatentSize, net.Points, pointnet.Dim)
	return err
}

// codes are the points of one cloud of the dimension of codes.
func codes(r *calls.Request) ([]float32, error) {
	set, err := r.Clouds("x")
	if err != nil {
		return nil, err
	}
	if set.Clouds != 1 || set.Dim != pointnet.LatentSize {
		return nil, fmt.Errorf("codes: expected a cloud of dimension %d, found %d of dimension %d", pointnet.LatentSize, set.Clouds, set.Dim)
	}
	return set.Rebase(nil).Coords, nil // where they are: a single code is its own origin
}

// generated trains a generator on codes and draws from it.
func generated(r *calls.Request, a *calls.Answer) error {
	s := struct {
		N      int     `json:"n" range:"1.."`
		Epochs int     `json:"epochs" range:"1.."`
		Batch  int     `json:"batch" range:"1.."`
		Slices int     `json:"slices" range:"1.."`
		Rate   float64 `json:"learning_rate" range:">0.."`
	}{N: 1, Epochs: latent.DefaultGenerator().Epochs, Batch: latent.DefaultGenerator().Batch, Slices: 100, Rate: 1e-3}
	if err := r.Apply(&s); err != nil {
		return err
	}
	set, err := codes(r)
	if err != nil {
		return err
	}
	e, err := trainer()
	if err != nil {
		return err
	}
	c := latent.DefaultGenerator()
	c.Epochs, c.Batch, c.Slices, c.LearningRate, c.Seed = s.Epochs, s.Batch, s.Slices, s.Rate, r.Seed
	g, err := latent.TrainGenerator(r.Context(), e, latent.Codes{Name: "codes", Vectors: set, N: len(set) / pointnet.LatentSize}, c,
		func(done, total int, _ float64) {
			if done%10 == 0 {
				r.Show(calls.Event{ID: "generator", Text: fmt.Sprintf("step %d of %d", done, total)})
			}
		})
	if err != nil {
		return err
	}
	z, err := latent.Generate(e, g.Weights, s.N, r.Seed)
	calls.Add(a, "losses", g.Losses, len(g.Losses))
	calls.Add(a, "x", z, 1, s.N, pointnet.LatentSize)
	return err
}
