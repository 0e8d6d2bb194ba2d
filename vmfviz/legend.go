package vmfviz

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// placeLegend puts the legend of a plot of size w by h into a corner that the
// lines do not cross. Where there is none, it makes room above them.
func placeLegend(p *plot.Plot, w, h vg.Length, lines []plotter.XYs) {
	const inset = 5
	data := p.DataCanvas(draw.NewCanvas(nil, w, h))
	size := p.Legend.Rectangle(data).Size()
	lw := float64((size.X + 3*inset) / (data.Max.X - data.Min.X))
	lh := float64((size.Y + 2*inset) / (data.Max.Y - data.Min.Y))
	for _, corner := range []struct{ top, left bool }{{true, false}, {true, true}, {false, false}, {false, true}} {
		p.Legend.Top, p.Legend.Left = corner.top, corner.left
		if !crosses(p, lines, lw, lh) {
			p.Legend.XOffs, p.Legend.YOffs = -inset, -inset
			if corner.left {
				p.Legend.XOffs = inset
			}
			if !corner.top {
				p.Legend.YOffs = inset
			}
			return
		}
	}
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.XOffs, p.Legend.YOffs = inset, -inset
	p.Y.Max = at(&p.Y, 1/(1-min(lh, 0.6)))
}

// crosses reports whether a line enters the corner of the legend, which takes
// the fractions w and h of the plot.
func crosses(p *plot.Plot, lines []plotter.XYs, w, h float64) bool {
	inside := func(x, y float64) bool {
		if !p.Legend.Left {
			x = 1 - x
		}
		if p.Legend.Top {
			y = 1 - y
		}
		return x < w && y < h
	}
	const steps = 20 // places on each piece of a line
	for _, l := range lines {
		for i := range l {
			x1, y1 := p.X.Norm(l[i].X), p.Y.Norm(l[i].Y)
			x0, y0 := x1, y1
			if i > 0 {
				x0, y0 = p.X.Norm(l[i-1].X), p.Y.Norm(l[i-1].Y)
			}
			for k := range steps + 1 {
				t := float64(k) / steps
				if inside(x0+t*(x1-x0), y0+t*(y1-y0)) {
					return true
				}
			}
		}
	}
	return false
}
