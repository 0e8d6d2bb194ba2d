package vmfviz

import "math"

// drawMatching draws the sorted projections on two lines, pairs joined.
func (c *sliced) drawMatching(s *page, b box) {
	lo, hi := bounds(c.a, c.b)
	pad := 0.04 * math.Max(hi-lo, 1e-9)
	lo, hi = lo-pad, hi+pad
	left := b.x + 22
	right := b.x + b.w - 6
	at := func(v float64) float64 { return left + (right-left)*(v-lo)/(hi-lo) }
	hist := 0.2 * b.h
	ya, yb := b.y+hist+8, b.y+b.h-hist-34
	const bins = 28
	na, nb := histogram(c.a, lo, hi, bins), histogram(c.b, lo, hi, bins)
	unit := hist / float64(max(maxInt(na), maxInt(nb))) // one scale for both
	for i := range bins {
		x0, x1 := at(lo+(hi-lo)*float64(i)/bins)+0.5, at(lo+(hi-lo)*float64(i+1)/bins)-0.5
		if h := unit * float64(na[i]); h > 0 {
			s.rect(box{x0, ya - 7 - h, x1 - x0, h}, mix(blue, white, 0.7))
		}
		if h := unit * float64(nb[i]); h > 0 {
			s.rect(box{x0, yb + 7, x1 - x0, h}, mix(vermilion, white, 0.7))
		}
	}
	for _, rank := range c.pairs {
		s.line(stroke{width: 1.3, color: mix(ink, white, 0.45)}, pt{at(c.a[c.pa[rank]]), ya}, pt{at(c.b[c.pb[rank]]), yb})
	}
	s.line(stroke{width: 1.6, color: blue}, pt{left - 4, ya}, pt{right, ya})
	s.line(stroke{width: 1.6, color: vermilion}, pt{left - 4, yb}, pt{right, yb})
	for _, rank := range c.pairs {
		p, q := pt{at(c.a[c.pa[rank]]), ya}, pt{at(c.b[c.pb[rank]]), yb}
		s.disc(p, 4.2, white)
		s.disc(p, 3.4, blue)
		s.diamond(q, 5.2, white)
		s.diamond(q, 4.2, vermilion)
	}
	l := textStyle{size: 15, align: 0}
	l.color = dark(blue)
	s.text(pt{b.x - 4, ya + 5}, l, it("a"), subIt("(i)"))
	l.color = dark(vermilion)
	s.text(pt{b.x - 4, yb + 5}, l, it("b"), subIt("(i)"))

	axisY := b.y + b.h - 20
	s.line(stroke{width: 1, color: axis}, pt{left, axisY}, pt{right, axisY})
	for _, t := range linearTicks(lo, hi, 5) {
		s.line(stroke{width: 1, color: axis}, pt{at(t.at), axisY}, pt{at(t.at), axisY + 4})
		s.text(pt{at(t.at), axisY + 16}, textStyle{size: sizeTick, align: 0.5, color: soft}, t.label...)
	}
	y := b.y + b.h + 20
	s.text(pt{b.x + b.w/2, y}, textStyle{size: sizeTick, align: 0.5, color: soft}, plain("position along "), it("θ"))
	sum := []span{it("F"), plain("("), it("θ"), plain(") = ")}
	if c.opt.Convention == MeanOverPoints {
		sum = append(sum, sup("1"), plain("/"), subIt("m"), plain(" "))
	}
	sum = append(sum, plain("∑"), subIt("i"), plain(" ("), it("a"), subIt("(i)"), plain(" − "), it("b"), subIt("(i)"), plain(")² = "))
	sum = append(sum, digits(c.cost, 3)...)
	s.text(pt{b.x + b.w/2, y + 24}, textStyle{size: sizeHead, align: 0.5, maxLen: b.w + 12}, sum...)
}
