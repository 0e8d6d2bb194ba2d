package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/experiments"
)

// whatVaries is printed with every comparison of two runs.
const whatVaries = "over clouds, for these two trainings; it says nothing about other training seeds, for which several runs of each kind are needed"

type compareCall struct {
	*common
	Runs []string `flag:"run" arg:"RUN..." need:"x" unit:"DIR" reads:"run" help:"folder of a run, given twice: a, then b"`
	scored
}

func newCompare(c *common) *cobra.Command {
	cmd := c.command("compare A B", "Find which of two trained runs reconstructs better, cloud by cloud", `swlab compare runs/la runs/sw`,
		&compareCall{common: c, scored: scored{state: state{"best"}, ExactEMD: true}})
	cmd.Long = "Scores both runs on the same clouds along the same directions and compares them cloud by cloud (paired t, and random signs that assume no\n" +
		"normal distribution). Less is better in every metric. The uncertainty is " + whatVaries + "."
	return cmd
}

type compareAnswer struct {
	experiments.Comparison
	Runs        []string `json:"runs"`
	States      []string `json:"states"`
	Data        string   `json:"data"`
	Split       string   `json:"split"`
	Seed        uint64   `json:"seed"`
	Uncertainty string   `json:"uncertainty"`

	Conventions map[string]string `json:"conventions"`
}

// String is a table between what was compared and what the uncertainty means.
func (a compareAnswer) String() string {
	rows := [][2]string{
		{"a", filepath.Join(a.Runs[0], a.States[0])},
		{"b", filepath.Join(a.Runs[1], a.States[1])},
		{"clouds", fmt.Sprintf("%d of %s, %s", a.N, a.Data, a.Split)},
		{"", "a\tb\ta - b\t95 % interval\tp\tp by signs\ta better\terror if not paired"},
	}
	var conventions [][2]string
	for _, m := range [][2]string{{"cd", "CD"}, {"sw", "SW"}, {"emd_approx", "EMD (approximate)"}, {"emd_exact", "EMD (exact)"}} {
		d, ok := a.Metrics[m[0]]
		if !ok {
			continue
		}
		rows = append(rows, [2]string{m[1], fmt.Sprintf("%.6g\t%.6g\t%.3g +- %.2g\t%.3g to %.3g\t%.2g\t%.2g\t%.1f %%\t%.2g",
			d.A, d.B, d.Difference, d.StdErr, d.Low, d.High, d.P, d.PPermutation, 100*d.ABetter, d.StdErrUnpaired)})
		conventions = append(conventions, [2]string{"", m[1] + ": " + a.Conventions[m[0]]})
	}
	return lines(append(append(rows, conventions...), [2]string{"better", "is less, in every metric"}, [2]string{"uncertainty", whatVaries})...)
}

func (v *compareCall) run() error {
	if len(v.Runs) != 2 {
		return usageError(fmt.Errorf("--run: expected two run folders, A and B, found %d", len(v.Runs)))
	}
	var runs [2]trained
	for i := range runs {
		var err error
		if runs[i], err = readRun(v.Runs[i], v.State); err != nil {
			return err
		}
	}
	chosen, err := sameClouds(v.part, runs)
	if err != nil {
		return usageError(err)
	}
	set, err := v.open(v.common, chosen, runs[0].config.Points, v.Seed)
	if err != nil {
		return err
	}
	if set.Clouds < 2 {
		return usageError(fmt.Errorf("--data: a comparison takes two clouds or more, found %d in %s", set.Clouds, set.Name))
	}
	if set.Split == nil { // no parts: every name means all
		chosen.Split = "all"
	}
	e, err := v.engine()
	if err != nil {
		return err
	}
	var scores [2]experiments.Scores
	for i, r := range runs {
		if scores[i], err = v.score(v.common, e, r, set, true); err != nil {
			return fmt.Errorf("--run %s: %w", r.dir, err)
		}
	}
	found, err := experiments.Compare(scores[0], scores[1], v.Seed)
	if err != nil {
		return err
	}
	states := []string{filepath.Base(runs[0].file), filepath.Base(runs[1].file)}
	return v.print(compareAnswer{found, v.Runs, states, chosen.Data, chosen.Split, v.Seed, whatVaries, experiments.Conventions()})
}

// sameClouds returns the clouds that both runs are scored on.
func sameClouds(asked part, runs [2]trained) (part, error) {
	a, b := asked.of(runs[0].config), asked.of(runs[1].config)
	for _, d := range []struct{ flag, a, b string }{{"data", a.Data, b.Data}, {"key", a.Key, b.Key}, {"split", a.Split, b.Split}} {
		if d.a != d.b {
			return a, fmt.Errorf("--%s: the runs have %q and %q; expected one for both", d.flag, d.a, d.b)
		}
	}
	if m, n := runs[0].config.Points, runs[1].config.Points; m != n {
		return a, fmt.Errorf("--run: expected runs with equally many points per cloud, found %d in %s and %d in %s", m, runs[0].dir, n, runs[1].dir)
	}
	return a, nil
}
