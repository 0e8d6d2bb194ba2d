package vmfviz

import (
	"fmt"
	"image/color"
	"math"
)

// curvePlot is a checked panel with its ranges.
type curvePlot struct {
	CurvePanel
	x, y scale
}

func newCurvePlot(name string, p CurvePanel) (*curvePlot, error) {
	for _, f := range []struct{ name, s string }{{"Title", p.Title}, {"XLabel", p.XLabel}, {"YLabel", p.YLabel}} {
		if err := checkText(name+"."+f.name, f.s); err != nil {
			return nil, err
		}
	}
	if !(p.Smooth >= 0 && p.Smooth < 1) {
		return nil, fmt.Errorf("vmfviz: %s.Smooth = %g, expected at least 0 and below 1", name, p.Smooth)
	}
	if len(p.Series) == 0 {
		return nil, fmt.Errorf("vmfviz: %s.Series is empty, expected at least one curve", name)
	}
	p.Series = append([]Series(nil), p.Series...)
	x0, x1, y0, y1 := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for i := range p.Series {
		c := &p.Series[i]
		if err := checkSeries(fmt.Sprintf("%s.Series[%d]", name, i), p, c); err != nil {
			return nil, err
		}
		for j, v := range c.Y {
			if math.IsNaN(v) {
				continue
			}
			x0, x1 = math.Min(x0, c.X[j]), math.Max(x1, c.X[j])
			y0, y1 = math.Min(y0, v), math.Max(y1, v)
			if c.Low != nil {
				y0, y1 = math.Min(y0, c.Low[j]), math.Max(y1, c.High[j])
			}
		}
	}
	plot := &curvePlot{CurvePanel: p, x: newScale(x0, x1, p.LogX), y: newScale(y0, y1, p.LogY)}
	if !p.LogX && x1 > x0 { // time starts at the axis
		plot.x.lo = math.Max(plot.x.lo, math.Min(x0, plot.x.lo+0.04*(x1-x0)))
		plot.x.hi = x1 + 0.02*(x1-x0)
	}
	return plot, nil
}

// dashes tell curves apart without colour.
var dashes = [][]float64{nil, {7, 4}, {2, 3}, {9, 3, 2, 3}, {13, 4}, {4, 2}}

func (c *curvePlot) style(i int) (col color.NRGBA, dash []float64) {
	s := c.Series[i]
	if s.Role != Auto {
		return s.Role.color(), dashes[i%len(dashes)]
	}
	return seriesColors[i%len(seriesColors)], dashes[i%len(dashes)]
}

// legend places the entries in lines of width w and calls draw for each.
func (c *curvePlot) legend(w float64, draw func(i int, x, line float64)) (lines float64) {
	x, line := 0.0, 0.0
	for i, s := range c.Series {
		if s.Label == "" {
			continue
		}
		need := 34 + textWidth(textStyle{size: sizeLabel}, plain(s.Label)) + 18
		if x > 0 && x+need-18 > w {
			x, line = 0, line+1
		}
		draw(i, x, line)
		x += need
		lines = line + 1
	}
	return lines
}

const legendLine = 20.0

func (c *curvePlot) legendHeight(w float64) float64 {
	return legendLine*c.legend(w, func(int, float64, float64) {}) + 8
}

func (c *curvePlot) draw(s *page, b box, head, legend float64) {
	if c.Title != "" {
		s.text(pt{b.x, b.y + 13}, textStyle{size: sizeHead, bold: true, maxLen: b.w}, plain(c.Title))
	}
	ticks := ticksWidth(c.y)
	left := ticks + 8 + 24
	in := box{b.x + left, b.y + head + legend, b.w - left - 4, b.h - head - legend - 48}
	c.legend(b.w, func(i int, x, line float64) {
		col, dash := c.style(i)
		y := b.y + head + legendLine*line + 8
		s.line(stroke{width: 2.4, color: col, dash: dash}, pt{b.x + x, y}, pt{b.x + x + 28, y})
		s.text(pt{b.x + x + 34, y + 4.8}, textStyle{size: sizeLabel, maxLen: b.w - 34}, plain(c.Series[i].Label))
	})
	x, y := c.x, c.y
	x.from, x.to = in.x, in.x+in.w
	y.from, y.to = in.y+in.h, in.y
	s.frame(in, x, y, c.XLabel, c.YLabel, ticks)
	for i, v := range c.Series {
		col, _ := c.style(i)
		c.band(s, x, y, v, col)
	}
	for i, v := range c.Series {
		col, dash := c.style(i)
		if c.Smooth > 0 {
			c.curve(s, x, y, v.X, v.Y, stroke{width: 1, color: alpha(col, 0.3)})
			c.curve(s, x, y, v.X, smooth(v.Y, c.Smooth), stroke{width: 2.4, color: col, dash: dash})
		} else {
			c.curve(s, x, y, v.X, v.Y, stroke{width: 2.2, color: col, dash: dash})
		}
	}
}

// band fills the area between Low and High, gap by gap.
func (c *curvePlot) band(s *page, x, y scale, v Series, col color.NRGBA) {
	if v.Low == nil {
		return
	}
	var up, down []pt
	flush := func() {
		for i := len(down) - 1; i >= 0; i-- {
			up = append(up, down[i])
		}
		if len(up) > 2 {
			s.fill(alpha(col, 0.2), up...)
		}
		up, down = nil, nil
	}
	for i := range v.Y {
		if math.IsNaN(v.Y[i]) {
			flush()
			continue
		}
		up = append(up, pt{x.at(v.X[i]), y.at(v.High[i])})
		down = append(down, pt{x.at(v.X[i]), y.at(v.Low[i])})
	}
	flush()
}

// curve draws a line, gap by gap; a lonely point becomes a disc. A curve with
// many more points than pixels is drawn by the smallest and the largest value
// of each pixel, which looks the same.
func (c *curvePlot) curve(s *page, x, y scale, xs, ys []float64, st stroke) {
	var part []pt
	flush := func() {
		if len(part) == 1 {
			s.disc(part[0], 3, st.color)
		}
		s.line(st, thin(part)...)
		part = nil
	}
	for i := range ys {
		if math.IsNaN(ys[i]) {
			flush()
			continue
		}
		part = append(part, pt{x.at(xs[i]), y.at(ys[i])})
	}
	flush()
}
