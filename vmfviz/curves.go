package vmfviz

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// CurvePanel is one plot of a [Curves] picture.
type CurvePanel struct {
	Title string
	// XLabel and YLabel name what the axes show, with its unit or convention, for example "step"
	// and "SW² (sum over points)".
	XLabel, YLabel string
	// Degrees: X is an angle in degrees. From 0 to 180 there is a tick every 30.
	Degrees bool
	// LogX and LogY make an axis logarithmic; its values must be positive.
	LogX, LogY bool
	// Smooth, from 0 (off) to below 1, draws on top of each curve, then pale, its centred moving
	// average: value j counts Smooth^|i−j| in place i. At the ends, where there are no values on
	// one side, it is the line fitted with these weights. Of a logarithmic axis it is the average
	// of the logarithms.
	Smooth float64
	Series []Series
}

// Series is one curve.
type Series struct {
	// Label names the curve in the legend. A curve without one looks like the first of its role, as
	// one of several closed forms. A thin one without a role has the colour of the curve before it.
	Label string
	// X and Y are the points, X not decreasing but for Dots. A nil X means 1, 2, 3, ... A NaN in Y is a gap.
	X, Y []float64
	// Low and High bound a band around the curve, for example ± one standard error; nil means none. Where one
	// of them is NaN, like the bounds of a single slice, there is no band.
	Low, High []float64
	// Dots draws what was measured: a disc at each value, with a bar from Low to High, and no line. Where X decreases
	// somewhere they are points of a plane, and no axis need begin at 0.
	Dots bool
	// Thin draws a theory: a thin solid line, to lie over the dots; of Dots, small discs, to lie under others.
	Thin bool
	// Role gives the colour; Auto takes the next of the palette.
	Role Role
}

// CurvesOptions are what the panels of a [Curves] picture share.
type CurvesOptions struct {
	Title   string
	Caption string // that of the [Picture]
	// Height of the plots in pixels; 0 means 280.
	Height int
	// Direct writes the labels of a plot at the right ends of its curves in place of a legend. Where one
	// of them ends in the left half, or a curve is smoothed, there is a legend. Points of a plane have them beside them.
	// Dots side by side, the first curve left of the second and so on, are columns, with the labels as their names below.
	Direct bool
}

// Curves draws plots of curves side by side, up to three in a row: training losses, an ascent,
// errors against the number of slices. Up to seven curves of a plot differ in colour and in dashes
// or lightness, so that they can be told apart in greyscale. A legend that all plots share stands
// in the first.
func Curves(o CurvesOptions, panels ...CurvePanel) (*Picture, error) {
	if err := cmp.Or(errorIf(len(panels) == 0, "no panels given, expected at least one"),
		errorIf(o.Height < 0 || o.Height > 2000, "Height = %d, expected 0 (automatic) to 2000 pixels", o.Height),
		each(panels, func(i int, c CurvePanel) error { return c.check(fmt.Sprintf("panels[%d]", i)) })); err != nil {
		return nil, err
	}
	cols := columns(0, len(panels), 3)
	height := vg.Length(0.75*float64(cmp.Or(o.Height, 280))) + 36 // ticks and labels
	if slices.ContainsFunc(panels, func(c CurvePanel) bool { return c.Title != "" }) {
		height += 18
	}
	p := &Picture{Title: o.Title, Caption: o.Caption, Alt: altText(o.Title, fmt.Sprintf("curves in %d plot(s)", len(panels)))}
	width := p.room(cols)
	var plots []*plot.Plot
	for i, c := range panels {
		q, lines := c.plot()
		if labels := c.ends(q); o.Direct && c.plane() {
			q.Add(c.names())
		} else if marks, lo, hi := c.columns(); o.Direct && marks != nil {
			q.X.Tick.Marker, q.X.Tick.Length, q.X.Min, q.X.Max = marks, 0, lo, hi
		} else if o.Direct && labels != nil {
			q.Add(labels)
		} else if i == 0 || !c.sameLegend(panels[0]) {
			c.legend(q)
			placeLegend(q, width, height, lines, cols == 1)
		}
		plots = append(plots, q)
	}
	p.setPlots(plots, cols, width, height)
	return p, nil
}

// plot draws the panel and returns its lines too.
func (c CurvePanel) plot() (p *plot.Plot, all []plotter.XYs) {
	p = theme.newPlot()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = c.Title, c.XLabel, c.YLabel
	if c.LogX {
		logAxis(&p.X)
	}
	if c.LogY {
		logAxis(&p.Y)
	}
	for i, s := range c.Series {
		if !s.Dots {
			p.Add(&plotter.Polygon{XYs: s.band(), Color: faded(theme.color(s.Role, i), 0.2)})
		}
	}
	for i, s := range c.Series {
		style := c.style(i)
		lines := s.runs(s.Y)
		all = append(all, lines...)
		if s.Dots {
			all = append(all, s.dots(p, style)...)
			continue
		}
		if c.Smooth > 0 {
			add(p, lines, pale(style))
			lines = s.runs(smooth(s.Y, c.Smooth, c.LogY))
			all = append(all, lines...)
		}
		add(p, lines, style)
	}
	if c.plane() {
		widen(&p.X, 0.03)
		widen(&p.Y, 0.05)
		return p, all
	}
	if c.Degrees && p.X.Min == 0 && p.X.Max == 180 {
		p.X.Tick.Marker = halfTurn
	}
	if c.LogX || p.X.Min == p.X.Max || slices.ContainsFunc(c.Series, func(s Series) bool { return s.Dots }) {
		pad(&p.X, 0.03)
	}
	pad(&p.Y, 0.05)
	return p, all
}

// plane reports whether there are points of a plane.
func (c CurvePanel) plane() bool {
	return slices.ContainsFunc(c.Series, func(s Series) bool { return s.Dots && !slices.IsSorted(s.X) })
}

// names are the labels, each to stand beside a point of its own.
func (c CurvePanel) names() (n names) {
	for i, s := range c.Series {
		style := theme.style(pointsLabel, blend(c.style(i).Color, theme.Text, 0.3))
		style.XAlign, style.YAlign = draw.XCenter, draw.YCenter
		n = append(n, name{s.Label, style, slices.Concat(s.runs(s.Y)...)})
	}
	return n
}

// columns are the labels of dots side by side, each in the middle of its own, and the axis, which goes beyond them by half
// of the smallest gap; nil if there are none, or other labels.
func (c CurvePanel) columns() (marks plot.ConstantTicks, left, right float64) {
	gap := math.Inf(1)
	for _, s := range c.Series {
		if s.Label == "" && (s.Thin || s.Dots) {
			continue
		}
		lo, hi := s.x(0), s.x(len(s.Y)-1)
		if !s.Dots || s.Label == "" || marks != nil && lo <= right || c.LogX {
			return nil, 0, 0
		}
		if marks == nil {
			left = lo
		} else {
			gap = min(gap, lo-right)
		}
		marks, right = append(marks, plot.Tick{Value: (lo + hi) / 2, Label: s.Label}), hi
	}
	if len(marks) < 2 {
		return nil, 0, 0
	}
	return marks, left - gap/2, right + gap/2
}

func (c CurvePanel) check(name string) error {
	return cmp.Or(
		errorIf(!(c.Smooth >= 0 && c.Smooth < 1), "%s.Smooth = %g, expected at least 0 and below 1", name, c.Smooth),
		errorIf(len(c.Series) == 0, "%s.Series is empty, expected at least one curve", name),
		each(c.Series, func(i int, s Series) error { return s.check(fmt.Sprintf("%s.Series[%d]", name, i), c.LogX, c.LogY) }))
}

func (s Series) check(name string, logX, logY bool) error {
	n := len(s.Y)
	if err := cmp.Or(errorIf(s.X != nil && len(s.X) != n, "%s.X has length %d, expected %d as Y has", name, len(s.X), n),
		errorIf(len(s.Low) != len(s.High) || s.Low != nil && len(s.Low) != n,
			"%s.Low and High have lengths %d and %d, expected %d as Y has", name, len(s.Low), len(s.High), n),
		errorIf(!slices.ContainsFunc(s.Y, func(y float64) bool { return y == y }), "%s.Y holds no number", name)); err != nil {
		return err
	}
	return each(s.Y, func(i int, y float64) error {
		number := func(field string, v float64, log bool) error {
			return checkNumber(fmt.Sprintf("%s.%s[%d]", name, field, i), v, log)
		}
		last := s.x(max(i, 1) - 1)
		err := cmp.Or(number("X", s.x(i), logX), errorIf(!s.Dots && i > 0 && s.x(i) < last,
			"%s.X[%d] = %g comes after %g, expected numbers that do not decrease", name, i, s.x(i), last))
		if err != nil || math.IsNaN(y) {
			return err
		}
		if s.bounded(i) {
			err = cmp.Or(number("Low", s.Low[i], logY), number("High", s.High[i], logY))
		}
		return cmp.Or(number("Y", y, logY), err)
	})
}

// dots draws a disc at each value and the bars, which it returns.
func (s Series) dots(p *plot.Plot, style draw.LineStyle) (bars []plotter.XYs) {
	bar := draw.LineStyle{Color: style.Color, Width: 1}
	for i, y := range s.Y {
		if s.bounded(i) {
			p.Add(segment(s.x(i), s.Low[i], s.x(i), s.High[i], bar))
			bars = append(bars, plotter.XYs{{X: s.x(i), Y: s.Low[i]}, {X: s.x(i), Y: s.High[i]}})
		}
		if !math.IsNaN(y) {
			p.Add(disk(plotter.XY{X: s.x(i), Y: y}, s.radius(), style.Color))
		}
	}
	return bars
}

// radius is that of a disc.
func (s Series) radius() vg.Length {
	if s.Thin {
		return 1.3
	}
	return 2.6
}

// x is the place of value i.
func (s Series) x(i int) float64 {
	if s.X == nil {
		return float64(i + 1)
	}
	return s.X[i]
}

// bounded reports whether value i has bounds.
func (s Series) bounded(i int) bool {
	return s.Low != nil && !math.IsNaN(s.Low[i]) && !math.IsNaN(s.High[i])
}

// runs returns the lines of a curve with these values, parted by the gaps in Y.
func (s Series) runs(y []float64) []plotter.XYs {
	return s.parted(y, func(i int) bool { return math.IsNaN(s.Y[i]) })
}

// parted returns the lines of a curve with these values, parted by gaps.
func (s Series) parted(y []float64, isGap func(int) bool) (lines []plotter.XYs) {
	var l plotter.XYs
	for i := range y {
		gap := isGap(i)
		if !gap {
			l = append(l, plotter.XY{X: s.x(i), Y: y[i]})
		}
		if len(l) > 0 && (gap || i == len(y)-1) {
			lines, l = append(lines, thin(l)), nil
		}
	}
	return lines
}

// band is the area between Low and High, with a ring for each run of values.
func (s Series) band() (rings []plotter.XYs) {
	isGap := func(i int) bool { return math.IsNaN(s.Y[i]) || !s.bounded(i) }
	low, high := s.parted(s.Low, isGap), s.parted(s.High, isGap)
	for i := range low {
		slices.Reverse(low[i])
		rings = append(rings, append(high[i], low[i]...))
	}
	return rings
}

// lineDashes tell curves apart without colour.
var lineDashes = [][]vg.Length{nil, {5.2, 3}, {1.5, 2.2}, {6.8, 2.2, 1.5, 2.2}, {9.8, 3}, {3, 1.5}}

// style is the look of curve i, or of the one before it that an unlabelled curve continues.
func (c CurvePanel) style(i int) draw.LineStyle {
	s := c.Series[i]
	switch {
	case s.Label != "":
	case s.Role != Auto:
		i = slices.IndexFunc(c.Series, func(first Series) bool { return first.Role == s.Role })
	case s.Thin && i > 0:
		style := c.style(i - 1)
		style.Width, style.Dashes = 0.9, nil
		return style
	}
	style := draw.LineStyle{Color: theme.color(c.Series[i].Role, i), Width: 1.7, Dashes: lineDashes[i%len(lineDashes)]}
	if s.Thin || c.Series[i].Thin {
		style.Width, style.Dashes = 0.9, nil
	}
	return style
}

// pale is the look of values that a smoothed curve lies on.
func pale(s draw.LineStyle) draw.LineStyle {
	return draw.LineStyle{Color: faded(s.Color, 0.35), Width: 0.75}
}

// legend adds an entry for each labelled curve, and says what is pale and bold.
func (c CurvePanel) legend(p *plot.Plot) {
	for i, s := range c.Series {
		switch {
		case s.Label == "":
		case s.Dots:
			p.Legend.Add(s.Label, disk(plotter.XY{}, s.radius(), c.style(i).Color))
		default:
			p.Legend.Add(s.Label, &plotter.Line{LineStyle: c.style(i)})
		}
	}
	if c.Smooth > 0 {
		bold := draw.LineStyle{Color: theme.Muted, Width: 1.7}
		if len(c.Series) == 1 {
			bold = c.style(0)
		}
		p.Legend.Add("each value", &plotter.Line{LineStyle: pale(bold)})
		p.Legend.Add("smoothed", &plotter.Line{LineStyle: bold})
	}
}

// ends are the labels at the right ends of the curves, nil where these are not in the right half of the plot.
func (c CurvePanel) ends(p *plot.Plot) *ends {
	e := &ends{}
	for i, s := range c.Series {
		if s.Label == "" {
			continue
		}
		last := len(s.Y) - 1
		for math.IsNaN(s.Y[last]) {
			last--
		}
		if !slices.IsSorted(s.X) || p.X.Norm(s.x(last)) < 0.5 || c.Smooth > 0 {
			return nil
		}
		style := theme.style(pointsLabel, theme.Text)
		style.YAlign = draw.YCenter
		leader := draw.LineStyle{Color: c.style(i).Color, Width: 0.9}
		e.all = append(e.all, end{s.Label, plotter.XY{X: s.x(last), Y: s.Y[last]}, style, leader})
	}
	if len(e.all) < 2 {
		return nil
	}
	return e
}

// sameLegend reports whether the legend of d says what is in c.
func (c CurvePanel) sameLegend(d CurvePanel) bool {
	n := len(c.Series)
	return n <= len(d.Series) && (c.Smooth > 0) == (d.Smooth > 0) &&
		slices.EqualFunc(c.Series, d.Series[:n], func(s, t Series) bool { return s.Label == t.Label && s.Role == t.Role })
}

// add draws lines, and a disc for a lonely point.
func add(p *plot.Plot, lines []plotter.XYs, style draw.LineStyle) {
	for _, l := range lines {
		if len(l) == 1 {
			p.Add(disk(l[0], 2.2, style.Color))
			continue
		}
		p.Add(&plotter.Line{XYs: l, LineStyle: style})
	}
}

// smooth returns in place i the value of the line fitted to all values, in which value j counts
// weight^|i−j|: away from the ends the centred moving average, and at the ends without its bias.
// Gaps stay gaps. With log it fits the logarithms.
func smooth(y []float64, weight float64, log bool) []float64 {
	out := slices.Clone(y)
	values := slices.Clone(y)
	if log {
		for i, v := range y {
			values[i] = math.Log(v)
		}
	}
	reach := min(len(y), int(math.Ceil(-30/math.Log(weight)))) // weights beyond are below 10⁻¹³
	var x, v, w []float64
	for i := range y {
		if math.IsNaN(y[i]) {
			continue
		}
		x, v, w = x[:0], v[:0], w[:0]
		for j := max(0, i-reach); j <= min(len(y)-1, i+reach); j++ {
			if away := float64(j - i); !math.IsNaN(y[j]) {
				x, v, w = append(x, away), append(v, values[j]), append(w, math.Pow(weight, math.Abs(away)))
			}
		}
		if out[i] = v[0]; len(v) > 1 {
			out[i], _ = stat.LinearRegression(x, v, w, false)
		}
		if log {
			out[i] = math.Exp(out[i])
		}
	}
	return out
}

// thin keeps, of a line with many more points than a picture has columns, the first, the lowest,
// the highest and the last of each group of neighbours.
func thin(l plotter.XYs) plotter.XYs {
	const groups = 1000
	if len(l) < 5*groups {
		return l
	}
	var out plotter.XYs
	byY := func(a, b plotter.XY) int { return cmp.Compare(a.Y, b.Y) }
	for i := range groups {
		g := l[i*len(l)/groups : (i+1)*len(l)/groups]
		lo, hi := slices.MinFunc(g, byY), slices.MaxFunc(g, byY)
		if hi.X < lo.X {
			lo, hi = hi, lo
		}
		out = append(out, g[0], lo, hi, g[len(g)-1])
	}
	return out
}
