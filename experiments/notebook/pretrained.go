package notebook

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/experiments/runs"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/train"
	"github.com/sliced-wasserstein/lab/vmfviz"
	"github.com/sliced-wasserstein/lab/vmfviz/show"
)

// pretrained is the folder of the lectures' network, within the repository; make network trains it.
const pretrained = "runs/network"

// Pretrained returns the network of docs/network.md, with the weights of the epoch of lowest
// training loss. `make network` trains it once. Where it is missing, Pretrained shows how to get it
// and returns nil. In the short form it is an untrained network of 64 points.
func (b *Session) Pretrained() (*swlab.Network, error) {
	if b.Fast {
		c := train.DefaultConfig()
		c.Loss, c.Points = "sw", 64
		w, err := c.Start()
		if err != nil {
			return nil, err
		}
		return swlab.NewNetwork(w)
	}
	root, err := repository()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(root, pretrained)
	if _, err := os.Stat(dir); os.IsNotExist(err) {
		show.Markdown(fmt.Sprintf("There is no trained network in `%s`. `make network` trains it in about an hour and a half; then run this cell again.", pretrained))
		return nil, nil
	}
	if _, err := train.ReadResult(dir); err != nil {
		return nil, fmt.Errorf("the training in %s has not finished; make network continues it (%w)", pretrained, err)
	}
	w, err := runs.Weights(dir, "best")
	if err != nil {
		return nil, err
	}
	return swlab.NewNetwork(w)
}

// Reconstructed draws three rows: clouds, captioned by names; what net makes of them; the same with
// each point in the colour of its distance to the nearest point of the input.
func (b *Session) Reconstructed(net *swlab.Network, clouds *datasets.Set, names []string) (*vmfviz.Picture, error) {
	e, err := b.Backend()
	if err != nil {
		return nil, err
	}
	y, err := net.Reconstruct(clouds, swlab.NetworkOptions{Engine: e})
	if err != nil {
		return nil, err
	}
	rows := []vmfviz.CloudRow{{Caption: "input"}, {Caption: "output"}, {Caption: "error", Errors: true}}
	for i, coords := range [][]float32{clouds.Coords, y, y} {
		rows[i].Clouds = must.M1(vmfviz.Split(coords, clouds.Clouds))
	}
	return vmfviz.Clouds(vmfviz.CloudsOptions{Columns: names}, rows...)
}
