package all

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sliced-wasserstein/lab/experiments/calls"
	"github.com/sliced-wasserstein/lab/vmfviz"
)

// drawLandscape draws functions of all directions, with the location of a distance on them.
func drawLandscape(r *calls.Request, s pictureSettings) (*vmfviz.Picture, error) {
	all, kappas, err := r.Landscapes(s.Blur)
	if err != nil {
		return nil, err
	}
	label := "cost of a slice (mean over points)"
	if len(all) == 1 && !math.IsInf(kappas[0], 1) {
		label = "J, the mean cost of slices around a location"
	}
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
		p := vmfviz.CurvePanel{XLabel: "angle of the direction in degrees", YLabel: label, Degrees: true}
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
		p.Marks, p.Circles = float32s(r, "optimum"), float32s(r, "circles")
		if s.Way {
			top, highest, err := l.Extreme(true)
			if err != nil {
				return nil, err
			}
			p.Heat = &vmfviz.Heat{Label: "% of the way up", Contours: true}
			for _, v := range l.Values {
				p.Heat.Values = append(p.Heat.Values, 100*(v-l.Mean)/(highest-l.Mean))
			}
			p.Marks = append(top, -top[0], -top[1], -top[2])
			p.Paths = slices.Collect(slices.Chunk(float32s(r, "paths"), 6))
		}
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

// drawCurves draws the curves y0 against x0, y1 against x1, ..., with errors e0, e1, ... where they have some. The x axis is
// logarithmic where its values are positive and span a factor of 20; then so is the y axis if its values span one of 8.
func drawCurves(r *calls.Request, s pictureSettings) (*vmfviz.Picture, error) {
	p := vmfviz.CurvePanel{XLabel: s.X, YLabel: s.Y, Degrees: strings.HasSuffix(s.X, "in degrees")}
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
	spans := func(v []float64, factor float64) bool {
		return slices.Min(v) > 0 && slices.Max(v) >= factor*slices.Min(v)
	}
	p.LogX = spans(xs, 20)
	p.LogY = p.LogX && spans(ys, 8)
	return vmfviz.Curves(vmfviz.CurvesOptions{Title: s.Title, Height: s.Height, Direct: true}, p)
}

// drawMatchings draws numbers x on a line above numbers y, joined by each of the matchings [n, m], y of x.
func drawMatchings(r *calls.Request, s pictureSettings) (*vmfviz.Picture, error) {
	x, _ := r.Wide("x")
	y, _ := r.Wide("y")
	matches, shape := r.Wide("matches")
	if len(shape) != 2 || shape[1] != len(x) || len(x) != len(y) || len(x) == 0 {
		return nil, fmt.Errorf("matches: expected rows of %d numbers of points, found shape %v", len(x), shape)
	}
	row := func(v []float64, height float64, label string, role vmfviz.Role) vmfviz.Series {
		return vmfviz.Series{Label: label, X: slices.Sorted(slices.Values(v)), Y: slices.Repeat([]float64{height}, len(v)), Dots: true, Role: role}
	}
	var panels []vmfviz.CurvePanel
	for match := range slices.Chunk(matches, len(x)) {
		p := vmfviz.CurvePanel{XLabel: "place on the line"}
		cost := 0.0
		for i, at := range match {
			k := int(at)
			if k < 0 || k >= len(y) {
				return nil, fmt.Errorf("matches: there is no point %d", k)
			}
			cost += (x[i] - y[k]) * (x[i] - y[k]) / float64(len(x))
			line := vmfviz.Series{X: []float64{x[i], y[k]}, Y: []float64{1, 0}, Role: vmfviz.Direction, Thin: true}
			if x[i] > y[k] {
				slices.Reverse(line.X)
				slices.Reverse(line.Y)
			}
			p.Series = append(p.Series, line)
		}
		p.Title = fmt.Sprintf("cost %.3f", cost)
		p.Series = append(p.Series, row(x, 1, "x", vmfviz.Input), row(y, 0, "y", vmfviz.Output))
		panels = append(panels, p)
	}
	picture, err := vmfviz.Curves(vmfviz.CurvesOptions{Title: s.Title, Height: 170, Direct: true}, panels...)
	if err == nil {
		for _, q := range slices.Concat(picture.Plots...) {
			q.HideY()
		}
	}
	return picture, err
}
