package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/latent"
	"github.com/sliced-wasserstein/lab/swlab/train"
)

// latentFlags are those of the calls that work on the codes of a run: the run, clouds to learn from,
// clouds to test on.
type latentFlags struct {
	Run string `flag:"run" arg:"RUN" need:"x" unit:"DIR" reads:"run" help:"folder of the run"`
	state
	Data      string `flag:"data" unit:"FILE|DIR" reads:"clouds" help:"clouds to learn from (default: the run's)"`
	Test      string `flag:"test" unit:"FILE|DIR" reads:"clouds" help:"clouds to test on (default: those of --data, which then need parts)"`
	Key       string `flag:"key" unit:"NAME" help:"array in .npz or .h5 files (default data, or the run's for its own clouds)"`
	Split     string `flag:"split" unit:"PART" words:"train test val all" help:"part of --data: train, test, val or all; clouds without parts are all used"`
	TestSplit string `flag:"test-split" unit:"PART" words:"train test val all" help:"part of --test: train, test, val or all; clouds without parts are all used"`
}

func newLatentFlags() latentFlags {
	return latentFlags{state: state{"best"}, Split: "train", TestSplit: "test"}
}

// coded is a run's network with the clouds to encode.
type coded struct {
	net         *swlab.Network
	file        string // of the weights
	train, test *datasets.Set
	overlap     bool // the test has clouds that are also learned from
	run         train.Config
	from        []string // paths of the clouds
}

// open reads the run and loads the clouds, normalised and with as many points as the run's.
func (l latentFlags) open(to *common) (c coded, err error) {
	r, err := readRun(l.Run, l.State)
	if err != nil {
		return c, err
	}
	c.file = filepath.Base(r.file)
	if c.net, err = swlab.NewNetwork(r.weights); err != nil {
		return c, usageError(fmt.Errorf("--run: %s: %w", r.file, err))
	}
	data := cmp.Or(l.Data, r.config.Data)
	test := cmp.Or(l.Test, data)
	if err := to.keyRefused(data, test); err != nil {
		return c, err
	}
	open := func(flag, splitFlag, path, split string) (*datasets.Set, error) {
		key := l.Key
		if key == "" && path == r.config.Data {
			key = r.config.Key
		}
		part, err := to.openPart(flag, splitFlag, path, key, split, r.config.Points, r.config.Seed)
		if err != nil {
			return nil, err
		}
		return part, to.partUnused(splitFlag, part, split)
	}
	if c.train, err = open("data", "split", data, l.Split); err != nil {
		return c, err
	}
	if l.Test == "" && c.train.Split == nil {
		return c, usageError(fmt.Errorf("--test is missing: %s has no parts, of which one could be kept for the test", data))
	}
	if c.test, err = open("test", "test-split", test, l.TestSplit); err != nil {
		return c, err
	}
	c.run, c.from = r.config, slices.Compact([]string{data, test})
	c.overlap = test == data && (c.test.Split == nil || l.Split == l.TestSplit || l.Split == "all" || l.TestSplit == "all")
	for i, clouds := range []*datasets.Set{c.train, c.test} {
		if err := c.net.CheckEncode(clouds, swlab.NetworkOptions{}); err != nil {
			return c, usageError(fmt.Errorf("--%s: %w", []string{"data", "test"}[i], err))
		}
	}
	return c, nil
}

// warn says before the work that the result would be too good, and what has changed since the run was
// trained.
func (c coded) warn(to *common, dir string) {
	for _, path := range c.from {
		to.warnChanged(dir, c.run, path)
	}
	if c.overlap {
		to.warn("the test has clouds of %s that are also learned from", c.test.Name)
	}
}

// encode returns the codes of clouds; batch norms use their running statistics.
func (c coded) encode(e *engine.Engine, clouds *datasets.Set) (latent.Codes, error) {
	bar := newBar("encoding " + clouds.Name)
	v, err := c.net.Encode(clouds, swlab.NetworkOptions{Engine: e, Progress: func(done, total int) { bar(done, total, "") }})
	return latent.Codes{Name: clouds.Name, Vectors: v, Labels: clouds.Labels, N: clouds.Clouds}, err
}
