package vmfviz

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Estimate is one line of a [Dots] picture.
type Estimate struct {
	Label string
	Value float64
	// StdErr is the standard error of Value, or what [DotsOptions.Interval] says, 0 if
	// unknown.
	StdErr float64
	// Paper is a number to compare with, for example the published one; NaN
	// or 0 means none.
	Paper float64
	// Role gives the colour; Auto means Input (blue).
	Role Role
	// Line draws a dashed line at Value through all lines, to compare them with it.
	Line bool
}

// DotsOptions describe a [Dots] picture.
type DotsOptions struct {
	Title string
	// XLabel names the quantity with its convention. What the bars are is added to it.
	XLabel string
	// LogX makes the axis logarithmic; values must be positive.
	LogX bool
	// PaperLabel names the reference numbers; "" means "paper".
	PaperLabel string
	// Interval says what the bars show on either side of a value; "" means "standard
	// error".
	Interval string
	// Legend says what the marks of a role stand for.
	Legend map[Role]string
	// Theme is the look; nil means [DefaultTheme].
	Theme *Theme
}

// Dots compares estimates, one in a line: a mark at the value, a bar from one
// standard error below to one above, the number at the right, and an open
// diamond where there is a reference number. Roles differ in the shape of the
// mark too: a disc for inputs, a square for outputs, a triangle for directions,
// a cross for references. Estimate i lies at y = −i of the plot.
//
// A few values far from all others would squeeze those; a linear axis is then
// broken between them. A value below 10⁻⁹ of the largest is rounding and is
// written as 0.
func Dots(o DotsOptions, estimates ...Estimate) (*Picture, error) {
	if err := o.check(estimates); err != nil {
		return nil, err
	}
	theme := o.Theme.or()
	d := dotPlot{o, estimates, theme, theme.NewPlot()}
	d.axes()
	d.marks()
	p := &Picture{Title: o.Title, Alt: altText(o.Title, fmt.Sprintf("%d estimates ± %s", len(estimates), o.Interval)), Theme: theme}
	height := vg.Length(20*len(estimates)) + 42
	width := fullWidth - 2*cardEdge
	data := d.DataCanvas(draw.NewCanvas(nil, width, height))
	fitted(&d.X.Label.TextStyle, d.X.Label.Text, data.Max.X-data.Min.X+60)
	if d.legend() {
		_, _, lines := d.intervals()
		if b, ok := d.X.Scale.(brokenScale); ok {
			for _, x := range []float64{b.from, b.to} {
				lines = append(lines, plotter.XYs{{X: x, Y: d.Y.Min}, {X: x, Y: d.Y.Max}})
			}
		}
		placeLegend(d.Plot, width, height, lines)
		if !d.Plot.Legend.Left { // left of the numbers
			d.Plot.Legend.XOffs -= width - data.Max.X
		}
		height += 20 * vg.Length(d.Y.Max-0.6) // of a legend above the lines
	}
	p.setPlots([]*plot.Plot{d.Plot}, 1, fullWidth, height)
	return p, nil
}

func (o *DotsOptions) check(estimates []Estimate) error {
	if o.PaperLabel == "" {
		o.PaperLabel = "paper"
	}
	if o.Interval == "" {
		o.Interval = "standard error"
	}
	texts := []struct{ name, s string }{{"Title", o.Title}, {"XLabel", o.XLabel}, {"PaperLabel", o.PaperLabel}, {"Interval", o.Interval}}
	for r := range Reference + 1 {
		texts = append(texts, struct{ name, s string }{fmt.Sprintf("Legend[%d]", r), o.Legend[r]})
	}
	for _, f := range texts {
		if err := checkText(f.name, f.s); err != nil {
			return err
		}
	}
	if len(estimates) == 0 {
		return fmt.Errorf("vmfviz: no estimates given, expected at least one")
	}
	for i, e := range estimates {
		if err := e.check(fmt.Sprintf("estimates[%d]", i), o.LogX); err != nil {
			return err
		}
	}
	return nil
}

func (e Estimate) check(name string, log bool) error {
	if err := checkText(name+".Label", e.Label); err != nil {
		return err
	}
	if math.IsNaN(e.Value) || math.Abs(e.Value) > largest {
		return fmt.Errorf("vmfviz: %s.Value is %g, expected a finite number", name, e.Value)
	}
	if !(e.StdErr >= 0 && e.StdErr < largest) {
		return fmt.Errorf("vmfviz: %s.StdErr is %g, expected a number not below 0", name, e.StdErr)
	}
	if math.Abs(e.Paper) > largest {
		return fmt.Errorf("vmfviz: %s.Paper is %g, expected a finite number, or NaN for none", name, e.Paper)
	}
	if log && (e.Value < 1/largest || (e.hasPaper() && e.Paper < 1/largest)) {
		return fmt.Errorf("vmfviz: %s: value %g, reference %g: expected positive numbers for a logarithmic axis", name, e.Value, e.Paper)
	}
	return nil
}

func (e Estimate) hasPaper() bool { return e.Paper != 0 && !math.IsNaN(e.Paper) }

// below is the length of the bar to the left of the value; that of a logarithmic
// axis ends before 0.
func (e Estimate) below(log bool) float64 {
	if log {
		return math.Min(e.StdErr, 0.9*e.Value)
	}
	return e.StdErr
}

// dotPlot is the plot while it is drawn.
type dotPlot struct {
	DotsOptions
	estimates []Estimate
	theme     *Theme
	*plot.Plot
}

// intervals returns the ends of all bars and marks, as ranges and as lines.
func (d dotPlot) intervals() (low, high []float64, lines []plotter.XYs) {
	for i, e := range d.estimates {
		lo, hi := e.Value-e.below(d.LogX), e.Value+e.StdErr
		if e.hasPaper() {
			lo, hi = math.Min(lo, e.Paper), math.Max(hi, e.Paper)
		}
		low, high = append(low, lo), append(high, hi)
		y := -float64(i)
		lines = append(lines, plotter.XYs{{X: lo, Y: y - 0.4}, {X: hi, Y: y - 0.4}}, plotter.XYs{{X: lo, Y: y + 0.4}, {X: hi, Y: y + 0.4}})
	}
	return low, high, lines
}

// axes sets ranges and ticks: names at the left, numbers at the right.
func (d dotPlot) axes() {
	low, high, _ := d.intervals()
	d.X.Min, d.X.Max = bounds(low, high)
	if d.LogX {
		logAxis(&d.X)
	}
	if b, ok := findBreak(low, high); ok && !d.LogX {
		d.X.Scale, d.X.Tick.Marker = b, b
		d.X.Min, d.X.Max = b.min, b.max
		d.Add(&axisBreak{b, d.theme.Background, draw.LineStyle{Color: d.theme.Axis, Width: 0.9}})
	} else {
		pad(&d.X, 0.05)
	}
	d.X.Label.Text = d.XLabel
	names := make(plot.ConstantTicks, len(d.estimates))
	label := d.theme.style(pointsLabel, d.theme.Text)
	for i, e := range d.estimates {
		names[i] = plot.Tick{Value: -float64(i), Label: ellipsis(label, e.Label, 200)}
		if e.StdErr > 0 && d.X.Label.Text == d.XLabel {
			d.X.Label.Text = joined(d.XLabel, "± "+d.Interval)
		}
	}
	d.Y.Tick.Marker, d.Y.Tick.Length, d.Y.LineStyle.Width = names, 0, 0
	label.XAlign, label.YAlign = draw.XRight, draw.YCenter
	d.Y.Tick.Label, d.Y.Padding = label, 6
	d.Y.Min, d.Y.Max = -float64(len(d.estimates))+0.4, 0.6
}

// joined joins texts by a comma.
func joined(a, b string) string {
	if a == "" {
		return b
	}
	return a + ", " + b
}

// marks adds lines, bars, marks and numbers.
func (d dotPlot) marks() {
	biggest := 0.0
	for i, e := range d.estimates {
		biggest = math.Max(biggest, math.Abs(e.Value))
		if e.Line {
			d.Add(&plotter.Line{XYs: plotter.XYs{{X: e.Value, Y: 0.5}, {X: e.Value, Y: 0.5 - float64(len(d.estimates))}}, LineStyle: d.level()})
		}
		at := plotter.XYs{{X: e.Value, Y: -float64(i)}}
		if e.StdErr > 0 {
			d.Add(&plotter.XErrorBars{XYs: at, XErrors: plotter.XErrors{{Low: e.below(d.LogX), High: e.StdErr}},
				LineStyle: d.bar(e.Role), CapWidth: 9})
		}
		d.Add(&plotter.Scatter{XYs: at, GlyphStyle: d.glyph(e.Role)})
		if e.hasPaper() {
			d.Add(&plotter.Scatter{XYs: plotter.XYs{{X: e.Paper, Y: -float64(i)}}, GlyphStyle: d.paper()})
		}
	}
	numbers := &plotter.Labels{Offset: vg.Point{X: 9, Y: d.Y.Tick.Label.Font.Size / 10}}
	style := d.theme.style(pointsLabel, d.theme.Text)
	style.YAlign = draw.YCenter
	for i, e := range d.estimates {
		number := withError(e.Value, e.StdErr)
		if math.Abs(e.Value)+e.StdErr < 1e-9*biggest {
			number = "0"
		}
		numbers.XYs = append(numbers.XYs, plotter.XY{Y: -float64(i)})
		numbers.Labels, numbers.TextStyle = append(numbers.Labels, number), append(numbers.TextStyle, style)
	}
	d.Add(&atRight{numbers})
}

func (d dotPlot) level() draw.LineStyle {
	return draw.LineStyle{Color: d.theme.Muted, Width: 0.9, Dashes: lineDashes[1]}
}

func (d dotPlot) bar(r Role) draw.LineStyle {
	return draw.LineStyle{Color: d.theme.color(r, 0), Width: 1.6}
}

func (d dotPlot) glyph(r Role) draw.GlyphStyle { return d.theme.glyph(r, 3.4) }

func (d dotPlot) paper() draw.GlyphStyle {
	return draw.GlyphStyle{Color: d.theme.Text, Radius: 5.2, Shape: diamond{}}
}

// legend adds an entry for each kind of mark that has a name and reports whether
// there is any.
func (d dotPlot) legend() bool {
	seen := map[string]bool{"": true}
	entry := func(name string, marks ...plot.Thumbnailer) {
		if !seen[name] {
			seen[name] = true
			d.Plot.Legend.Add(name, marks...)
		}
	}
	for _, e := range d.estimates {
		entry(d.DotsOptions.Legend[e.Role], &plotter.Scatter{GlyphStyle: d.glyph(e.Role)})
	}
	for _, e := range d.estimates {
		if e.hasPaper() {
			entry(d.PaperLabel, &plotter.Scatter{GlyphStyle: d.paper()})
		}
		if e.Line {
			entry(e.Label, &plotter.Line{LineStyle: d.level()})
		}
	}
	return len(seen) > 1
}

// atRight is a plotter: labels that stand to the right of the data area, whatever
// the range of X.
type atRight struct{ labels *plotter.Labels }

// Plot writes the labels.
func (a *atRight) Plot(c draw.Canvas, p *plot.Plot) { a.placed(p).Plot(c, p) }

// GlyphBoxes makes room for them.
func (a *atRight) GlyphBoxes(p *plot.Plot) []plot.GlyphBox { return a.placed(p).GlyphBoxes(p) }

func (a *atRight) placed(p *plot.Plot) *plotter.Labels {
	for i := range a.labels.XYs {
		a.labels.XYs[i].X = p.X.Max
	}
	return a.labels
}

// diamond is an open square that stands on its corner.
type diamond struct{}

// DrawGlyph draws the diamond.
func (diamond) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	var p vg.Path
	p.Move(vg.Point{X: at.X - s.Radius, Y: at.Y})
	p.Line(vg.Point{X: at.X, Y: at.Y + s.Radius})
	p.Line(vg.Point{X: at.X + s.Radius, Y: at.Y})
	p.Line(vg.Point{X: at.X, Y: at.Y - s.Radius})
	p.Close()
	c.SetLineStyle(draw.LineStyle{Color: s.Color, Width: 1.3})
	c.Stroke(p)
}

// saltire is a diagonal cross, thick enough to be seen on a bar; draw.CrossGlyph is not.
type saltire struct{}

// DrawGlyph draws the cross.
func (saltire) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	c.SetLineStyle(draw.LineStyle{Color: s.Color, Width: 1.6})
	for _, y := range []vg.Length{-s.Radius, s.Radius} {
		var p vg.Path
		p.Move(vg.Point{X: at.X - s.Radius, Y: at.Y - y})
		p.Line(vg.Point{X: at.X + s.Radius, Y: at.Y + y})
		c.Stroke(p)
	}
}

// ellipsis shortens a text that is wider than its room.
func ellipsis(s draw.TextStyle, txt string, room vg.Length) string {
	runes := []rune(txt)
	for len(runes) > 1 && s.Width(txt) > room {
		runes = runes[:len(runes)-1]
		txt = string(runes) + "…"
	}
	return txt
}
