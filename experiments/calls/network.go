package calls

import (
	"fmt"

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
func (r *Request) network() (*swlab.Network, swlab.NetworkOptions, error) {
	var s networkSettings
	o := swlab.NetworkOptions{Context: r.ctx}
	if err := r.apply(&s); err != nil {
		return nil, o, err
	}
	w, err := weights.ReadSafetensors(r.path(s.Weights))
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
func encoded(r *Request, a *Answer) error {
	set, err := r.clouds("x")
	if err != nil {
		return err
	}
	net, o, err := r.network()
	if err != nil {
		return err
	}
	z, err := net.Encode(set, o)
	add(a, "x", z, 1, set.Clouds, pointnet.LatentSize)
	return err
}

// decoded makes clouds of codes.
func decoded(r *Request, a *Answer) error {
	set, err := r.codes()
	if err != nil {
		return err
	}
	net, o, err := r.network()
	if err != nil {
		return err
	}
	y, err := net.Decode(set, o)
	add(a, "points", y, len(set)/pointnet.LatentSize, net.Points, pointnet.Dim)
	return err
}

// codes are the points of one cloud of the dimension of codes.
func (r *Request) codes() ([]float32, error) {
	set, err := r.clouds("x")
	if err != nil {
		return nil, err
	}
	if set.Clouds != 1 || set.Dim != pointnet.LatentSize {
		return nil, fmt.Errorf("codes: expected a cloud of dimension %d, found %d of dimension %d", pointnet.LatentSize, set.Clouds, set.Dim)
	}
	return set.Coords, nil
}

// generated trains a generator on codes and draws from it.
func generated(r *Request, a *Answer) error {
	s := struct {
		N      int     `json:"n" range:"1.."`
		Epochs int     `json:"epochs" range:"1.."`
		Slices int     `json:"slices" range:"1.."`
		Rate   float64 `json:"learning_rate" range:">0.."`
	}{N: 1, Epochs: latent.DefaultGenerator().Epochs, Slices: 100, Rate: 1e-3}
	if err := r.apply(&s); err != nil {
		return err
	}
	set, err := r.codes()
	if err != nil {
		return err
	}
	e, err := trainer()
	if err != nil {
		return err
	}
	c := latent.DefaultGenerator()
	c.Epochs, c.Slices, c.LearningRate, c.Seed = s.Epochs, s.Slices, s.Rate, r.Seed
	g, err := latent.TrainGenerator(r.ctx, e, latent.Codes{Name: "codes", Vectors: set, N: len(set) / pointnet.LatentSize}, c,
		func(done, total int, _ float64) {
			if r.show != nil && done%10 == 0 {
				r.show(Event{ID: "generator", Text: fmt.Sprintf("step %d of %d", done, total)})
			}
		})
	if err != nil {
		return err
	}
	z, err := latent.Generate(e, g.Weights, s.N, r.Seed)
	add(a, "losses", g.Losses, len(g.Losses))
	add(a, "x", z, 1, s.N, pointnet.LatentSize)
	return err
}
