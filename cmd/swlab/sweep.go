package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/experiments/reproduce"
	"github.com/sliced-wasserstein/lab/experiments/runs"
	"github.com/sliced-wasserstein/lab/experiments/sweep"
	"github.com/sliced-wasserstein/lab/experiments/table"
	"github.com/sliced-wasserstein/lab/internal/settings"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/train"
)

type sweepCall struct {
	*common
	Vary  []string `flag:"vary" arg:"NAME=V1,V2..." need:"x" unit:"NAME=V1,V2" help:"a setting and its values; may be repeated: all combinations, the last varies fastest"`
	Set   []string `flag:"set" unit:"NAME=VALUE" words:"vary" help:"value of a setting that does not vary; may be repeated"`
	Data  string   `flag:"data" unit:"FILE|DIR" reads:"clouds" help:"clouds: a file, a folder, or builtin; their train part is trained on"`
	Key   string   `flag:"key" unit:"NAME" help:"array in a .npz or .h5 file (default data)"`
	Test  string   `flag:"test" unit:"FILE|DIR" reads:"clouds" help:"clouds to score on (default: the test part of --data)"`
	Seeds string   `flag:"seeds" unit:"1,2,..." help:"training seeds, separated by commas (default: --seed)"`
	Out   string   `flag:"out" unit:"DIR" writes:"work folder" group:"Output" help:"folder of the finished runs, which all tables and sweeps share"`
	As    string   `flag:"format" unit:"NAME" words:"table format" group:"Output" help:"%s"`
	Plot  string   `flag:"plot" unit:"FILE" writes:".png .svg .pdf" group:"Output" help:"draw the metrics against the first varied setting that is a number"`

	config sweep.Config
}

func newSweep(c *common) *cobra.Command {
	d := sweep.Default()
	s := &sweepCall{common: c, config: d, Data: d.Data, Out: "runs", As: "text"}
	others := slices.Clone(studied)
	for _, name := range sweep.Names() {
		if !slices.Contains([]string{"loss", "amortizer", "points", "batch", "epochs", "steps"}, name) {
			others = append(others, name)
		}
	}
	cmd := c.command("sweep NAME=V1,V2...", "Vary settings of a training over a grid, and compare the results",
		`swlab sweep kappa=0.1,1,10 slices=10,100 --set epochs=10 --plot kappa.png
swlab sweep amortizer=none,l,la --seeds 1,2,3 --format json`, s, &s.config.Base, others)
	cmd.Long = "Trains the autoencoder at every point of a grid of settings and scores it. Every point has the same random numbers, and is compared with the\n" +
		"first one cloud by cloud. Finished runs are reused, interrupted ones resume. The loss is v-dsw, with the amortizer la unless the loss, the amortizer or the ascent is chosen. Settings:\n" +
		strings.Join(sweep.Names(), ", ") + "."
	cmd.Flags().Lookup("loss").Usage = trainable
	cmd.Flags().Lookup("points").Usage = "points per cloud, or as many as the file has"
	cmd.Flags().Lookup("batch").Usage = "clouds per step, or as many as there are"
	return cmd
}

// fixed reports whether a setting is set, or given as a flag.
func (s *sweepCall) fixed(name string) bool {
	return s.given(strings.ReplaceAll(name, "_", "-")) || slices.ContainsFunc(s.Set, func(text string) bool { return strings.HasPrefix(text, name+"=") })
}

// chosen reports whether a setting is fixed or varied.
func (s *sweepCall) chosen(name string) bool {
	return s.fixed(name) || slices.ContainsFunc(s.config.Vary, func(v sweep.Vary) bool { return v.Name == name })
}

// prepare completes the configuration.
func (s *sweepCall) prepare() (err error) {
	c := &s.config
	c.Data, c.Key, c.Test = s.Data, s.Key, s.Test
	if c.Vary, err = sweep.Parse(s.Vary...); err != nil {
		return fmt.Errorf("--%w", err)
	}
	fields := settings.Of(&c.Base, "help")
	for _, text := range s.Set {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return fmt.Errorf("--set: expected NAME=VALUE, found %q", text)
		}
		if slices.ContainsFunc(c.Vary, func(v sweep.Vary) bool { return v.Name == name }) {
			return fmt.Errorf("--set %s would do nothing: --vary %s sets it", name, name)
		}
		if err := fields.Apply(map[string]any{name: value}); err != nil {
			return fmt.Errorf("--set: %w", err)
		}
	}
	if !slices.ContainsFunc(sweep.Names(), func(name string) bool {
		return (name == "loss" || name == "amortizer" || strings.HasPrefix(name, "ascent")) && s.chosen(name)
	}) {
		c.Base.Amortizer = "la"
	}
	c.Seeds = []uint64{s.Seed}
	if s.Seeds != "" {
		if c.Seeds, err = reproduce.ParseSeeds(s.Seeds); err != nil {
			return fmt.Errorf("--%w", err)
		}
	}
	return nil
}

// unused says why a flag has no effect in this call, before the grid is known. unread checks the
// rest.
func (s *sweepCall) unused(flag string) (why string, err error) {
	name := strings.ReplaceAll(flag, "-", "_")
	for _, v := range s.config.Vary {
		if v.Name == name {
			return fmt.Sprintf("--vary %s sets it", name), nil
		}
	}
	if flag == "seed" && s.Seeds != "" {
		return "the training seeds are those of --seeds", nil
	}
	return "", nil
}

// unread returns an error for a given setting that no point of the grid reads as it is.
func (s *sweepCall) unread() error {
	grid, err := s.config.Grid()
	if err != nil {
		return err
	}
	var given []string
	s.call.Flags().Visit(func(f *pflag.Flag) { given = append(given, "--"+f.Name) })
	for _, text := range s.Set {
		name, _, _ := strings.Cut(text, "=")
		given = append(given, "--set "+name)
	}
	for _, flag := range given {
		what := setting(strings.TrimPrefix(strings.TrimPrefix(flag, "--set "), "--"))
		if what == "" {
			continue
		}
		last := grid[len(grid)-1]
		if !train.Reads(grid, what) {
			why, err := unread(last.Loss, last.LossConfig(), false, what)
			if err != nil {
				return err
			}
			return fmt.Errorf("%s would do nothing: %s", flag, why)
		}
		var long error
		if !slices.ContainsFunc(grid, func(c train.Config) bool {
			err := tooLong(c.Loss, c.LossConfig(), what)
			long = err
			return err == nil
		}) {
			return long
		}
	}
	return nil
}

// fit lowers the defaults of points and batch to what the clouds of --data and --test have, and
// returns what to say about it. Clouds that no point of the grid can use are an error.
func (s *sweepCall) fit() (notices []string, err error) {
	c := &s.config
	open := func(flag, path string) (*datasets.Set, error) {
		all, err := s.openWith(flag, flag, path, "all", datasets.Options{Points: c.Base.Points, AtMost: !s.fixed("points"), Key: c.Key})
		if err == nil && !s.chosen("points") && all.Points < c.Base.Points {
			notices = append(notices, fmt.Sprintf("points: %d per cloud, all that %s has; the default is %d", all.Points, all.Name, sweep.Default().Base.Points))
			c.Base.Points = all.Points
		}
		return all, err
	}
	if c.Test != "" && c.Test != datasets.Builtin {
		all, err := open("test", c.Test)
		if err != nil {
			return nil, err
		}
		if all.Dim != pointnet.Dim {
			return nil, usageError(fmt.Errorf("--test: expected clouds of dimension %d, found dimension %d in %s", pointnet.Dim, all.Dim, all.Name))
		}
	}
	if c.Data == datasets.Builtin {
		return notices, nil
	}
	all, err := open("data", c.Data)
	if err != nil {
		return nil, err
	}
	if err := noTest(all); err != nil && c.Test == "" {
		return nil, err
	}
	set, err := trainPart(all)
	if err != nil {
		return nil, err
	}
	if !s.chosen("batch") && set.Clouds < c.Base.Batch {
		notices = append(notices, fmt.Sprintf("batch: %d clouds per step, all of %s; the default is %d", set.Clouds, set.Name, c.Base.Batch))
		c.Base.Batch = set.Clouds
	}
	return notices, usageError(s.usable(set))
}

// usable returns an error if no point of the grid can be trained on that many clouds.
func (s *sweepCall) usable(set *datasets.Set) error {
	grid, err := s.config.Grid()
	for _, c := range grid {
		c.Points = set.Points // NewGrid checks the points
		if err = c.Check(set); err == nil {
			return nil
		}
	}
	return err
}

func (s *sweepCall) run() error {
	notices, err := s.fit()
	if err != nil {
		return err
	}
	if err := s.unread(); err != nil {
		return usageError(err)
	}
	store := &runs.Store{Dir: s.Out, Backend: s.Backend, Progress: bars()}
	plan, err := sweep.NewGrid(store, s.config)
	if err != nil {
		return usageError(err)
	}
	for _, line := range notices {
		fmt.Fprintln(os.Stderr, line)
	}
	// The first interruption saves a checkpoint.
	ctx, stop := interruptible()
	defer stop()
	r, failed := plan.Run(ctx, store, printPoint)
	if ctx.Err() != nil {
		return stopped(ctx.Err())
	}
	if r == nil {
		return failed
	}
	var drawn error
	if p, err := r.Plot(); s.Plot != "" && (err != nil || p != nil) {
		if drawn = err; err == nil {
			drawn = save("plot", s.Plot, p.Save).err
		}
	}
	return errors.Join(table.Write(os.Stdout, r, s.As), drawn, failed)
}

// printPoint prints a row that is done; row -1: what is done at first.
func printPoint(r *sweep.Result, row int) {
	done := len(r.Rows) - r.Count(sweep.Pending)
	switch {
	case row >= 0 && r.Rows[row].State == sweep.Done:
		n := r.Rows[row].Values
		fmt.Fprintf(os.Stderr, "%s: CD %.4g (mean over points), SW %.4g, EMD %.4g, exact EMD %.4g (sums over points) (%d of %d)\n",
			r.Label(row), n["cd"].Mean, n["sw"].Mean, n["emd_approx"].Mean, n["emd_exact"].Mean, done, len(r.Rows))
	case row >= 0:
		fmt.Fprintf(os.Stderr, "%s: %s: %s (%d of %d)\n", r.Label(row), r.Rows[row].State, r.Rows[row].Reason, done, len(r.Rows))
	case done > 0:
		fmt.Fprintf(os.Stderr, "%d of %d points of the grid are done or invalid\n", done, len(r.Rows))
	}
}
