package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/train"
)

type trainCall struct {
	*common
	config  train.Config
	options train.Options
	data    string
	key     string
	split   string
	points  int
}

func newTrain(c *common) *cobra.Command {
	t := &trainCall{common: c, config: train.DefaultConfig()}
	cmd := &cobra.Command{
		Use:   "train --loss NAME [--amortizer NAME] --out DIR",
		Short: "train the autoencoder; --resume continues a run that was cut off",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return t.run() },
	}
	f := cmd.Flags()
	f.StringVar(&t.data, "data", "builtin", "clouds: a file, a folder, or builtin")
	f.StringVar(&t.key, "key", "", "array in a .npz or .h5 file (default data)")
	f.StringVar(&t.split, "split", "train", "part to train on: train, test, val or all")
	f.StringVar(&t.config.Loss, "loss", "", strings.Join(loss.Names(), ", "))
	f.StringVar(&t.options.Out, "out", "", "run folder")
	f.IntVar(&t.points, "points", t.config.Points, "points per cloud")
	f.IntVar(&t.config.Batch, "batch", t.config.Batch, "clouds per step")
	f.IntVar(&t.config.Devices, "devices", 1, "devices of the backend that share every batch, whose size they must divide")
	f.IntVar(&t.config.Epochs, "epochs", t.config.Epochs, "passes over the data")
	f.IntVar(&t.config.Steps, "steps", t.config.Steps, "stop after so many steps; 0 initialises and saves only; -1: no bound")
	sliceFlags(f, &t.config.Settings)
	amortizerFlags(f, &t.config.Settings, &t.config.DK, &t.config.K, &t.config.Form)
	f.BoolVar(&t.config.Summed, "summed", false, "chamfer: sum over points in place of the mean, a gradient as large as the other losses'")
	f.StringVar(&t.config.Plain, "plain", "", "fast paths to switch off, separated by commas: "+strings.Join(train.FastPaths(), ", ")+"; the same numbers up to rounding, slower")
	f.IntVar(&t.options.CheckpointEvery, "checkpoint-every", 0, "steps between checkpoints, besides one after every pass")
	f.BoolVar(&t.options.Resume, "resume", false, "continue the run in --out")
	return required(cmd, "loss", "out")
}

func (t *trainCall) run() error {
	t.config.Seed = t.seed
	t.config.Points = t.points
	if t.options.CheckpointEvery < 0 {
		return wrongCall(fmt.Errorf("--checkpoint-every: expected at least 0, found %d", t.options.CheckpointEvery))
	}
	if t.config.Devices < 1 {
		return wrongCall(fmt.Errorf("--devices: expected at least 1, found %d", t.config.Devices))
	}
	if _, err := t.config.Model(); err != nil {
		return wrongCall(err)
	}
	if t.key != "data" {
		t.config.Key = t.key
	}
	if t.split != "train" {
		t.config.Split = t.split
	}
	set, err := openPart(t.data, t.key, t.split, t.points, t.seed)
	if err != nil {
		return err
	}
	if err := t.config.Check(set); err != nil {
		return wrongCall(err)
	}
	if _, err := set.Digest(); err != nil { // finds bad clouds of a large file
		return wrongCall(fmt.Errorf("--data: %w", err))
	}
	if err := train.CheckOut(t.config.On(set), t.options); err != nil {
		return wrongCall(err)
	}
	e, err := t.engine()
	if err != nil {
		return err
	}
	if err := t.config.CheckMemory(e.Name); err != nil {
		return wrongCall(err)
	}
	fmt.Fprintf(os.Stderr, "backend %s: %s\n", e.Name, e.Why)
	bar := newBar("training")
	t.options.Progress = func(r train.Record, total int) { bar(r.Step, total, fmt.Sprintf("loss %.3f", r.Loss)) }
	// The first interruption saves a checkpoint, the second ends the process; elsewhere one is enough.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	r, err := train.Run(ctx, e, set, t.config, t.options)
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("interrupted; the same command with --resume goes on")
	}
	if errors.As(err, new(train.CallError)) {
		return wrongCall(err)
	}
	if err != nil {
		return err
	}
	return t.print(r,
		[2]string{"steps, epochs", fmt.Sprintf("%d, %d", r.Steps, r.Epochs)},
		[2]string{"last loss", fmt.Sprintf("%.6g", r.Loss)},
		[2]string{"best epoch", fmt.Sprintf("%d, mean loss %.6g", r.BestEpoch, r.BestLoss)},
		[2]string{"time", fmt.Sprintf("%.1f s, %.4f s per step", r.Seconds, r.SecondsPerStep)},
		[2]string{"run", r.Run})
}

// newBar returns a progress bar on standard error; where that is not a terminal, a line every ten seconds.
func newBar(what string) func(done, total int, note string) {
	if !term.IsTerminal(int(os.Stderr.Fd())) {
		began, last := time.Now(), time.Now()
		return func(done, total int, note string) {
			if done == total || time.Since(last) > 10*time.Second {
				last = time.Now()
				fmt.Fprintf(os.Stderr, "%s %d/%d %s, %.0f s\n", what, done, total, note, time.Since(began).Seconds())
			}
		}
	}
	var bar *progressbar.ProgressBar
	return func(done, total int, note string) {
		if bar == nil {
			bar = progressbar.NewOptions(total, progressbar.OptionSetWriter(os.Stderr), progressbar.OptionShowCount(),
				progressbar.OptionShowIts(), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionOnCompletion(func() { fmt.Fprintln(os.Stderr) }))
		}
		bar.Describe(what + " " + note)
		_ = bar.Set(done) // a bar that cannot be drawn is no reason to stop
	}
}
