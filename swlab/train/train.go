// Package train trains the autoencoder on a loss between clouds. [Run] is the whole run, from the
// configuration to the result: read train.go from top to bottom, and step.go for the mathematics of
// one step.
package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"time"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/datasets/format"
	"github.com/sliced-wasserstein/lab/internal/durable"
	"github.com/sliced-wasserstein/lab/internal/memory"
	"github.com/sliced-wasserstein/lab/internal/version"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// Result of a run, as in result.json.
type Result struct {
	Steps  int     `json:"steps"`
	Epochs int     `json:"epochs"` // whole epochs done
	Loss   float64 `json:"loss"`   // of the last step
	// BestEpoch is the epoch of lowest mean training loss (validation loss if there is one),
	// counted from 0; -1 before the end of the first.
	BestEpoch int     `json:"best_epoch"`
	BestLoss  float64 `json:"best_loss"`
	// Validation is the loss on the held-out clouds after every epoch; nil without them.
	Validation     []float64 `json:"validation,omitempty"`
	Seconds        float64   `json:"seconds"`           // spent in steps, over all sessions of the run
	SecondsPerStep float64   `json:"seconds_per_step"`  // median
	Skipped        int       `json:"skipped,omitempty"` // steps left out because something was not finite
	Run            string    `json:"run"`
	Version        string    `json:"version,omitempty"` // of the program that finished the run; "" before versions were recorded
}

// Options of Run that do not change the result.
type Options struct {
	Out             string // run folder
	Resume          bool   // continue the run in Out
	CheckpointEvery int    // steps between checkpoints, besides one at the end of every epoch; 0: none between
	// DeviceData bounds the bytes of clouds kept on the device, where batches are then gathered.
	// Larger sets are read batch by batch. 0: 2 GiB, at most half the free memory of the host.
	// Below 0: no set is kept.
	DeviceData int64
	// Validation holds held-out clouds; the best epoch is then the one of lowest loss on them
	// (Config.Validation).
	Validation *datasets.Set
	// OnNonfinite says what happens if a loss or a weight is not finite after a step. "" and "stop":
	// the run stops with an error. "skip": the step is undone and left out, which Result.Skipped
	// counts; every step then also copies the state to the host. Both save the batch as
	// nonfinite-step-N.npz in Out: the clouds, data, and their rows in the set.
	OnNonfinite string
	// Note is called with messages for the user: a damaged checkpoint that is not used, a step that
	// was skipped, code that is not known (Config.CheckSource).
	Note func(text string)
	// Progress is called after every step with its record and the number of steps of the whole run.
	Progress func(r Record, total int)
}

// UsageError marks an invalid call: a wrong setting, data that do not fit, a folder that holds
// another run. Nothing has been written then.
type UsageError struct{ Err error }

func (e UsageError) Error() string { return e.Err.Error() }

func (e UsageError) Unwrap() error { return e.Err }

// Run trains on the clouds of set and writes the run folder o.Out: config.json, log.jsonl (a Record
// per step), checkpoints, weights.safetensors and amortizer.safetensors (the last state),
// best.safetensors (the epoch of lowest mean training loss, which the paper evaluates),
// result.json. The fields Points, Clouds, DataHash, Data, Source and Backend of c are filled in.
//
// On one CPU backend, equal configurations give equal logs (except seconds) and equal weights, also
// when a run was interrupted anywhere and resumed; on CUDA they do up to rounding, because sums by
// atomic additions have no order. A run, finished or not, can be resumed with
// other Epochs and Steps, if they do not end it before what has been done; it then continues as if
// it had had them from the beginning. Cancelling ctx saves a checkpoint and returns ctx's error. If
// the training is done but one of the last files cannot be written, Run returns the error with the
// result.
func Run(ctx context.Context, e *engine.Engine, set *datasets.Set, c Config, o Options) (Result, error) {
	c, m, err := prepare(e, set, c, o.Validation)
	if err != nil {
		return Result{}, UsageError{err}
	}
	if o.OnNonfinite != "" && o.OnNonfinite != "stop" && o.OnNonfinite != "skip" {
		return Result{}, UsageError{fmt.Errorf("on nonfinite: expected stop or skip, found %q", o.OnNonfinite)}
	}
	if _, ok := m.Loss.(loss.ApproximateEMD); ok {
		if err := warnExcess(set, o); err != nil {
			return Result{}, err
		}
	}
	// The state of step 0, or of the newest checkpoint.
	start, unlock, err := openFolder(m, c, o)
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	if err := c.CheckSource(); err != nil {
		o.note(err.Error())
	}
	defer memory.Keep()()
	log, err := openLog(o.Out, start.log)
	if err != nil {
		return Result{}, err
	}
	defer log.Close()
	data, err := newBatches(e, set, o.DeviceData)
	if err != nil {
		return Result{}, err
	}
	defer data.close()
	p, err := newPrograms(e, m, c)
	if err != nil {
		return Result{}, err
	}
	t := newTrainer(m, p, c.Seed, data, start)
	defer t.close()

	r := run{config: c, options: o, set: set, trainer: t, log: log, progress: start.progress, saved: savedStep(o.Out)}
	for rows := range c.batchesFrom(r.Step) {
		if ctx.Err() != nil {
			if _, err := r.save(); err != nil {
				return Result{}, fmt.Errorf("interrupted, and the checkpoint was not saved: %w", err)
			}
			return Result{}, ctx.Err()
		}
		if err := r.train(rows); err != nil {
			return Result{}, r.resumable(err)
		}
		if r.Step%c.perEpoch() == 0 {
			err = r.endEpoch()
		} else if n := o.CheckpointEvery; n > 0 && r.Step%n == 0 {
			_, err = r.save()
		}
		if err != nil {
			return Result{}, r.resumable(err)
		}
	}
	return r.finish()
}

// resumable adds to an error about a file what is left of the run.
func (r *run) resumable(err error) error {
	if !errors.As(err, new(*durable.Error)) {
		return err
	}
	return fmt.Errorf("%w; the run has stopped after step %d, %s", err, r.Step, r.resumeHint())
}

// resumeHint says where a run that stops now can be resumed.
func (r *run) resumeHint() string {
	if r.saved == 0 {
		return "before its first checkpoint: --resume begins it again"
	}
	return fmt.Sprintf("the checkpoint of step %d is whole: --resume continues from it", r.saved)
}

// warnExcess notes that the first cloud is too small for the approximate EMD.
func warnExcess(set *datasets.Set, o Options) error {
	cloud := make([]float32, set.Points*set.Dim)
	if err := set.Read(cloud, []int32{0}); err != nil {
		return err
	}
	f, err := datasets.FrameOf(cloud, set.Dim)
	if err != nil {
		return nil // all points are equal: there is no radius
	}
	if w := loss.ExcessWarning(f.Scale, 0, math.NaN()); w != "" {
		o.note("cloud 0 of " + set.Name + ": " + w + "; normalise the clouds (datasets.Set.Normalize)")
	}
	return nil
}

// note passes a message on to the user.
func (o Options) note(text string) {
	if o.Note != nil {
		o.Note(text)
	}
}

// prepare completes c from the data and checks it before anything is written.
func prepare(e *engine.Engine, set *datasets.Set, c Config, held *datasets.Set) (_ Config, m Model, err error) {
	if err = engine.Ready(e); err != nil {
		return c, m, err
	}
	c = c.Fit(set)
	if err = c.Check(set); err != nil {
		return c, m, err
	}
	if c, err = c.on(set); err != nil {
		return c, m, err
	}
	if c, err = c.validatedOn(held); err != nil {
		return c, m, err
	}
	c.Backend = e.Name
	if m, err = c.Model(); err != nil {
		return c, m, err
	}
	return c, m, c.CheckMemory(e.Name)
}

// run is the state of a run.
type run struct {
	config  Config
	options Options
	set     *datasets.Set
	trainer *trainer
	log     stepLog
	saved   int // the step of the newest checkpoint; 0: none
	progress
}

// train takes one step on the clouds of those rows and logs it.
func (r *run) train(rows []int32) error {
	began := time.Now()
	before, err := r.beforeStep()
	if err != nil {
		return err
	}
	rec, err := r.trainer.step(r.Step+1, rows)
	if err != nil {
		return err
	}
	rec.Epoch = r.Step / r.config.perEpoch()
	if rec.Skipped != "" {
		if err := r.skip(rec, rows, before); err != nil {
			return err
		}
	}
	rec.Seconds = time.Since(began).Seconds()
	if err := json.NewEncoder(r.log).Encode(rec); err != nil {
		return err
	}
	r.Step = rec.Step
	if rec.Skipped == "" {
		r.LastLoss = rec.Loss
		r.EpochSum += rec.Loss
	}
	if r.options.Progress != nil {
		r.options.Progress(rec, r.config.totalSteps())
	}
	return nil
}

// validate is the mean training loss over the held-out clouds after that epoch, in evaluation mode,
// in batches of the run's size. It changes nothing: the amortizer predicts with its present weights
// (the released code takes an ascent step on the validation clouds too).
func (r *run) validate(epoch int) (float64, error) {
	c, clouds := r.config, r.options.Validation
	sum := 0.0
	for at := 0; at < clouds.Clouds; at += c.Batch {
		n, each := min(c.Batch, clouds.Clouds-at), clouds.Points*clouds.Dim
		x := tensors.FromFlatDataAndDimensions(clouds.Coords[at*each:(at+n)*each], n, clouds.Points, clouds.Dim)
		pairs, err := r.trainer.evaluate(x, stream(stream(c.Seed, epoch, checkStream), at, checkStream))
		x.FinalizeAll()
		if err != nil {
			return 0, err
		}
		for _, p := range pairs {
			sum += float64(p) / float64(clouds.Clouds)
		}
	}
	return sum, nil
}

// endEpoch records the best epoch and saves. The best epoch has the lowest loss on the held-out
// clouds or, without them, the lowest unweighted mean of the batches' losses, as in the released
// code.
func (r *run) endEpoch() error {
	epoch, taken := r.Step/r.config.perEpoch()-1, r.config.perEpoch()-r.EpochSkipped
	mean := r.EpochSum / float64(taken)
	r.EpochSum, r.EpochSkipped = 0, 0
	if taken == 0 {
		return fmt.Errorf("no step of epoch %d was finite, so there is nothing left to skip: the run is stopped; %s", epoch, r.resumeHint())
	}
	if r.options.Validation != nil {
		var err error
		if mean, err = r.validate(epoch); err != nil {
			return err
		}
		r.Validation = append(r.Validation, mean)
	}
	if r.BestEpoch < 0 || mean < r.BestLoss {
		r.BestEpoch, r.BestLoss = epoch, mean
		c, err := r.trainer.model.download(r.trainer.state, r.progress)
		if err != nil {
			return err
		}
		if err := r.write(bestFile, c, "net/"); err != nil {
			return err
		}
	}
	_, err := r.save()
	return err
}

// save writes a checkpoint of the state and returns it. It also gives free memory back, without
// which a long training grows.
func (r *run) save() (checkpoint, error) {
	r.LogSHA256 = r.log.sum()
	c, err := r.trainer.model.download(r.trainer.state, r.progress)
	if err != nil {
		return c, err
	}
	if err := r.log.Sync(); err != nil { // the log must not be behind the checkpoint
		return c, err
	}
	if err := saveCheckpoint(r.options.Out, c); err != nil {
		return c, err
	}
	r.saved = c.Step
	memory.Trim()
	return c, nil
}

// write writes the tensors of a checkpoint whose names start with prefix, without the prefix.
func (r *run) write(file string, c checkpoint, prefix string) error {
	return weights.WriteSafetensors(filepath.Join(r.options.Out, file), group(c.tensors, prefix))
}

// finish writes the last state under its public names, and the result, which it returns even if a
// file cannot be written.
func (r *run) finish() (Result, error) {
	out := r.options.Out
	records, _, err := readLog(out, math.MaxInt, r.log.sum())
	if err != nil {
		return Result{}, err
	}
	res := Result{Steps: r.Step, Epochs: r.Step / r.config.perEpoch(), Loss: r.LastLoss, BestEpoch: r.BestEpoch, BestLoss: r.BestLoss, Validation: r.Validation, Skipped: r.Skipped, Run: out, Version: version.String()}
	res.Seconds, res.SecondsPerStep = times(records)
	c, err := r.save()
	if err != nil {
		return res, err
	}
	if err := r.write(weightsFile, c, "net/"); err != nil {
		return res, err
	}
	if len(r.trainer.model.Loss.Specs()) > 0 {
		if err := r.write(amortizerFile, c, "psi/"); err != nil {
			return res, err
		}
	}
	return res, durable.WriteJSON(filepath.Join(out, resultFile), storedResult{res, r.log.sum()})
}

// beforeStep is the state to which a skipped step returns; empty if no step is skipped.
func (r *run) beforeStep() (checkpoint, error) {
	if r.options.OnNonfinite != "skip" {
		return checkpoint{}, nil
	}
	return r.trainer.model.download(r.trainer.state, r.progress)
}

// skip saves the batch of a step that is not finite. Then it undoes the step or, unless that is
// what the options say, returns the error that stops the run.
func (r *run) skip(rec Record, rows []int32, before checkpoint) error {
	path := filepath.Join(r.options.Out, fmt.Sprintf("nonfinite-step-%09d.npz", rec.Step))
	found, err := saveBatch(path, r.set, rows)
	if err != nil {
		return fmt.Errorf("step %d of %s: %s, and the batch was not saved: %w", rec.Step, r.options.Out, rec.Skipped, err)
	}
	what := fmt.Sprintf("step %d of %s: %s%s; its batch is in %s", rec.Step, r.options.Out, rec.Skipped, found, filepath.Base(path))
	if before.tensors == nil {
		return fmt.Errorf("%s; the run is stopped, %s, and --on-nonfinite skip leaves the step out", what, r.resumeHint())
	}
	r.trainer.close()
	r.trainer.state = r.trainer.model.upload(before)
	r.Skipped++
	r.EpochSkipped++
	r.options.note(what + "; the step is skipped")
	return nil
}

// saveBatch writes the clouds of a batch and their rows, and says which cloud is not finite.
func saveBatch(path string, set *datasets.Set, rows []int32) (found string, err error) {
	size := set.Points * set.Dim
	clouds := make([]float32, len(rows)*size)
	if err := set.Read(clouds, rows); err != nil {
		return "", err
	}
	if i := vec.NotFinite(clouds); i >= 0 {
		found = fmt.Sprintf(" (cloud %d of %s has the coordinate %v)", rows[i/size], set.Name, clouds[i])
	}
	return found, format.WriteNPZ(path, clouds, []int{len(rows), set.Points, set.Dim}, map[string][]int32{"rows": rows})
}
