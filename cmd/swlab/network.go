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
	X       string `flag:"x" arg:"CLOUDS" need:"x" unit:"FILE|DIR" reads:"clouds" help:"clouds of dimension 3: a file, a folder, or builtin"`
	Run     string `flag:"run" unit:"DIR" reads:"run" help:"folder of a run, whose weights are used"`
	Weights string `flag:"weights" unit:"FILE" reads:"file" help:"weights of the autoencoder in place of a run's, .safetensors, .pth or .pt"`
	state
	sampling
	Normalize  string `flag:"normalize" unit:"NAME" words:"auto unit none" help:"auto: as the training data, where --run says what they were, else none; unit: centre every cloud and scale it to radius 1; none: take clouds as they are"`
	BatchStats bool   `flag:"batch-stats" help:"normalise by the statistics of the clouds given, as in training"`
	Out        string `flag:"out" need:"x" unit:"FILE" writes:".npy" group:"Output" help:"write the codes, [B,256], or the reconstructions, [B,m,3]"`

	reconstruct bool
}

func newEncode(c *common) *cobra.Command {
	return newNetworkCall(c, "encode", "Write the latents of clouds under a trained autoencoder",
		"Writes the codes [B,256] (unit vectors) of clouds of any number of points.")
}

func newReconstruct(c *common) *cobra.Command {
	return newNetworkCall(c, "reconstruct", "Write clouds as a trained autoencoder gives them back",
		"Writes the reconstructions [B,m,3] of clouds of any number of points; m is the decoder's.")
}

func newNetworkCall(c *common, name, short, long string) *cobra.Command {
	n := &networkCall{common: c, reconstruct: name == "reconstruct", state: state{"best"}, Normalize: "auto"}
	cmd := c.command(name+" CLOUDS (--run DIR | --weights FILE) --out FILE", short, "swlab "+name+` clouds.npy --run runs/first --out z.npy
swlab `+name+` clouds.npy --weights model.pth --out z.npy`, n)
	cmd.Long = long + " With --run every cloud is centred and scaled to\nradius 1 first, as in training, and reconstructions are put back where the clouds were; " +
		"with --weights clouds are not normalised.\nBatch norms use their running statistics and large sets are processed in parts; " +
		"with --batch-stats they use those of the given clouds,\nwhich are then one batch, in memory at once."
	return cmd
}

func (n *networkCall) unused(flag string) (string, error) {
	if flag == "state" && n.Run == "" {
		return "it chooses among the weights of a --run", nil
	}
	return "", nil
}

type networkAnswer struct {
	Out        saved            `json:"out"`
	Shape      []int            `json:"shape"`
	Weights    string           `json:"weights"`
	Parameters int              `json:"parameters"`
	Statistics string           `json:"statistics"`
	Normalize  string           `json:"normalize"`
	Frames     []datasets.Frame `json:"frames,omitempty"`
	Backend    string           `json:"backend"`
	Seconds    float64          `json:"seconds"`
	restored   bool
}

func (a networkAnswer) String() string {
	clouds := "not normalised"
	if a.Frames != nil {
		clouds = "each centred and scaled to radius 1, as in training"
	}
	if a.restored {
		clouds += "; their reconstructions are back where they lay"
	}
	return lines(a.Out.row(fmt.Sprint(a.Shape)), [2]string{"weights", a.Weights}, [2]string{"clouds", clouds}, [2]string{"statistics", a.Statistics})
}

func (n *networkCall) run() error {
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
	o := swlab.NetworkOptions{BatchStats: n.BatchStats}
	if err := check(x, o); err != nil {
		return usageError(fmt.Errorf("--x: %w", err))
	}
	if o.Engine, err = n.engine(); err != nil {
		return err
	}
	n.warnUnusual(x)
	if n.Run != "" {
		n.warnChanged(n.Run, config, n.X)
	}
	values, err := work(x, o)
	if err != nil {
		return err
	}
	a := networkAnswer{Shape: shape, Weights: file, Parameters: net.Parameters(), Statistics: "running", Normalize: "none", Frames: x.Frames,
		Backend: o.Engine.Name, restored: n.reconstruct && x.Frames != nil}
	if a.restored {
		made := &datasets.Set{Name: n.Out, Coords: values, Clouds: x.Clouds, Points: net.Points, Dim: pointnet.Dim}
		if made, err = made.Restore(x.Frames); err != nil {
			return err
		}
		a.Out = save("out", n.Out, made.WriteNPY)
	} else {
		a.Out = saveNPY("out", n.Out, values, shape...)
	}
	if n.BatchStats {
		a.Statistics = "batch"
	}
	if x.Frames != nil {
		a.Normalize = "unit"
	}
	a.Seconds = time.Since(began).Seconds()
	return errors.Join(n.print(a), a.Out.err)
}

// clouds loads --x as --normalize says. Normalised clouds have Frames.
func (n *networkCall) clouds() (*datasets.Set, error) {
	o := datasets.Options{Points: n.Points, Seed: n.Seed, Key: n.Key}
	switch n.Normalize {
	case "auto":
		o.Raw = n.Run == "" // runs are trained on normalised clouds
	case "none":
		o.Raw = true
	}
	set, err := datasets.Load(n.X, o)
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
	file, flag := n.Weights, "--weights"
	switch {
	case (n.Weights == "") == (n.Run == ""):
		return nil, "", run, fmt.Errorf("expected one of --weights and --run, found %q and %q", n.Weights, n.Run)
	case n.Run != "":
		if run, err = train.ReadConfig(n.Run); err != nil {
			return nil, "", run, fmt.Errorf("--run: %w", err)
		}
		if file, err = weightsFile(n.Run, n.State); err != nil {
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
