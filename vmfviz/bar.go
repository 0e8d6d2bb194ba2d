package vmfviz

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// colorBar returns the plot of a colour bar, for [Picture.Bar]. levels are values
// that contours mark in it.
func (t *Theme) colorBar(controls []color.Color, lo, hi float64, label string, levels []float64) (*plot.Plot, error) {
	m, err := newColorMap(controls, lo, hi)
	if err != nil {
		return nil, err
	}
	p := t.bare()
	p.HideX()
	p.Y.Label.Text = label
	p.Add(&plotter.ColorBar{ColorMap: m, Vertical: true, Colors: 256})
	for _, level := range levels {
		at, err := m.At(level)
		if err != nil {
			return nil, err
		}
		p.Add(&plotter.Line{XYs: plotter.XYs{{X: 0, Y: level}, {X: 1, Y: level}}, LineStyle: contourStyle(at)})
	}
	return p, nil
}

// contourStyle is the look of a contour on the colour of its value.
func contourStyle(ground color.Color) draw.LineStyle {
	n := color.NRGBAModel.Convert(ground).(color.NRGBA)
	return draw.LineStyle{Color: faded(readable(n), 0.75), Width: 0.85}
}

// fill returns a filled shape with an outline.
func fill(shape plotter.XYs, fill color.Color, edge draw.LineStyle) *plotter.Polygon {
	return &plotter.Polygon{XYs: []plotter.XYs{shape}, Color: fill, LineStyle: edge}
}
