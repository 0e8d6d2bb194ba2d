package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab"
)

type normalityCall struct {
	*common
	X string `flag:"x" arg:"X" need:"x" unit:"FILE" reads:"clouds" help:"the cloud, [n,d]"`
	sampling
	swlab.NormalityConfig
	Directions string `flag:"directions" unit:"FILE" reads:"file" group:"Directions" help:".npy file with [L,d] directions, used as given"`
}

func newNormality(c *common) *cobra.Command {
	cmd := c.command("normality X", "Compare a cloud's projections with the standard normal distribution", `swlab normality a.npy
swlab normality a.npy --directions d.npy`, &normalityCall{common: c})
	cmd.Long = "Prints the statistic of Epps and Pulley of the projections on each direction against N(0, 1), and their mean, as SIGReg takes it:\n" +
		"the number of points times the weighted squared distance of the characteristic functions. Points of N(0, I) have 1.05 on average.\n" +
		"The points are neither centred nor scaled."
	return cmd
}

type normalityAnswer struct {
	Statistics []number `json:"statistics"`
	Value      number   `json:"value"`
	Slices     int      `json:"slices"`
	Points     int      `json:"points"`
	Seed       uint64   `json:"seed"`
	Seconds    float64  `json:"seconds"`
}

func (a normalityAnswer) String() string {
	return lines([2]string{"Epps-Pulley", fmt.Sprintf("%.8g", a.Value)},
		[2]string{"convention", "mean over slices, times the number of points"},
		[2]string{"over slices", fmt.Sprintf("%.6g to %.6g", slices.Min(a.Statistics), slices.Max(a.Statistics))},
		[2]string{"points, slices", fmt.Sprintf("%d, %d", a.Points, a.Slices)})
}

func (n *normalityCall) run() error {
	began := time.Now()
	x, err := datasets.Load(n.X, datasets.Options{Points: n.Points, Seed: n.common.Seed, Key: n.Key, Raw: true, Exact: true})
	if err == nil && x.Clouds != 1 {
		err = fmt.Errorf("expected one cloud, found %d in %s", x.Clouds, x.Name)
	}
	if err != nil {
		return usageError(fmt.Errorf("--x: %w", err))
	}
	c := n.NormalityConfig
	c.Seed = n.common.Seed
	if c.Directions, err = readDirections(n.Directions, x.Dim); err != nil {
		return err
	}
	r, err := swlab.Normality(x.Positions(0), x.Dim, c)
	if err != nil {
		return usageError(err)
	}
	return n.print(normalityAnswer{numbers(r.Statistics), number(r.Value), len(r.Statistics), x.Points, c.Seed, time.Since(began).Seconds()})
}
