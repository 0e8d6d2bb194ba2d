package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/swlab/train"
	"github.com/sliced-wasserstein/lab/vmfviz"
)

type plotCurves struct {
	*common
	Runs        []string `flag:"run" arg:"RUN..." need:"x" unit:"DIR" reads:"run" help:"folder of a run, finished or not; several are several curves"`
	Captions    []string `flag:"caption" unit:"TEXT" help:"name of a curve, one for each run (default: the folder's name)"`
	Smooth      float64  `flag:"smooth" range:"0.." help:"weight of the past in an exponential moving average, 0 (off) to below 1, drawn on top"`
	Logarithmic bool     `flag:"log" help:"draw logarithmic losses"`
	picture
}

func newPlotCurves(c *common) *cobra.Command {
	return c.command("curves RUN... --out FILE", "Draw training curves of runs: the loss and, of amortized losses, the ascent's objective and angle",
		"swlab plot curves runs/la runs/sw --smooth 0.9 --out loss.png", &plotCurves{common: c})
}

type curvesAnswer struct {
	drawn
	Steps map[string]int `json:"steps"`
}

func (p *plotCurves) run() error {
	if p.Smooth >= 1 {
		return usageError(fmt.Errorf("--smooth: expected a number from 0 to below 1, found %v", p.Smooth))
	}
	captions, err := captioned(p.Captions, p.Runs)
	if err != nil {
		return err
	}
	panels := []vmfviz.CurvePanel{
		{Title: "loss", YLabel: "training loss", LogY: p.Logarithmic},
		{Title: "amortizer's ascent", YLabel: "maximised objective"},
		{Title: "turn by the ascent", YLabel: "angle (degrees)"},
	}
	steps := map[string]int{}
	for i, dir := range p.Runs {
		config, err := train.ReadConfig(dir)
		if err != nil {
			return usageError(fmt.Errorf("--run: %w", err))
		}
		records, err := train.ReadLog(dir)
		if err != nil {
			return usageError(fmt.Errorf("--run: %w", err))
		}
		if len(records) == 0 {
			return usageError(fmt.Errorf("--run: %s has no step in its log yet", dir))
		}
		if p.Logarithmic {
			for _, r := range records {
				if r.Skipped == "" && !(r.Loss > 0) {
					return usageError(fmt.Errorf("--log: expected losses > 0, found %v at step %d of %s", r.Loss, r.Step, dir))
				}
			}
		}
		steps[captions[i]] = len(records)
		label := captions[i]
		if len(p.Captions) == 0 {
			label += ", " + config.Loss
		}
		for k, value := range []func(train.Record) *float64{
			func(r train.Record) *float64 { return &r.Loss },
			func(r train.Record) *float64 { return r.Objective },
			func(r train.Record) *float64 { return r.AscentAngle },
		} {
			if s := curve(label, records, value); len(s.X) > 0 {
				panels[k].Series = append(panels[k].Series, s)
			}
		}
	}
	var used []vmfviz.CurvePanel
	for _, panel := range panels {
		if panel.Series != nil {
			panel.XLabel, panel.Smooth = "step", p.Smooth
			used = append(used, panel)
		}
	}
	picture, err := vmfviz.Curves(vmfviz.CurvesOptions{}, used...)
	if err != nil {
		return err
	}
	a := curvesAnswer{draw(p.Out, picture), steps}
	return errors.Join(p.print(a), a.Out.err)
}

// curve is one value of the log against the steps, empty if the run has none.
func curve(label string, records []train.Record, value func(train.Record) *float64) vmfviz.Series {
	s := vmfviz.Series{Label: label}
	for _, r := range records {
		if v := value(r); v != nil && r.Skipped == "" {
			s.X, s.Y = append(s.X, float64(r.Step)), append(s.Y, *v)
		}
	}
	return s
}
