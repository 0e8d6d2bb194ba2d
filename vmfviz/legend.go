package vmfviz

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// placeLegend puts the legend of a plot of size w by h into a corner that the lines do not
// cross. Where there is none it stands at the right of the data, or in room made above them.
func placeLegend(p *plot.Plot, w, h vg.Length, lines []plotter.XYs, right bool) {
	const inset = 5
	data := p.DataCanvas(draw.NewCanvas(nil, w, h))
	size := p.Legend.Rectangle(data).Size().Add(vg.Point{X: 2 * inset, Y: 2 * inset})
	lw, lh := float64(size.X/(data.Max.X-data.Min.X)), float64(size.Y/(data.Max.Y-data.Min.Y))
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
	p.Legend.Top, p.Legend.Left = true, !right
	if right {
		p.Add(&margin{size.X})
		return
	}
	p.Legend.XOffs, p.Legend.YOffs = inset, -inset
	p.Y.Max = at(&p.Y, 1/(1-min(lh, 0.6)))
}

// margin is a plotter that keeps a width at the right of the data free.
type margin struct{ width vg.Length }

// Plot draws nothing.
func (m *margin) Plot(draw.Canvas, *plot.Plot) {}

// GlyphBoxes is the room.
func (m *margin) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	return []plot.GlyphBox{{X: 1, Rectangle: vg.Rectangle{Max: vg.Point{X: m.width}}}}
}

// crosses reports whether a line enters the corner of the legend, which takes
// the fractions w and h of the plot.
func crosses(p *plot.Plot, lines []plotter.XYs, w, h float64) bool {
	place := func(q plotter.XY) (x, y float64) { // from the corner
		if x, y = p.X.Norm(q.X), p.Y.Norm(q.Y); !p.Legend.Left {
			x = 1 - x
		}
		if p.Legend.Top {
			y = 1 - y
		}
		return x, y
	}
	const steps = 20 // places on each piece of a line
	for _, l := range lines {
		for i := range l {
			x0, y0 := place(l[max(i-1, 0)])
			x1, y1 := place(l[i])
			for k := range steps + 1 {
				t := float64(k) / steps
				if x0+t*(x1-x0) < w && y0+t*(y1-y0) < h {
					return true
				}
			}
		}
	}
	return false
}
