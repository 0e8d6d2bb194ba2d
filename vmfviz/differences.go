package vmfviz

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Difference is one line of a [Differences] picture.
type Difference struct {
	Label string
	// Value is the difference from the reference in per cent, Half half the length of its interval, 0 if unknown.
	Value, Half float64
	// Repeats are the difference's values in repetitions, such as seeds, at least two of them, or nil: a dot for each, on a
	// thin line over their own 95 % interval of Student's t. A bar of another length is then thick and pale. With Half 0,
	// Value and Half are their mean and that interval.
	Repeats []float64
	// Rings are values from elsewhere, such as what others have published: a ring for each.
	Rings []float64
}

// repeated is half the length of the interval of the repeats, 0 without them.
func (d Difference) repeated() float64 {
	n := float64(len(d.Repeats))
	if n == 0 {
		return 0
	}
	return distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(0.975) * stat.StdDev(d.Repeats, nil) / math.Sqrt(n)
}

// reach is the half length of the longer interval.
func (d Difference) reach() float64 { return max(d.Half, d.repeated()) }

// one tells whether the interval is that of the repeats.
func (d Difference) one() bool { return math.Abs(d.Half-d.repeated()) < 1e-6*d.Half }

// DifferencesOptions describe a [Differences] picture.
type DifferencesOptions struct {
	// Title is what the picture shows; a long one takes several lines.
	Title string
	// Quantity names what is compared. Smaller is better, unless Up says that larger is.
	Quantity string
	Up       bool
	// Reference is what the others are compared with, and Number its own value, which stands beside its name.
	Reference, Number string
	// Ordered keeps the lines in their order, and the reference is the line at 0 alone: for one method by several scores.
	Ordered bool
	// Ends writes the ends of the intervals at the right, in place of the differences: of the repeats where there are some,
	// which are hollow, so that neighbours are seen.
	Ends bool
}

// Differences compares methods with a reference, one in a line: a mark at the difference, a bar over its 95 % interval,
// and the number at the right. The lines are sorted by value, the reference stands among them at 0. Blue is better and
// vermilion worse; grey are intervals that hold 0.
//
// Up to two fifths of the lines, each more than ten times as far from 0 as the median line reaches, stand beyond a
// break of the axis. Its letters are large enough for a telephone.
func Differences(o DifferencesOptions, lines ...Difference) (*Picture, error) {
	if err := cmp.Or(errorIf(len(lines) == 0, "no differences given, expected at least one"),
		each(lines, func(i int, d Difference) error {
			name := fmt.Sprintf("lines[%d]", i)
			return cmp.Or(checkNumber(name+".Value", d.Value, false),
				errorIf(!(d.Half >= 0 && d.Half < largest), "%s.Half is %g, expected a number not below 0", name, d.Half),
				errorIf(len(d.Repeats) == 1, "%s.Repeats has length 1, expected at least 2", name),
				each(d.Repeats, func(_ int, v float64) error { return checkNumber(name+".Repeats", v, false) }),
				each(d.Rings, func(_ int, v float64) error { return checkNumber(name+".Rings", v, false) }))
		})); err != nil {
		return nil, err
	}
	d := differencePlot{o, slices.Clone(lines), -1, theme.newPlot(), 0, 0}
	for i, l := range d.lines {
		if l.Half == 0 && l.Repeats != nil {
			d.lines[i].Value, d.lines[i].Half = stat.Mean(l.Repeats, nil), l.repeated()
		}
	}
	if !o.Ordered {
		d.lines, d.reference = append(d.lines, Difference{Label: o.Reference}), len(lines)
		d.sort()
	}
	d.axes()
	d.marks()
	title := bold(theme.style(pointsTitle, theme.Text))
	wrap(&title, &o.Title, narrowWidth-2*cardEdge)
	p := &Picture{Title: o.Title, Alt: altText(d.DifferencesOptions.Title, fmt.Sprintf("differences of %d rows from %s", len(lines), o.Reference))}
	width, height := narrowWidth-2*cardEdge, vg.Length(18*len(d.lines))+66
	p.setPlots([]*plot.Plot{d.Plot}, 1, width, height)
	return p, nil
}

// narrowWidth is the width of a picture that a telephone shows at two thirds of its size, and pointsLarge its letters.
const (
	narrowWidth = vg.Length(420)
	pointsLarge = vg.Length(11.5)
)

// differencePlot is the plot while it is drawn.
type differencePlot struct {
	DifferencesOptions
	lines     []Difference
	reference int // its place in lines, or -1
	*plot.Plot
	lo, hi float64 // the axis, without what stands beyond a break
}

// sort puts the best line first.
func (d *differencePlot) sort() {
	reference := d.lines[d.reference]
	slices.SortStableFunc(d.lines, func(a, b Difference) int {
		if d.Up {
			a, b = b, a
		}
		return cmp.Compare(a.Value, b.Value)
	})
	d.reference = slices.IndexFunc(d.lines, func(l Difference) bool { return l.Label == reference.Label && l.Value == 0 && l.Half == 0 })
}

// axes sets ranges and ticks: names at the left.
func (d *differencePlot) axes() {
	limit := d.limit()
	for _, l := range d.lines {
		if math.Abs(l.Value) <= limit {
			d.lo, d.hi = min(d.lo, max(l.Value-l.reach(), -1.5*limit)), max(d.hi, min(l.Value+l.reach(), 1.5*limit))
			for _, v := range slices.Concat(l.Repeats, l.Rings) {
				d.lo, d.hi = min(d.lo, v), max(d.hi, v)
			}
		}
	}
	if d.lo == d.hi {
		d.lo, d.hi = -1, 1
	}
	room := 0.05 * (d.hi - d.lo)
	d.lo, d.hi = d.lo-room, d.hi+room
	d.X.Min, d.X.Max = d.lo, d.hi
	for _, l := range d.lines {
		if strip := 4 * room; l.Value < d.lo {
			d.X.Min = d.lo - strip
		} else if l.Value > d.hi {
			d.X.Max = d.hi + strip
		}
	}
	d.X.Tick.Marker = plot.TickerFunc(func(float64, float64) []plot.Tick {
		inside := marks(d.lo, d.hi, 4)
		for i, m := range inside {
			if m.Value > d.hi-2*room && d.hi < d.X.Max || m.Value < d.lo+2*room && d.lo > d.X.Min {
				inside[i].Label = "" // it would touch the break
			}
			if inside[i].Label != "" {
				inside[i].Label += " %"
			}
		}
		return inside
	})
	left, right := "← better", "worse →"
	if d.Up {
		left, right = "← worse", "better →"
	}
	if d.X.Min > -2*room { // nothing stands on that side
		left = ""
	}
	if d.X.Max < 2*room {
		right = ""
	}
	d.sides(left, right)
	bars := ""
	if slices.ContainsFunc(d.lines, func(l Difference) bool { return l.reach() > 0 }) {
		bars = "95 % intervals"
	}
	d.X.Label.Text = joined(d.Quantity+" against "+strings.TrimSuffix(d.Reference, "†"), bars)
	d.X.Label.TextStyle.Font.Size, d.X.Tick.Label.Font.Size = pointsLarge, pointsLarge
	names := make([]string, len(d.lines))
	for i, l := range d.lines {
		names[i] = l.Label
	}
	rowNames(&d.Y, names, theme.style(pointsLarge, theme.Text), 190)
}

// limit is the value beyond which lines stand behind a break.
func (d *differencePlot) limit() float64 {
	var reach []float64
	for i, l := range d.lines {
		if i != d.reference {
			reach = append(reach, math.Abs(l.Value)+l.reach())
		}
	}
	slices.Sort(reach)
	limit, far := 10*stat.Quantile(0.5, stat.Empirical, reach, nil), 0
	for _, l := range d.lines {
		if math.Abs(l.Value) > limit {
			far++
		}
	}
	if far == 0 || 5*far > 2*len(reach) {
		return math.Inf(1)
	}
	return limit
}

// sides says above the lines what stands left of 0 and what right of it.
func (d *differencePlot) sides(left, right string) {
	style := theme.style(pointsLarge, theme.Text)
	style.YAlign = draw.YCenter
	for i, text := range []string{left, right} {
		style.XAlign = draw.XAlignment(i - 1)
		d.Add(&plotter.Labels{XYs: plotter.XYs{{X: 0, Y: 1}}, Labels: []string{text}, TextStyle: []draw.TextStyle{style},
			Offset: vg.Point{X: vg.Length(12*i - 6)}})
	}
}

// marks adds the line at 0, bars, marks and numbers.
func (d *differencePlot) marks() {
	bottom := 0.4 - float64(len(d.lines))
	d.Add(segment(0, 1.4, 0, bottom, draw.LineStyle{Color: theme.Axis, Width: 1.2}))
	numbers := &plotter.Labels{Offset: vg.Point{X: 9, Y: pointsLarge / 5}}
	style := theme.style(pointsLarge, theme.Text)
	style.YAlign = draw.YCenter
	for i, l := range d.lines {
		y, number := -float64(i), percent(l.Value)
		if half := cmp.Or(l.repeated(), l.Half); d.Ends {
			number = strings.TrimSuffix(percent(l.Value-half), " %") + " to " + percent(l.Value+half)
		}
		color, shape := theme.Input, draw.GlyphDrawer(draw.CircleGlyph{})
		switch {
		case i == d.reference:
			number, color = d.Number, theme.Text
		case math.Abs(l.Value) <= l.Half || l.Half == 0:
			color = theme.Reference
		case l.Value > 0 != d.Up:
			color = theme.Output
		}
		x := l.Value
		switch {
		case x > d.hi:
			x, shape = (d.hi+2*d.X.Max)/3, pointing(1)
		case x < d.lo:
			x, shape = (d.lo+2*d.X.Min)/3, pointing(-1)
		case l.Repeats != nil:
			d.repeats(l, y, color)
			shape = nothing{}
		case l.Half > 0:
			d.bar(x, l.Half, y, draw.LineStyle{Color: color, Width: 2})
		}
		d.Add(&plotter.Scatter{XYs: plotter.XYs{{X: x, Y: y}}, GlyphStyle: draw.GlyphStyle{Color: color, Radius: 3.2, Shape: shape}})
		for _, v := range l.Rings {
			d.Add(&plotter.Scatter{XYs: plotter.XYs{{X: v, Y: y}}, GlyphStyle: draw.GlyphStyle{Color: theme.Text, Radius: 3.6, Shape: draw.RingGlyph{}}})
		}
		numbers.XYs = append(numbers.XYs, plotter.XY{Y: y})
		numbers.Labels, numbers.TextStyle = append(numbers.Labels, number), append(numbers.TextStyle, style)
	}
	for _, at := range []float64{d.lo, d.hi} {
		if at > d.X.Min && at < d.X.Max {
			d.Add(&axisBreak{at})
		}
	}
	d.Add(&atRight{numbers})
}

// bar is a horizontal line over an interval.
func (d *differencePlot) bar(x, half, y float64, style draw.LineStyle) {
	d.Add(segment(max(x-half, d.lo), y, min(x+half, d.hi), y, style))
}

// repeats adds the bar and, over it, the repeats and their interval: in grey if that holds 0.
func (d *differencePlot) repeats(l Difference, y float64, color color.Color) {
	if !l.one() {
		d.bar(l.Value, l.Half, y, draw.LineStyle{Color: blend(color, theme.Background, 0.55), Width: 8})
	}
	if half := l.repeated(); !l.one() && math.Abs(l.Value) <= half {
		d.bar(l.Value, half, y, draw.LineStyle{Color: theme.Reference, Width: 1.2})
	} else if d.Ends {
		d.bar(l.Value, half, y, draw.LineStyle{Color: color, Width: 2.4})
	} else { // pale, so that dots are seen on it
		d.bar(l.Value, half, y, draw.LineStyle{Color: blend(color, theme.Background, 0.45), Width: 3.2})
	}
	mark := draw.GlyphStyle{Color: theme.Text, Radius: 2.2, Shape: draw.CircleGlyph{}}
	if d.Ends {
		mark.Radius, mark.Shape = 2.4, draw.RingGlyph{}
	}
	for _, v := range l.Repeats {
		d.Add(&plotter.Scatter{XYs: plotter.XYs{{X: v, Y: y}}, GlyphStyle: mark})
	}
}

// nothing is no mark.
type nothing struct{}

// DrawGlyph draws nothing.
func (nothing) DrawGlyph(*draw.Canvas, draw.GlyphStyle, vg.Point) {}

// percent writes a difference: whole from ten per cent on, with one decimal below.
func percent(v float64) string {
	n := 1
	if math.Abs(v) >= 9.95 {
		n = 0
	}
	switch text := decimals(v, n); {
	case text == "0.0" || text == "−0.0":
		return "0.0 %"
	case v > 0:
		return "+" + text + " %"
	default:
		return text + " %"
	}
}

// pointing is the mark of a value beyond a break: a triangle to the right (1) or to the left (-1).
type pointing float64

// DrawGlyph draws the triangle.
func (s pointing) DrawGlyph(c *draw.Canvas, g draw.GlyphStyle, at vg.Point) {
	r, side := 1.2*g.Radius, vg.Length(s)
	c.SetColor(g.Color)
	c.Fill(polygon(vg.Point{X: at.X + side*r, Y: at.Y}, vg.Point{X: at.X - side*r, Y: at.Y + r}, vg.Point{X: at.X - side*r, Y: at.Y - r}))
}

// axisBreak is a plotter: it hides a piece of grid and axis and draws two strokes across the axis.
type axisBreak struct{ at float64 }

func (a *axisBreak) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	l, r := x(a.at)-3, x(a.at)+3
	foot, top := c.Min.Y-2, c.Max.Y
	c.FillPolygon(theme.Background, []vg.Point{{X: l, Y: foot}, {X: r, Y: foot}, {X: r, Y: top}, {X: l, Y: top}})
	stroke := draw.LineStyle{Color: theme.Axis, Width: 0.9}
	dotted := draw.LineStyle{Color: theme.Axis, Width: 0.6, Dashes: []vg.Length{1.5, 3}}
	for _, at := range []vg.Length{l, r} {
		c.StrokeLine2(stroke, at-2, c.Min.Y-4.5, at+2, c.Min.Y+4.5)
		c.StrokeLine2(dotted, at, c.Min.Y+6, at, top)
	}
}
