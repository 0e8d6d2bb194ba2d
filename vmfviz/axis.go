package vmfviz

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ticks marks a linear axis, about five times.
func ticks(lo, hi float64) []plot.Tick { return marks(lo, hi, 5) }

// marks returns about n marks between two numbers, at multiples of 1, 2, 2.5 or 5 times a power of
// ten: plot.DefaultTicks makes three, at places such as 40, 120 and 200.
func marks(lo, hi float64, n int) []plot.Tick {
	step := niceStep(hi-lo, n)
	if !(step > 1e-12*math.Max(math.Abs(lo), math.Abs(hi))) || math.IsInf(step, 0) {
		return []plot.Tick{{Value: lo, Label: short(lo, 6)}}
	}
	var marks []plot.Tick
	for k := math.Ceil(lo/step - 1e-9); k*step <= hi+1e-9*step; k++ {
		marks = append(marks, plot.Tick{Value: k * step, Label: short(k*step, 6)})
	}
	return marks
}

// niceStep returns the smallest of 1, 2, 2.5, 5 times a power of ten that cuts span into at most n
// pieces.
func niceStep(span float64, n int) float64 {
	raw := span / float64(n)
	p := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 2.5, 5} {
		if m*p >= raw*(1-1e-9) {
			return m * p
		}
	}
	return 10 * p
}

// halfTurn marks an axis from 0 to 180 degrees.
var halfTurn = plot.TickerFunc(func(lo, hi float64) (marks []plot.Tick) {
	for v := lo; v <= hi; v += 30 {
		marks = append(marks, plot.Tick{Value: v, Label: short(v, 6)})
	}
	return marks
})

// powers marks a logarithmic axis: powers of ten, and 2, 3 and 5 times them where there are few.
// plot.LogTicks leaves those below the first power out.
func powers(lo, hi float64) []plot.Tick {
	decades := math.Log10(hi) - math.Log10(lo)
	if !(lo > 0) || math.IsInf(decades, 0) {
		return nil
	}
	if decades < 0.7 { // too narrow for round powers: even steps are clearer
		return ticks(lo, hi)
	}
	labelled := map[int]bool{1: true, 2: decades < 1.6, 5: decades < 1.6, 3: decades >= 1.6 && decades < 2.6}
	stride := 1 + int(decades/7)
	var marks []plot.Tick
	for e := int(math.Floor(math.Log10(lo))); e <= int(math.Log10(hi)); e++ {
		for m := 1; m < 10; m++ {
			v := float64(m) * math.Pow(10, float64(e))
			if v < lo*(1-1e-9) || v > hi*(1+1e-9) {
				continue
			}
			mark := plot.Tick{Value: v}
			if labelled[m] && e%stride == 0 {
				mark.Label = short(v, 6)
			}
			marks = append(marks, mark)
		}
	}
	return marks
}

// logAxis makes an axis logarithmic; its values must be positive.
func logAxis(a *plot.Axis) {
	a.Scale = plot.LogScale{}
	a.Tick.Marker = plot.TickerFunc(powers)
}

// at is the value at the fraction t of the axis from its minimum, the inverse of [plot.Axis.Norm].
func at(a *plot.Axis, t float64) float64 {
	if _, log := a.Scale.(plot.LogScale); log {
		return math.Exp(math.Log(a.Min) + t*(math.Log(a.Max)-math.Log(a.Min)))
	}
	return a.Min + t*(a.Max-a.Min)
}

// pad widens the range of an axis by a fraction of it at both ends. A range of one number becomes
// one around it, and zero stays the end of a linear range that begins near it.
func pad(a *plot.Axis, t float64) {
	_, log := a.Scale.(plot.LogScale)
	lo, hi := a.Min, a.Max
	switch {
	case log && lo == hi:
		a.Min, a.Max = lo/2, hi*2
	case hi-lo <= 1e-9*math.Max(math.Abs(lo), math.Abs(hi)):
		d := math.Max(math.Abs(hi)*0.1, 1e-9)
		a.Min, a.Max = lo-d, hi+d
	default:
		widen(a, t)
		if !log && lo >= 0 && lo < 0.35*hi {
			a.Min = 0
		}
	}
}

// widen widens the range of an axis by a fraction of it at both ends.
func widen(a *plot.Axis, t float64) { a.Min, a.Max = at(a, -t), at(a, 1+t) }

// bounds returns the smallest and the largest of all numbers.
func bounds(lists ...[]float64) (lo, hi float64) {
	return plotter.Range(plotter.Values(slices.Concat(lists...)))
}

// order returns the values in increasing order, and their places before.
func order(v []float64) (sorted []float64, places []int) {
	sorted, places = slices.Clone(v), make([]int, len(v))
	floats.ArgsortStable(sorted, places)
	return sorted, places
}

// equalAspect makes a unit of X as long on the page as a unit of Y, by widening the range of one of
// them. It draws nothing, is added before all plotters that rely on it, and is embedded in those
// that always do. Other limits that the user sets are obeyed.
type equalAspect struct{ given, widened [4]float64 }

func (e *equalAspect) Plot(c draw.Canvas, p *plot.Plot) {
	now := [4]float64{p.X.Min, p.X.Max, p.Y.Min, p.Y.Max}
	if now != e.widened { // not by an earlier drawing
		e.given = now
	}
	r, page := e.given, c.Size()
	w, h, pw, ph := r[1]-r[0], r[3]-r[2], float64(page.X), float64(page.Y)
	dx, dy := max(0, h*pw/ph-w)/2, max(0, w*ph/pw-h)/2
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = r[0]-dx, r[1]+dx, r[2]-dy, r[3]+dy
	e.widened = [4]float64{p.X.Min, p.X.Max, p.Y.Min, p.Y.Max}
}

// placeLegend puts the legend of a plot of size w by h into a corner that the lines do not cross.
// Where there is none it stands at the right of the data, or in room made above them.
func placeLegend(p *plot.Plot, w, h vg.Length, lines []plotter.XYs, right bool) {
	const inset = 5
	data := p.DataCanvas(draw.NewCanvas(nil, w, h))
	size := p.Legend.Rectangle(data).Size().Add(vg.Point{X: 2 * inset, Y: 2 * inset})
	lw, lh := float64(size.X/(data.Max.X-data.Min.X)), float64(size.Y/(data.Max.Y-data.Min.Y))
	place := func(top, left bool, x, y vg.Length) {
		p.Legend.Top, p.Legend.Left, p.Legend.XOffs, p.Legend.YOffs = top, left, x, y
	}
	for _, y := range []vg.Length{-inset, inset} {
		for _, x := range []vg.Length{-inset, inset} {
			if place(y < 0, x > 0, x, y); !crosses(p, lines, lw, lh) {
				return
			}
		}
	}
	if right {
		place(true, false, 0, 0)
		p.Add(&margin{size.X})
		return
	}
	place(true, true, inset, -inset)
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

// ends is a plotter: labels at the right ends of curves, moved apart where they would overlap.
type ends struct{ all []end }

// end is the label of a curve, and a line to it from the curve's last point.
type end struct {
	label  string
	at     plotter.XY
	style  text.Style
	leader draw.LineStyle
}

// gap is between the data and the labels.
const gap = 12

func (e *ends) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	line := 1.25 * e.all[0].style.Font.Size
	places := make([]float64, len(e.all))
	for i, l := range e.all {
		places[i] = float64(y(l.at.Y))
	}
	for i, at := range spread(places, float64(line), float64(c.Min.Y), float64(c.Max.Y)) {
		l, to := e.all[i], vg.Point{X: c.Max.X + gap, Y: vg.Length(at)}
		c.StrokeLine2(l.leader, x(l.at.X)+3, y(l.at.Y), to.X-2, to.Y)
		c.FillText(l.style, to, l.label)
	}
}

// GlyphBoxes is the room of the labels.
func (e *ends) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	width := vg.Length(0)
	for _, l := range e.all {
		width = max(width, l.style.Width(l.label))
	}
	return []plot.GlyphBox{{X: 1, Rectangle: vg.Rectangle{Max: vg.Point{X: width + gap}}}}
}

// spread moves places apart until neighbours are at least a step from each other, between lo and hi if there is room.
func spread(places []float64, step, lo, hi float64) []float64 {
	sorted, which := order(places)
	for range 200 { // neighbours too close give way by halves
		for i := 1; i < len(sorted); i++ {
			if d := step - (sorted[i] - sorted[i-1]); d > 0 {
				sorted[i-1], sorted[i] = sorted[i-1]-d/2, sorted[i]+d/2
			}
		}
		for i := range sorted {
			sorted[i] = min(max(sorted[i], lo), hi)
		}
	}
	out := make([]float64, len(places))
	for i, at := range which {
		out[at] = sorted[i]
	}
	return out
}

// crosses reports whether a line enters the corner of the legend, which takes the fractions w and h
// of the plot.
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
