package vmfviz

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// averagePlot draws the histogram of the costs with their mean, its standard error
// and the cost of the slice, in a plot of size w by h.
func (c *sliced) averagePlot(t *Theme, values []float64, w, h vg.Length) *plot.Plot {
	p := t.NewPlot()
	mean, stderr := meanStdErr(values)
	p.X.Min, p.X.Max = bounds(values, []float64{c.cost, mean})
	pad(&p.X, 0.04)
	n := int(math.Max(8, math.Min(26, 1.6*math.Sqrt(float64(len(values))))))
	bars := &plotter.Histogram{Bins: histogram(values, p.X.Min, p.X.Max, n), FillColor: faded(t.Reference, 0.35)}
	bars.LineStyle = draw.LineStyle{Color: t.Background, Width: 0.75}
	p.Add(bars)
	top := tallest(bars.Bins)
	upright := func(at float64) plotter.XYs { return plotter.XYs{{X: at, Y: 0}, {X: at, Y: top}} }
	thumbs := []plot.Thumbnailer{}
	if stderr > 0 {
		band := &plotter.Polygon{Color: faded(t.Text, 0.25), XYs: []plotter.XYs{{
			{X: mean - stderr, Y: 0}, {X: mean + stderr, Y: 0}, {X: mean + stderr, Y: top}, {X: mean - stderr, Y: top}}}}
		p.Add(band)
		thumbs = append(thumbs, band)
	}
	middle := &plotter.Line{XYs: upright(mean), LineStyle: draw.LineStyle{Color: t.Text, Width: 1.5}}
	this := &plotter.Line{XYs: upright(c.cost), LineStyle: draw.LineStyle{Color: t.Direction, Width: 1.8, Dashes: lineDashes[1]}}
	p.Add(middle, this)
	name := "mean ± standard error"
	if stderr == 0 {
		name = "mean"
	}
	p.Legend.Add(name, append(thumbs, middle)...)
	p.Legend.Add("this θ", this)
	p.Y.Min, p.Y.Max = 0, 1.04*top
	p.Y.Tick.Marker = wholeTicks{}
	p.Y.Label.Text = "number of directions"
	factor := ""
	if c.opt.Convention == SumOverPoints {
		factor = "m "
	}
	p.X.Label.Padding = 5
	p.X.Label.Text = fmt.Sprintf("F(θ) of %d directions\n%sSW² = %s", len(values), factor, withError(mean, stderr))
	lines := []plotter.XYs{upright(mean), upright(c.cost)}
	for _, b := range bars.Bins {
		lines = append(lines, plotter.XYs{{X: b.Min, Y: b.Weight}, {X: b.Max, Y: b.Weight}})
	}
	placeLegend(p, w, h, lines)
	return p
}

// wholeTicks marks whole numbers only.
type wholeTicks struct{}

// Ticks returns the marks between two numbers.
func (wholeTicks) Ticks(lo, hi float64) []plot.Tick {
	var whole []plot.Tick
	for _, m := range marks(lo, hi, 4) {
		if m.Value == math.Round(m.Value) {
			whole = append(whole, m)
		}
	}
	return whole
}
