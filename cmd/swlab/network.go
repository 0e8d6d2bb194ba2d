package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/train"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// networkCall is encode or reconstruct.
type networkCall struct {
	*common
	reconstruct         bool
	weights, run, state string
	x, key, out         string
	points              int
	options             swlab.NetworkOptions
}

func newEncode(c *common) *cobra.Command {
	return (&networkCall{common: c}).command("encode", "latents of clouds under a trained autoencoder",
		"Writes the codes [B,256] (unit vectors) of clouds of any number of points.", "write the codes, [B,256]")
}

func newReconstruct(c *common) *cobra.Command {
	return (&networkCall{common: c, reconstruct: true}).command("reconstruct", "clouds as a trained autoencoder gives them back",
		"Writes the reconstructions [B,m,3] of clouds of any number of points; m is the decoder's.", "write the reconstructions, [B,m,3]")
}

func (n *networkCall) command(name, short, long, out string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   name + " (--weights FILE | --run DIR) --x FILE --out FILE.npy",
		Short: short,
		Long: long + " The clouds are taken as they are, while training centres\nevery cloud and scales it to radius 1. " +
			"Batch norms use their running statistics and large sets go part by part;\nwith --batch-stats they use those of the given clouds, " +
			"which then are one batch, in memory at once.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return n.work() },
	}
	f := cmd.Flags()
	f.StringVar(&n.weights, "weights", "", ".safetensors, .pth or .pt file")
	f.StringVar(&n.run, "run", "", "run folder, in place of --weights")
	f.StringVar(&n.state, "state", "best", "of --run: best (after the epoch of lowest mean training loss; the last where no epoch was finished) or last")
	f.StringVar(&n.x, "x", "", "clouds of dimension 3")
	f.StringVar(&n.key, "key", "", "array in a .npz or .h5 file (default data)")
	f.IntVar(&n.points, "points", 0, "points to sample on a mesh, or seeded subset of a cloud's; 0: as stored")
	f.StringVar(&n.out, "out", "", out)
	f.BoolVar(&n.options.BatchStats, "batch-stats", false, "normalise by the statistics of the clouds given, as in training")
	return required(cmd, "x", "out")
}

func (n *networkCall) work() error {
	began := time.Now()
	if err := writable("out", n.out); err != nil {
		return err
	}
	net, file, err := n.network()
	if err != nil {
		return wrongCall(err)
	}
	x, err := rawClouds("x", n.x, n.key, n.points, n.seed)
	if err != nil {
		return err
	}
	check, work, shape := net.CheckEncode, net.Encode, []int{x.N, pointnet.LatentSize}
	if n.reconstruct {
		check, work, shape = net.CheckReconstruct, net.Reconstruct, []int{x.N, net.Points, pointnet.Dim}
	}
	if err := check(x, n.options); err != nil {
		return wrongCall(fmt.Errorf("--x: %w", err))
	}
	if n.options.Engine, err = n.engine(); err != nil {
		return err
	}
	values, err := work(x, n.options)
	if err != nil {
		return err
	}
	if err := datasets.WriteNPY(n.out, values, shape...); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	statistics := "running"
	if n.options.BatchStats {
		statistics = "batch"
	}
	return n.print(map[string]any{
		"out": n.out, "shape": shape, "weights": file, "parameters": net.Parameters(), "statistics": statistics,
		"backend": n.options.Engine.Name, "seconds": time.Since(began).Seconds(),
	},
		[2]string{"written", fmt.Sprintf("%v in %s", shape, n.out)},
		[2]string{"weights", file},
		[2]string{"statistics", statistics})
}

// network reads the weights and names their file.
func (n *networkCall) network() (*swlab.Network, string, error) {
	file, flag := n.weights, "--weights"
	switch {
	case (n.weights == "") == (n.run == ""):
		return nil, "", fmt.Errorf("expected one of --weights and --run, found %q and %q", n.weights, n.run)
	case n.run != "":
		if _, err := train.ReadConfig(n.run); err != nil {
			return nil, "", fmt.Errorf("--run: %w", err)
		}
		var err error
		if file, err = weightsFile(n.run, n.state); err != nil {
			return nil, "", err
		}
		flag = "--run"
	}
	w, err := weights.Read(file)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", flag, err)
	}
	net, err := swlab.NewNetwork(w)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %s: %w", flag, file, err)
	}
	return net, file, nil
}
