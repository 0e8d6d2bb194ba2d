package main

import (
	"time"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/train"
)

// lossAlone runs the steps of c without a network: the loss between a batch and another one in
// place of its reconstruction, with its gradient and its ascent. An amortizer predicts and is not
// trained.
func lossAlone(e *engine.Engine, c train.Config, set *datasets.Set, done func(seconds float64)) error {
	first, second := make([]int, c.Batch), make([]int, c.Batch)
	for i := range first {
		first[i], second[i] = i, (i+1)%c.Batch
	}
	x, y := set.Select(first), set.Select(second)
	for i := range c.Steps {
		began := time.Now()
		o := swlab.DistanceConfig{Config: c.LossConfig(), Engine: e, Seed: uint64(i), Gradient: true}
		if _, err := swlab.Distance(c.Loss, x, y, o); err != nil {
			return err
		}
		done(time.Since(began).Seconds())
	}
	return nil
}
