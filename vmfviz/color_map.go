package vmfviz

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/palette"
	"gonum.org/v1/plot/palette/moreland"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// newColorMap returns a colour map of the range lo to hi; a range of one number is
// widened, so that it has a colour.
func newColorMap(controls []color.Color, lo, hi float64) (palette.ColorMap, error) {
	m, err := moreland.NewLuminance(controls)
	if err != nil {
		dark := slices.Clone(controls)
		slices.Reverse(dark)
		if m, err = moreland.NewLuminance(dark); err != nil {
			return nil, fmt.Errorf("vmfviz: Theme: expected colours of a map whose lightness grows or falls: %w", err)
		}
		m = palette.Reverse(m)
	}
	if lo == hi {
		d := math.Max(math.Abs(lo)/2, 0.5)
		lo, hi = lo-d, hi+d
	}
	m.SetMin(lo)
	m.SetMax(hi)
	return m, nil
}

// colorAt returns the colour of a value in the range of a colour map.
func colorAt(m palette.ColorMap, v float64) color.Color {
	c, err := m.At(math.Min(math.Max(v, m.Min()), m.Max()))
	if err != nil { // not a number
		return color.Transparent
	}
	return c
}

// shades is the number of colours of a colour map.
const shades = 1024

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
	p.Add(&plotter.ColorBar{ColorMap: m, Vertical: true, Colors: shades})
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
	return draw.LineStyle{Color: faded(readable(ground), 0.75), Width: 0.85}
}

// readable is the colour of text on a ground, the one with more contrast.
func readable(ground color.Color) color.Color {
	black := color3(0x111111)
	if l := luminance(nrgba(ground)) + 0.05; l*l > 1.05*(luminance(black)+0.05) {
		return black
	}
	return white
}

// luminance is the relative luminance of WCAG 2.
func luminance(c color.NRGBA) float64 {
	lin := func(v uint8) float64 {
		x := float64(v) / 255
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	return 0.2126*lin(c.R) + 0.7152*lin(c.G) + 0.0722*lin(c.B)
}
