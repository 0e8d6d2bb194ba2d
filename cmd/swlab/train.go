package main

import (
	"cmp"
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
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/train"
)

type trainCall struct {
	*common
	Data            string `flag:"data" unit:"FILE|DIR" reads:"clouds" help:"clouds to train on: a file, a folder, or builtin"`
	Key             string `flag:"key" unit:"NAME" help:"array in a .npz or .h5 file (default data)"`
	Split           string `flag:"split" unit:"PART" words:"train test val all" help:"part to train on: train, test, val or all"`
	Recipe          string `flag:"recipe" unit:"NAME" words:"released text" group:"Ascent and amortizer" help:"how an amortizer and the autoencoder are trained together: released (as the released program does), or text (as the paper's text says)"`
	CheckpointEvery int    `flag:"checkpoint-every" range:"0.." group:"Training" help:"steps between checkpoints, besides one after every epoch"`
	OnNonfinite     string `flag:"on-nonfinite" unit:"NAME" words:"stop skip" group:"Training" help:"after a step with a loss or weight that is not finite: stop, or skip, which undoes the step and counts it; both save its batch"`
	Resume          bool   `flag:"resume" group:"Training" help:"continue the run in --out, or make it longer: settings not given are those of the run"`
	Out             string `flag:"out" need:"x" unit:"DIR" writes:"work folder" group:"Output" help:"folder of the run"`

	config train.Config
}

// studied are settings of a training without a flag: --recipe has three of them, the others are for
// studies, or of losses that train nothing.
var studied = unflagged{"simultaneous", "common_slices", "location_gradient", "other_location", "ascent_sgd", "reg", "ground", "mass", "kl", "uniform"}

func newTrain(c *common) *cobra.Command {
	t := &trainCall{common: c, config: train.DefaultConfig(), Data: "builtin", Split: "train", Recipe: "released", OnNonfinite: "stop"}
	t.config.Loss, t.config.Points, t.config.Batch = "", 0, 0
	cmd := c.command("train --loss NAME [--amortizer NAME] --out DIR", "Train the autoencoder; --resume continues a run, or makes it longer",
		"swlab train --loss v-dsw --amortizer la --points 512 --batch 32 --epochs 3 --out runs/first", t, &t.config, studied)
	cmd.Flags().Lookup("loss").Usage = trainable
	cmd.Long = "Trains the autoencoder on the clouds of --data and writes the run to --out. With --resume, settings that are not given are the\n" +
		"run's own, and --epochs or --steps may be larger than before: `swlab train --resume --out DIR --epochs 10` ends with the log and\n" +
		"the weights of a run that was asked for 10 epochs at first."
	return cmd
}

// trainable is the help of --loss where a network is trained.
var trainable = "loss to train on: " + strings.Join(loss.GraphNames(), ", ")

// unused says why a flag has no effect in this call.
func (t *trainCall) unused(flag string) (why string, err error) {
	switch what := setting(flag); {
	case flag == "recipe" && t.config.Amortizer == "":
		return "it belongs to an --amortizer", nil
	case what != "":
		return unread(t.config.Loss, t.config.LossConfig(), false, what)
	}
	return "", nil
}

func (t *trainCall) run() error {
	set, err := t.openWith("data", "split", t.Data, t.Split, datasets.Options{Points: t.config.Points, Seed: t.Seed, Key: t.Key})
	if err != nil {
		return err
	}
	if err := t.partUnused("split", set, t.Split); err != nil {
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
	bar := newBar("training")
	o := train.Options{Out: t.Out, CheckpointEvery: t.CheckpointEvery, OnNonfinite: t.OnNonfinite, Resume: t.Resume,
		Progress: func(r train.Record, total int) { bar(r.Step, total, fmt.Sprintf("loss %.3f", r.Loss)) },
		Note:     func(text string) { t.warn("%s", text) }}
	if err := train.CheckOut(t.config.On(set), o); err != nil {
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
	printFit(asked, t.config, set)
	// The first interruption saves a checkpoint.
	ctx, stop := interruptible()
	defer stop()
	r, err := train.Run(ctx, e, set, t.config, o)
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
	return errors.Join(t.print(trainAnswer{r, t.config.Convention()}), err)
}

type trainAnswer struct {
	train.Result
	convention string
}

func (a trainAnswer) String() string {
	rows := [][2]string{
		{"steps, epochs", fmt.Sprintf("%d, %d", a.Steps, a.Epochs)},
		{"last loss", fmt.Sprintf("%.6g", a.Loss)},
		{"convention", a.convention},
		{"best epoch", fmt.Sprintf("%d, mean loss %.6g", a.BestEpoch, a.BestLoss)},
		{"time", fmt.Sprintf("%.1f s, %.4f s per step", a.Seconds, a.SecondsPerStep)},
		{"run", a.Run},
	}
	if a.Skipped > 0 {
		rows = append(rows, [2]string{"skipped", fmt.Sprintf("%d steps that were not finite", a.Skipped)})
	}
	return lines(rows...)
}

// prepare reads the flags into the configuration. It rejects what is wrong for any data.
func (t *trainCall) prepare() error {
	f := t.call.Flags()
	if t.Resume {
		if err := t.fromPreviousRun(f); err != nil {
			return err
		}
	} else if t.config.Seed = t.Seed; !f.Changed("loss") {
		return errors.New("--loss is missing; see `swlab train --help`")
	}
	for flag, value := range map[string]int{"points": t.config.Points, "batch": t.config.Batch} {
		if f.Changed(flag) && value < 1 {
			return fmt.Errorf("--%s: expected at least 1, found %d", flag, value)
		}
	}
	t.config.Key, t.config.Split = t.Key, t.Split
	if t.Key == "data" {
		t.config.Key = ""
	}
	if t.Split == "train" {
		t.config.Split = ""
	}
	early := t.config
	early.Points = max(early.Points, 2) // if the data decide them, Model is called again
	if _, err := early.Model(); err != nil || !f.Changed("recipe") || early.Amortizer == "" {
		return err
	}
	for _, c := range []*train.Config{&early, &t.config} {
		c.Simultaneous, c.CommonSlices, c.LocationGradient = t.Recipe == "text", t.Recipe == "text", t.Recipe == "text"
	}
	if _, err := early.Model(); err != nil {
		_, what, _ := strings.Cut(err.Error(), ": ")
		return fmt.Errorf("--recipe %s: %s", t.Recipe, what)
	}
	return nil
}

// fromPreviousRun takes every setting without a flag from the run in --out, which is resumed.
func (t *trainCall) fromPreviousRun(f *pflag.FlagSet) error {
	old, err := train.ReadConfig(t.Out)
	if err != nil {
		return err
	}
	given := map[string]string{}
	f.Visit(func(flag *pflag.Flag) { given[flag.Name] = flag.Value.String() })
	t.config = old
	t.Data, t.Key, t.Split, t.Seed, t.Backend = old.Data, old.Key, cmp.Or(old.Split, "train"), old.Seed, old.Backend
	for name, text := range given { // overrides what the run says
		if err := f.Lookup(name).Value.(*value).Value.Set(text); err != nil {
			return err
		}
	}
	t.config.Seed = t.Seed
	// What the data decide is determined again.
	same := t.config
	same.Epochs, same.Steps = old.Epochs, old.Steps
	if diff := same.Differences(old); len(diff) > 0 {
		return fmt.Errorf("--resume: %s holds another run: %s", t.Out, strings.Join(diff, "; "))
	}
	return nil
}

// printFit prints which settings the data have decided.
func printFit(asked, used train.Config, h *datasets.Set) {
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
