package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sliced-wasserstein/lab/vmfviz"
)

// axes are those of the picture.
var axes = []struct{ name, title, label, cost string }{
	{"B", "Batch", "clouds of a batch B", "seconds"},
	{"L", "Slices", "directions L", "seconds"},
	{"T", "Ascent", "ascent steps T", "seconds"},
	{"m", "Points (t / log m)", "points of a cloud m", "seconds"},
	{pointsAxis, "Amortizers", "points of a cloud m", "seconds per pair"},
	{memoryAxis, "Amortizers, memory", "points of a cloud m", "MB per pair"},
}

// pictured are the programs whose curves are drawn: this project and its peers with their fastest
// numbers.
var pictured = []string{swlab, "NumPy, float32" + avx2, "POT, float32"}

// draw plots the curves of at least two points on the panels of their axes, both logarithmic, with
// their exponents. It returns nil without any.
func draw(s summary) (*vmfviz.Picture, error) {
	var panels []vmfviz.CurvePanel
	for _, a := range axes {
		panel := vmfviz.CurvePanel{Title: a.title, XLabel: a.label, YLabel: a.cost, LogX: true, LogY: true}
		for _, c := range s.plots {
			if c.axis != a.name || len(c.at) < 2 || !slices.Contains(pictured, c.program) {
				continue
			}
			panel.Series = append(panel.Series, vmfviz.Series{Label: label(c, s.Fits), X: c.at, Y: c.cost, Low: c.least, High: c.most})
		}
		if len(panel.Series) > 0 {
			panels = append(panels, panel)
		}
	}
	if len(panels) == 0 {
		return nil, nil
	}
	return vmfviz.Curves(vmfviz.CurvesOptions{Title: "Cost, with the exponent of its growth"}, panels...)
}

// label is short: the curve's name or that of the peer, and the exponent.
func label(c curve, fits []fit) string {
	out := c.name
	if c.program != swlab {
		out, _, _ = strings.Cut(c.program, ",")
	}
	i := slices.IndexFunc(fits, func(f fit) bool { return f.Axis == c.axis && f.Curve == c.name && f.Program == c.program })
	if i < 0 {
		return out
	}
	out += fmt.Sprintf(": %.2f", fits[i].Exponent)
	if u := fits[i].Uncertainty; u != nil {
		out += fmt.Sprintf(" ± %.2f", *u)
	}
	return out
}
