package vmfviz

import (
	"fmt"
	"math"
)

// drawAverage draws the histogram of the costs with their mean.
func (c *sliced) drawAverage(s *page, b box, values []float64) {
	mean, stderr := meanStdErr(values)
	lo, hi := bounds(values, []float64{c.cost, mean})
	if lo >= 0 && lo < 0.4*hi {
		lo = 0
	}
	pad := 0.04 * (hi - lo)
	if pad == 0 {
		pad = math.Max(0.1*math.Abs(hi), 1e-6)
	}
	if lo != 0 {
		lo -= pad
	}
	hi += pad
	left, right := b.x+46, b.x+b.w-4
	top, base := b.y+34, b.y+b.h-20
	at := func(v float64) float64 { return left + (right-left)*(v-lo)/(hi-lo) }
	bins := int(math.Max(8, math.Min(26, 1.6*math.Sqrt(float64(len(values))))))
	count := histogram(values, lo, hi, bins)
	most := float64(maxInt(count))
	for _, t := range linearTicks(0, most, 4) {
		if t.at != math.Round(t.at) {
			continue
		}
		y := base - (base-top)*t.at/most
		s.line(stroke{width: 1, color: grid}, pt{left, y}, pt{right, y})
		s.text(pt{left - 5, y + 4}, textStyle{size: sizeTick, align: 1, color: soft}, plain(fmt.Sprint(int(t.at))))
	}
	for i, n := range count {
		if n == 0 {
			continue
		}
		x0, x1 := at(lo+(hi-lo)*float64(i)/float64(bins)), at(lo+(hi-lo)*float64(i+1)/float64(bins))
		h := (base - top) * float64(n) / most
		s.rect(box{x0 + 0.6, base - h, x1 - x0 - 1.2, h}, mix(sky, white, 0.25))
	}
	if stderr > 0 {
		x0, x1 := at(mean-stderr), at(mean+stderr)
		s.rect(box{x0, top - 8, math.Max(x1-x0, 1), base - top + 8}, alpha(ink, 0.22))
	}
	s.line(stroke{width: 2, color: ink}, pt{at(mean), top - 12}, pt{at(mean), base})
	s.line(stroke{width: 1, color: axis}, pt{left, base}, pt{right, base})
	for _, t := range linearTicks(lo, hi, 4) {
		s.line(stroke{width: 1, color: axis}, pt{at(t.at), base}, pt{at(t.at), base + 4})
		s.text(pt{at(t.at), base + 16}, textStyle{size: sizeTick, align: 0.5, color: soft}, t.label...)
	}
	// The slice of parts 1 and 2, as a marker on the axis with its name above.
	m := at(c.cost)
	s.fill(dark(purple), pt{m - 7.5, base - 13.5}, pt{m + 7.5, base - 13.5}, pt{m, base + 1})
	s.fill(purple, pt{m - 5.5, base - 12.4}, pt{m + 5.5, base - 12.4}, pt{m, base - 1.6})
	l := textStyle{size: sizeTick + 0.5, halo: true, color: dark(purple), bold: true}
	name := "this θ"
	lx := m + 9
	if lx+textWidth(l, plain(name)) > right {
		lx, l.align = m-9, 1
	}
	s.text(pt{lx, base - 9}, l, plain(name))

	l = textStyle{size: sizeLabel, halo: true, bold: true}
	lx = at(mean)
	half := textWidth(l, plain("mean ± standard error")) / 2
	lx = math.Max(b.x+half, math.Min(b.x+b.w-half, lx))
	l.align = 0.5
	label := "mean ± standard error"
	if stderr == 0 {
		label = "mean"
	}
	s.text(pt{lx, top - 18}, l, plain(label))
	y := b.y + b.h + 20
	s.text(pt{b.x + b.w/2, y}, textStyle{size: sizeTick, align: 0.5, color: soft}, it("F"), plain("("), it("θ"),
		plain(fmt.Sprintf(") of %d directions", len(values))))
	s.text(pt{b.x + 10, (top + base) / 2}, textStyle{size: sizeTick, align: 0.5, angle: math.Pi / 2, color: soft}, plain("number of directions"))
	out := []span{plain("SW² = ")}
	if c.opt.Convention == SumOverPoints {
		out = []span{it("m"), plain(" SW² = ")}
	}
	out = append(out, plain(withError(mean, stderr)))
	s.text(pt{b.x + b.w/2, y + 24}, textStyle{size: sizeHead, align: 0.5, maxLen: b.w + 12}, out...)
}
