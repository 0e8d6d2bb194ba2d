package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/experiments"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/train"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

func newEvaluate(c *common) *cobra.Command {
	var run, data, key, split, state string
	var exact bool
	cmd := &cobra.Command{
		Use:   "evaluate --run DIR",
		Short: "reconstruction quality of a trained run: CD, SW, approximate and exact EMD",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			config, err := train.ReadConfig(run)
			if err != nil {
				return wrongCall(fmt.Errorf("--run: %w", err))
			}
			file, err := train.WeightsFile(run, state)
			if err != nil {
				return wrongCall(fmt.Errorf("--state: %w", err))
			}
			w, err := weights.ReadSafetensors(file)
			if err != nil {
				return err
			}
			if data == "" {
				data = config.Data
			}
			own := data == config.Data
			if own && key == "" {
				key = config.Key
			}
			chosen := split
			if split == "" {
				split = unseen(config)
			}
			set, err := openPart(data, key, split, config.Points, config.Seed)
			if err != nil {
				return err
			}
			if own && chosen != "all" && (set.Header().Split == nil || split == "all") {
				fmt.Fprintf(os.Stderr, "swlab: warning: these are the clouds of %s that the run was trained on\n", data)
			}
			e, err := c.engine()
			if err != nil {
				return err
			}
			bar := newBar("evaluating")
			s, err := experiments.Evaluate(e, &pointnet.Autoencoder{Points: config.Points}, w, set,
				experiments.EvaluateOptions{Seed: c.seed, ExactEMD: exact, Progress: func(done, total int) { bar(done, total, "") }})
			if err != nil {
				return err
			}
			line := func(name string, s experiments.Score) [2]string {
				return [2]string{name, fmt.Sprintf("%.6g +- %.2g", s.Mean, s.StdErr)}
			}
			rows := [][2]string{{"clouds", fmt.Sprint(s.N)}, line("CD", s.CD), line("SW", s.SW), line("EMD (approximate)", s.EMD)}
			if s.ExactEMD != nil {
				rows = append(rows, line("EMD (exact)", *s.ExactEMD))
			}
			return c.print(struct {
				experiments.Scores
				State string `json:"state"`
			}{s, filepath.Base(file)}, append(rows, [2]string{"weights", filepath.Base(file)})...)
		},
	}
	f := cmd.Flags()
	f.StringVar(&run, "run", "", "run folder")
	f.StringVar(&data, "data", "", "clouds; default: the run's")
	f.StringVar(&key, "key", "", "array in a .npz or .h5 file; default: the run's")
	f.StringVar(&split, "split", "", "part to evaluate: train, test, val or all; default: test, or what a run on other parts leaves")
	f.BoolVar(&exact, "exact-emd", true, "also the exact EMD, a tenth of a second per cloud of 2048 points")
	f.StringVar(&state, "state", "best", "best: after the epoch of lowest mean training loss, as in the paper (the last where no epoch was finished); last")
	return required(cmd, "run")
}

// unseen is the part to evaluate where none is asked for: one that the run was not trained on, where there is one.
func unseen(c train.Config) string {
	switch c.Split {
	case "all":
		return "all"
	case "test":
		return "train"
	}
	return "test"
}
