package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/datasets/catalogue"
	"github.com/sliced-wasserstein/lab/datasets/format"
	"github.com/sliced-wasserstein/lab/swlab/plan"
)

type planCall struct {
	*common
	pair
	plan.Config
	MassX       string `flag:"mass-x" unit:"FILE" reads:"file" help:".npy file with masses of the points of x, [m], divided by their sum"`
	MassY       string `flag:"mass-y" unit:"FILE" reads:"file" help:".npy file with masses of the points of y, [n]"`
	Directions  string `flag:"directions" unit:"FILE" reads:"file" group:"Directions" help:".npy file with [L,d] directions, used as given"`
	Out         string `flag:"out" unit:"FILE" writes:".npy" group:"Output" help:"write the plan of the best direction, [k,3] in float64: row of x, row of y (from 0), mass"`
	OutExpected string `flag:"out-expected" unit:"FILE" writes:".npy" group:"Output" help:"write the expected plan in the same way"`
}

func newPlan(c *common) *cobra.Command {
	cmd := c.command("plan X Y", "Lift the plans of slices to transport plans between two clouds", `swlab plan a.npy b.npy --out plan.npy
swlab plan a.npy b.npy -L 500 --temperature 0.1 --out-expected expected.npy`, &planCall{common: c})
	cmd.Long = "Matches the points of two clouds in the order of their projections on each direction. Prints what each plan costs in space, the mean\n" +
		"squared distance of matched points, and the costs of the best plan (min-SWGG) and of the expected plan, which is the mean of all.\n" +
		"None is less than the squared 2-Wasserstein distance. Points of one projection are taken in the order of their coordinates."
	return cmd
}

type planAnswer struct {
	Costs        []number `json:"costs"`
	Cost         number   `json:"cost"`
	Best         int      `json:"best"` // number of its direction, from 0
	ExpectedCost number   `json:"expected_cost"`
	Slices       int      `json:"slices"`
	Points       []int    `json:"points"` // of x and y
	Out          *saved   `json:"out,omitempty"`
	OutExpected  *saved   `json:"out_expected,omitempty"`
	Seed         uint64   `json:"seed"`
	Seconds      float64  `json:"seconds"`
}

func (a planAnswer) String() string {
	rows := [][2]string{
		{"best plan", fmt.Sprintf("%.8g, of direction %d", a.Cost, a.Best)},
		{"expected plan", fmt.Sprintf("%.8g", a.ExpectedCost)},
		{"convention", "mean over points of the squared distance"},
		{"points, slices", fmt.Sprintf("%d and %d, %d", a.Points[0], a.Points[1], a.Slices)},
	}
	for _, out := range []*saved{a.Out, a.OutExpected} {
		if out != nil {
			rows = append(rows, out.row("[k,3]"))
		}
	}
	return lines(rows...)
}

func (p *planCall) run() error {
	began := time.Now()
	x, y, err := p.load(p.common)
	if err != nil {
		return err
	}
	c := p.Config
	c.Seed = p.common.Seed
	for _, file := range []struct {
		flag, path string
		set        *datasets.Set
		masses     *[]float64
	}{{"x", p.MassX, x, &c.MassX}, {"y", p.MassY, y, &c.MassY}} {
		if n := file.set.Clouds; n != 1 {
			return usageError(fmt.Errorf("--%s: expected one cloud, found %d in %s", file.flag, n, file.set.Name))
		}
		if *file.masses, err = masses("mass-"+file.flag, file.path, file.set); err != nil {
			return err
		}
	}
	if x.Dim != y.Dim {
		return usageError(fmt.Errorf("expected clouds of one dimension, found %d in %s and %d in %s", x.Dim, x.Name, y.Dim, y.Name))
	}
	if c.Directions, err = readDirections(p.Directions, x.Dim); err != nil {
		return err
	}
	s, err := plan.New(p.wide(p.X, x), p.wide(p.Y, y), x.Dim, c)
	if err != nil {
		return usageError(err)
	}
	a := planAnswer{Costs: numbers(s.Costs), Cost: number(s.Cost), Best: s.Best, ExpectedCost: number(s.ExpectedCost), Slices: len(s.Costs),
		Points: []int{x.Points, y.Points}, Seed: p.common.Seed}
	if p.Out != "" {
		a.Out = savePlan("out", p.Out, s.Plan)
		err = a.Out.err
	}
	if p.OutExpected != "" {
		expected, tooLarge := s.Expected()
		if tooLarge != nil {
			return tooLarge
		}
		a.OutExpected = savePlan("out-expected", p.OutExpected, expected)
		err = errors.Join(err, a.OutExpected.err)
	}
	a.Seconds = time.Since(began).Seconds()
	return errors.Join(p.print(a), err)
}

// wide returns the points of the set that was loaded from path as the file holds them, in float64,
// unless they are a subset.
func (p *planCall) wide(path string, set *datasets.Set) []float64 {
	if located, err := catalogue.Locate(path); err == nil && p.Points == 0 {
		if d, err := format.Read(located, p.Key); err == nil && len(d.Wide) == len(set.Coords) {
			return d.Wide
		}
	}
	return set.Positions(0)
}

// savePlan saves a plan as rows.
func savePlan(flag, path string, matches []plan.Match) *saved {
	out := save(flag, path, func(path string) error { return format.WriteNPYFloat64(path, plan.Rows(matches), len(matches), 3) })
	return &out
}
