package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/internal/durable"
	"github.com/sliced-wasserstein/lab/internal/version"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/internal/split"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// Result of a run, as in result.json.
type Result struct {
	Steps     int     `json:"steps"`
	Epochs    int     `json:"epochs"`     // whole passes done
	Loss      float64 `json:"loss"`       // of the last step
	BestEpoch int     `json:"best_epoch"` // of lowest mean training loss (validation loss where there is one), counted from 0; -1 before the first whole pass
	BestLoss  float64 `json:"best_loss"`
	// Validation is the loss on the clouds held out after every whole pass; nil without such clouds.
	Validation     []float64 `json:"validation,omitempty"`
	Seconds        float64   `json:"seconds"`          // spent in steps, over all sittings
	SecondsPerStep float64   `json:"seconds_per_step"` // median
	Run            string    `json:"run"`
	Version        string    `json:"version,omitempty"` // of the program that finished the run; "": before versions were noted
}

// Options of Run that do not change the result.
type Options struct {
	Out             string // run folder
	Resume          bool   // continue the run in Out
	CheckpointEvery int    // steps between checkpoints, besides one at the end of every epoch; 0: none between
	// DeviceData bounds the bytes of clouds kept on every device, where batches are then gathered. Larger sets are read batch by
	// batch, the next one during a step. 0: 2 GiB, and on the CPU, over all devices, at most half the memory that is free; below 0: no
	// set is kept.
	DeviceData int64
	// Validation are clouds held out: the best epoch is then the one of lowest loss on them (Config.Validation).
	Validation datasets.Clouds
	Programs   *Programs // compiled steps to use again; nil: compiled for this run alone
	// Progress is called after every step with the record and the number of steps of the whole run.
	Progress func(r Record, total int)
}

// CallError marks a call that cannot be carried out as it is: a wrong setting, data that do not fit, a folder that holds
// another run. Nothing has been written then.
type CallError struct{ Err error }

func (e CallError) Error() string {
	if e.Err == nil {
		return "the call cannot be carried out"
	}
	return e.Err.Error()
}
func (e CallError) Unwrap() error { return e.Err }

// Run trains on the clouds of set and writes the run folder o.Out: config.json, log.jsonl (a Record per step),
// checkpoints, weights.safetensors and amortizer.safetensors (the last state), best.safetensors (the epoch of lowest mean training
// loss, which the paper evaluates), result.json. The fields Points, Clouds, DataHash, Data and Backend of c are filled in.
//
// On one backend, equal configurations give equal logs (seconds aside) and equal weights, also when a run was cut off
// anywhere and resumed. A run, finished or not, is resumed with other Epochs and Steps too, as long as they do not end it before
// what has been done: it then goes on, and ends, as if it had had them from the beginning. Cancelling ctx saves a checkpoint and
// returns ctx's error. Where the training is done but one of the last files cannot be written, the error comes with the result.
func Run(ctx context.Context, e *engine.Engine, set datasets.Clouds, c Config, o Options) (Result, error) {
	if err := engine.Ready(e); err != nil {
		return Result{}, CallError{err}
	}
	if ctx == nil {
		ctx = context.Background()
	}
	c = c.Fit(datasets.HeaderOf(set))
	if err := c.Check(set); err != nil {
		return Result{}, CallError{err}
	}
	c, err := c.on(set)
	if err != nil {
		return Result{}, CallError{err}
	}
	if c, err = c.validatedOn(o.Validation); err != nil {
		return Result{}, CallError{err}
	}
	c.Backend = e.Name
	devices, err := split.New(e.Backend, max(c.Devices, 1))
	if err != nil {
		return Result{}, CallError{fmt.Errorf("%w, on backend %s", err, e.Name)}
	}
	m, err := c.Model()
	if err != nil {
		return Result{}, CallError{err}
	}
	if err := c.CheckMemory(e.Name); err != nil {
		return Result{}, CallError{err}
	}
	start, unlock, err := prepare(m, c, o)
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	r := runner{config: c, options: o, model: m, progress: start.progress}
	if r.log, err = openLog(o.Out, start.progress.Step); err != nil {
		return Result{}, err
	}
	defer r.log.Close()
	f, err := newFeed(e, devices, set, o.DeviceData, c.batchesFrom(start.progress.Step))
	if err != nil {
		return Result{}, err
	}
	if o.Programs == nil {
		o.Programs = &Programs{}
		defer o.Programs.Close()
	}
	p, err := o.Programs.of(e.Backend, devices, m, c)
	if err != nil {
		f.close()
		return Result{}, err
	}
	r.stepper = newStepper(devices, m, p, c.Seed, f, start)
	defer r.stepper.close()
	if err := r.steps(ctx); err != nil {
		return Result{}, err
	}
	return r.finish()
}

// On returns c with the fields that the training clouds decide, Data, Points, Clouds, DataHash, Batch where it is 0, and with the
// numbers that the loss decides where they are left to it, Slices and P. For the hash all clouds are read, once where they are a stream. What is
// wrong with them, Run says.
func (c Config) On(set datasets.Clouds) Config {
	c, _ = c.on(set)
	return c
}

func (c Config) on(set datasets.Clouds) (Config, error) {
	h := datasets.HeaderOf(set)
	if h.N < 1 {
		return c, fmt.Errorf("%s: no clouds to train on", h.Name)
	}
	digest, err := set.Digest()
	if err != nil {
		return c, err
	}
	c = c.Fit(h)
	c.Data, c.Points, c.Clouds, c.DataHash = h.Name, h.M, h.N, digest[:12]
	if c.Devices == 1 {
		c.Devices = 0
	}
	m, err := c.Model()
	if err != nil {
		return c, err
	}
	return c.completed(m), nil
}

// validatedOn returns c with the field that the clouds held out decide.
func (c Config) validatedOn(held datasets.Clouds) (Config, error) {
	if held == nil {
		c.Validation = ""
		return c, nil
	}
	if h := held.Header(); h.M != c.Points || h.D != pointnet.Dim || h.N == 0 {
		return c, fmt.Errorf("validation clouds %s: expected at least one of %d points of dimension %d, found %d of %d points of dimension %d", h.Name, c.Points, pointnet.Dim, h.N, h.M, h.D)
	}
	digest, err := held.Digest()
	if err != nil {
		return c, err
	}
	c.Validation = digest[:12]
	return c, nil
}

// CheckOut returns a CallError when o.Out cannot take the run of c: to resume, it must hold that run, or one that differs in
// Epochs and Steps only and has not done more than c asks for; else it must be empty or not exist.
func CheckOut(c Config, o Options) error {
	if o.Out == "" {
		return CallError{errors.New("out: expected a folder for the run")}
	}
	if o.Resume {
		old, err := ReadConfig(o.Out)
		if err != nil {
			return CallError{err}
		}
		if c.Backend == "" {
			c.Backend = old.Backend // not opened yet
		}
		c.Devices = old.Devices
		if err := c.continues(old, o.Out); err != nil {
			return CallError{err}
		}
		return nil
	}
	entries, err := os.ReadDir(o.Out)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return CallError{fmt.Errorf("out: %w", err)}
	}
	for _, e := range entries {
		if e.Name() == configFile {
			return CallError{fmt.Errorf("out: %s holds a run already; continue it with --resume or choose another folder", o.Out)}
		}
	}
	// A run that was killed while it wrote its configuration leaves a temporary file: no run, and nobody's work.
	if len(entries) > 1 || len(entries) == 1 && !strings.HasPrefix(entries[0].Name(), "."+configFile+".") {
		return CallError{fmt.Errorf("out: %s is not empty and holds no run; choose another folder", o.Out)}
	}
	return nil
}

// prepare makes the run folder, or reads the one to resume, and returns the state to start from. The folder is this
// process's until unlock.
func prepare(m Model, c Config, o Options) (start checkpoint, unlock func(), err error) {
	if err := CheckOut(c, o); err != nil {
		return start, nil, err
	}
	if err := os.MkdirAll(o.Out, 0o755); err != nil {
		return start, nil, fmt.Errorf("out: %w", err)
	}
	unlock, err = durable.Lock(o.Out)
	if errors.Is(err, durable.ErrLocked) {
		return start, nil, CallError{fmt.Errorf("out: %s is in use by another process", o.Out)}
	}
	if err != nil {
		return start, nil, fmt.Errorf("out: %w", err)
	}
	if start, err = begin(m, c, o); err != nil {
		unlock()
	}
	return start, unlock, err
}

// begin is prepare inside the lock. The configuration is written first: from then on the run can be resumed, and
// before its first checkpoint that means from step 0.
func begin(m Model, c Config, o Options) (checkpoint, error) {
	if err := CheckOut(c, o); err != nil { // again: another process may have been faster
		return checkpoint{}, err
	}
	if err := removeLeftovers(o.Out); err != nil {
		return checkpoint{}, err
	}
	if err := writeConfig(c, o); err != nil {
		return checkpoint{}, fmt.Errorf("out: %w", err)
	}
	if err := os.MkdirAll(filepath.Join(o.Out, checkpointDir), 0o755); err != nil {
		return checkpoint{}, fmt.Errorf("out: %w", err)
	}
	start, err := loadCheckpoint(o.Out, m.stateSpecs())
	if errors.Is(err, errNoCheckpoint) {
		return m.initial(c.Seed), nil
	}
	return start, err
}

// removeLeftovers removes the files that a killed process was writing.
func removeLeftovers(run string) error {
	for _, name := range []string{configFile, logFile, resultFile, weightsFile, bestFile, amortizerFile} {
		if err := durable.RemoveTemporary(filepath.Join(run, name)); err != nil {
			return err
		}
	}
	return removeHalfCheckpoints(run)
}

// runner is a run under way.
type runner struct {
	config  Config
	options Options
	model   Model
	stepper *stepper
	log     *os.File
	progress
}

func (r *runner) steps(ctx context.Context) error {
	total, per := r.config.totalSteps(), r.config.perEpoch()
	for rows := range r.config.batchesFrom(r.Step) {
		if ctx.Err() != nil {
			if err := r.save(); err != nil {
				return fmt.Errorf("interrupted, and the checkpoint was not saved: %w", err)
			}
			return ctx.Err()
		}
		epoch := r.Step / per
		if err := r.one(epoch, rows, total); err != nil {
			return err
		}
		var err error
		if n := r.options.CheckpointEvery; r.Step%per == 0 {
			err = r.endEpoch(epoch)
		} else if n > 0 && r.Step%n == 0 {
			err = r.save()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *runner) one(epoch int, rows []int32, total int) error {
	began := time.Now()
	rec, err := r.stepper.run(r.Step+1, rows)
	if err != nil {
		return err
	}
	if math.IsNaN(rec.Loss) || math.IsInf(rec.Loss, 0) {
		return fmt.Errorf("the loss is %v at step %d of %s: the run is stopped, its last checkpoint is whole", rec.Loss, rec.Step, r.options.Out)
	}
	rec.Epoch, rec.Seconds = epoch, time.Since(began).Seconds()
	if err := json.NewEncoder(r.log).Encode(rec); err != nil {
		return err
	}
	r.Step, r.LastLoss = rec.Step, rec.Loss
	r.EpochSum += rec.Loss
	if r.options.Progress != nil {
		r.options.Progress(rec, total)
	}
	return nil
}

// endEpoch notes the best epoch (lowest unweighted mean of the batches' losses, or lowest loss on the clouds held out, as the released
// code does) and saves.
func (r *runner) endEpoch(epoch int) error {
	mean := r.EpochSum / float64(r.config.perEpoch())
	r.EpochSum = 0
	if held := r.options.Validation; held != nil {
		var err error
		if mean, err = r.stepper.validate(held, r.config, epoch); err != nil {
			return err
		}
		r.Validation = append(r.Validation, mean)
	}
	better := r.BestEpoch < 0 || mean < r.BestLoss
	if better {
		r.BestEpoch, r.BestLoss = epoch, mean
		c, err := r.stepper.save(r.progress)
		if err != nil {
			return err
		}
		if err := weights.WriteSafetensors(filepath.Join(r.options.Out, bestFile), netOf(c)); err != nil {
			return err
		}
	}
	return r.save()
}

func (r *runner) save() error {
	c, err := r.stepper.save(r.progress)
	if err != nil {
		return err
	}
	if err := r.log.Sync(); err != nil { // the log must not be behind the checkpoint
		return err
	}
	return saveCheckpoint(r.options.Out, c)
}

// finish writes the last state under its public names, and the result, which it returns even where a file cannot be written.
func (r *runner) finish() (Result, error) {
	out := r.options.Out
	records, err := ReadLog(out)
	if err != nil {
		return Result{}, err
	}
	res := Result{Steps: r.Step, Epochs: r.Step / r.config.perEpoch(), Loss: r.LastLoss, BestEpoch: r.BestEpoch, BestLoss: r.BestLoss, Validation: r.Validation, Run: out, Version: version.String()}
	res.Seconds, res.SecondsPerStep = times(records)
	c, err := r.stepper.save(r.progress)
	if err != nil {
		return res, err
	}
	if err := r.save(); err != nil {
		return res, err
	}
	if err := weights.WriteSafetensors(filepath.Join(out, weightsFile), netOf(c)); err != nil {
		return res, err
	}
	if len(r.model.Loss.Specs()) > 0 {
		if err := weights.WriteSafetensors(filepath.Join(out, amortizerFile), group(c.tensors, "psi/")); err != nil {
			return res, err
		}
	}
	return res, durable.WriteJSON(filepath.Join(out, resultFile), res)
}

// ReadResult reads the result of the finished run in dir.
func ReadResult(dir string) (Result, error) {
	var r Result
	raw, err := os.ReadFile(filepath.Join(dir, resultFile))
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return r, fmt.Errorf("%s: %w", filepath.Join(dir, resultFile), err)
	}
	r.Run = dir
	return r, nil
}

// group is the part of a set whose names start with prefix, without it.
func group(s *weights.Set, prefix string) *weights.Set {
	out := weights.NewSet()
	for _, n := range s.Names() {
		if rest, ok := strings.CutPrefix(n, prefix); ok {
			t, _ := s.Get(n)
			out.Put(rest, t)
		}
	}
	return out
}
