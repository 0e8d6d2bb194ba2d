package vmfviz

import (
	"image/color"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// matchingPlot draws the sorted projections on two lines, at the heights 1 and 0, pairs joined, and
// outside of them the densities of all projections.
func (c *sliced) matchingPlot(t *Theme) *plot.Plot {
	p := t.bare()
	if dot(c.cam.right, c.theta) < -1e-6 { // the arrow points to the left
		p.X.Scale = plot.InvertedScale{Normalizer: plot.LinearScale{}}
	}
	lo, hi := bounds(c.x.at, c.y.at)
	off := 0.04 * math.Max(hi-lo, 1e-9)
	lo, hi = lo-off, hi+off
	const bins, height, gap = 28, 0.5, 0.08
	above, below := histogram(c.x.at, lo, hi, bins), histogram(c.y.at, lo, hi, bins)
	unit := height / tallest(append(above, below...)...) // one scale for both
	for i := range bins {
		p.Add(column(above[i], 1+gap, unit, faded(t.Input, 0.3)), column(below[i], -gap, -unit, faded(t.Output, 0.3)))
	}
	for k, y := range []float64{1, 0} {
		p.Add(&plotter.Line{XYs: plotter.XYs{{X: lo, Y: y}, {X: hi, Y: y}}, LineStyle: draw.LineStyle{Color: t.color(Input+Role(k), 0), Width: 1.2}})
	}
	var a, b plotter.XYs
	for _, rank := range c.pairs {
		pair := plotter.XYs{{X: c.x.ranked(rank), Y: 1}, {X: c.y.ranked(rank), Y: 0}}
		p.Add(&plotter.Line{XYs: pair, LineStyle: draw.LineStyle{Color: faded(t.Text, 0.6), Width: 1}})
		a, b = append(a, pair[0]), append(b, pair[1])
	}
	seamed(p, t, a, Input, 2.6)
	seamed(p, t, b, Output, 2.6)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = lo, hi, -gap-height-0.04, 1+gap+height+0.04
	p.Y.Tick.Marker = plot.ConstantTicks{{Value: 1, Label: "a₍ᵢ₎"}, {Value: 0, Label: "b₍ᵢ₎"}}
	p.Y.Tick.Length, p.Y.LineStyle.Width, p.Y.Padding = 0, 0, 4
	p.Y.Tick.Label.Color, p.Y.Tick.Label.Font.Size = t.Text, pointsHead
	factor := ""
	if c.opt.Convention == MeanOverPoints {
		factor = "1/m "
	}
	p.X.Label.Padding = 5
	p.X.Label.Text = "position along θ\nF(θ) = " + factor + "∑ᵢ (a₍ᵢ₎ − b₍ᵢ₎)² = " + short(c.cost, 3)
	return p
}

// column is one column of a histogram whose foot stands at a height.
func column(b plotter.HistogramBin, foot, unit float64, fill color.Color) *plotter.Polygon {
	top, inset := foot+unit*b.Weight, 0.06*(b.Max-b.Min)
	return &plotter.Polygon{Color: fill, XYs: []plotter.XYs{{
		{X: b.Min + inset, Y: foot}, {X: b.Max - inset, Y: foot}, {X: b.Max - inset, Y: top}, {X: b.Min + inset, Y: top}}}}
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
