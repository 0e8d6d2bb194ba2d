package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/experiments"
	"github.com/sliced-wasserstein/lab/swlab/loss"
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
			r, err := readRun(run, state)
			if err != nil {
				return err
			}
			chosen := asked.of(r.config)
			if why := unkeyed(chosen.data); why != "" && c.given("key") {
				return usageError(fmt.Errorf("--key would do nothing: %s", why))
			}
			set, err := c.openPart(chosen.data, chosen.key, chosen.split, r.config.Points, r.config.Seed)
			if err != nil {
				return err
			}
			if err := c.parted("split", set, chosen.split); err != nil {
				return err
			}
			r.warn(c, asked, set)
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
			var written saved
			if s.PerCloud != nil {
				written = savePerCloud("out-per-cloud", values, *s.PerCloud)
				s.PerCloud = nil // it is in the file
			}
			conventions := experiments.Conventions()
			line := func(name, key string, s experiments.Score) [2]string {
				return [2]string{name, fmt.Sprintf("%.6g +- %.2g\t%s", s.Mean, s.StdErr, conventions[key])}
			}
			rows := [][2]string{{"clouds", fmt.Sprint(s.N)}, line("CD", "cd", s.CD), line("SW", "sw", s.SW), line("EMD (approximate)", "emd_approx", s.EMD)}
			if s.ExactEMD != nil {
				rows = append(rows, line("EMD (exact)", "emd_exact", *s.ExactEMD))
				if w := loss.ExcessWarning(1, s.EMD.Mean, s.ExactEMD.Mean); w != "" {
					c.warn("mean over the clouds: %s", w)
				}
			}
			return errors.Join(c.print(struct {
				experiments.Scores
				State       string            `json:"state"`
				Conventions map[string]string `json:"conventions"`
			}{s, filepath.Base(r.file), conventions}, append(rows, [2]string{"weights", filepath.Base(r.file)})...), written.err)
		},
	}
	f := cmd.Flags()
	f.StringVar(&run, "run", "", "run folder")
	partFlags(f, &asked)
	f.BoolVar(&exact, "exact-emd", true, "also the exact EMD, a tenth of a second per cloud of 2048 points")
	stateFlag(f, &state)
	f.StringVar(&values, "out-per-cloud", "", "write the values of every cloud, a .npy file [n, 3]: CD, SW, approximate EMD; with the exact EMD [n, 4]")
	readsRun(cmd, "run")
	reads(cmd, "data")
	writes(cmd, "out-per-cloud", ".npy")
	return required(cmd, "run")
}

// savePerCloud saves the metrics as columns.
func savePerCloud(flag, path string, p experiments.PerCloud) saved {
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
	return saveNPY(flag, path, rows, len(p.CD), len(columns))
}
