package vmfviz

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Estimate is one line of a [Dots] picture.
type Estimate struct {
	Label string
	Value float64
	// StdErr is the standard error of Value, or what [DotsOptions.Interval] says, 0 if unknown.
	StdErr float64
	// Paper is a number to compare with, for example the published one; 0 means none.
	Paper float64
	// Role gives the colour; Auto means Input (blue).
	Role Role
}

// DotsOptions describe a [Dots] picture.
type DotsOptions struct {
	Title string
	// XLabel names the quantity with its convention. What the bars are is added to it.
	XLabel string
	// PaperLabel names the reference numbers; "" means "paper".
	PaperLabel string
	// Interval says what the bars show on either side of a value; "" means "standard error".
	Interval string
}

// Dots compares estimates, one in a line: a mark at the value, a bar from one standard error below
// to one above, the number at the right, and an open diamond where there is a reference number.
// Roles differ in the shape of the mark too: a disc for inputs, a square for outputs, a triangle
// for directions, a cross for references. Estimate i lies at y = −i of the plot.
//
// A value below 10⁻⁹ of the largest is rounding and is written as 0.
func Dots(o DotsOptions, estimates ...Estimate) (*Picture, error) {
	o.PaperLabel, o.Interval = cmp.Or(o.PaperLabel, "paper"), cmp.Or(o.Interval, "standard error")
	if err := checkEstimates(estimates); err != nil {
		return nil, err
	}
	d := dotPlot{o, estimates, theme.newPlot()}
	d.axes()
	d.marks()
	p := &Picture{Title: o.Title, Alt: altText(o.Title, fmt.Sprintf("%d estimates ± %s", len(estimates), o.Interval))}
	height := vg.Length(20*len(estimates)) + 42
	width := p.room(1)
	data := d.DataCanvas(draw.NewCanvas(nil, width, height))
	fitted(&d.X.Label.TextStyle, d.X.Label.Text, data.Max.X-data.Min.X+60)
	if d.legend() {
		placeLegend(d.Plot, width, height, d.lines(), false)
		if !d.Plot.Legend.Left { // left of the numbers
			d.Plot.Legend.XOffs -= width - data.Max.X
		}
		height += 20 * vg.Length(d.Y.Max-0.6) // of a legend above the lines
	}
	p.setPlots([]*plot.Plot{d.Plot}, 1, width, height)
	return p, nil
}

func checkEstimates(estimates []Estimate) error {
	return cmp.Or(errorIf(len(estimates) == 0, "no estimates given, expected at least one"),
		each(estimates, func(i int, e Estimate) error {
			name := fmt.Sprintf("estimates[%d]", i)
			return cmp.Or(checkNumber(name+".Value", e.Value, false), checkNumber(name+".Paper", e.Paper, false),
				errorIf(!(e.StdErr >= 0 && e.StdErr < largest), "%s.StdErr is %g, expected a number not below 0", name, e.StdErr))
		}))
}

// dotPlot is the plot while it is drawn.
type dotPlot struct {
	DotsOptions
	estimates []Estimate
	*plot.Plot
}

// intervals returns the ends of all bars and marks.
func (d dotPlot) intervals() (low, high []float64) {
	for _, e := range d.estimates {
		ends := []float64{e.Value - e.StdErr, e.Value + e.StdErr, cmp.Or(e.Paper, e.Value)}
		low, high = append(low, slices.Min(ends)), append(high, slices.Max(ends))
	}
	return low, high
}

// lines are what a legend should not cover: the bars, as high as a line.
func (d dotPlot) lines() (lines []plotter.XYs) {
	low, high := d.intervals()
	for i := range low {
		for _, y := range []float64{-0.4 - float64(i), 0.4 - float64(i)} {
			lines = append(lines, plotter.XYs{{X: low[i], Y: y}, {X: high[i], Y: y}})
		}
	}
	return lines
}

// axes sets ranges and ticks: names at the left, numbers at the right.
func (d dotPlot) axes() {
	low, high := d.intervals()
	d.X.Min, d.X.Max = bounds(low, high)
	pad(&d.X, 0.05)
	d.X.Label.Text = d.XLabel
	if slices.ContainsFunc(d.estimates, func(e Estimate) bool { return e.StdErr > 0 }) {
		d.X.Label.Text = joined(d.XLabel, "± "+d.Interval)
	}
	names := make([]string, len(d.estimates))
	for i, e := range d.estimates {
		names[i] = e.Label
	}
	rowNames(&d.Y, names, theme.style(pointsLabel, theme.Text), 200)
}

// rowNames names the rows 0, -1, -2 ... of a plot on its axis, each shortened to a width in points.
func rowNames(y *plot.Axis, names []string, style draw.TextStyle, width vg.Length) {
	ticks := make(plot.ConstantTicks, len(names))
	for i, name := range names {
		ticks[i] = plot.Tick{Value: -float64(i), Label: ellipsis(style, name, width)}
	}
	y.Tick.Marker, y.Tick.Length, y.LineStyle.Width = ticks, 0, 0
	style.XAlign, style.YAlign = draw.XRight, draw.YCenter
	y.Tick.Label, y.Padding = style, 6
	y.Min, y.Max = -float64(len(names))+0.4, 0.6
}

// marks adds bars, marks and numbers.
func (d dotPlot) marks() {
	biggest := 0.0
	for _, e := range d.estimates {
		biggest = math.Max(biggest, math.Abs(e.Value))
	}
	numbers := &plotter.Labels{Offset: vg.Point{X: 9, Y: pointsLabel / 10}}
	style := theme.style(pointsLabel, theme.Text)
	style.YAlign = draw.YCenter
	for i, e := range d.estimates {
		y := -float64(i)
		at := plotter.XYs{{X: e.Value, Y: y}}
		if e.StdErr > 0 {
			d.Add(&plotter.XErrorBars{XYs: at, XErrors: plotter.XErrors{{Low: e.StdErr, High: e.StdErr}},
				LineStyle: draw.LineStyle{Color: theme.color(e.Role, 0), Width: 1.6}, CapWidth: 9})
		}
		d.Add(&plotter.Scatter{XYs: at, GlyphStyle: theme.glyph(e.Role, 3.4)})
		if e.Paper != 0 {
			d.Add(&plotter.Scatter{XYs: plotter.XYs{{X: e.Paper, Y: y}}, GlyphStyle: d.published()})
		}
		number := withError(e.Value, e.StdErr)
		if math.Abs(e.Value)+e.StdErr < 1e-9*biggest {
			number = "0"
		}
		numbers.XYs = append(numbers.XYs, plotter.XY{Y: y})
		numbers.Labels, numbers.TextStyle = append(numbers.Labels, number), append(numbers.TextStyle, style)
	}
	d.Add(&atRight{numbers})
}

func (d dotPlot) published() draw.GlyphStyle {
	return draw.GlyphStyle{Color: theme.Text, Radius: 5.2, Shape: diamond{}}
}

// legend names the reference numbers and reports whether there is one.
func (d dotPlot) legend() bool {
	there := slices.ContainsFunc(d.estimates, func(e Estimate) bool { return e.Paper != 0 })
	if there {
		d.Plot.Legend.Add(d.PaperLabel, &plotter.Scatter{GlyphStyle: d.published()})
	}
	return there
}

// atRight is a plotter: labels that stand to the right of the data area, whatever the range of X.
type atRight struct{ labels *plotter.Labels }

func (a *atRight) Plot(c draw.Canvas, p *plot.Plot) { a.placed(p).Plot(c, p) }

// GlyphBoxes makes room for them.
func (a *atRight) GlyphBoxes(p *plot.Plot) []plot.GlyphBox { return a.placed(p).GlyphBoxes(p) }

func (a *atRight) placed(p *plot.Plot) *plotter.Labels {
	for i := range a.labels.XYs {
		a.labels.XYs[i].X = p.X.Max
	}
	return a.labels
}
