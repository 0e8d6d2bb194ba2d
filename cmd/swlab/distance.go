package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

type distanceCall struct {
	*common
	loss, x, y, key                   string
	directions, massX, massY, path    string
	weights                           string
	outSlices, outGrad, outDirections string
	normalize                         string
	points                            int
	settings                          loss.Config
}

func newDistance(c *common) *cobra.Command {
	d := &distanceCall{common: c, settings: loss.Defaults()}
	cmd := &cobra.Command{
		Use:   "distance --loss NAME --x FILE --y FILE",
		Short: "compare two clouds, or two sets of them pair by pair",
		Args:  cobra.NoArgs,
	}
	f := cmd.Flags()
	cmd.RunE = func(*cobra.Command, []string) error { return d.run() }
	f.StringVar(&d.loss, "loss", "", strings.Join(loss.Names(), ", "))
	f.StringVar(&d.x, "x", "", "first clouds")
	f.StringVar(&d.y, "y", "", "second clouds")
	f.StringVar(&d.key, "key", "", "array in a .npz or .h5 file (default data)")
	f.IntVar(&d.points, "points", 0, "points to sample on a mesh, or seeded subset of a cloud's; 0: as stored. Different files get different subsets, one file given twice the same")
	settingFlags(f, &d.settings, "ascent_sgd")
	f.TextVar(&d.settings.Ground, "ground", d.settings.Ground, "emd-exact and sinkhorn: norm of the difference in the cost, to the power p: euclidean, or p for the p-norm, as in the paper")
	f.Float64Var(&d.settings.Reg, "reg", d.settings.Reg, "sinkhorn: entropic regularisation")
	f.IntVar(&d.settings.Maps.DK, "dk", d.settings.Maps.DK, "width of the amortizer's queries and keys; default: the weights' own, or 64")
	f.IntVar(&d.settings.Maps.K, "k", d.settings.Maps.K, "projected keys and values of LA; default: the same")
	variantFlag(f, &d.settings.Maps.Variant)
	f.StringVar(&d.weights, "weights", "", "the amortizer's weights, .safetensors or .pth (default: initial ones, by --seed)")
	f.StringVar(&d.directions, "directions", "", ".npy file with [L,d] or [B,L,d] directions, used as given")
	f.StringVar(&d.massX, "mass-x", "", ".npy file with masses of the points of x, [m] or [B,m], divided by their sum; sw and its kind and emd-exact need --reduce mean")
	f.StringVar(&d.massY, "mass-y", "", "the same of y")
	f.StringVar(&d.normalize, "normalize", "none", "emd-approx: unit: centre both clouds of a pair together and scale them to radius 1, and the value back; none: clouds as they are")
	f.StringVar(&d.path, "path", "auto", "where slices are evaluated: host (plain Go), graph (the training graph), or auto (host unless there is a GPU)")
	f.StringVar(&d.outSlices, "out-slices", "", "write the cost of every slice, [B,L]")
	f.StringVar(&d.outGrad, "out-grad", "", "write the gradient of the value with respect to y, [B,m,d]")
	f.StringVar(&d.outDirections, "out-directions", "", "write the directions, [B,L,d]")
	reads(cmd, "x", "y", "weights", "directions", "mass-x", "mass-y")
	writes(cmd, "out-slices", ".npy")
	writes(cmd, "out-grad", ".npy")
	writes(cmd, "out-directions", ".npy")
	return required(refuse(cmd, d.unused), "loss", "x", "y")
}

// unused says why a flag has no effect in this call.
func (d *distanceCall) unused(flag string) (why string, err error) {
	if what := setting(flag); what != "" {
		return unread(d.loss, d.asIf(), d.directions != "", what)
	}
	l, err := loss.New(d.loss, d.asIf())
	if err != nil {
		return "", err
	}
	_, sliced := l.(loss.Sliced)
	switch flag {
	case "key":
		return unkeyed(d.x, d.y), nil
	case "path", "out-slices", "out-directions":
		if !sliced {
			return fmt.Sprintf("loss %q takes no slices", d.loss), nil
		}
	case "normalize":
		if _, ok := l.(loss.ApproximateEMD); !ok {
			return fmt.Sprintf("loss %q takes clouds as they are", d.loss), nil
		}
	case "weights":
		if d.directions != "" {
			return "the directions of --directions are used as given", nil
		}
	}
	return "", nil
}

// variantFlag chooses between the released maps and those of the paper.
func variantFlag(f *pflag.FlagSet, v *amortizer.Variant) {
	f.TextVar(v, "variant", *v, "the amortizers as released, or as in the paper")
}

func (d *distanceCall) run() error {
	path := map[string]swlab.Path{"auto": swlab.AutoPath, "host": swlab.HostPath, "graph": swlab.GraphPath}[d.path]
	if _, err := loss.New(d.loss, d.asIf()); err != nil {
		return usageError(err)
	}
	if d.weights != "" && d.settings.Amortizer == "" {
		return usageError(fmt.Errorf("--weights: without --amortizer nothing has weights"))
	}
	var sets [2]*datasets.Set
	for i, path := range []string{d.x, d.y} {
		if i == 1 && sameSource(d.x, d.y) {
			sets[1] = sets[0]
			break
		}
		set, err := datasets.Load(path, datasets.Options{Points: d.points, Seed: d.seed + uint64(i), Key: d.key, Raw: true})
		if err != nil {
			return usageError(fmt.Errorf("--%c: %w", 'x'+i, err))
		}
		sets[i] = set
	}
	x, y := sets[0], sets[1]
	o := swlab.DistanceConfig{Config: d.settings, Seed: d.seed, Gradient: d.outGrad != "", Path: path, Normalize: d.normalize == "unit"}
	if d.directions != "" {
		v, shape, err := datasets.ReadNPY(d.directions)
		if err != nil {
			return usageError(fmt.Errorf("--directions: %w", err))
		}
		o.Directions = &swlab.Directions{Values: v, Shape: shape}
	}
	var err error
	if d.weights != "" {
		if o.Weights, err = weights.Read(d.weights); err != nil {
			return usageError(fmt.Errorf("--weights: %w", err))
		}
	}
	if o.MassX, err = masses("mass-x", d.massX, x); err != nil {
		return err
	}
	if o.MassY, err = masses("mass-y", d.massY, y); err != nil {
		return err
	}
	if err := swlab.CheckDistance(d.loss, x, y, o); err != nil {
		return usageError(err)
	}
	if d.weights != "" {
		maps := d.settings.Maps
		if err := swlab.CheckDirection(d.settings.Amortizer, x, y, swlab.DirectionConfig{Weights: o.Weights, DK: maps.DK, K: maps.K, Variant: maps.Variant}); err != nil {
			return usageError(fmt.Errorf("--weights %s: %w", d.weights, err))
		}
	}
	if o.Engine, err = d.chosenEngine(); err != nil {
		return err
	}
	r, err := swlab.Distance(d.loss, x, y, o)
	if err != nil {
		return err
	}
	var unwritten error // reported after the numbers
	for _, out := range []struct {
		flag, path string
		values     []float32
		shape      []int
	}{
		{"out-slices", d.outSlices, r.Costs, []int{x.Clouds, len(r.Costs) / x.Clouds}},
		{"out-directions", d.outDirections, r.Directions, []int{x.Clouds, len(r.Costs) / x.Clouds, x.Dim}},
		{"out-grad", d.outGrad, r.Gradient, []int{y.Clouds, y.Points, y.Dim}},
	} {
		if out.path == "" {
			continue
		}
		if out.values == nil {
			return usageError(fmt.Errorf("--%s: loss %q has none to write", out.flag, d.loss))
		}
		unwritten = errors.Join(unwritten, saveNPY(out.flag, out.path, out.values, out.shape...).err)
	}
	optimality := any(nil) // certificate, if the loss is an optimum
	if r.DualityGap != nil {
		optimality = numbers(r.DualityGap)
	}
	assigned := any(nil) // matched mass, if the loss may leave some out
	if r.MatchedMass != nil {
		assigned = r.MatchedMass
		if least := slices.Min(r.MatchedMass); least < 0.99 {
			d.warn("the match of --loss %s assigns only %.3g of a pair's mass, and the rest costs nothing: its scales are for clouds of radius 1", d.loss, least)
		}
	}
	for _, w := range r.Warnings {
		d.warn("%s", w)
	}
	text := [][2]string{
		{r.Loss, withError(r)},
		{"convention", r.Convention},
		{"pairs, slices", fmt.Sprintf("%d, %d", x.Clouds, r.Slices)},
		{"backend", fmt.Sprintf("%s, %.2f s", r.Backend, r.Work.Seconds)},
	}
	var needed any
	if n, err := r.SlicesNeeded(0.01); err == nil {
		needed = n
		text = append(text, [2]string{"slices for 1 %", fmt.Sprint(n)})
	}
	return errors.Join(d.print(map[string]any{
		"loss": d.loss, "value": number(r.Value), "per_pair": numbers(r.PerPair), "stderr": number(r.StdErr), "slices": r.Slices,
		"stderr_per_pair": numbers(r.PairErrs), "confidence_95": numbers([]float64{r.Low, r.High}), "slices_for_one_percent": needed,
		"convention": r.Convention, "p": r.Exponent, "seed": d.seed, "backend": r.Backend, "seconds": r.Work.Seconds, "ledger": r.Work, "optimality_gap": optimality, "assigned": assigned,
	}, text...), unwritten)
}

// withError formats the value and, where slices are random, its standard error and interval.
func withError(r *swlab.Result) string {
	switch {
	case r.Costs == nil:
		return fmt.Sprintf("%.8g", r.Value)
	case math.IsNaN(r.StdErr):
		return fmt.Sprintf("%.6g, error unknown: too few independent slices, or the root of 0", r.Value)
	}
	return fmt.Sprintf("%.6g +- %.2g, 95 %% between %.6g and %.6g", r.Value, r.StdErr, r.Low, r.High)
}

// asIf returns the settings for clouds of any size, before the clouds are known.
func (d *distanceCall) asIf() loss.Config {
	s := d.settings
	s.Maps.Points = 1
	return s
}

// masses reads the masses of a set's points.
func masses(flag, path string, set *datasets.Set) ([]float64, error) {
	if path == "" {
		return nil, nil
	}
	v, shape, err := datasets.ReadNPYFloat64(path)
	if err != nil {
		return nil, usageError(fmt.Errorf("--%s: %w", flag, err))
	}
	one := len(shape) == 1 && set.Clouds == 1 && shape[0] == set.Points
	if !one && !slices.Equal(shape, []int{set.Clouds, set.Points}) {
		return nil, usageError(fmt.Errorf("--%s: expected shape [%d, %d] like the clouds of %s, found %v", flag, set.Clouds, set.Points, set.Name, shape))
	}
	return v, nil
}
