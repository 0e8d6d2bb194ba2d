package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

type directionCall struct {
	*common
	pair
	mapFlags
	Amortizer string `flag:"amortizer" need:"x" unit:"NAME" group:"Ascent and amortizer" help:"map that predicts the directions: %s"`
	Out       string `flag:"out" need:"x" unit:"FILE" writes:".npy" group:"Output" help:"write the directions, [B,d]"`
}

func newDirection(c *common) *cobra.Command {
	cmd := c.command("direction X Y --amortizer NAME --out FILE", "Predict a slicing direction for each pair of clouds",
		`swlab direction a.npy b.npy --amortizer la --weights runs/first/amortizer.safetensors --out d.npy`, &directionCall{common: c})
	cmd.Long = "Predicts one unit direction for each pair of clouds by an amortizer, with the weights of a file or with initial ones drawn by --seed.\n" +
		"The clouds are not normalised."
	return cmd
}

func (d *directionCall) unused(flag string) (string, error) {
	if what := setting(flag); what != "" {
		s := loss.Defaults()
		s.Amortizer, s.Maps = d.Amortizer, amortizer.Config{DK: d.DK, K: d.K, Variant: d.Variant}
		return unread("v-dsw", s, false, what)
	}
	return "", nil
}

type directionAnswer struct {
	Amortizer  string  `json:"amortizer"`
	Parameters int     `json:"parameters"`
	Out        saved   `json:"out"`
	Shape      []int   `json:"shape"`
	DK         int     `json:"dk"`
	K          int     `json:"k"`
	Weights    string  `json:"weights"`
	Seed       uint64  `json:"seed"`
	Backend    string  `json:"backend"`
	Seconds    float64 `json:"seconds"`
}

func (a directionAnswer) String() string {
	source := a.Weights
	if source == "" {
		source = fmt.Sprintf("initial, seed %d", a.Seed)
	}
	return lines([2]string{"amortizer", fmt.Sprintf("%s, %d parameters", a.Amortizer, a.Parameters)}, [2]string{"weights", source},
		[2]string{"backend", a.Backend}, a.Out.row(fmt.Sprint(a.Shape)))
}

func (d *directionCall) run() error {
	began := time.Now()
	o, err := d.read()
	if err != nil {
		return err
	}
	x, y, err := d.load(d.common)
	if err != nil {
		return err
	}
	o.Seed = d.Seed
	if err := d.check(d.Amortizer, x, y, o); err != nil {
		return err
	}
	if o.Engine, err = d.chosenEngine(); err != nil {
		return err
	}
	p, err := swlab.Direction(d.Amortizer, x, y, o)
	if err != nil {
		return err
	}
	for _, w := range p.Warnings {
		d.warn("%s", w)
	}
	written := saveNPY("out", d.Out, p.Directions, x.Clouds, x.Dim)
	return errors.Join(d.print(directionAnswer{d.Amortizer, p.Parameters, written, []int{x.Clouds, x.Dim}, p.DK, p.K, d.Weights, d.Seed, p.Backend,
		time.Since(began).Seconds()}), written.err)
}
