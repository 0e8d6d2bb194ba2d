package vmfviz

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// brokenScale is the scale of an axis from min to max that leaves out the numbers between from and
// to: those take gapShare of its length, those below from the share left.
type brokenScale struct{ min, from, to, max, left float64 }

const gapShare = 0.04

// Normalize returns the place of x on the axis from min to max. Limits within one part make the
// scale linear.
func (b brokenScale) Normalize(min, max, x float64) float64 {
	switch right := 1 - b.left - gapShare; {
	case min >= b.from || max <= b.to:
		return (x - min) / (max - min)
	case x < b.from:
		return b.left * (x - min) / (b.from - min)
	case x > b.to:
		return 1 - right*(max-x)/(max-b.to)
	default:
		return b.left + gapShare*(x-b.from)/(b.to-b.from)
	}
}

// Ticks marks both parts.
func (b brokenScale) Ticks(min, max float64) []plot.Tick {
	if min >= b.from || max <= b.to {
		return ticks(min, max)
	}
	return append(b.part(min, b.from, b.left), b.part(b.to, max, 1-b.left)...)
}

// part marks a part that takes a share of the axis.
func (b brokenScale) part(lo, hi, share float64) []plot.Tick {
	marks := marks(lo, hi, 4)
	if share > 0.5 || len(marks) < 3 {
		return marks
	}
	return []plot.Tick{marks[0], marks[len(marks)-1]} // more would touch
}

// findBreak returns the scale for intervals of which at most a third lie so far from the others
// that these have less than a quarter of the axis.
func findBreak(low, high []float64) (brokenScale, bool) {
	_, order := order(low)
	lo, hi := bounds(low, high)
	reach := math.Inf(-1)
	var best brokenScale
	for k, i := range order {
		if k > 0 && low[i]-reach > best.to-best.from {
			few := min(k, len(order)-k)
			many, part := len(order)-few, reach-lo
			best = brokenScale{min: lo, from: reach, to: low[i], max: hi, left: 0.76}
			if k < many {
				best.left, part = 1-0.76-gapShare, hi-low[i]
			}
			if 2*few > many || part > 0.25*(hi-lo) {
				best.left = 0
			}
		}
		reach = math.Max(reach, high[i])
	}
	if best.left == 0 {
		return best, false
	}
	// Each part begins and ends a little way off its numbers.
	unit := math.Max(best.from-best.min, best.max-best.to)
	off := func(length float64) float64 {
		d := 0.08 * math.Max(length, 0.05*unit)
		return math.Min(math.Max(d, 1e-9*(hi-lo)), 0.2*(best.to-best.from))
	}
	l, r := off(best.from-best.min), off(best.max-best.to)
	best.min, best.from, best.to, best.max = best.min-l, best.from+l, best.to-r, best.max+r
	return best, true
}

// axisBreak is a plotter: it hides grid and axis where a scale is broken and draws two strokes
// across the axis.
type axisBreak struct {
	scale  brokenScale
	ground color.Color
	style  draw.LineStyle
}

func (a *axisBreak) Plot(c draw.Canvas, p *plot.Plot) {
	if p.X.Min >= a.scale.from || p.X.Max <= a.scale.to {
		return
	}
	x, _ := p.Transforms(&c)
	l, r := x(a.scale.from), x(a.scale.to)
	foot, top := c.Min.Y-2, c.Max.Y
	c.FillPolygon(a.ground, []vg.Point{{X: l, Y: foot}, {X: r, Y: foot}, {X: r, Y: top}, {X: l, Y: top}})
	dotted := draw.LineStyle{Color: a.style.Color, Width: 0.6, Dashes: []vg.Length{1.5, 3}}
	for _, at := range []vg.Length{l, r} {
		c.StrokeLine2(a.style, at-2, c.Min.Y-4.5, at+2, c.Min.Y+4.5)
		c.StrokeLine2(dotted, at, c.Min.Y+6, at, top)
	}
}
