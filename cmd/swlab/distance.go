package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

type distanceCall struct {
	*common
	loss, x, y, key, reduce           string
	directions                        string
	outSlices, outGrad, outDirections string
	points                            int
	settings                          loss.Settings
}

func newDistance(c *common) *cobra.Command {
	d := &distanceCall{common: c, settings: loss.Defaults()}
	cmd := &cobra.Command{
		Use:   "distance --loss NAME --x FILE --y FILE",
		Short: "compare two clouds, or two sets of them pair by pair",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return d.run() },
	}
	f := cmd.Flags()
	f.StringVar(&d.loss, "loss", "", strings.Join(loss.Names(), ", "))
	f.StringVar(&d.x, "x", "", "first clouds")
	f.StringVar(&d.y, "y", "", "second clouds")
	f.StringVar(&d.key, "key", "", "array in a .npz or .h5 file (default data)")
	f.IntVar(&d.points, "points", 0, "points to sample on a mesh, or seeded subset of a cloud's; 0: as stored")
	f.Float64Var(&d.settings.P, "p", d.settings.P, "exponent p >= 1")
	f.IntVar(&d.settings.Slices, "slices", d.settings.Slices, "number of directions L")
	f.Float64Var(&d.settings.Kappa, "kappa", d.settings.Kappa, "concentration of the vMF law")
	f.IntVar(&d.settings.AscentSteps, "ascent-steps", d.settings.AscentSteps, "steps T of the ascent on the location")
	f.Float64Var(&d.settings.AscentRate, "ascent-rate", d.settings.AscentRate, "its rate")
	f.BoolVar(&d.settings.AscentTangent, "ascent-tangent", false, "remove the radial part of its gradient: beyond the paper, finds the maximum")
	f.StringVar(&d.reduce, "reduce", "sum", "over points: sum or mean")
	f.BoolVar(&d.settings.Root, "root", false, "take the p-th root per pair")
	f.StringVar(&d.directions, "directions", "", ".npy file with [L,d] or [B,L,d] directions, used as given")
	f.StringVar(&d.outSlices, "out-slices", "", "write the cost of every slice, [B,L]")
	f.StringVar(&d.outGrad, "out-grad", "", "write the gradient of the value with respect to y, [B,m,d]")
	f.StringVar(&d.outDirections, "out-directions", "", "write the directions, [B,L,d]")
	return required(cmd, "loss", "x", "y")
}

func (d *distanceCall) run() error {
	switch d.reduce {
	case "sum":
	case "mean":
		d.settings.PerPoint = true
	default:
		return wrongCall(fmt.Errorf("--reduce: expected sum or mean, found %q", d.reduce))
	}
	if _, err := loss.New(d.loss, d.settings); err != nil {
		return wrongCall(err)
	}
	var sets [2]*datasets.Set
	for i, path := range []string{d.x, d.y} {
		set, err := datasets.Load(path, datasets.Options{Points: d.points, Seed: d.seed + uint64(i), Key: d.key, Raw: true})
		if err != nil {
			return wrongCall(fmt.Errorf("--%c: %w", 'x'+i, err))
		}
		sets[i] = set
	}
	x, y := sets[0], sets[1]
	o := swlab.DistanceOptions{Settings: d.settings, Seed: d.seed, Gradient: d.outGrad != ""}
	if d.directions != "" {
		v, shape, err := datasets.ReadNPY(d.directions)
		if err != nil {
			return wrongCall(fmt.Errorf("--directions: %w", err))
		}
		o.Directions = &swlab.Directions{Values: v, Shape: shape}
	}
	if err := swlab.CheckDistance(d.loss, x, y, o); err != nil {
		return wrongCall(err)
	}
	e, err := d.engine()
	if err != nil {
		return err
	}
	o.Engine = e
	r, err := swlab.Distance(d.loss, x, y, o)
	if err != nil {
		return err
	}
	for _, out := range []struct {
		flag, path string
		values     []float32
		shape      []int
	}{
		{"out-slices", d.outSlices, r.Costs, []int{x.N, r.Slices}},
		{"out-directions", d.outDirections, r.Directions, []int{x.N, r.Slices, x.D}},
		{"out-grad", d.outGrad, r.Gradient, []int{y.N, y.M, y.D}},
	} {
		if out.path == "" {
			continue
		}
		if out.values == nil {
			return wrongCall(fmt.Errorf("--%s: loss %q has none to write", out.flag, d.loss))
		}
		if err := datasets.WriteNPY(out.path, out.values, out.shape...); err != nil {
			return fmt.Errorf("--%s: %w", out.flag, err)
		}
	}
	return d.print(map[string]any{
		"loss": d.loss, "value": number(r.Value), "per_pair": numbers(r.PerPair), "stderr": number(r.StdErr), "slices": r.Slices,
		"convention": r.Convention, "p": d.settings.P, "seed": d.seed, "backend": e.Name, "seconds": r.Seconds,
	},
		[2]string{r.Loss, fmt.Sprintf("%.6g +- %.2g", r.Value, r.StdErr)},
		[2]string{"convention", r.Convention},
		[2]string{"pairs, slices", fmt.Sprintf("%d, %d", x.N, r.Slices)},
		[2]string{"backend", fmt.Sprintf("%s, %.2f s", e.Name, r.Seconds)})
}
