package main

import (
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
	x, y, key, direction, view, out string
	points, slices                  int
	pair                            []int
	reduction                       loss.Reduction
	quantiles                       bool
}

func newPlotSlice(c *common) *cobra.Command {
	p := &plotSlice{common: c}
	cmd := &cobra.Command{
		Use:   "slice --x F --y F --out P",
		Short: "one slice of the distance of two clouds: projections, matching, and the costs of all slices",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return p.run() },
	}
	f := cmd.Flags()
	f.StringVar(&p.x, "x", "", "first cloud, of dimension 2 or 3: a file, a folder or builtin")
	f.StringVar(&p.y, "y", "", "second cloud, of as many points")
	f.StringVar(&p.key, "key", "", "array in a .npz or .h5 file (default data)")
	f.IntVar(&p.points, "points", 0, "points to sample on a mesh, or seeded subset of a cloud's; 0: as stored")
	f.IntSliceVar(&p.pair, "pair", nil, "which clouds: I of both files, or I,J of x and of y, from 0; default 0")
	f.IntVar(&p.slices, "slices", 1000, "directions whose costs are drawn as a histogram")
	f.StringVar(&p.direction, "direction", "", "the slice to show, X,Y or X,Y,Z, divided by its norm; default: the most expensive of the directions")
	f.TextVar(&p.reduction, "reduce", loss.Sum, "a slice's cost is the sum or the mean over points")
	f.BoolVar(&p.quantiles, "quantiles", false, "also the quantile functions of the projections")
	viewFlag(f, &p.view, "of clouds in space; default: the side that sees the direction best")
	f.StringVar(&p.out, "out", "", "picture to write: .png, .svg or .pdf")
	reads(cmd, "x", "y")
	writes(cmd, "out", picture...)
	return required(refuse(cmd, func(flag string) (string, error) {
		if flag == "key" {
			return unkeyed(p.x, p.y), nil
		}
		return "", nil
	}), "x", "y", "out")
}

func (p *plotSlice) run() error {
	view, err := parseView(p.view)
	if err != nil {
		return err
	}
	pair := p.pair
	switch len(pair) {
	case 0:
		pair = []int{0, 0}
	case 1:
		pair = []int{pair[0], pair[0]}
	case 2:
	default:
		return usageError(fmt.Errorf("--pair: expected one number or two, found %d", len(pair)))
	}
	x, err := p.one("x", p.x, p.seed, pair[0])
	if err != nil {
		return err
	}
	seed := p.seed
	if !sameSource(p.x, p.y) {
		seed++
	}
	y, err := p.one("y", p.y, seed, pair[1])
	if err != nil {
		return err
	}
	if x.Dim != y.Dim || x.Points != y.Points {
		return usageError(fmt.Errorf("--y: expected a cloud of shape [%d,%d] as in %s, found [%d,%d] in %s; --points takes subsets", x.Points, x.Dim, p.x, y.Points, y.Dim, p.y))
	}
	config := swlab.DistanceConfig{Config: loss.Defaults(), Seed: p.seed}
	config.Slices, config.Reduce = p.slices, p.reduction
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
	o := vmfviz.SliceOptions{View: view, Quantiles: p.quantiles, StdErr: d.StdErr}
	if p.reduction == loss.Mean {
		o.Convention = vmfviz.MeanOverPoints
	}
	x, y = datasets.Aligned(x, y)
	picture, err := vmfviz.Slice(o, x.Coords, y.Coords, theta, values)
	if err != nil {
		return err
	}
	return p.savePicture(p.out, picture, map[string]any{"direction": theta, "cost": cost, "value": number(d.Value), "convention": d.Convention})
}

// one reads the chosen cloud of a file.
func (p *plotSlice) one(flag, path string, seed uint64, row int) (*datasets.Set, error) {
	set, err := p.openWith(flag, flag, path, "all", datasets.Options{Points: p.points, Seed: seed, Key: p.key, Raw: true})
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
	if p.direction == "" {
		cost := slices.Max(d.Costs)
		i := slices.Index(d.Costs, cost)
		return d.Directions[i*x.Dim : (i+1)*x.Dim], cost, nil
	}
	unit, err := parseLocation(p.direction)
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
