package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/vmfviz"
)

type plotSinogram struct {
	*common
	X      string `flag:"x" arg:"X" need:"x" unit:"FILE|DIR" reads:"clouds" help:"clouds of dimension 2 or 3: a file, a folder or builtin"`
	Cloud  int    `flag:"cloud" range:"0.." help:"which cloud of the file, from 0"`
	Normal string `flag:"normal" unit:"X,Y,Z" help:"clouds in space: the normal of the great circle of directions (default 0,0,1)"`
	sampling
	picture
}

func newPlotSinogram(c *common) *cobra.Command {
	return c.command("sinogram X --out FILE", "Draw the projections of a cloud over the angle of the direction", "swlab plot sinogram a.npy --out sinogram.png",
		&plotSinogram{common: c})
}

func (p *plotSinogram) run() error {
	set, err := p.openWith("x", "x", p.X, "all", datasets.Options{Points: p.Points, Seed: p.Seed, Key: p.Key, Raw: true})
	switch {
	case err != nil:
		return err
	case set.Dim != 2 && set.Dim != 3:
		return usageError(fmt.Errorf("--x: expected clouds of dimension 2 or 3, found %d in %s", set.Dim, p.X))
	case p.Cloud >= set.Clouds:
		return usageError(fmt.Errorf("--cloud: expected 0 to %d, the last cloud of %s, found %d", set.Clouds-1, p.X, p.Cloud))
	case p.Normal != "" && set.Dim == 2:
		return usageError(errors.New("--normal would do nothing: the directions of clouds in the plane are one circle"))
	}
	var o vmfviz.SinogramOptions
	if p.Normal != "" {
		normal, err := parseLocation(p.Normal)
		if err == nil && len(normal) != 3 {
			err = fmt.Errorf("expected 3 coordinates, found %d", len(normal))
		}
		if err != nil {
			return usageError(fmt.Errorf("--normal: %w", err))
		}
		o.Normal = [3]float64(normal)
	}
	picture, err := vmfviz.Sinogram(o, inSpace(set.Select([]int{p.Cloud}).Rebase(nil)))
	if err != nil {
		return err
	}
	a := draw(p.Out, picture)
	return errors.Join(p.print(a), a.Out.err)
}
