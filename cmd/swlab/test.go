package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/swlab"
)

type testCall struct {
	*common
	pair
	swlab.TwoSampleConfig
}

func newTest(c *common) *cobra.Command {
	cmd := c.command("test X Y", "Test whether the points of two clouds come from one distribution",
		`swlab test a.npy b.npy
swlab test a.npy b.npy --slices 50 --permutations 1999`, &testCall{common: c})
	cmd.Long = "Compares the sliced Wasserstein distance of both clouds with that after random permutations of their\n" +
		"labels. The points of each cloud must be independent draws. A small p-value says that the distributions\n" +
		"differ."
	return cmd
}

type testAnswer struct {
	PValue       number  `json:"p_value"`
	PValueStdErr number  `json:"p_value_stderr"`
	Statistic    number  `json:"statistic"`
	Slices       int     `json:"slices"`
	Permutations int     `json:"permutations"`
	Points       []int   `json:"points"` // of x and y
	Seed         uint64  `json:"seed"`
	Seconds      float64 `json:"seconds"`
}

func (a testAnswer) String() string {
	return lines([2]string{"p-value", fmt.Sprintf("%.4g +- %.2g over the permutations", a.PValue, a.PValueStdErr)},
		[2]string{"statistic", fmt.Sprintf("%.6g, mean over points and slices, no root", a.Statistic)},
		[2]string{"points", fmt.Sprintf("%d, %d", a.Points[0], a.Points[1])},
		[2]string{"slices, permutations", fmt.Sprintf("%d, %d", a.Slices, a.Permutations)})
}

func (t *testCall) run() error {
	began := time.Now()
	x, y, err := t.load(t.common)
	if err != nil {
		return err
	}
	t.warnOf(x, y)
	switch {
	case x.Clouds != 1 || y.Clouds != 1:
		err = fmt.Errorf("expected one cloud in each file, found %d in %s and %d in %s", x.Clouds, x.Name, y.Clouds, y.Name)
	case x.Dim != y.Dim:
		err = fmt.Errorf("expected clouds of one dimension, found %d in %s and %d in %s", x.Dim, x.Name, y.Dim, y.Name)
	}
	if err != nil {
		return usageError(err)
	}
	c := t.TwoSampleConfig
	c.Seed = t.common.Seed
	r, err := swlab.TwoSampleTest(x.Positions(0), y.Positions(0), x.Dim, c)
	if err != nil {
		return usageError(err)
	}
	return t.print(testAnswer{number(r.PValue), number(r.PValueStdErr), number(r.Statistic), r.Slices,
		r.Permutations, []int{x.Points, y.Points}, c.Seed, time.Since(began).Seconds()})
}
