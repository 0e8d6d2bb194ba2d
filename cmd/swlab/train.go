package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/train"
)

type trainCall struct {
	*common
	config  train.Config
	options train.Options
	data    string
	key     string
	split   string
	recipe  string
}

// unflagged are settings without a flag: --recipe has three of them, and the others are for studies.
var unflagged = []string{"plain", "simultaneous", "common_slices", "location_gradient", "other_location", "ascent_sgd"}

func newTrain(c *common) *cobra.Command {
	t := &trainCall{common: c, config: train.DefaultConfig()}
	cmd := &cobra.Command{
		Use:   "train --loss NAME [--amortizer NAME] --out DIR",
		Short: "train the autoencoder; --resume continues a run that was cut off, or makes a finished one longer",
		Long: "Trains the autoencoder on the clouds of --data and writes the run to --out. With --resume, settings that are not given are the\n" +
			"run's own, and --epochs or --steps may be larger than before: `swlab train --resume --out DIR --epochs 10` ends with the log and\n" +
			"the weights of a run that was asked for 10 epochs at first.",
		Args: cobra.NoArgs,
	}
	f := cmd.Flags()
	cmd.RunE = func(*cobra.Command, []string) error { return t.run() }
	f.StringVar(&t.data, "data", "builtin", "clouds: a file, a folder, or builtin")
	f.StringVar(&t.key, "key", "", "array in a .npz or .h5 file (default data)")
	f.StringVar(&t.split, "split", "train", "part to train on: train, test, val or all")
	f.StringVar(&t.options.Out, "out", "", "run folder")
	t.config.Loss, t.config.Points, t.config.Batch = "", 0, 0
	settingFlags(f, &t.config, unflagged...)
	f.StringVar(&t.recipe, "recipe", "released", "how an amortizer and the autoencoder are trained together: released (as the released program does), or text (as the paper's text says)")
	f.IntVar(&t.options.CheckpointEvery, "checkpoint-every", 0, "steps between checkpoints, besides one after every epoch")
	f.StringVar(&t.options.OnNonfinite, "on-nonfinite", "stop", "after a step with a loss or weight that is not finite: stop, or skip, which undoes the step and counts it; both save its batch")
	f.BoolVar(&t.options.Resume, "resume", false, "continue the run in --out, or make it longer: settings not given are those of the run")
	reads(cmd, "data")
	writes(cmd, "out", workFolder)
	work := refuse(cmd, t.unused).RunE
	// The settings decide which flags have an effect.
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := t.settings(f); err != nil {
			return usageError(err)
		}
		return work(cmd, args)
	}
	return required(cmd, "out")
}

// unused says why a flag has no effect in this call.
func (t *trainCall) unused(flag string) (why string, err error) {
	switch {
	case flag == "key":
		return unkeyed(t.data), nil
	case flag == "recipe" && t.config.Amortizer == "":
		return "it belongs to an --amortizer", nil
	}
	return unreadBy(t.call, t.config, flag)
}

// unreadBy says why a training does not read the setting of a flag.
func unreadBy(cmd *cobra.Command, c train.Config, flag string) (string, error) {
	if what := setting(flag); what != "" {
		return unread(c.Loss, c.LossConfig(), false, what)
	}
	return "", nil
}

func (t *trainCall) run() error {
	set, err := t.openWith("data", "split", t.data, t.split, datasets.Options{Points: t.config.Points, Seed: t.seed, Key: t.key})
	if err != nil {
		return err
	}
	if err := t.parted("split", set, t.split); err != nil {
		return err
	}
	asked := t.config
	t.config = t.config.Fit(set)
	if _, err := t.config.Model(); err != nil {
		return usageError(err)
	}
	if err := t.config.Check(set); err != nil {
		return usageError(err)
	}
	if err := train.CheckOut(t.config.On(set), t.options); err != nil {
		return usageError(err)
	}
	e, err := t.engine()
	if err != nil {
		return err
	}
	if err := t.config.CheckMemory(e.Name); err != nil {
		return usageError(err)
	}
	fmt.Fprintf(os.Stderr, "backend %s: %s\n", e.Name, e.Why)
	sayFit(asked, t.config, set)
	bar := newBar("training")
	t.options.Progress = func(r train.Record, total int) { bar(r.Step, total, fmt.Sprintf("loss %.3f", r.Loss)) }
	t.options.Note = func(text string) { t.warn("%s", text) }
	// The first interruption saves a checkpoint.
	ctx, stop := interruptible()
	defer stop()
	r, err := train.Run(ctx, e, set, t.config, t.options)
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("interrupted; the same command with --resume continues")
	}
	if errors.As(err, new(train.UsageError)) {
		return usageError(err)
	}
	if err != nil && r.Run == "" {
		return err
	}
	if err != nil { // the training is done, and only a file is missing
		err = fmt.Errorf("--out: %w", err)
	}
	rows := [][2]string{
		{"steps, epochs", fmt.Sprintf("%d, %d", r.Steps, r.Epochs)},
		{"last loss", fmt.Sprintf("%.6g", r.Loss)},
		{"convention", t.config.Convention()},
		{"best epoch", fmt.Sprintf("%d, mean loss %.6g", r.BestEpoch, r.BestLoss)},
		{"time", fmt.Sprintf("%.1f s, %.4f s per step", r.Seconds, r.SecondsPerStep)},
		{"run", r.Run},
	}
	if r.Skipped > 0 {
		rows = append(rows, [2]string{"skipped", fmt.Sprintf("%d steps that were not finite", r.Skipped)})
	}
	return errors.Join(t.print(r, rows...), err)
}

// settings reads the flags into the configuration. It rejects what is wrong for any data.
func (t *trainCall) settings(f *pflag.FlagSet) error {
	if t.options.Resume {
		if err := t.asBefore(f); err != nil {
			return err
		}
	} else if t.config.Seed = t.seed; !f.Changed("loss") {
		return errors.New("--loss is missing; `swlab train --help` says more")
	}
	for _, least := range []struct {
		flag         string
		value, least int
	}{
		{"checkpoint-every", t.options.CheckpointEvery, 0}, {"points", t.config.Points, 1}, {"batch", t.config.Batch, 1},
	} {
		if f.Changed(least.flag) && least.value < least.least {
			return fmt.Errorf("--%s: expected at least %d, found %d", least.flag, least.least, least.value)
		}
	}
	t.config.Key, t.config.Split = t.key, t.split
	if t.key == "data" {
		t.config.Key = ""
	}
	if t.split == "train" {
		t.config.Split = ""
	}
	early := t.config
	early.Points = max(early.Points, 2) // if the data decide them, Model is called again
	if _, err := early.Model(); err != nil || !f.Changed("recipe") {
		return err
	}
	text := t.recipe == "text"
	t.config.Simultaneous, t.config.CommonSlices, t.config.LocationGradient = text, text, text
	early.Simultaneous, early.CommonSlices, early.LocationGradient = text, text, text
	if _, err := early.Model(); err != nil {
		_, what, _ := strings.Cut(err.Error(), ": ")
		return fmt.Errorf("--recipe %s: %s", t.recipe, what)
	}
	return nil
}

// asBefore takes every setting without a flag from the run in --out, which is resumed.
func (t *trainCall) asBefore(f *pflag.FlagSet) error {
	old, err := train.ReadConfig(t.options.Out)
	if err != nil {
		return err
	}
	given := map[string]string{}
	f.Visit(func(flag *pflag.Flag) { given[flag.Name] = flag.Value.String() })
	t.config = old
	t.data, t.key, t.split, t.seed, t.backend = old.Data, old.Key, "train", old.Seed, old.Backend
	if old.Split != "" {
		t.split = old.Split
	}
	for name, text := range given { // overrides what the run says
		if err := f.Lookup(name).Value.(*value).Value.Set(text); err != nil {
			return err
		}
	}
	t.config.Seed = t.seed
	// What the data decide is determined again.
	same := t.config
	same.Epochs, same.Steps = old.Epochs, old.Steps
	if diff := same.Differences(old); len(diff) > 0 {
		return fmt.Errorf("--resume: %s holds another run: %s", t.options.Out, strings.Join(diff, "; "))
	}
	return nil
}

// sayFit says which settings the data have decided.
func sayFit(asked, used train.Config, h *datasets.Set) {
	if asked.Points == 0 {
		fmt.Fprintf(os.Stderr, "points: %d per cloud, as in %s (--points takes fewer)\n", used.Points, h.Name)
	}
	if asked.Batch == 0 {
		fmt.Fprintf(os.Stderr, "batch: %d of the %d clouds per step (--batch takes another number)\n", used.Batch, h.Clouds)
	}
}

// newBar returns a progress bar on standard error or, if that is not a terminal, prints a line
// every ten seconds.
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
