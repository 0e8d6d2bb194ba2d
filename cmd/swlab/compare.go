package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/experiments"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
)

// whatVaries is printed with every comparison of two runs.
const whatVaries = "over clouds, for these two trainings; it says nothing about other training seeds, for which several runs of each kind are needed"

// newCompare compares two runs cloud by cloud.
func newCompare(c *common) *cobra.Command {
	var dirs []string
	var state string
	var asked part
	var exact bool
	cmd := &cobra.Command{
		Use:   "compare --run A --run B",
		Short: "which of two trained runs reconstructs better, cloud by cloud: differences with intervals",
		Long: "Scores both runs on the same clouds along the same directions and compares them cloud by cloud (paired t, and random signs that assume no\n" +
			"normal distribution). Less is better in every metric. The uncertainty is " + whatVaries + ".",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if len(dirs) != 2 {
				return usageError(fmt.Errorf("--run: expected two run folders, --run A --run B, found %d", len(dirs)))
			}
			var runs [2]trained
			for i := range runs {
				var err error
				if runs[i], err = readRun(dirs[i], state); err != nil {
					return err
				}
			}
			chosen, err := sameClouds(asked, runs)
			if err != nil {
				return usageError(err)
			}
			if why := unkeyed(chosen.data); why != "" && c.given("key") {
				return usageError(fmt.Errorf("--key would do nothing: %s", why))
			}
			points := runs[0].config.Points
			set, err := c.openPart(chosen.data, chosen.key, chosen.split, points, c.seed)
			if err != nil {
				return err
			}
			if err := c.parted("split", set, chosen.split); err != nil {
				return err
			}
			if set.Clouds < 2 {
				return usageError(fmt.Errorf("--data: a comparison takes two clouds or more, found %d in %s", set.Clouds, set.Name))
			}
			if set.Split == nil { // no parts: every name means all
				chosen.split = "all"
			}
			e, err := c.engine()
			if err != nil {
				return err
			}
			var scores [2]experiments.Scores
			for i, r := range runs {
				r.warn(c, asked, set)
				bar := newBar("evaluating " + r.dir)
				scores[i], err = experiments.Evaluate(e, &pointnet.Autoencoder{Points: points}, r.weights, set, experiments.EvaluateOptions{
					Seed: c.seed, ExactEMD: exact, PerCloud: true, Progress: func(done, total int) { bar(done, total, "") }})
				if err != nil {
					return fmt.Errorf("--run %s: %w", r.dir, err)
				}
			}
			found, err := experiments.Compare(scores[0], scores[1], c.seed)
			if err != nil {
				return err
			}
			states := []string{filepath.Base(runs[0].file), filepath.Base(runs[1].file)}
			return c.print(struct {
				experiments.Comparison
				Runs        []string `json:"runs"`
				States      []string `json:"states"`
				Data        string   `json:"data"`
				Split       string   `json:"split"`
				Seed        uint64   `json:"seed"`
				Uncertainty string   `json:"uncertainty"`

				Conventions map[string]string `json:"conventions"`
			}{found, dirs, states, chosen.data, chosen.split, c.seed, whatVaries, experiments.Conventions()}, comparisonRows(found, runs, chosen)...)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&dirs, "run", nil, "run folder, given twice: a, then b")
	partFlags(f, &asked)
	f.BoolVar(&exact, "exact-emd", true, "also the exact EMD, a tenth of a second per cloud of 2048 points")
	stateFlag(f, &state)
	readsRun(cmd, "run")
	reads(cmd, "data")
	return required(cmd, "run")
}

// sameClouds returns the clouds that both runs are scored on.
func sameClouds(asked part, runs [2]trained) (part, error) {
	a, b := asked.of(runs[0].config), asked.of(runs[1].config)
	for _, d := range []struct{ flag, a, b string }{{"data", a.data, b.data}, {"key", a.key, b.key}, {"split", a.split, b.split}} {
		if d.a != d.b {
			return a, fmt.Errorf("--%s: the runs have %q and %q; expected one for both", d.flag, d.a, d.b)
		}
	}
	if m, n := runs[0].config.Points, runs[1].config.Points; m != n {
		return a, fmt.Errorf("--run: expected runs with equally many points per cloud, found %d in %s and %d in %s", m, runs[0].dir, n, runs[1].dir)
	}
	return a, nil
}

// comparisonRows is the comparison as text: a table between what was compared and what the
// uncertainty means.
func comparisonRows(c experiments.Comparison, runs [2]trained, p part) [][2]string {
	rows := [][2]string{
		{"a", runs[0].file},
		{"b", runs[1].file},
		{"clouds", fmt.Sprintf("%d of %s, %s", c.N, p.data, p.split)},
		{"", "a\tb\ta - b\t95 % interval\tp\tp by signs\ta better\terror if not paired"},
	}
	compared := [][2]string{{"cd", "CD"}, {"sw", "SW"}, {"emd_approx", "EMD (approximate)"}, {"emd_exact", "EMD (exact)"}}
	for _, m := range compared {
		if d, ok := c.Metrics[m[0]]; ok {
			rows = append(rows, [2]string{m[1], fmt.Sprintf("%.6g\t%.6g\t%.3g +- %.2g\t%.3g to %.3g\t%.2g\t%.2g\t%.1f %%\t%.2g",
				d.A, d.B, d.Difference, d.StdErr, d.Low, d.High, d.P, d.PPermutation, 100*d.ABetter, d.StdErrUnpaired)})
		}
	}
	for _, m := range compared {
		if _, ok := c.Metrics[m[0]]; ok {
			rows = append(rows, [2]string{"", m[1] + ": " + experiments.Conventions()[m[0]]})
		}
	}
	return append(rows, [2]string{"better", "is less, in every metric"}, [2]string{"uncertainty", whatVaries})
}
