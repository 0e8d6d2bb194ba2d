package vmfviz

import "math"

// scale is a linear or logarithmic map from a range of values to pixels.
type scale struct {
	lo, hi   float64
	log      bool
	from, to float64 // pixels of lo and hi
}

func (a scale) at(v float64) float64 {
	t := (v - a.lo) / (a.hi - a.lo)
	if a.log {
		t = (math.Log(v) - math.Log(a.lo)) / (math.Log(a.hi) - math.Log(a.lo))
	}
	return a.from + t*(a.to-a.from)
}

// newScale makes a range with a small margin around lo..hi. Zero stays the end
// of a linear range that begins near it.
func newScale(lo, hi float64, log bool) scale {
	if log {
		if lo == hi {
			return scale{lo: lo / 2, hi: hi * 2, log: true}
		}
		m := math.Exp(0.05 * (math.Log(hi) - math.Log(lo)))
		return scale{lo: lo / m, hi: hi * m, log: true}
	}
	if hi-lo <= 1e-9*math.Max(math.Abs(lo), math.Abs(hi)) {
		d := math.Max(math.Abs(hi)*0.1, 1e-9)
		return scale{lo: lo - d, hi: hi + d}
	}
	pad := 0.05 * (hi - lo)
	s := scale{lo: lo - pad, hi: hi + pad}
	if lo >= 0 && lo < 0.35*hi {
		s.lo = 0
	}
	return s
}

func (a scale) ticks(n int) []tick {
	if a.log {
		return logTicks(a.lo, a.hi)
	}
	return linearTicks(a.lo, a.hi, n)
}

// frame draws grid, axes, tick labels and axis labels of a plot in b, whose
// labels stand outside of it.
func (s *page) frame(b box, x, y scale, xLabel, yLabel string, yTicksWidth float64) {
	for _, t := range y.ticks(5) {
		v := y.at(t.at)
		s.line(stroke{width: 1, color: grid}, pt{b.x, v}, pt{b.x + b.w, v})
		s.text(pt{b.x - 8, v + 4.2}, textStyle{size: sizeTick, align: 1, color: soft}, t.label...)
	}
	last := math.Inf(-1)
	for _, t := range x.ticks(max(3, int(b.w/75))) {
		v := x.at(t.at)
		s.line(stroke{width: 1, color: grid}, pt{v, b.y}, pt{v, b.y + b.h})
		s.line(stroke{width: 1, color: axis}, pt{v, b.y + b.h}, pt{v, b.y + b.h + 5})
		l := textStyle{size: sizeTick, align: 0.5, color: soft}
		if w := textWidth(l, t.label...); v-w/2 > last+6 {
			s.text(pt{v, b.y + b.h + 18}, l, t.label...)
			last = v + w/2
		}
	}
	s.line(stroke{width: 1.2, color: axis}, pt{b.x, b.y}, pt{b.x, b.y + b.h}, pt{b.x + b.w, b.y + b.h})
	s.text(pt{b.x + b.w/2, b.y + b.h + 38}, textStyle{size: sizeLabel, align: 0.5, maxLen: b.w + 20}, plain(xLabel))
	s.text(pt{b.x - 8 - yTicksWidth - 11, b.y + b.h/2}, textStyle{size: sizeLabel, align: 0.5, angle: math.Pi / 2, maxLen: b.h + 20}, plain(yLabel))
}

// ticksWidth returns the room that the labels of an axis need.
func ticksWidth(a scale) float64 {
	w := 0.0
	for _, t := range a.ticks(5) {
		w = math.Max(w, textWidth(textStyle{size: sizeTick}, t.label...))
	}
	return w
}
