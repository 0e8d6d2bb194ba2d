package main

import (
	"cmp"
	"fmt"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/experiments/runs"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/train"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// trained is a run with weights to score.
type trained struct {
	dir     string
	config  train.Config
	weights *weights.Set
	file    string // of the weights
}

// readRun reads the run in dir with its weights of that state.
func readRun(dir, state string) (trained, error) {
	r := trained{dir: dir}
	var err error
	if r.config, err = train.ReadConfig(dir); err != nil {
		return r, usageError(fmt.Errorf("--run: %w", err))
	}
	if r.file, err = weightsFile(dir, state); err != nil {
		return r, usageError(err)
	}
	if r.weights, err = weights.ReadSafetensors(r.file); err != nil {
		return r, usageError(fmt.Errorf("--run: %w", err))
	}
	net, err := swlab.NewNetwork(r.weights)
	switch {
	case err != nil:
		return r, usageError(fmt.Errorf("--run: %s: %w", r.file, err))
	case net.Points != r.config.Points:
		return r, usageError(fmt.Errorf("--run: %s is a network for %d points, expected %d as in the run's configuration", r.file, net.Points, r.config.Points))
	}
	return r, nil
}

// weightsFile is train.WeightsFile with an error that names the flag.
func weightsFile(dir, state string) (string, error) {
	file, err := train.WeightsFile(dir, state)
	if err != nil {
		return "", fmt.Errorf("--run: %w", err)
	}
	return file, nil
}

// state chooses weights of a run.
type state struct {
	State string `flag:"state" unit:"NAME" words:"best last" help:"weights of the run: best (after the epoch of lowest mean training loss, as in the paper; the last where no epoch was finished), or last"`
}

// part selects the clouds that a run is scored on. Empty fields are left to the run.
type part struct {
	Data  string `flag:"data" unit:"FILE|DIR" reads:"clouds" help:"clouds to score on (default: the run's)"`
	Key   string `flag:"key" unit:"NAME" help:"array in a .npz or .h5 file (default: the run's)"`
	Split string `flag:"split" unit:"PART" words:"train test val all" help:"part of the clouds: train, test, val or all (default: test, or what a run on other parts leaves)"`
}

// of fills in what is left to the run.
func (p part) of(c train.Config) part {
	if p.Data == "" {
		p.Data = c.Data
	}
	if p.Data == c.Data && p.Key == "" {
		p.Key = c.Key
	}
	if p.Split == "" {
		p.Split = unseen(c)
	}
	return p
}

// warn warns if a run is scored on its own training data without being asked to, and of what has
// changed since.
func (r trained) warn(to *common, asked part, h *datasets.Set) {
	p := asked.of(r.config)
	to.warnChanged(r.dir, r.config, p.Data)
	if p.Data == r.config.Data && asked.Split != "all" && (h.Split == nil || p.Split == "all") {
		to.warn("these are the clouds of %s that the run was trained on", p.Data)
	}
}

// warnChanged warns if the code of what is registered is not that of the run in dir, and if the clouds
// in data are the run's by name, but no longer those that it was trained on.
func (c *common) warnChanged(dir string, run train.Config, data string) {
	if err := run.ChangedSource(); err != nil {
		c.warn("--run %s: %v", dir, err)
	}
	if run.DataHash == "" || run.Data == datasets.Builtin || !sameSource(data, run.Data) {
		return
	}
	now, err := trainingClouds(dir, run)
	if err != nil {
		c.warn("%s is no longer what the run %s was trained on: %v", data, dir, err)
		return
	}
	digest := now.Digest()
	switch n := now.Clouds; {
	case n != run.Clouds:
		c.warn("%s has %d clouds to train on, and the run %s was trained on %d: the data have been replaced since, or it was trained on a part of them", data, n, dir, run.Clouds)
	case digest[:len(run.DataHash)] != run.DataHash:
		c.warn("%s has been replaced since the run %s was trained on it: its clouds have the hash %s, those of the run %s", data, dir, digest[:len(run.DataHash)], run.DataHash)
	}
}

// trainingClouds loads the clouds that a run was trained on, as they are now.
func trainingClouds(dir string, run train.Config) (*datasets.Set, error) {
	if set, err := runs.TrainedOn(dir); set != nil || err != nil {
		return set, err
	}
	set, err := datasets.Load(run.Data, datasets.Options{Points: run.Points, Seed: run.Seed, Key: run.Key})
	if err != nil {
		return nil, err
	}
	return set.Part(cmp.Or(run.Split, "train"))
}

// unseen is the default part to evaluate: one that the run was not trained on, if there is one.
func unseen(c train.Config) string {
	switch c.Split {
	case "all":
		return "all"
	case "test":
		return "train"
	}
	return "test"
}
