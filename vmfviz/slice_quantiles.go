package vmfviz

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// maxSteps is how many steps of a quantile function are drawn; of larger clouds evenly many order
// statistics.
const maxSteps = 400

// w1 is the distance W₁ of the projections: the area between their quantile functions.
func (c *sliced) w1() (mean float64) {
	for i := range c.x.at {
		mean += math.Abs(c.x.ranked(i)-c.y.ranked(i)) / float64(len(c.x.at))
	}
	return mean
}

// steps returns the corners of the quantile function, whose i-th smallest value fills the levels
// from i/m to (i+1)/m.
func (p projected) steps() (corners plotter.XYs) {
	k := min(len(p.at), maxSteps)
	for i := range k {
		v := p.ranked((2*i + 1) * len(p.at) / (2 * k))
		corners = append(corners, plotter.XY{X: float64(i) / float64(k), Y: v}, plotter.XY{X: float64(i+1) / float64(k), Y: v})
	}
	return corners
}

// quantilePlot draws both quantile functions, the area between them and the gaps of the pairs that
// the matching joins, in a plot of size w by h.
func (c *sliced) quantilePlot(t *Theme, w, h vg.Length) *plot.Plot {
	p := t.NewPlot()
	lines := []plotter.XYs{c.x.steps(), c.y.steps()}
	back := slices.Clone(lines[1])
	slices.Reverse(back)
	p.Add(&plotter.Polygon{XYs: []plotter.XYs{append(slices.Clone(lines[0]), back...)}, Color: faded(t.color(Auto, 5), 0.35)})
	for _, rank := range c.pairs {
		at := (float64(rank) + 0.5) / float64(len(c.x.at))
		gap := plotter.XYs{{X: at, Y: c.x.ranked(rank)}, {X: at, Y: c.y.ranked(rank)}}
		p.Add(&plotter.Line{XYs: gap, LineStyle: draw.LineStyle{Color: faded(t.Text, 0.6), Width: 0.9}})
	}
	for k, steps := range lines {
		l := &plotter.Line{XYs: steps, LineStyle: draw.LineStyle{Color: t.color(Input+Role(k), 0), Width: 1.6, Dashes: lineDashes[k]}}
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
