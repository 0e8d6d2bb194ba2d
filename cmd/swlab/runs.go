package main

import (
	"cmp"
	"fmt"

	"github.com/spf13/pflag"

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
	if state != "best" && state != "last" {
		return "", fmt.Errorf("--state: expected best or last, found %q", state)
	}
	file, err := train.WeightsFile(dir, state)
	if err != nil {
		return "", fmt.Errorf("--run: %w", err)
	}
	return file, nil
}

func stateFlag(f *pflag.FlagSet, state *string) {
	f.StringVar(state, "state", "best", "best: after the epoch of lowest mean training loss, as in the paper (the last where no epoch was finished); last")
}

// part selects the clouds that a run is scored on. Empty fields are left to the run.
type part struct{ data, key, split string }

func partFlags(f *pflag.FlagSet, p *part) {
	f.StringVar(&p.data, "data", "", "clouds; default: the run's")
	f.StringVar(&p.key, "key", "", "array in a .npz or .h5 file; default: the run's")
	f.StringVar(&p.split, "split", "", "part to evaluate: train, test, val or all; default: test, or what a run on other parts leaves")
}

// of fills in what is left to the run.
func (p part) of(c train.Config) part {
	if p.data == "" {
		p.data = c.Data
	}
	if p.data == c.Data && p.key == "" {
		p.key = c.Key
	}
	if p.split == "" {
		p.split = unseen(c)
	}
	return p
}

// warn warns if a run is scored on its own training data without being asked to, and of what has
// changed since.
func (r trained) warn(to *common, asked part, h *datasets.Set) {
	p := asked.of(r.config)
	to.warnChanged(r.dir, r.config, p.data)
	if p.data == r.config.Data && asked.split != "all" && (h.Split == nil || p.split == "all") {
		to.warn("these are the clouds of %s that the run was trained on", p.data)
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
	digest, err := now.Digest()
	switch n := now.Clouds; {
	case err != nil:
		c.warn("%s is no longer what the run %s was trained on: %v", data, dir, err)
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
