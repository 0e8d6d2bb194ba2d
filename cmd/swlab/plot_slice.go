package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/vmfviz"
)

type plotSlice struct {
	*common
	pair
	Pair      []int          `flag:"pair" unit:"I,J" help:"which clouds: I of both files, or I,J of x and of y, from 0 (default 0)"`
	Slices    int            `flag:"slices" range:"1.." help:"directions whose costs are drawn as a histogram"`
	Direction string         `flag:"direction" unit:"X,Y,..." help:"the slice to show, X,Y or X,Y,Z, divided by its norm (default: the most expensive of the directions)"`
	Reduce    loss.Reduction `flag:"reduce" unit:"NAME" help:"a slice's cost is the sum or the mean over points"`
	Quantiles bool           `flag:"quantiles" help:"also draw the quantile functions of the projections"`
	View      string         `flag:"view" unit:"AZIMUTH,ELEVATION" help:"where the reader of clouds in space stands, in degrees (default: the side that sees the direction best)"`
	picture
}

func newPlotSlice(c *common) *cobra.Command {
	return c.command("slice X Y --out FILE", "Draw one slice of the distance of two clouds: projections, matching, and the costs of all slices",
		"swlab plot slice a.npy b.npy --direction 1,1,0 --out slice.svg", &plotSlice{common: c, Slices: 1000, Reduce: loss.Sum})
}

type sliceAnswer struct {
	drawn
	Direction  []float32 `json:"direction"`
	Cost       float32   `json:"cost"`
	Value      number    `json:"value"`
	Convention string    `json:"convention"`
}

func (p *plotSlice) run() error {
	view, err := parseView(p.View)
	if err != nil {
		return err
	}
	pair := p.Pair
	switch len(pair) {
	case 0:
		pair = []int{0, 0}
	case 1:
		pair = []int{pair[0], pair[0]}
	case 2:
	default:
		return usageError(fmt.Errorf("--pair: expected one number or two, found %d", len(pair)))
	}
	x, err := p.one("x", p.X, p.Seed, pair[0])
	if err != nil {
		return err
	}
	seed := p.Seed
	if !sameSource(p.X, p.Y) {
		seed++
	}
	y, err := p.one("y", p.Y, seed, pair[1])
	if err != nil {
		return err
	}
	if x.Dim != y.Dim || x.Points != y.Points {
		return usageError(fmt.Errorf("--y: expected a cloud of shape [%d,%d] as in %s, found [%d,%d] in %s; --points takes subsets", x.Points, x.Dim, p.X, y.Points, y.Dim, p.Y))
	}
	config := swlab.DistanceConfig{Config: loss.Defaults(), Seed: p.Seed}
	config.Slices, config.Reduce = p.Slices, p.Reduce
	d, err := swlab.Distance("sw", x, y, config)
	if err != nil {
		return err
	}
	theta, cost, err := p.theta(x, y, config, d)
	if err != nil {
		return err
	}
	values := make([]float64, len(d.Costs))
	for i, v := range d.Costs {
		values[i] = float64(v)
	}
	o := vmfviz.SliceOptions{View: view, Quantiles: p.Quantiles, StdErr: d.StdErr}
	if p.Reduce == loss.Mean {
		o.Convention = vmfviz.MeanOverPoints
	}
	x, y = datasets.Aligned(x, y)
	picture, err := vmfviz.Slice(o, x.Coords, y.Coords, theta, values)
	if err != nil {
		return err
	}
	a := sliceAnswer{draw(p.Out, picture), theta, cost, number(d.Value), d.Convention}
	return errors.Join(p.print(a), a.Out.err)
}

// one reads the chosen cloud of a file.
func (p *plotSlice) one(flag, path string, seed uint64, row int) (*datasets.Set, error) {
	set, err := p.openWith(flag, flag, path, "all", datasets.Options{Points: p.Points, Seed: seed, Key: p.Key, Raw: true})
	if err != nil {
		return nil, err
	}
	if set.Dim != 2 && set.Dim != 3 {
		return nil, usageError(fmt.Errorf("--%s: expected clouds of dimension 2 or 3, found %d in %s", flag, set.Dim, path))
	}
	if row < 0 || row >= set.Clouds {
		return nil, usageError(fmt.Errorf("--pair: expected 0 to %d, the last cloud of %s, found %d", set.Clouds-1, path, row))
	}
	return set.Select([]int{row}), nil
}

// theta returns the direction to show and its cost.
func (p *plotSlice) theta(x, y *datasets.Set, config swlab.DistanceConfig, d *swlab.Result) ([]float32, float32, error) {
	if p.Direction == "" {
		cost := slices.Max(d.Costs)
		i := slices.Index(d.Costs, cost)
		return d.Directions[i*x.Dim : (i+1)*x.Dim], cost, nil
	}
	unit, err := parseLocation(p.Direction)
	if err != nil {
		return nil, 0, usageError(fmt.Errorf("--direction: %w", err))
	}
	if len(unit) != x.Dim {
		return nil, 0, usageError(fmt.Errorf("--direction: expected %d coordinates as the clouds have, found %d", x.Dim, len(unit)))
	}
	theta := single(unit)
	config.Directions = &swlab.Directions{Values: theta, Shape: []int{1, x.Dim}}
	one, err := swlab.Distance("sw", x, y, config)
	if err != nil {
		return nil, 0, err
	}
	return theta, one.Costs[0], nil
}
