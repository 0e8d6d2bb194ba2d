package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/experiments"
	"github.com/sliced-wasserstein/lab/swlab/amortizer"
)

// newInvariance measures what the amortizers' directions depend on.
func newInvariance(c *common) *cobra.Command {
	var data, key string
	var points, pairs, dk, k int
	var form amortizer.Variant
	cmd := &cobra.Command{
		Use:   "invariance",
		Short: "by how much each amortizer's direction turns when points are permuted, clouds exchanged, points resampled",
		Args:  cobra.NoArgs,
	}
	f := cmd.Flags()
	f.StringVar(&data, "data", "builtin", "clouds: a file, a folder, or builtin")
	f.StringVar(&key, "key", "", "array in a .npz or .h5 file (default data)")
	f.IntVar(&points, "points", 2048, "points per cloud; by default at most as many as the file has")
	f.IntVar(&pairs, "pairs", 20, "random pairs of clouds")
	f.IntVar(&dk, "dk", 64, "width of queries and keys")
	f.IntVar(&k, "k", 64, "projected keys and values of LA")
	variantFlag(f, &form)
	reads(cmd, "data")
	cmd.RunE = func(*cobra.Command, []string) error {
		for i, v := range []int{points, pairs, dk, k} {
			if v < 1 {
				return usageError(fmt.Errorf("--%s: expected at least 1, found %d", []string{"points", "pairs", "dk", "k"}[i], v))
			}
		}
		set, err := datasets.Load(data, datasets.Options{Points: points, AtMost: !f.Changed("points"), Seed: c.seed, Key: key})
		if err != nil {
			return usageError(fmt.Errorf("--data: %w", err))
		}
		if set.Clouds < 2 {
			return usageError(fmt.Errorf("--data: pairs take two clouds or more, found %d in %s", set.Clouds, set.Name))
		}
		points = fewer(points, set.Header())
		o := experiments.InvarianceConfig{Points: points, DK: dk, K: k, Pairs: pairs, Variant: form, Seed: c.seed}
		e, err := c.engine()
		if err != nil {
			return err
		}
		r, err := experiments.Invariance(e, set, o)
		if err != nil {
			return err
		}
		if c.format == "text" {
			fmt.Print(r.Markdown())
			return nil
		}
		return c.print(r)
	}
	return refuse(cmd, func(flag string) (string, error) {
		if flag == "key" {
			return unkeyed(data), nil
		}
		return "", nil
	})
}
