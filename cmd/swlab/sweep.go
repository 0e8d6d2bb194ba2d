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
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/train"
)

type sweepCall struct {
	*common
	config                   sweep.Config
	vary                     []string
	seeds, out, format, plot string
}

func newSweep(c *common) *cobra.Command {
	s := &sweepCall{common: c, config: sweep.Default()}
	cmd := &cobra.Command{
		Use:   "sweep --vary NAME=V1,V2,...",
		Short: "quick ablation of any setting: a table and a plot; finished runs are reused, interrupted ones resume",
		Long: "Trains the autoencoder at every point of a grid of settings and scores it. Every point has the same random numbers, and is compared with the\n" +
			"first one cloud by cloud. Settings that can be varied: " + strings.Join(sweep.Names(), ", ") + ".",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.run(cmd.Flags()) },
	}
	f := cmd.Flags()
	f.StringArrayVar(&s.vary, "vary", nil, "a setting and its values; may be repeated: all combinations, the last varies fastest")
	f.StringVar(&s.config.Data, "data", s.config.Data, "clouds: a file, a folder, or builtin; their train part is trained on")
	f.StringVar(&s.config.Key, "key", "", "array in a .npz or .h5 file (default data)")
	f.StringVar(&s.config.Test, "test", "", "clouds to score on; default: the test part of --data")
	f.StringVar(&s.seeds, "seeds", "", "training seeds, separated by commas; default: --seed")
	f.StringVar(&s.out, "out", "runs", "folder of the finished runs, which all tables and sweeps share")
	f.StringVar(&s.format, "format", "text", strings.Join(table.Formats(), ", "))
	f.StringVar(&s.plot, "plot", "", "a .png, .svg or .pdf file: the metrics against the first varied setting that is a number")
	settingFlags(f, &s.config.Base, unflagged...)
	f.Lookup("points").Usage = "points per cloud; by default at most as many as the file has"
	f.Lookup("batch").Usage = "clouds per step; by default at most as many as there are"
	reads(cmd, "data", "test")
	writes(cmd, "out", workFolder)
	writes(cmd, "plot", picture...)
	return required(refuse(cmd, s.unused), "vary")
}

// unused says why a flag has no effect in this call, before the grid is known. unread checks the
// rest.
func (s *sweepCall) unused(flag string) (why string, err error) {
	name := strings.ReplaceAll(flag, "-", "_")
	for _, text := range s.vary {
		if varied, _, _ := strings.Cut(text, "="); strings.TrimSpace(varied) == name {
			return fmt.Sprintf("--vary %s sets it", name), nil
		}
	}
	switch {
	case flag == "seed" && s.seeds != "":
		return "the training seeds are those of --seeds", nil
	case flag == "key":
		return unkeyed(append([]string{s.config.Data}, tested(s.config.Test)...)...), nil
	}
	return "", nil
}

// tested lists the clouds of --test, if it is given.
func tested(path string) []string {
	if path == "" {
		return nil
	}
	return []string{path}
}

// unread returns an error for a given setting that no point of the grid reads as it is.
func (s *sweepCall) unread() error {
	grid, err := s.config.Grid()
	if err != nil {
		return err
	}
	var wrong error
	s.call.Flags().Visit(func(f *pflag.Flag) {
		what := setting(f.Name)
		if wrong != nil {
			return
		}
		if what != "" && train.Reads(grid, what) {
			for _, c := range grid {
				if wrong = longer(c.Loss, c.LossConfig(), what); wrong == nil {
					return
				}
			}
			return
		}
		why, err := unreadBy(s.call, grid[len(grid)-1], f.Name)
		if wrong = err; err == nil && why != "" {
			wrong = fmt.Errorf("--%s would do nothing: %s", f.Name, why)
		}
	})
	return wrong
}

// fit lowers the defaults of points and batch to what the clouds of --data and --test have, and
// returns what to say about it. Clouds that no point of the grid can use are an error.
func (s *sweepCall) fit(f *pflag.FlagSet) (said []string, err error) {
	c := &s.config
	ours := func(name string) bool {
		return !f.Changed(name) && !slices.ContainsFunc(c.Vary, func(v sweep.Vary) bool { return v.Name == name })
	}
	open := func(flag, path string) (*datasets.Set, error) {
		all, err := s.openWith(flag, flag, path, "all", datasets.Options{Points: c.Base.Points, AtMost: !f.Changed("points"), Key: c.Key})
		if err != nil {
			return nil, err
		}
		if ours("points") && all.Points < c.Base.Points {
			said = append(said, fmt.Sprintf("points: %d per cloud, all that %s has; the default is %d", all.Points, all.Name, sweep.Default().Base.Points))
			c.Base.Points = all.Points
		}
		return all, nil
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
	if c.Data != datasets.Builtin {
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
		if ours("batch") && set.Clouds < c.Base.Batch {
			said = append(said, fmt.Sprintf("batch: %d clouds per step, all of %s; the default is %d", set.Clouds, set.Name, c.Base.Batch))
			c.Base.Batch = set.Clouds
		}
		if err := s.usable(set); err != nil {
			return nil, usageError(err)
		}
	}
	return said, nil
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

func (s *sweepCall) run(f *pflag.FlagSet) error {
	var err error
	if s.config.Vary, err = sweep.Parse(s.vary...); err != nil {
		return usageError(fmt.Errorf("--%w", err))
	}
	s.config.Seeds = []uint64{s.seed}
	if s.seeds != "" {
		if s.config.Seeds, err = reproduce.ParseSeeds(s.seeds); err != nil {
			return usageError(fmt.Errorf("--%w", err))
		}
	}
	said, err := s.fit(f)
	if err != nil {
		return err
	}
	if err := s.unread(); err != nil {
		return usageError(err)
	}
	view := newSweepView(os.Stderr)
	lab := &runs.Store{Dir: s.out, Backend: s.backend, Progress: view.say}
	defer lab.Close()
	plan, err := sweep.NewGrid(lab, s.config)
	if err != nil {
		return usageError(err)
	}
	for _, line := range said {
		fmt.Fprintln(os.Stderr, line)
	}
	// The first interruption saves a checkpoint.
	ctx, stop := interruptible()
	defer stop()
	r, failed := plan.Run(ctx, lab, view.changed)
	view.close()
	if ctx.Err() != nil {
		return stopped(ctx.Err())
	}
	if r == nil {
		return failed
	}
	drawn := s.draw(r)
	return errors.Join(table.Write(os.Stdout, r, s.format), drawn, failed)
}

func (s *sweepCall) draw(r *sweep.Result) error {
	if s.plot == "" {
		return nil
	}
	p, err := r.Plot()
	if err != nil || p == nil {
		return err
	}
	return save("plot", s.plot, p.Save).err
}
