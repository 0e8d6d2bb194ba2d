package gap

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/vmf"
)

// Options are the options of Study. The zero value keeps no files and is silent.
type Options struct {
	// Cache is a folder for the harmonics of the pairs, shared by all methods and seeds; "": none.
	Cache    string
	Progress func(stage string, done, total int) // if not nil, called as work advances
}

// Random streams of one seed.
const (
	// The row's samples on the training pairs, in the order of the released script.
	trainingStream = 0x6761_7001 + iota
	heldOutStream
	commonTraining
	commonHeldOut
	timingStream
)

// Study measures one row. It takes the clouds of the set unchanged, [Config.Clouds] many. e only runs
// the amortizers' maps.
func Study(ctx context.Context, e *engine.Engine, set *datasets.Set, c Config, o Options) (Result, error) {
	if err := c.Check(); err != nil {
		return Result{}, err
	}
	training, heldOut, err := draw(set, c)
	if err != nil {
		return Result{}, err
	}
	r := &row{ctx: ctx, c: c, sampler: sampler{c.Kappa, c.Slices, vmf.Released}, progress: o.Progress}
	result := Result{ID: c.ID(), Config: c, Data: set.Name, Points: set.Points, Backend: e.Name}
	if c.IsAmortizer() {
		if r.predictor, err = newPredictor(e, c, set.Points); err != nil {
			return Result{}, err
		}
		defer r.predictor.close()
		for _, s := range r.predictor.specs {
			result.Parameters += s.Size()
		}
	}
	for _, part := range []struct {
		name  string
		pairs pairs
		truth *optima
	}{{"training pairs", training, &r.training}, {"pairs held out", heldOut, &r.heldOut}} {
		*part.truth, err = newOptima(ctx, part.pairs, c.Kappa, o.Cache, func(done, total int) { r.report("exact values of "+part.name, done, total) })
		if err != nil {
			return Result{}, fmt.Errorf("%s: %s: %w", set.Name, part.name, err)
		}
	}
	eps, start, err := r.paperProtocol(&result.Paper)
	if err != nil {
		return Result{}, err
	}
	if result.Training, err = r.training.compare(ctx, c, eps, start, commonTraining); err != nil {
		return Result{}, err
	}
	source := rand.New(rand.NewPCG(c.Seed, heldOutStream))
	eps, start = nil, nil
	err = heldOut.batches(c.Pairs, func(from int, part pairs) error {
		end, begin, err := r.locate(r.heldOut, from, part, source)
		eps, start = append(eps, end...), append(start, begin...)
		return err
	})
	if err != nil {
		return Result{}, err
	}
	if result.HeldOut, err = r.heldOut.compare(ctx, c, eps, start, commonHeldOut); err != nil {
		return Result{}, err
	}
	result.Times, err = r.locateTimes(e)
	return result, err
}

// row is the state of one Study.
type row struct {
	ctx               context.Context
	c                 Config
	sampler           sampler
	predictor         *predictor
	training, heldOut optima
	progress          func(stage string, done, total int)
}

func (r *row) report(stage string, done, total int) {
	if r.progress != nil {
		r.progress(stage, done, total)
	}
}

// locate finds the locations of a batch. start holds the starts of an ascent.
func (r *row) locate(t optima, from int, part pairs, source *rand.Rand) (eps, start [][3]float64, err error) {
	if err := r.ctx.Err(); err != nil {
		return nil, nil, err
	}
	if r.predictor != nil {
		eps, err = r.predictor.predict(part)
		return eps, nil, err
	}
	if r.c.Method == Constant {
		best, _ := maximum(average(r.training.smoothed))
		for range part.n {
			eps = append(eps, best)
		}
		return eps, nil, nil
	}
	eps = randomLocations(source, part.n)
	start = append(start, eps...)
	switch r.c.Method {
	case VDSW:
		err = r.sampler.ascend(part, eps, r.c.Steps, r.c.LearningRate, r.c.Pairs, func() noise { return r.sampler.noise(source, part.n) })
	case Converged:
		for b := range eps {
			eps[b], _ = ascend(t.smoothed[from+b], eps[b])
		}
	case Uniform:
		start = nil
	}
	return eps, start, err
}

// paperProtocol is the paper's protocol: it trains the amortizer, or runs the ascent, and evaluates the
// training pairs, all from one random stream.
func (r *row) paperProtocol(l *PaperProtocol) (eps, start [][3]float64, err error) {
	all := r.training.pairs
	source := rand.New(rand.NewPCG(r.c.Seed, trainingStream))
	clock := time.Now()
	lap := func(into *float64) {
		now := time.Now()
		*into += now.Sub(clock).Seconds()
		clock = now
	}
	find := &l.SearchSeconds
	if r.predictor != nil {
		if err := r.predictor.warm(all); err != nil {
			return nil, nil, err
		}
		lap(new(float64))
		for pass := range r.c.Passes {
			err := all.batches(r.c.Pairs, func(from int, part pairs) error {
				if err := r.ctx.Err(); err != nil {
					return err
				}
				return r.predictor.step(part, r.sampler, r.sampler.noise(source, part.n))
			})
			if err != nil {
				return nil, nil, err
			}
			r.report("passes", pass+1, r.c.Passes)
		}
		lap(&l.SearchSeconds)
		find = &l.PredictSeconds
	}
	var distances, squares []float64
	err = all.batches(r.c.Pairs, func(from int, part pairs) error {
		end, begin, err := r.locate(r.training, from, part, source)
		if err != nil {
			return err
		}
		eps, start = append(eps, end...), append(start, begin...)
		if r.c.Method != Uniform {
			lap(find)
		}
		v, square, err := r.sampler.values(part, end, r.sampler.noise(source, part.n))
		distances, squares = append(distances, v...), append(squares, square...)
		lap(&l.EvaluateSeconds)
		r.report("batches", (from+part.n)/r.c.Pairs, r.c.Batches)
		return err
	})
	l.Distance = sampled(distances, squares)
	return eps, start, err
}
