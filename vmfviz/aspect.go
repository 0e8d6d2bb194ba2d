package vmfviz

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

// equalAspect makes a unit of X as long on the page as a unit of Y, by widening
// the range of one of them. It draws nothing, is added before all plotters that
// rely on it, and is embedded in those that always do. Other limits that the user
// sets are obeyed.
type equalAspect struct{ given, widened [4]float64 }

// Plot widens the ranges of p for the canvas c.
func (e *equalAspect) Plot(c draw.Canvas, p *plot.Plot) {
	now := [4]float64{p.X.Min, p.X.Max, p.Y.Min, p.Y.Max}
	if now != e.widened { // not by an earlier drawing
		e.given = now
	}
	r := e.given
	w, h := r[1]-r[0], r[3]-r[2]
	pw, ph := float64(c.Max.X-c.Min.X), float64(c.Max.Y-c.Min.Y)
	if w*ph < h*pw {
		d := (h*pw/ph - w) / 2
		r[0], r[1] = r[0]-d, r[1]+d
	} else {
		d := (w*ph/pw - h) / 2
		r[2], r[3] = r[2]-d, r[3]+d
	}
	e.widened = r
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = r[0], r[1], r[2], r[3]
}
