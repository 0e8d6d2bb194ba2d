package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/datasets"
)

func newData(c *common) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "data",
		Short: "data sets and what is in them",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return wrongCall(fmt.Errorf("unknown call %q; `swlab data` lists them", "data "+args[0]))
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(newDataList(c), newDataInfo(c), newDataSample(c), newDataFetch(c), newDataVerify(c))
	return cmd
}

func newDataInfo(c *common) *cobra.Command {
	var key string
	cmd := &cobra.Command{
		Use:   "info PATH",
		Short: "describe clouds: a file, a folder, or builtin",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			set, err := datasets.Load(args[0], datasets.Options{Key: key, Seed: c.seed, Raw: true})
			if err != nil {
				return wrongCall(err)
			}
			s := set.Summary()
			return c.print(map[string]any{
				"path": args[0], "kind": set.Kind, "clouds": set.N, "points": set.M, "dim": set.D, "classes": len(set.Classes),
				"class_names": set.Classes, "per_class": s.PerClass, "train": s.Train, "test": s.Test,
				"min": s.Min, "max": s.Max, "duplicates": s.Duplicates, "non_finite": s.NonFinite,
			},
				[2]string{"path", args[0]},
				[2]string{"kind", set.Kind},
				[2]string{"clouds", fmt.Sprint(set.N)},
				[2]string{"points, dim", fmt.Sprintf("%d, %d", set.M, set.D)},
				[2]string{"classes", fmt.Sprint(len(set.Classes))},
				[2]string{"train, test", fmt.Sprintf("%d, %d", s.Train, s.Test)},
				[2]string{"extent", fmt.Sprintf("%.4g to %.4g per axis", s.Min, s.Max)},
				[2]string{"duplicate points", fmt.Sprint(s.Duplicates)})
		},
	}
	cmd.Flags().StringVar(&key, "key", "", "array in a .npz or .h5 file (default data)")
	return cmd
}
