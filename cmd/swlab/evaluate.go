package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/experiments"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
)

func newEvaluate(c *common) *cobra.Command {
	var run, state, values string
	var asked part
	var exact bool
	cmd := &cobra.Command{
		Use:   "evaluate --run DIR",
		Short: "reconstruction quality of a trained run: CD, SW, approximate and exact EMD",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if values != "" {
				if err := writable("out-per-cloud", values); err != nil {
					return err
				}
			}
			r, err := readRun(run, state)
			if err != nil {
				return err
			}
			chosen := asked.of(r.config)
			if why := unkeyed(chosen.data); why != "" && c.given("key") {
				return wrongCall(fmt.Errorf("--key would do nothing: %s", why))
			}
			set, err := openPart(chosen.data, chosen.key, chosen.split, r.config.Points, r.config.Seed)
			if err != nil {
				return err
			}
			if err := c.parted("split", set, chosen.split); err != nil {
				return err
			}
			r.warn(asked, set.Header())
			e, err := c.engine()
			if err != nil {
				return err
			}
			bar := newBar("evaluating")
			s, err := experiments.Evaluate(e, &pointnet.Autoencoder{Points: r.config.Points}, r.weights, set, experiments.EvaluateOptions{
				Seed: c.seed, ExactEMD: exact, PerCloud: values != "", Progress: func(done, total int) { bar(done, total, "") }})
			if err != nil {
				return err
			}
			if s.PerCloud != nil {
				if err := writePerCloud(values, *s.PerCloud); err != nil {
					return fmt.Errorf("--out-per-cloud: %w", err)
				}
				s.PerCloud = nil // in the file
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
			}{s, filepath.Base(r.file)}, append(rows, [2]string{"weights", filepath.Base(r.file)})...)
		},
	}
	f := cmd.Flags()
	f.StringVar(&run, "run", "", "run folder")
	partFlags(f, &asked)
	f.BoolVar(&exact, "exact-emd", true, "also the exact EMD, a tenth of a second per cloud of 2048 points")
	stateFlag(f, &state)
	f.StringVar(&values, "out-per-cloud", "", "write the values of every cloud, a .npy file [n, 3]: CD, SW, approximate EMD; with the exact EMD [n, 4]")
	return required(cmd, "run")
}

// writePerCloud writes the metrics as columns.
func writePerCloud(path string, p experiments.PerCloud) error {
	columns := [][]float64{p.CD, p.SW, p.EMD}
	if p.ExactEMD != nil {
		columns = append(columns, p.ExactEMD)
	}
	var rows []float32
	for i := range p.CD {
		for _, c := range columns {
			rows = append(rows, float32(c[i]))
		}
	}
	return datasets.WriteNPY(path, rows, len(p.CD), len(columns))
}
