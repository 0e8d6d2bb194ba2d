package gap

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

// LocateTime is the time of finding the locations of a batch of training pairs on one backend: one
// forward pass of an amortizer, or an ascent of Steps steps from random locations. Numbers are
// milliseconds per pair over Calls calls, after one that is not counted.
type LocateTime struct {
	// Backend is where both ascents and maps run. "go" is plain Go: the ascent on the host in
	// float64, the map on GoMLX's pure-Go backend. Elsewhere the whole ascent is a graph.
	Backend string  `json:"backend"`
	Calls   int     `json:"calls"`
	Median  float64 `json:"median_ms"`
	Min     float64 `json:"min_ms"`
	Max     float64 `json:"max_ms"`
}

const (
	locateLeast, locateMost = 5, 50
	locateEnough            = 2 * time.Second // no further calls after it
)

// locateTimes measures the method on the pure-Go backend and, if it is another, on e. Methods that
// are neither amortizers nor ascents have no times.
func (r *row) locateTimes(e *engine.Engine) ([]LocateTime, error) {
	if r.c.Method != VDSW && !r.c.IsAmortizer() {
		return nil, nil
	}
	host, err := engine.Open("go")
	if err != nil {
		return nil, err
	}
	engines := []*engine.Engine{host}
	if e.Name != host.Name {
		engines = append(engines, e)
	}
	batch := r.training.pairs.part(0, r.c.Pairs)
	var out []LocateTime
	for _, e := range engines {
		locate, done, err := r.locator(e, batch, e == host)
		if err != nil {
			return nil, err
		}
		t, err := timed(r.ctx, batch.n, locate)
		done()
		if err != nil {
			return nil, fmt.Errorf("gap: timing %s on %s: %w", r.c.ID(), e.Name, err)
		}
		t.Backend = e.Name
		out = append(out, t)
		r.report("timing", len(out), len(engines))
	}
	return out, nil
}

// locator returns what finds the locations of a batch on an engine, and what frees its memory.
func (r *row) locator(e *engine.Engine, batch pairs, host bool) (locate func() error, done func(), err error) {
	c := r.c
	if c.IsAmortizer() {
		p, err := newPredictor(e, c, batch.m)
		if err != nil {
			return nil, nil, err
		}
		return func() error { _, err := p.predict(batch); return err }, p.close, nil
	}
	source := rand.New(rand.NewPCG(c.Seed, timingStream))
	if host {
		return func() error {
			return r.sampler.ascend(batch, randomLocations(source, batch.n), c.Steps, c.LearningRate, c.Pairs, func() noise { return r.sampler.noise(source, batch.n) })
		}, func() {}, nil
	}
	settings := loss.Defaults()
	settings.Kappa, settings.Slices, settings.AscentSteps, settings.AscentLearningRate, settings.AscentSGD = c.Kappa, c.Slices, c.Steps, c.LearningRate, true
	l, err := loss.New("v-dsw", settings)
	if err != nil {
		return nil, nil, err
	}
	maximizer, err := l.(loss.Sliced).Maximizer(e, nil)
	if err != nil {
		return nil, nil, err
	}
	x, y := tensors.FromFlatDataAndDimensions(batch.first, batch.n, batch.m, 3), tensors.FromFlatDataAndDimensions(batch.second, batch.n, batch.m, 3)
	return func() error {
		reached, err := maximizer.Maximize(source.Int64(), nil, x, y)
		if err != nil {
			return err
		}
		defer engine.Free(reached)
		_, err = tensors.CopyFlatData[float32](reached) // waits for it
		return err
	}, func() { engine.Free(x, y) }, nil
}

// timed calls locate once without counting it, then as often as the constants above say.
func timed(ctx context.Context, n int, locate func() error) (LocateTime, error) {
	if err := locate(); err != nil {
		return LocateTime{}, err
	}
	var ms []float64
	for began := time.Now(); len(ms) < locateLeast || len(ms) < locateMost && time.Since(began) < locateEnough; {
		if err := ctx.Err(); err != nil {
			return LocateTime{}, err
		}
		from := time.Now()
		if err := locate(); err != nil {
			return LocateTime{}, err
		}
		ms = append(ms, 1e3*time.Since(from).Seconds()/float64(n))
	}
	slices.Sort(ms)
	return LocateTime{Calls: len(ms), Median: (ms[(len(ms)-1)/2] + ms[len(ms)/2]) / 2, Min: ms[0], Max: ms[len(ms)-1]}, nil
}
