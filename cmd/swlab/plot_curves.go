package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/swlab/train"
	"github.com/sliced-wasserstein/lab/vmfviz"
)

type plotCurves struct {
	*common
	runs, captions []string
	out            string
	smooth         float64
	logarithmic    bool
}

func newPlotCurves(c *common) *cobra.Command {
	p := &plotCurves{common: c}
	cmd := &cobra.Command{
		Use:   "curves --run R [--run R2 ...] --out P",
		Short: "training curves of runs: the loss and, of amortized losses, the ascent's objective and angle",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return p.run() },
	}
	f := cmd.Flags()
	f.StringArrayVar(&p.runs, "run", nil, "run folder, finished or not; repeat it for more curves")
	f.StringArrayVar(&p.captions, "caption", nil, "name of a curve, one per --run; default: the folder's name")
	f.Float64Var(&p.smooth, "smooth", 0, "weight of the past in an exponential moving average, 0 (off) to below 1, drawn on top")
	f.BoolVar(&p.logarithmic, "log", false, "logarithmic losses")
	f.StringVar(&p.out, "out", "", "picture to write: .png, .svg or .pdf")
	readsRun(cmd, "run")
	writes(cmd, "out", picture...)
	return required(cmd, "run", "out")
}

func (p *plotCurves) run() error {
	if p.smooth >= 1 {
		return usageError(fmt.Errorf("--smooth: expected a number from 0 to below 1, found %v", p.smooth))
	}
	captions, err := captioned(p.captions, p.runs)
	if err != nil {
		return err
	}
	panels := []vmfviz.CurvePanel{
		{Title: "loss", YLabel: "training loss", LogY: p.logarithmic},
		{Title: "amortizer's ascent", YLabel: "maximised objective"},
		{Title: "turn by the ascent", YLabel: "angle (degrees)"},
	}
	steps := map[string]int{}
	for i, dir := range p.runs {
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
		if p.logarithmic {
			for _, r := range records {
				if r.Skipped == "" && !(r.Loss > 0) {
					return usageError(fmt.Errorf("--log: expected losses > 0, found %v at step %d of %s", r.Loss, r.Step, dir))
				}
			}
		}
		steps[captions[i]] = len(records)
		label := captions[i]
		if len(p.captions) == 0 {
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
	var drawn []vmfviz.CurvePanel
	for _, panel := range panels {
		if panel.Series != nil {
			panel.XLabel, panel.Smooth = "step", p.smooth
			drawn = append(drawn, panel)
		}
	}
	picture, err := vmfviz.Curves(vmfviz.CurvesOptions{}, drawn...)
	if err != nil {
		return err
	}
	return p.savePicture(p.out, picture, map[string]any{"steps": steps})
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
