// Command step times training steps of this project, for comparison with bench/peer.py: the steps of a real run on the built-in
// shapes, log included. It prints one JSON object.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/train"
)

func main() {
	engine.HugePages()
	if err := measure(); err != nil {
		fmt.Fprintln(os.Stderr, "step:", err)
		os.Exit(1)
	}
}

func measure() error {
	c := train.DefaultConfig()
	name := flag.String("loss", "sw", "sw, la (LA v-DSW), v-dsw (ascent), chamfer")
	backend := flag.String("backend", "auto", "auto, xla:cuda, xla:cpu or go")
	flag.IntVar(&c.Batch, "batch", 32, "clouds per step")
	flag.IntVar(&c.Points, "points", 512, "points per cloud")
	flag.IntVar(&c.Slices, "slices", 100, "directions per pair")
	flag.IntVar(&c.AscentSteps, "ascent-steps", 10, "ascent steps of v-dsw")
	steps := flag.Int("steps", 20, "steps that are timed")
	warmup := flag.Int("warmup", 3, "steps before them")
	flag.Parse()
	c.Loss = *name
	if *name == "la" {
		c.Loss, c.Amortizer = "v-dsw", "la"
	}
	c.Steps = *steps + *warmup
	set, err := datasets.Load("builtin", datasets.Options{Points: c.Points})
	if err != nil {
		return err
	}
	set, err = set.Part("train")
	if err != nil {
		return err
	}
	set = set.Select(rows(set.N - set.N%c.Batch)) // whole batches only: a partial one is another program
	e, err := engine.Open(*backend)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "swlab-step-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	run := filepath.Join(dir, "run")
	if _, err := train.Run(context.Background(), e, set, c, train.Options{Out: run}); err != nil {
		return err
	}
	log, err := train.ReadLog(run)
	if err != nil {
		return err
	}
	var seconds []float64
	for _, r := range log[*warmup:] {
		seconds = append(seconds, r.Seconds)
	}
	slices.Sort(seconds)
	return json.NewEncoder(os.Stdout).Encode(map[string]any{
		"peer": "swlab", "version": e.Name, "loss": *name, "batch": c.Batch, "points": c.Points, "slices": c.Slices,
		"steps": *steps, "seconds_per_step_min": seconds[0], "seconds_per_step_median": seconds[len(seconds)/2],
	})
}

func rows(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
