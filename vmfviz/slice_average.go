package vmfviz

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// averagePlot draws the histogram of the costs with their mean, its standard error and the cost of
// the slice, in a plot of size w by h.
func (c *sliced) averagePlot(t *Theme, values []float64, w, h vg.Length) *plot.Plot {
	p := t.NewPlot()
	mean, stderr := meanStdErr(values)
	p.X.Min, p.X.Max = bounds(values, []float64{c.cost, mean})
	pad(&p.X, 0.04)
	n := int(math.Max(8, math.Min(26, 1.6*math.Sqrt(float64(len(values))))))
	bars := &plotter.Histogram{Bins: histogram(values, p.X.Min, p.X.Max, n), FillColor: faded(t.Reference, 0.35)}
	bars.LineStyle = draw.LineStyle{Color: t.Background, Width: 0.75}
	p.Add(bars)
	top := tallest(bars.Bins...)
	upright := func(at float64, style draw.LineStyle) *plotter.Line {
		return &plotter.Line{XYs: plotter.XYs{{X: at, Y: 0}, {X: at, Y: top}}, LineStyle: style}
	}
	middle := upright(mean, draw.LineStyle{Color: t.Text, Width: 1.5})
	this := upright(c.cost, draw.LineStyle{Color: t.Direction, Width: 1.8, Dashes: lineDashes[1]})
	if stderr > 0 {
		lo, hi := mean-stderr, mean+stderr
		band := &plotter.Polygon{Color: faded(t.Text, 0.25), XYs: []plotter.XYs{{{X: lo, Y: 0}, {X: hi, Y: 0}, {X: hi, Y: top}, {X: lo, Y: top}}}}
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
		lines = append(lines, plotter.XYs{{X: b.Min, Y: b.Weight}, {X: b.Max, Y: b.Weight}})
	}
	placeLegend(p, w, h, lines, false)
	return p
}

// wholeTicks marks whole numbers only.
func wholeTicks(lo, hi float64) []plot.Tick {
	return slices.DeleteFunc(marks(lo, hi, 4), func(m plot.Tick) bool { return m.Value != math.Round(m.Value) })
}

// meanStdErr returns the mean and s/√n, 0 for a single value.
func meanStdErr(v []float64) (mean, stderr float64) {
	mean, sd := stat.MeanStdDev(v, nil)
	if len(v) < 2 {
		return mean, 0
	}
	return mean, stat.StdErr(sd, float64(len(v)))
}
