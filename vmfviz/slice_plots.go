package vmfviz

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// projectionPlot draws the clouds, the direction beside them, and the way of some points to it. Its
// axes are those of the picture plane, in units of the clouds.
func (c *sliced) projectionPlot() *plot.Plot {
	p := theme.bare()
	p.HideAxes()
	p.Add(&equalAspect{})
	n := len(c.x.points)
	line := beside(c.cam.flat(append(slices.Clone(c.x.points), c.y.points...)), c.cam.flat([]vec3{c.theta})[0])
	var marked, feet [2]plotter.XYs
	for k, cloud := range []projected{c.x, c.y} {
		role, page := Input+Role(k), c.cam.flat(cloud.points)
		g := theme.glyph(role, dotRadius(n))
		if n > len(c.pairs) {
			g.Color = faded(g.Color, 0.45)
		}
		p.Add(&plotter.Scatter{XYs: page, GlyphStyle: g})
		for _, rank := range c.pairs {
			at, s := page[cloud.order[rank]], cloud.sorted[rank]
			marked[k], feet[k] = append(marked[k], at), append(feet[k], line.foot(s, 0.018*float64(2*k-1)))
			style := draw.LineStyle{Color: faded(theme.color(role, 0), 0.75), Width: 0.75, Dashes: []vg.Length{2.2, 1.8}}
			p.Add(&plotter.Line{XYs: plotter.XYs{at, line.foot(s, 0)}, LineStyle: style})
		}
	}
	line.draw(p, 1.9)
	for k := range marked {
		p.Legend.Add([]string{"cloud X", "cloud Y"}[k], seamed(p, marked[k], Input+Role(k), 2.6))
		seamed(p, feet[k], Input+Role(k), 2)
	}
	p.X.Label.Text = fmt.Sprintf("aᵢ = θ·xᵢ,  bᵢ = θ·yᵢ,  i = 1 … %d", n)
	p.Legend.Top, p.Legend.Left = true, true
	p.Y.Max = at(&p.Y, 1.15) // room for the legend
	return p
}

// sideLine is the line of a direction in the picture plane, drawn beside points so that it hides
// none of them; only its direction matters for what is projected.
type sideLine struct {
	along, side plotter.XY // unit vectors
	reach, size float64    // distance of the line from the origin, extent of the points along it
	tail, tip   plotter.XY // of its arrow
}

// beside places the line of a direction below points or to the right of them.
func beside(points plotter.XYs, along plotter.XY) sideLine {
	l := sideLine{along: along, side: plotter.XY{X: along.Y, Y: -along.X}, reach: math.Inf(-1)}
	if l.side.Y > 0.05 || (math.Abs(l.side.Y) <= 0.05 && l.side.X < 0) {
		l.side = plotter.XY{X: -l.side.X, Y: -l.side.Y}
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, q := range points {
		s := q.X*along.X + q.Y*along.Y
		lo, hi = math.Min(lo, s), math.Max(hi, s)
		l.reach = math.Max(l.reach, q.X*l.side.X+q.Y*l.side.Y)
	}
	l.size = math.Max(hi-lo, 1e-9)
	l.reach += 0.13 * l.size
	l.tail, l.tip = l.foot(lo-0.06*l.size, 0), l.foot(hi+0.15*l.size, 0)
	return l
}

// foot returns the place of the projection s, off the line by a share of the extent so that no mark
// hides another: on the side of the points for a negative one.
func (l sideLine) foot(s, off float64) plotter.XY {
	away := l.reach + off*l.size
	return plotter.XY{X: s*l.along.X + away*l.side.X, Y: s*l.along.Y + away*l.side.Y}
}

// draw draws the line as an arrow with its letter.
func (l sideLine) draw(p *plot.Plot, width vg.Length) {
	dark := theme.dark(theme.Direction)
	edges := []draw.LineStyle{{Color: dark, Width: 1.5}}
	p.Add(&arrow{From: l.tail, To: l.tip, Color: theme.Direction, Width: width, Edges: edges})
	offset := vg.Point{X: vg.Length(9.5 * l.along.X), Y: vg.Length(9.5 * l.along.Y)}
	label(p, l.tip, "θ", italic(bold(theme.style(13, dark))), offset, false)
}

// matchingPlot draws the sorted projections on two lines, at the heights 1 and 0, pairs joined, and
// outside of them the densities of all projections, unless they are few.
func (c *sliced) matchingPlot() *plot.Plot {
	p := theme.bare()
	if dot(c.cam.right, c.theta) < -1e-6 { // the arrow points to the left
		p.X.Scale = plot.InvertedScale{Normalizer: plot.LinearScale{}}
	}
	lo, hi := bounds(c.x.sorted, c.y.sorted)
	off := 0.04 * math.Max(hi-lo, 1e-9)
	lo, hi = lo-off, hi+off
	const bins, few, gap = 28, 30, 0.08
	height := 0.5
	if len(c.x.sorted) < few {
		height = 0
	}
	above, below := histogram(c.x.sorted, lo, hi, bins), histogram(c.y.sorted, lo, hi, bins)
	unit := height / tallest(append(above, below...)...) // one scale for both
	for i := range bins {
		p.Add(column(above[i], 1+gap, unit, faded(theme.Input, 0.3)), column(below[i], -gap, -unit, faded(theme.Output, 0.3)))
	}
	for k, y := range []float64{1, 0} {
		p.Add(segment(lo, y, hi, y, draw.LineStyle{Color: theme.color(Input+Role(k), 0), Width: 1.2}))
	}
	var a, b plotter.XYs
	for _, rank := range c.pairs {
		pair := segment(c.x.sorted[rank], 1, c.y.sorted[rank], 0, draw.LineStyle{Color: faded(theme.Text, 0.6), Width: 1})
		p.Add(pair)
		a, b = append(a, pair.XYs[0]), append(b, pair.XYs[1])
	}
	seamed(p, a, Input, 2.6)
	seamed(p, b, Output, 2.6)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = lo, hi, -gap-height-0.04, 1+gap+height+0.04
	p.Y.Tick.Marker = plot.ConstantTicks{{Value: 1, Label: "a₍ᵢ₎"}, {Value: 0, Label: "b₍ᵢ₎"}}
	p.Y.Tick.Length, p.Y.LineStyle.Width, p.Y.Padding = 0, 0, 4
	p.Y.Tick.Label.Color, p.Y.Tick.Label.Font.Size = theme.Text, pointsHead
	factor := ""
	if c.opt.Convention == MeanOverPoints {
		factor = "1/m "
	}
	p.X.Label.Padding = 5
	cost := c.cost
	if cost < 1e-12*(hi-lo)*(hi-lo) { // rounding alone
		cost = 0
	}
	p.X.Label.Text = "position along θ\nF(θ) = " + factor + "∑ᵢ (a₍ᵢ₎ − b₍ᵢ₎)² = " + short(cost, 3)
	return p
}

// column is one column of a histogram whose foot stands at a height.
func column(b plotter.HistogramBin, foot, unit float64, fill color.Color) *plotter.Polygon {
	inset := 0.06 * (b.Max - b.Min)
	return rectangle(b.Min+inset, b.Max-inset, foot, foot+unit*b.Weight, fill)
}

func rectangle(xmin, xmax, ymin, ymax float64, fill color.Color) *plotter.Polygon {
	corners := plotter.XYs{{X: xmin, Y: ymin}, {X: xmax, Y: ymin}, {X: xmax, Y: ymax}, {X: xmin, Y: ymax}}
	return &plotter.Polygon{Color: fill, XYs: []plotter.XYs{corners}}
}

// histogram counts values in equal bins of [lo, hi].
func histogram(v []float64, lo, hi float64, n int) []plotter.HistogramBin {
	bins := make([]plotter.HistogramBin, n)
	edges := floats.Span(make([]float64, n+1), lo, hi)
	for i := range bins {
		bins[i].Min, bins[i].Max = edges[i], edges[i+1]
	}
	for _, x := range v {
		i := int(float64(n) * (x - lo) / (hi - lo))
		bins[min(max(i, 0), n-1)].Weight++
	}
	return bins
}

// tallest returns the largest number of values in a bin.
func tallest(bins ...plotter.HistogramBin) (top float64) {
	for _, b := range bins {
		top = math.Max(top, b.Weight)
	}
	return top
}

// maxSteps is how many steps of a quantile function are drawn; of larger clouds evenly many order
// statistics.
const maxSteps = 400

// w1 is the distance W₁ of the projections: the area between their quantile functions.
func (c *sliced) w1() float64 {
	return floats.Distance(c.x.sorted, c.y.sorted, 1) / float64(len(c.x.sorted))
}

// steps returns the corners of the quantile function, whose i-th smallest value fills the levels
// from i/m to (i+1)/m.
func (p projected) steps() (corners plotter.XYs) {
	k := min(len(p.sorted), maxSteps)
	for i := range k {
		v := p.sorted[(2*i+1)*len(p.sorted)/(2*k)]
		lo, hi := float64(i)/float64(k), float64(i+1)/float64(k)
		corners = append(corners, plotter.XY{X: lo, Y: v}, plotter.XY{X: hi, Y: v})
	}
	return corners
}

// quantilePlot draws both quantile functions, the area between them and the gaps of the pairs that
// the matching joins, in a plot of size w by h.
func (c *sliced) quantilePlot(w, h vg.Length) *plot.Plot {
	p := theme.newPlot()
	lines := []plotter.XYs{c.x.steps(), c.y.steps()}
	back := slices.Clone(lines[1])
	slices.Reverse(back)
	area := append(slices.Clone(lines[0]), back...)
	p.Add(&plotter.Polygon{XYs: []plotter.XYs{area}, Color: faded(theme.color(Auto, 5), 0.35)})
	for _, rank := range c.pairs {
		at := (float64(rank) + 0.5) / float64(len(c.x.sorted))
		style := draw.LineStyle{Color: faded(theme.Text, 0.6), Width: 0.9}
		p.Add(segment(at, c.x.sorted[rank], at, c.y.sorted[rank], style))
	}
	for k, steps := range lines {
		l := &plotter.Line{XYs: steps, LineStyle: draw.LineStyle{Color: theme.color(Input+Role(k), 0), Width: 1.6,
			Dashes: lineDashes[k]}}
		p.Add(l)
		p.Legend.Add([]string{"a₍ᵢ₎", "b₍ᵢ₎"}[k], l)
	}
	p.X.Min, p.X.Max = 0, 1
	if p.Y.Min == p.Y.Max {
		pad(&p.Y, 0.04)
	}
	p.Y.Min, p.Y.Max = at(&p.Y, -0.04), at(&p.Y, 1.04)
	p.Y.Label.Text = "position along θ"
	p.X.Label.Padding = 5
	p.X.Label.Text = "level i/m of the i-th smallest\narea = W₁ = 1/m ∑ᵢ |a₍ᵢ₎ − b₍ᵢ₎| = " + short(c.w1(), 3)
	placeLegend(p, w, h, lines, false)
	return p
}

// averagePlot draws the histogram of the costs with their mean, its standard error if it has one,
// and the cost of the slice, in a plot of size w by h.
func (c *sliced) averagePlot(values []float64, w, h vg.Length) *plot.Plot {
	p := theme.newPlot()
	mean, stderr := stat.Mean(values, nil), c.opt.StdErr
	lo, hi := bounds(values) // the bins are the same for every slice
	if d := 0.1 * math.Max(math.Abs(hi), 1e-8); hi-lo <= 1e-8*d {
		lo, hi = lo-d, hi+d
	}
	p.X.Min, p.X.Max = bounds([]float64{lo, hi, c.cost})
	p.X.Min, p.X.Max = at(&p.X, -0.04), at(&p.X, 1.04) // a line at 0 is seen beside the axis
	n := int(math.Max(8, math.Min(26, 1.6*math.Sqrt(float64(len(values))))))
	bars := &plotter.Histogram{Bins: histogram(values, lo, hi, n), FillColor: faded(theme.Reference, 0.35)}
	bars.LineStyle = draw.LineStyle{Color: theme.Background, Width: 0.75}
	p.Add(bars)
	top := tallest(bars.Bins...)
	middle := segment(mean, 0, mean, top, draw.LineStyle{Color: theme.Text, Width: 1.5})
	this := segment(c.cost, 0, c.cost, top, draw.LineStyle{Color: theme.Direction, Width: 1.8, Dashes: lineDashes[1]})
	if stderr > 0 {
		band := rectangle(mean-stderr, mean+stderr, 0, top, faded(theme.Text, 0.25))
		p.Add(band)
		p.Legend.Add("mean ± standard error", band, middle)
	} else {
		p.Legend.Add("mean", middle)
	}
	p.Legend.Add("this θ", this)
	p.Add(middle, this)
	p.Y.Min, p.Y.Max = 0, 1.04*top
	p.Y.Tick.Marker = plot.TickerFunc(wholeTicks)
	p.Y.Label.Text = "number of directions"
	factor := ""
	if c.opt.Convention == SumOverPoints {
		factor = "m "
	}
	p.X.Label.Padding = 5
	p.X.Label.Text = fmt.Sprintf("F(θ) of %d directions\n%sSW² = %s", len(values), factor, withError(mean, stderr))
	lines := []plotter.XYs{middle.XYs, this.XYs}
	for _, b := range bars.Bins {
		lines = append(lines, plotter.XYs{{X: b.Min, Y: 0}, {X: b.Min, Y: b.Weight}, {X: b.Max, Y: b.Weight}, {X: b.Max, Y: 0}})
	}
	placeLegend(p, w, h, lines, false)
	return p
}

// wholeTicks marks whole numbers only.
func wholeTicks(lo, hi float64) []plot.Tick {
	return slices.DeleteFunc(marks(lo, hi, 4), func(m plot.Tick) bool { return m.Value != math.Round(m.Value) })
}
