package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/experiments"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// scored says how runs are scored, and on which clouds.
type scored struct {
	part
	state
	ExactEMD bool `flag:"exact-emd" help:"also compute the exact EMD, a tenth of a second per cloud of 2048 points"`
}

type evaluateCall struct {
	*common
	Run string `flag:"run" arg:"RUN" need:"x" unit:"DIR" reads:"run" help:"folder of the run"`
	scored
	OutPerCloud string `flag:"out-per-cloud" unit:"FILE" writes:".npy" group:"Output" help:"write the values of every cloud, a .npy file [n, 3]: CD, SW, approximate EMD; with the exact EMD [n, 4]"`
}

func newEvaluate(c *common) *cobra.Command {
	return c.command("evaluate RUN", "Measure how well a trained run reconstructs: CD, SW, approximate and exact EMD", `swlab evaluate runs/first`,
		&evaluateCall{common: c, scored: scored{state: state{"best"}, ExactEMD: true}})
}

// open reads the clouds that the runs are scored on.
func (s scored) open(c *common, chosen part, points int, seed uint64) (*datasets.Set, error) {
	if err := c.keyRefused(chosen.Data); err != nil {
		return nil, err
	}
	set, err := c.openPart("data", "split", chosen.Data, chosen.Key, chosen.Split, points, seed)
	if err != nil {
		return nil, err
	}
	return set, c.partUnused("split", set, chosen.Split)
}

// score scores a run on the clouds.
func (s scored) score(c *common, e *engine.Engine, r trained, set *datasets.Set, perCloud bool) (experiments.Scores, error) {
	r.warn(c, s.part, set)
	bar := newBar("evaluating " + r.dir)
	return experiments.Evaluate(e, &pointnet.Autoencoder{Points: r.config.Points}, r.weights, set, experiments.EvaluateOptions{
		Seed: c.Seed, ExactEMD: s.ExactEMD, PerCloud: perCloud, Progress: func(done, total int) { bar(done, total, "") }})
}

type evaluateAnswer struct {
	experiments.Scores
	Plan        *experiments.PlanScores `json:"plan,omitempty"`
	State       string                  `json:"state"`
	Conventions map[string]string       `json:"conventions"`
}

func (a evaluateAnswer) String() string {
	line := func(name, key string, s experiments.Score) [2]string {
		return [2]string{name, fmt.Sprintf("%.6g +- %.2g\t%s", s.Mean, s.StdErr, a.Conventions[key])}
	}
	rows := [][2]string{
		{"clouds", fmt.Sprint(a.N)}, line("CD", "cd", a.CD), line("SW", "sw", a.SW), line("EMD (approximate)", "emd_approx", a.EMD)}
	if a.Scores.ExactEMD != nil {
		rows = append(rows, line("EMD (exact)", "emd_exact", *a.Scores.ExactEMD))
	}
	if p := a.Plan; p != nil {
		for _, of := range []struct {
			name string
			experiments.Score
		}{{"plan of the location", p.Location}, {"best of 10", p.BestOf10}, {"best of 10,000", p.BestOfAll}} {
			rows = append(rows, [2]string{of.name, fmt.Sprintf("%.6g +- %.2g\tmean squared distance of matched points", of.Mean, of.StdErr)})
		}
	}
	return lines(append(rows, [2]string{"weights", a.State})...)
}

func (v *evaluateCall) run() error {
	r, err := readRun(v.Run, v.State)
	if err != nil {
		return err
	}
	set, err := v.open(v.common, v.of(r.config), r.config.Points, r.config.Seed)
	if err != nil {
		return err
	}
	e, err := v.engine()
	if err != nil {
		return err
	}
	s, err := v.score(v.common, e, r, set, v.OutPerCloud != "")
	if err != nil {
		return err
	}
	var written saved
	if s.PerCloud != nil {
		written = savePerCloud("out-per-cloud", v.OutPerCloud, *s.PerCloud)
		s.PerCloud = nil // it is in the file
	}
	if s.ExactEMD != nil {
		if w := loss.ExcessWarning(1, s.EMD.Mean, s.ExactEMD.Mean); w != "" {
			v.warn("mean over the clouds: %s", w)
		}
	}
	var plans *experiments.PlanScores
	if r.config.Objective != "" {
		if plans, err = v.plans(e, r, set); err != nil {
			return err
		}
	}
	return errors.Join(v.print(evaluateAnswer{s, plans, filepath.Base(r.file), experiments.Conventions()}), written.err)
}

// scoredPlans is the largest number of clouds whose plans are scored, along 10,000 directions each.
const scoredPlans = 64

// plans scores the plans between the clouds and their reconstructions along the run's predictions.
func (v *evaluateCall) plans(e *engine.Engine, r trained, set *datasets.Set) (*experiments.PlanScores, error) {
	psi, err := weights.ReadSafetensors(filepath.Join(r.dir, "amortizer.safetensors"))
	if err != nil {
		return nil, usageError(fmt.Errorf("--run: %w", err))
	}
	net, err := swlab.NewNetwork(r.weights)
	if err != nil {
		return nil, err
	}
	var rows []int // spread over the set
	for i := range min(set.Clouds, scoredPlans) {
		rows = append(rows, i*set.Clouds/min(set.Clouds, scoredPlans))
	}
	set = set.Select(rows)
	points, err := net.Reconstruct(set, swlab.NetworkOptions{Engine: e})
	if err != nil {
		return nil, err
	}
	y, err := datasets.New(points, set.Clouds, net.Points, set.Dim)
	if err != nil {
		return nil, err
	}
	c := r.config
	d, err := swlab.Direction(c.Amortizer, set, y, swlab.DirectionConfig{Weights: psi, DK: c.DK, K: c.K, Variant: c.Variant, Engine: e})
	if err != nil {
		return nil, err
	}
	bar := newBar("plans of " + r.dir)
	p, err := experiments.ScorePlans(set, y, d.Directions, experiments.PlanOptions{Seed: v.Seed, Progress: func(done, total int) { bar(done, total, "") }})
	return &p, err
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
