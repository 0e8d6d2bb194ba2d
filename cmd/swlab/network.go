package main

import (
	"errors"
	"fmt"
	"math"
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
	normalize           string
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
		Long: long + " With --run every cloud is centred and scaled to\nradius 1 first, as in training, and reconstructions are put back where the clouds were; " +
			"with --weights clouds are not normalised.\nBatch norms use their running statistics and large sets are processed in parts; " +
			"with --batch-stats they use those of the given clouds,\nwhich are then one batch, in memory at once.",
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
	f.StringVar(&n.normalize, "normalize", "auto", "auto: as the training data, where --run says what they were, else none; unit: centre every cloud and scale it to radius 1; none: do not normalise")
	f.StringVar(&n.out, "out", "", out)
	f.BoolVar(&n.options.BatchStats, "batch-stats", false, "normalise by the statistics of the clouds given, as in training")
	reads(cmd, "weights", "x")
	readsRun(cmd, "run")
	writes(cmd, "out", ".npy")
	cmd = refuse(cmd, func(flag string) (string, error) {
		switch {
		case flag == "state" && n.run == "":
			return "it chooses among the weights of a --run", nil
		case flag == "key":
			return unkeyed(n.x), nil
		}
		return "", nil
	})
	return required(cmd, "x", "out")
}

func (n *networkCall) work() error {
	began := time.Now()
	net, file, config, err := n.network()
	if err != nil {
		return usageError(err)
	}
	x, err := n.clouds()
	if err != nil {
		return err
	}
	check, work, shape := net.CheckEncode, net.Encode, []int{x.Clouds, pointnet.LatentSize}
	if n.reconstruct {
		check, work, shape = net.CheckReconstruct, net.Reconstruct, []int{x.Clouds, net.Points, pointnet.Dim}
	}
	if err := check(x, n.options); err != nil {
		return usageError(fmt.Errorf("--x: %w", err))
	}
	if n.options.Engine, err = n.engine(); err != nil {
		return err
	}
	n.warnUnusual(x)
	if n.run != "" {
		n.warnChanged(n.run, config, n.x)
	}
	values, err := work(x, n.options)
	if err != nil {
		return err
	}
	written := saved{}
	if n.reconstruct && x.Frames != nil {
		made := &datasets.Set{Name: n.out, Coords: values, Clouds: x.Clouds, Points: net.Points, Dim: pointnet.Dim}
		if made, err = made.Restore(x.Frames); err != nil {
			return err
		}
		written = save("out", n.out, made.WriteNPY)
	} else {
		written = saveNPY("out", n.out, values, shape...)
	}
	statistics := "running"
	if n.options.BatchStats {
		statistics = "batch"
	}
	answer := map[string]any{
		"out": written, "shape": shape, "weights": file, "parameters": net.Parameters(), "statistics": statistics,
		"normalize": "none", "backend": n.options.Engine.Name, "seconds": time.Since(began).Seconds(),
	}
	clouds := "not normalised"
	if x.Frames != nil {
		answer["normalize"], answer["frames"] = "unit", x.Frames
		clouds = "each centred and scaled to radius 1, as in training"
		if n.reconstruct {
			clouds += "; their reconstructions are back where they lay"
		}
	}
	return errors.Join(n.print(answer,
		written.row(fmt.Sprint(shape)),
		[2]string{"weights", file},
		[2]string{"clouds", clouds},
		[2]string{"statistics", statistics}), written.err)
}

// clouds loads --x as --normalize says. Normalised clouds have Frames.
func (n *networkCall) clouds() (*datasets.Set, error) {
	o := datasets.Options{Points: n.points, Seed: n.seed, Key: n.key}
	switch n.normalize {
	case "auto":
		o.Raw = n.run == "" // runs are trained on normalised clouds
	case "none":
		o.Raw = true
	case "unit":
	default:
		return nil, usageError(fmt.Errorf("--normalize: expected auto, unit or none, found %q", n.normalize))
	}
	set, err := datasets.Load(n.x, o)
	if err != nil {
		return nil, usageError(fmt.Errorf("--x: %w", err))
	}
	n.warnOf(set.Rebase(nil)) // as the network reads them
	return set, nil
}

// unusual is the distance of a centre from 0, or of a radius from 1, above which clouds do not look
// like training data. A subset of a normalised cloud's points is closer.
const unusual = 0.1

// warnUnusual warns if clouds that are not normalised do not look like training data.
func (n *networkCall) warnUnusual(x *datasets.Set) {
	if x.Frames != nil {
		return
	}
	count, first, off := 0, 0, datasets.Frame{}
	for i := range x.Clouds {
		f, err := datasets.FrameOf(x.Cloud(i), x.Dim)
		if err == nil {
			f = f.From(x.Origin(i))
		}
		if err == nil && f.Offset() <= unusual && math.Abs(f.Scale-1) <= unusual {
			continue
		}
		if count == 0 {
			first, off = i, f
		}
		count++
	}
	if count > 0 {
		n.common.warn("--x: %d of %d clouds do not look like those of a training, with centre 0 and radius 1: the centre of cloud %d is %.3g from 0, its radius %.3g; --normalize unit makes them so",
			count, x.Clouds, first, off.Offset(), off.Scale)
	}
}

// network reads the weights and returns their file, and the configuration of their run.
func (n *networkCall) network() (net *swlab.Network, file string, run train.Config, err error) {
	file, flag := n.weights, "--weights"
	switch {
	case (n.weights == "") == (n.run == ""):
		return nil, "", run, fmt.Errorf("expected one of --weights and --run, found %q and %q", n.weights, n.run)
	case n.run != "":
		if run, err = train.ReadConfig(n.run); err != nil {
			return nil, "", run, fmt.Errorf("--run: %w", err)
		}
		if file, err = weightsFile(n.run, n.state); err != nil {
			return nil, "", run, err
		}
		flag = "--run"
	}
	w, err := weights.Read(file)
	if err != nil {
		return nil, "", run, fmt.Errorf("%s: %w", flag, err)
	}
	if net, err = swlab.NewNetwork(w); err != nil {
		return nil, "", run, fmt.Errorf("%s: %s: %w", flag, file, err)
	}
	return net, file, run, nil
}
