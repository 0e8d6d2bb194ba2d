package all

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/sliced-wasserstein/lab/experiments/calls"
	"github.com/sliced-wasserstein/lab/vmfviz"
)

// drawLandscape draws functions of all directions, with the location of a distance on them.
func drawLandscape(r *calls.Request, s pictureSettings) (*vmfviz.Picture, error) {
	all, kappas, err := r.Landscapes(s.Blur)
	if err != nil {
		return nil, err
	}
	const label = "cost of a slice (mean over points)"
	name := func(i int) string {
		if math.IsInf(kappas[i], 1) {
			return "one direction, F"
		}
		return fmt.Sprintf("mean around it, κ = %g", kappas[i])
	}
	if len(all[0].Grid) == 2*len(all[0].Values) {
		half := len(all[0].Values)/2 + 1
		angles := make([]float64, half)
		for i := range angles {
			angles[i] = 180 * float64(i) / float64(half-1)
		}
		p := vmfviz.CurvePanel{XLabel: "angle of the direction in degrees", YLabel: label}
		for i, l := range all {
			c := vmfviz.Series{X: angles, Y: l.Values[:half]}
			if len(all) > 1 {
				c.Label = name(i)
			}
			p.Series = append(p.Series, c)
		}
		return vmfviz.Curves(vmfviz.CurvesOptions{Title: s.Title}, p)
	}
	var panels []vmfviz.SpherePanel
	for i, l := range all {
		p := vmfviz.SpherePanel{Heat: &vmfviz.Heat{Values: l.Values, Label: label, Contours: true}}
		if len(all) > 1 {
			p.Caption = name(i)
		}
		if at := float32s(r, "location"); len(at) >= 3 {
			p.Location = at[:3]
		}
		p.Marks = float32s(r, "optimum")
		panels = append(panels, p)
	}
	return vmfviz.SphereMap(vmfviz.SphereOptions{Title: s.Title}, panels...)
}

// curveSettings are those of a curve.
type curveSettings struct {
	Label string `json:"label"`
	Dots  bool   `json:"dots"`
	Thin  bool   `json:"thin"`
}

// drawCurves draws the curves y0 against x0, y1 against x1, ..., with errors e0, e1, ... where they have some. An axis is
// logarithmic where the values are positive and span a factor of 100.
func drawCurves(r *calls.Request, s pictureSettings) (*vmfviz.Picture, error) {
	p := vmfviz.CurvePanel{XLabel: s.X, YLabel: s.Y}
	var all []curveSettings
	if err := json.Unmarshal([]byte(s.Lines), &all); err != nil {
		return nil, fmt.Errorf("lines: %w", err)
	}
	var xs, ys []float64
	for i, c := range all {
		line := vmfviz.Series{Label: c.Label, Dots: c.Dots, Thin: c.Thin}
		line.X, _ = r.Wide(fmt.Sprintf("x%d", i))
		line.Y, _ = r.Wide(fmt.Sprintf("y%d", i))
		errors, _ := r.Wide(fmt.Sprintf("e%d", i))
		if len(line.X) == 0 || len(line.X) != len(line.Y) || errors != nil && len(errors) != len(line.Y) {
			return nil, fmt.Errorf("curve: expected as many y as x, and at least one, found %d and %d", len(line.Y), len(line.X))
		}
		for k, e := range errors {
			line.Low, line.High = append(line.Low, line.Y[k]-e), append(line.High, line.Y[k]+e)
		}
		xs, ys = append(xs, line.X...), append(append(ys, line.Y...), line.Low...)
		p.Series = append(p.Series, line)
	}
	if len(xs) == 0 {
		return nil, fmt.Errorf("curves: expected at least one")
	}
	wide := func(v []float64) bool { return slices.Min(v) > 0 && slices.Max(v) >= 100*slices.Min(v) }
	p.LogX, p.LogY = wide(xs), len(all) > 1 && wide(ys)
	return vmfviz.Curves(vmfviz.CurvesOptions{Title: s.Title, Height: s.Height}, p)
}
