// Package sweep varies settings of a training over a grid and compares the results. Every point of
// the grid has the same random numbers: data order, initial weights, directions of the evaluation.
// Runs are kept in the store of the paper's tables.
package sweep

import (
	"errors"
	"fmt"
	"slices"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/experiments"
	"github.com/sliced-wasserstein/lab/experiments/reproduce"
	"github.com/sliced-wasserstein/lab/experiments/runs"
	"github.com/sliced-wasserstein/lab/internal/memory"
	"github.com/sliced-wasserstein/lab/internal/settings"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/train"
)

// Config configures a sweep.
type Config struct {
	Vary []Vary // the grid is their product; the last varies fastest
	// Base holds the settings that are not varied; its data and seed are ignored.
	Base  train.Config
	Seeds []uint64 // of the trainings, the same for every point

	Data string // clouds to train on: the train part
	Key  string // array in a .npz or .h5 file
	Test string // clouds to score on; "": the test part of Data or, without parts, a fifth of its clouds
	// PerClass and PerTest are the clouds per class of the built-in shapes, for training and for
	// scoring; both 0: the default set.
	PerClass, PerTest int
}

// Default returns a sweep of the size of the tables' preset quick, with one seed: v-DSW on the
// built-in shapes, 256 points, 3 epochs.
func Default() Config {
	c := Config{Base: train.DefaultConfig(), Seeds: []uint64{1}, Data: datasets.Builtin}
	c.Base.Loss, c.Base.Points, c.Base.Batch, c.Base.Epochs = "v-dsw", 256, 32, 3
	return c
}

// Grid is a sweep whose settings and clouds have been checked.
type Grid struct {
	Config Config
	Points []Point // of the grid, in order
	train  string  // the clouds, for people
	test   string
}

// Point is one point of the grid.
type Point struct {
	Config  train.Config
	Refused error            // why it cannot be trained; nil if it can
	jobs    []reproduce.Item // one per seed: a training, and its scores
}

// NewGrid checks settings and clouds. An invalid combination is recorded in its Point. It is an
// error only if every point is invalid.
func NewGrid(l *runs.Store, c Config) (*Grid, error) {
	if err := reproduce.CheckSeeds(c.Seeds); err != nil {
		return nil, err
	}
	configs, err := c.Grid()
	if err != nil {
		return nil, err
	}
	for _, v := range c.Vary {
		if len(v.Values) > 1 && !train.Reads(configs, v.Name) {
			return nil, fmt.Errorf("vary %s: it would do nothing, no combination of the settings reads it", v.Name)
		}
	}
	for _, config := range configs { // invalid values are errors before any work
		if err := fits(config, l); errors.As(err, new(*memory.Error)) {
			return nil, err
		}
	}
	p := &Grid{Config: c}
	for _, config := range configs {
		point := Point{Config: config}
		point.Refused = p.prepare(l, &point)
		p.Points = append(p.Points, point)
	}
	if p.reference() < 0 {
		return nil, p.Points[0].Refused
	}
	return p, nil
}

// valid returns an error for a value that is wrong whatever the other settings: an unknown name, a
// number out of range.
func valid(c train.Config) error {
	if _, err := loss.NewGraph(c.Loss, loss.Defaults()); err != nil {
		return err
	}
	if err := c.Config.Check(); err != nil {
		return err
	}
	return c.Check(&datasets.Set{Name: "the clouds", Clouds: 1 << 20, Points: c.Points, Dim: pointnet.Dim}) // enough for any
}

// rowBytes estimates the memory of a row: a configuration, its point and its jobs.
const rowBytes = 2 << 10

// Grid returns the configurations of all points.
func (c Config) Grid() ([]train.Config, error) {
	if len(c.Vary) == 0 {
		return nil, fmt.Errorf("vary: expected a setting and its values, found none")
	}
	rows := []int{rowBytes, len(c.Seeds)}
	for _, v := range c.Vary {
		rows = append(rows, len(v.Values))
	}
	if err := memory.Check(fmt.Sprintf("vary: a grid of %d settings", len(c.Vary)), memory.Bytes(rows...)); err != nil {
		return nil, err
	}
	out := []train.Config{c.Base}
	for i, v := range c.Vary {
		if slices.ContainsFunc(c.Vary[:i], func(w Vary) bool { return w.Name == v.Name }) {
			return nil, fmt.Errorf("vary %s: given twice", v.Name)
		}
		var seen []string
		var next []train.Config
		for _, value := range v.Values {
			one, text, err := with(c.Base, v.Name, value)
			if err != nil {
				return nil, err
			}
			if err := valid(one); err != nil {
				return nil, fmt.Errorf("vary %s=%s: %w", v.Name, value, err)
			}
			if slices.Contains(seen, text) {
				return nil, fmt.Errorf("vary %s: %s twice", v.Name, value)
			}
			seen = append(seen, text)
		}
		if seen == nil {
			return nil, fmt.Errorf("vary %s: expected values, found none", v.Name)
		}
		for _, before := range out {
			for _, value := range seen {
				point, _ := must.M2(with(before, v.Name, value))
				next = append(next, point)
			}
		}
		out = next
	}
	return out, nil
}

// fits checks a configuration independently of the clouds. It counts the memory of this machine
// unless a GPU may train.
func fits(c train.Config, l *runs.Store) error {
	if l.Backend != "go" && engine.Nvidia() {
		_, err := c.Model()
		return err
	}
	return c.CheckMemory(l.Backend)
}

// heldOut is the share of clouds without parts that are scored instead of trained on.
const heldOut = 0.2

// prepare makes the tasks of a point.
func (p *Grid) prepare(l *runs.Store, point *Point) error {
	c := point.Config
	if err := fits(c, l); err != nil {
		return err
	}
	clouds := runs.Data{Path: p.Config.Data, Key: p.Config.Key, Split: "train", Points: c.Points, Train: p.Config.PerClass, Test: p.Config.PerTest}
	data, err := l.Data(clouds)
	if err != nil {
		return err
	}
	test := data.Part("test")
	if whole, err := l.Clouds(data.Part("all")); err == nil && whole.Split == nil && p.Config.Test == "" {
		data.Val = heldOut
		test = data.Part("val")
	}
	if p.Config.Test != "" {
		clouds.Path, clouds.Split = p.Config.Test, "all"
		if test, err = l.Data(clouds); err != nil {
			return err
		}
	}
	set, err := l.Clouds(data)
	if err != nil {
		return err
	}
	if err := c.Check(set); err != nil {
		return err
	}
	if p.train, err = l.Describe(data); err != nil {
		return err
	}
	if p.test, err = l.Describe(test); err != nil {
		return err
	}
	for _, seed := range p.Config.Seeds {
		c.Seed = seed
		t := runs.NewTraining(data, c)
		point.jobs = append(point.jobs, reproduce.Item{Row: "seed", Seed: seed, Runs: []reproduce.Reading{
			reproduce.NewReading(t, func(v runs.TrainingResult) map[string]float64 { return map[string]float64{"time": v.SecondsPerEpoch} }),
			reproduce.NewReading(runs.Scores{Of: t, State: "best", Data: test, Exact: true, Seed: 1}, func(v experiments.Scores) map[string]float64 {
				return map[string]float64{"cd": v.CD.Mean, "sw": v.SW.Mean, "emd_approx": v.EMD.Mean, "emd_exact": v.ExactEMD.Mean}
			}),
		}})
	}
	return nil
}

// reference returns the point that others are compared with: the first that can be trained, or -1.
func (p *Grid) reference() int {
	return slices.IndexFunc(p.Points, func(q Point) bool { return q.Refused == nil })
}

// Vary is a setting and its values, both as written on a command line.
type Vary = settings.Vary

// Parse reads texts such as "kappa=0.1,1,10", one per setting.
func Parse(texts ...string) ([]Vary, error) { return settings.ParseVary(texts...) }

// fields returns the settings of c.
func fields(c *train.Config) settings.Fields { return settings.Of(c, "help") }

// Names lists the settings that can be varied.
func Names() []string { return fields(new(train.Config)).Names() }

// with returns c with another value of the setting of that name, and the value as written.
func with(c train.Config, name, value string) (changed train.Config, text string, err error) {
	f, err := fields(&c).Find(name)
	if err != nil {
		return c, "", fmt.Errorf("vary: %w", err)
	}
	if err := f.Set(value); err != nil {
		return c, "", fmt.Errorf("vary %s: %w", name, err)
	}
	return c, f.Text(), nil
}
