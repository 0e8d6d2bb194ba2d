package vmfviz

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// maxSteps is how many steps of a quantile function are drawn; of larger clouds
// evenly many order statistics.
const maxSteps = 400

// w1 is the distance W₁ of the projections: the area between their quantile
// functions.
func (c *sliced) w1() float64 {
	var sum float64
	for i := range c.a {
		sum += math.Abs(c.a[c.pa[i]] - c.b[c.pb[i]])
	}
	return sum / float64(len(c.a))
}

// quantileSteps returns the corners of the quantile function of a, whose i-th
// smallest value fills the levels from i/m to (i+1)/m.
func quantileSteps(a []float64, order []int) plotter.XYs {
	k := min(len(a), maxSteps)
	corners := make(plotter.XYs, 0, 2*k)
	for i := range k {
		v := a[order[(2*i+1)*len(a)/(2*k)]]
		corners = append(corners, plotter.XY{X: float64(i) / float64(k), Y: v}, plotter.XY{X: float64(i+1) / float64(k), Y: v})
	}
	return corners
}

// quantilePlot draws both quantile functions, the area between them and the
// gaps of the pairs that the matching joins, in a plot of size w by h.
func (c *sliced) quantilePlot(t *Theme, w, h vg.Length) *plot.Plot {
	p := t.NewPlot()
	x, y := quantileSteps(c.a, c.pa), quantileSteps(c.b, c.pb)
	area := append(plotter.XYs(nil), x...)
	for i := len(y) - 1; i >= 0; i-- {
		area = append(area, y[i])
	}
	p.Add(&plotter.Polygon{XYs: []plotter.XYs{area}, Color: faded(t.color(Auto, 5), 0.35)})
	for _, rank := range c.pairs {
		at := (float64(rank) + 0.5) / float64(len(c.a))
		gap := plotter.XYs{{X: at, Y: c.a[c.pa[rank]]}, {X: at, Y: c.b[c.pb[rank]]}}
		p.Add(&plotter.Line{XYs: gap, LineStyle: draw.LineStyle{Color: faded(t.Text, 0.6), Width: 0.9}})
	}
	for k, steps := range []plotter.XYs{x, y} {
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
	placeLegend(p, w, h, []plotter.XYs{x, y})
	return p
}
