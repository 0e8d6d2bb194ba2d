package vmfviz

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// CurvePanel is one plot of a [Curves] picture.
type CurvePanel struct {
	Title string
	// XLabel and YLabel name what the axes show, with its unit or convention,
	// for example "step" and "SW² (sum over points)".
	XLabel, YLabel string
	// LogX and LogY make an axis logarithmic; its values must be positive.
	LogX, LogY bool
	// Smooth, from 0 (off) to below 1, draws on top of each curve, then pale, its
	// centred moving average: value j counts Smooth^|i−j| in place i. At the ends,
	// where there are no values on one side, it is the line fitted with these weights.
	// Of a logarithmic axis it is the average of the logarithms.
	Smooth float64
	Series []Series
}

// CurvesOptions are what the panels of a [Curves] picture share.
type CurvesOptions struct {
	Title string
	// Height of the plots in pixels; 0 means 280.
	Height int
	// Theme is the look; nil means [DefaultTheme].
	Theme *Theme
}

// Curves draws plots of curves side by side, up to three in a row: training
// losses, an ascent, errors against the number of slices. Up to seven curves of
// a plot differ in colour and in dashes or lightness, so that they can be told
// apart in greyscale. A legend that all plots share stands in the first.
func Curves(o CurvesOptions, panels ...CurvePanel) (*Picture, error) {
	if err := checkText("Title", o.Title); err != nil {
		return nil, err
	}
	if o.Height < 0 || o.Height > 2000 {
		return nil, fmt.Errorf("vmfviz: Height = %d, expected 0 (automatic) to 2000 pixels", o.Height)
	}
	if len(panels) == 0 {
		return nil, fmt.Errorf("vmfviz: no panels given, expected at least one")
	}
	theme := o.Theme.or()
	cols := min(len(panels), 3)
	if len(panels) == 4 {
		cols = 2
	}
	height := vg.Length(210)
	if o.Height > 0 {
		height = vg.Length(0.75 * float64(o.Height))
	}
	height += 36 // ticks and labels
	for _, c := range panels {
		if c.Title != "" {
			height += 18
			break
		}
	}
	width := (fullWidth - 2*cardEdge - plotGap*vg.Length(cols-1)) / vg.Length(cols)
	p := &Picture{Title: o.Title, Alt: altText(o.Title, fmt.Sprintf("curves in %d plot(s)", len(panels))), Theme: theme}
	var plots []*plot.Plot
	for i, c := range panels {
		q, lines, err := c.plot(theme, fmt.Sprintf("panels[%d]", i))
		if err != nil {
			return nil, err
		}
		if i == 0 || !c.sameLegend(panels[0]) {
			c.legend(theme, q)
			placeLegend(q, width, height, lines)
		}
		plots = append(plots, q)
	}
	p.setPlots(plots, cols, fullWidth, height)
	return p, nil
}

// plot draws the panel and returns its lines too.
func (c CurvePanel) plot(t *Theme, name string) (*plot.Plot, []plotter.XYs, error) {
	series, err := c.check(name)
	if err != nil {
		return nil, nil, err
	}
	c.Series = series
	p := t.NewPlot()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = c.Title, c.XLabel, c.YLabel
	if c.LogX {
		logAxis(&p.X)
	}
	if c.LogY {
		logAxis(&p.Y)
	}
	for i, s := range c.Series {
		if s.Low != nil {
			p.Add(s.band(faded(t.color(s.Role, i), 0.2)))
		}
	}
	var all []plotter.XYs
	for i, s := range c.Series {
		style := c.style(t, i)
		values := s.Y
		if c.Smooth > 0 {
			raw := runs(s.X, s.Y)
			add(p, raw, pale(style))
			all = append(all, raw...)
			values = smooth(s.Y, c.Smooth, c.LogY)
		}
		lines := runs(s.X, values)
		add(p, lines, style)
		all = append(all, lines...)
	}
	if c.LogX || p.X.Min == p.X.Max {
		pad(&p.X, 0.03)
	}
	pad(&p.Y, 0.05)
	return p, all, nil
}

// lineDashes tell curves apart without colour.
var lineDashes = [][]vg.Length{nil, {5.2, 3}, {1.5, 2.2}, {6.8, 2.2, 1.5, 2.2}, {9.8, 3}, {3, 1.5}}

// style is the look of curve i, or of the one before it that an unlabelled curve
// continues.
func (c CurvePanel) style(t *Theme, i int) draw.LineStyle {
	if s := c.Series[i]; s.Label == "" && s.Role != Auto {
		for k := range i {
			if c.Series[k].Role == s.Role {
				i = k
				break
			}
		}
	}
	return draw.LineStyle{Color: t.color(c.Series[i].Role, i), Width: 1.7, Dashes: lineDashes[i%len(lineDashes)]}
}

// pale is the look of values that a smoothed curve lies on.
func pale(s draw.LineStyle) draw.LineStyle {
	return draw.LineStyle{Color: faded(s.Color, 0.35), Width: 0.75}
}

// legend adds an entry for each labelled curve, and says what is pale and bold.
func (c CurvePanel) legend(t *Theme, p *plot.Plot) {
	for i, s := range c.Series {
		if s.Label != "" {
			p.Legend.Add(s.Label, &plotter.Line{LineStyle: c.style(t, i)})
		}
	}
	if c.Smooth > 0 {
		bold := draw.LineStyle{Color: t.Muted, Width: 1.7}
		if len(c.Series) == 1 {
			bold = c.style(t, 0)
		}
		p.Legend.Add("each value", &plotter.Line{LineStyle: pale(bold)})
		p.Legend.Add("smoothed", &plotter.Line{LineStyle: bold})
	}
}

// sameLegend reports whether the legend of d says what is in c.
func (c CurvePanel) sameLegend(d CurvePanel) bool {
	if len(c.Series) > len(d.Series) || (c.Smooth > 0) != (d.Smooth > 0) {
		return false
	}
	for i, s := range c.Series {
		if s.Label != d.Series[i].Label || s.Role != d.Series[i].Role {
			return false
		}
	}
	return true
}

// add draws lines, and a disc for a lonely point.
func add(p *plot.Plot, lines []plotter.XYs, style draw.LineStyle) {
	for _, l := range lines {
		if len(l) == 1 {
			p.Add(&plotter.Scatter{XYs: l, GlyphStyle: draw.GlyphStyle{Color: style.Color, Radius: 2.2, Shape: draw.CircleGlyph{}}})
			continue
		}
		p.Add(&plotter.Line{XYs: l, LineStyle: style})
	}
}

// runs returns the lines of a curve, which NaN parts.
func runs(x, y []float64) []plotter.XYs {
	var lines []plotter.XYs
	var l plotter.XYs
	for i := range y {
		if !math.IsNaN(y[i]) {
			l = append(l, plotter.XY{X: x[i], Y: y[i]})
		}
		if len(l) > 0 && (i == len(y)-1 || math.IsNaN(y[i])) {
			lines = append(lines, thin(l))
			l = nil
		}
	}
	return lines
}

// band is the area between Low and High, with a ring for each run of values.
func (s Series) band(fill color.Color) *plotter.Polygon {
	b := &plotter.Polygon{Color: fill}
	from := 0
	for i := range len(s.Y) + 1 {
		if i < len(s.Y) && !math.IsNaN(s.Y[i]) {
			continue
		}
		var ring plotter.XYs
		for k := from; k < i; k++ {
			ring = append(ring, plotter.XY{X: s.X[k], Y: s.High[k]})
		}
		for k := i - 1; k >= from; k-- {
			ring = append(ring, plotter.XY{X: s.X[k], Y: s.Low[k]})
		}
		if len(ring) > 2 {
			b.XYs = append(b.XYs, ring)
		}
		from = i + 1
	}
	return b
}
