package vmfviz

import (
	"fmt"
	"image/color"
	"math"
)

// Series is one curve.
type Series struct {
	Label string
	// X and Y are the points, X not decreasing. A nil X means 1, 2, 3, ...
	// A NaN in Y is a gap.
	X, Y []float64
	// Low and High bound a band around the curve, for example ± one standard
	// error; nil means none.
	Low, High []float64
	// Role gives the colour; Auto takes the next of the palette.
	Role Role
}

// CurvePanel is one plot of a [Curves] picture.
type CurvePanel struct {
	Title string
	// XLabel and YLabel name what the axes show, with its unit or convention,
	// for example "step" and "SW² (sum over points)".
	XLabel, YLabel string
	// LogX and LogY make an axis logarithmic; its values must be positive.
	LogX, LogY bool
	// Smooth, from 0 (off) to below 1, draws on top of each curve, then pale,
	// its exponential moving average sᵢ = Smooth·sᵢ₋₁ + (1 − Smooth)·yᵢ without
	// the bias of the start (divided by 1 − Smoothⁱ).
	Smooth float64
	Series []Series
}

// CurvesOptions are what the panels of a [Curves] picture share.
type CurvesOptions struct {
	Title string
	// Height of the plots in pixels; 0 means 280.
	Height int
}

// Curves draws plots of curves side by side, up to three in a row: training
// losses, an ascent, errors against the number of slices. Curves differ in
// colour and in dashes, so that they can be told apart in greyscale.
func Curves(o CurvesOptions, panels ...CurvePanel) (*Picture, error) {
	if err := checkText("Title", o.Title); err != nil {
		return nil, err
	}
	if o.Height < 0 || o.Height > 2000 {
		return nil, fmt.Errorf("vmfviz: Height = %d, expected 0 (automatic) to 2000 pixels", o.Height)
	}
	if len(panels) == 0 {
		return nil, fmt.Errorf("vmfviz: no panels given, expected at least one")
	}
	plots := make([]*curvePlot, len(panels))
	legend, head := 0.0, 0.0
	for i, p := range panels {
		c, err := newCurvePlot(fmt.Sprintf("panels[%d]", i), p)
		if err != nil {
			return nil, err
		}
		plots[i] = c
		if p.Title != "" {
			head = 24
		}
	}
	cols := min(len(panels), 3)
	if len(panels) == 4 {
		cols = 2
	}
	lines := (len(panels) + cols - 1) / cols
	const gap = 26
	w := (cardWidth - 2*margin - gap*float64(cols-1)) / float64(cols)
	for _, c := range plots {
		legend = math.Max(legend, c.legendHeight(w))
	}
	h := 280.0
	if o.Height > 0 {
		h = float64(o.Height)
	}
	top := titleHeight(o.Title)
	cell := head + legend + h + 48
	height := top + cell*float64(lines) + 18*float64(lines-1) + margin - 8
	paint := func(s *sheet) {
		s.title(o.Title)
		for i, c := range plots {
			c.draw(s, box{margin + (w+gap)*float64(i%cols), top + (cell+18)*float64(i/cols), w, cell}, head, legend)
		}
	}
	return newPicture(cardWidth, height, altText(o.Title, fmt.Sprintf("curves in %d plot(s)", len(panels))), paint), nil
}

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

func checkSeries(name string, p CurvePanel, c *Series) error {
	if err := checkText(name+".Label", c.Label); err != nil {
		return err
	}
	if len(c.Y) == 0 {
		return fmt.Errorf("vmfviz: %s.Y is empty", name)
	}
	if c.X == nil {
		c.X = make([]float64, len(c.Y))
		for i := range c.X {
			c.X[i] = float64(i + 1)
		}
	}
	if len(c.X) != len(c.Y) {
		return fmt.Errorf("vmfviz: %s.X has length %d, expected %d as Y has", name, len(c.X), len(c.Y))
	}
	if (c.Low == nil) != (c.High == nil) {
		return fmt.Errorf("vmfviz: %s: one of Low and High is missing: a band needs both", name)
	}
	if c.Low != nil && (len(c.Low) != len(c.Y) || len(c.High) != len(c.Y)) {
		return fmt.Errorf("vmfviz: %s.Low and High have lengths %d and %d, expected %d as Y has", name, len(c.Low), len(c.High), len(c.Y))
	}
	seen := false
	check := func(field string, i int, v float64, log bool) error {
		if math.IsInf(v, 0) || math.IsNaN(v) || math.Abs(v) > largest {
			return fmt.Errorf("vmfviz: %s.%s[%d] is %g, expected a finite number of at most %g", name, field, i, v, largest)
		}
		if log && v < 1/largest {
			return fmt.Errorf("vmfviz: %s.%s[%d] is %g, expected a positive number for a logarithmic axis", name, field, i, v)
		}
		return nil
	}
	for i := range c.Y {
		if err := check("X", i, c.X[i], p.LogX); err != nil {
			return err
		}
		if i > 0 && c.X[i] < c.X[i-1] {
			return fmt.Errorf("vmfviz: %s.X[%d] = %g comes after %g, expected numbers that do not decrease", name, i, c.X[i], c.X[i-1])
		}
		if math.IsNaN(c.Y[i]) {
			continue
		}
		seen = true
		if err := check("Y", i, c.Y[i], p.LogY); err != nil {
			return err
		}
		if c.Low != nil {
			if err := check("Low", i, c.Low[i], p.LogY); err != nil {
				return err
			}
			if err := check("High", i, c.High[i], p.LogY); err != nil {
				return err
			}
		}
	}
	if !seen {
		return fmt.Errorf("vmfviz: %s.Y holds only NaN", name)
	}
	return nil
}

// smooth returns the exponential moving average without the bias of its start;
// gaps stay gaps.
func smooth(y []float64, weight float64) []float64 {
	out := make([]float64, len(y))
	sum, norm := 0.0, 0.0
	for i, v := range y {
		if math.IsNaN(v) {
			out[i] = v
			continue
		}
		sum = weight*sum + (1-weight)*v
		norm = weight*norm + (1 - weight)
		out[i] = sum / norm
	}
	return out
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
		need := 34 + textWidth(look{size: sizeLabel}, plain(s.Label)) + 18
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

func (c *curvePlot) draw(s *sheet, b box, head, legend float64) {
	if c.Title != "" {
		s.text(pt{b.x, b.y + 13}, look{size: sizeHead, bold: true, maxLen: b.w}, plain(c.Title))
	}
	ticks := ticksWidth(c.y)
	left := ticks + 8 + 24
	in := box{b.x + left, b.y + head + legend, b.w - left - 4, b.h - head - legend - 48}
	c.legend(b.w, func(i int, x, line float64) {
		col, dash := c.style(i)
		y := b.y + head + legendLine*line + 8
		s.line(stroke{width: 2.4, color: col, dash: dash}, pt{b.x + x, y}, pt{b.x + x + 28, y})
		s.text(pt{b.x + x + 34, y + 4.8}, look{size: sizeLabel, maxLen: b.w - 34}, plain(c.Series[i].Label))
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
func (c *curvePlot) band(s *sheet, x, y scale, v Series, col color.NRGBA) {
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
func (c *curvePlot) curve(s *sheet, x, y scale, xs, ys []float64, st stroke) {
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

// thin keeps, of the points in each half pixel of x, the first, the lowest, the
// highest and the last.
func thin(p []pt) []pt {
	if len(p) < 2000 {
		return p
	}
	var out []pt
	for i := 0; i < len(p); {
		j, lo, hi := i, i, i
		for ; j < len(p) && math.Floor(2*p[j].x) == math.Floor(2*p[i].x); j++ {
			if p[j].y < p[lo].y {
				lo = j
			}
			if p[j].y > p[hi].y {
				hi = j
			}
		}
		last := -1
		for _, k := range []int{i, min(lo, hi), max(lo, hi), j - 1} {
			if k > last {
				out = append(out, p[k])
				last = k
			}
		}
		i = j
	}
	return out
}
