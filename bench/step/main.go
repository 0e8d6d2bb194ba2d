// Command step times training steps of this project, for comparison with bench/peer.py: the steps
// of a real run on the built-in shapes, log included, or the loss and its gradient alone. It prints
// one JSON object.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/sliced-wasserstein/lab/bench/timing"
	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/internal/xlaenv"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/train"
)

func main() {
	xlaenv.HugePages()
	if err := measure(); err != nil {
		fmt.Fprintln(os.Stderr, "step:", err)
		os.Exit(1)
	}
}

func measure() error {
	c := train.DefaultConfig()
	name := flag.String("loss", "sw", "sw, max-sw, v-dsw (ascent), la, ea, a (amortized v-DSW), chamfer, emd")
	only := flag.Bool("loss-only", false, "the loss and its gradient alone, without the autoencoder")
	backend := flag.String("backend", "auto", "auto, xla:cuda, xla:cpu or go")
	flag.IntVar(&c.Batch, "batch", 32, "clouds per step")
	flag.IntVar(&c.Points, "points", 512, "points per cloud")
	flag.IntVar(&c.Slices, "slices", 100, "directions per pair")
	flag.IntVar(&c.AscentSteps, "ascent-steps", 10, "T of max-sw and v-dsw")
	samples := flag.Int("steps", 20, "samples to time: steps, or groups of as many as the next flag says")
	together := flag.Int("together", 1, "steps of a sample, which is their mean")
	warmup := flag.Int("warmup", 3, "steps before them, at least 1: the first compiles")
	flag.Parse()
	if *warmup < 1 || *samples < 1 || *together < 1 {
		return fmt.Errorf("warmup, steps, together: expected at least 1 each, found %d, %d and %d", *warmup, *samples, *together)
	}
	c.Loss, c.Amortizer = lossOf(*name)
	if c.Loss == "max-sw" {
		c.Slices = 1
	}
	c.Steps = *samples**together + *warmup
	set, err := datasets.Load("builtin", datasets.Options{Points: c.Points})
	if err != nil {
		return err
	}
	set, err = set.Part("train")
	if err != nil {
		return err
	}
	if c.Batch < 2 || c.Batch > set.Clouds {
		return fmt.Errorf("batch: expected 2 to %d, found %d", set.Clouds, c.Batch)
	}
	// Whole batches only: a partial one would be another program.
	set = set.Select(rows(set.Clouds - set.Clouds%c.Batch))
	e, err := engine.Open(*backend)
	if err != nil {
		return err
	}
	began, seconds, first := timing.Began(), []float64{}, 0.0
	done := func(s float64) {
		if first == 0 {
			first = time.Since(began).Seconds()
		}
		seconds = append(seconds, s)
	}
	if *only {
		err = lossAlone(e, c, set, done)
	} else {
		err = trainSteps(e, c, set, done)
	}
	if err != nil {
		return err
	}
	timed := timing.Together(seconds[*warmup:], *together)
	return timing.Result{Version: e.Name, Seconds: timed, FirstStep: first, Compile: seconds[0] - timing.Median(timed)}.Print(os.Stdout)
}

// lossOf returns the registered loss and the amortizer of a name of the benchmark.
func lossOf(name string) (loss, amortizer string) {
	switch name {
	case "la", "ea", "a":
		return "v-dsw", name
	case "emd":
		return "emd-approx", ""
	}
	return name, ""
}

// trainSteps runs the steps of a run in a temporary folder.
func trainSteps(e *engine.Engine, c train.Config, set *datasets.Set, done func(seconds float64)) error {
	dir, err := os.MkdirTemp("", "swlab-step-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	o := train.Options{Out: filepath.Join(dir, "run"), Progress: func(r train.Record, _ int) { done(r.Seconds) }}
	_, err = train.Run(context.Background(), e, set, c, o)
	return err
}

func rows(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
