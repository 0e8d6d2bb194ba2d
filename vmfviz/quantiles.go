package vmfviz

import (
	"image/color"
	"math"
)

// maxSteps is how many steps of a quantile function are drawn; of larger clouds
// evenly many order statistics.
const maxSteps = 400

// w1 is the distance W₁ of the projections: the area between their quantile
// functions.
func (c *sliced) w1() float64 {
	var sum float64
	for i := range c.a {
		sum += math.Abs(c.a[c.pa[i]] - c.b[c.pb[i]])
	}
	return sum / float64(len(c.a))
}

// quantileSteps returns the corners of the quantile function of a, whose i-th
// smallest value fills the levels from i/m to (i+1)/m.
func quantileSteps(a []float64, order []int) []pt {
	k := min(len(a), maxSteps)
	corners := make([]pt, 0, 2*k)
	for i := range k {
		v := a[order[(2*i+1)*len(a)/(2*k)]]
		corners = append(corners, pt{float64(i) / float64(k), v}, pt{float64(i+1) / float64(k), v})
	}
	return corners
}

// drawQuantiles draws both quantile functions, the area between them and the
// gaps of the pairs that the matching joins.
func (c *sliced) drawQuantiles(s *page, b box) {
	lo, hi := bounds(c.a, c.b)
	pad := 0.04 * math.Max(hi-lo, 1e-9)
	v := scale{lo: lo - pad, hi: hi + pad, from: b.y + b.h - 20, to: b.y + 4}
	q := scale{lo: 0, hi: 1, from: b.x + 52, to: b.x + b.w - 8}
	place := func(corners []pt) []pt {
		out := make([]pt, len(corners))
		for i, p := range corners {
			out[i] = pt{q.at(p.x), v.at(p.y)}
		}
		return out
	}
	x, y := place(quantileSteps(c.a, c.pa)), place(quantileSteps(c.b, c.pb))

	for _, t := range linearTicks(v.lo, v.hi, 5) {
		s.line(stroke{width: 1, color: grid}, pt{q.from, v.at(t.at)}, pt{q.to, v.at(t.at)})
		s.text(pt{q.from - 7, v.at(t.at) + 4}, textStyle{size: sizeTick, align: 1, color: soft}, t.label...)
	}
	area := append([]pt(nil), x...)
	for i := len(y) - 1; i >= 0; i-- {
		area = append(area, y[i])
	}
	s.fill(mix(sky, white, 0.62), area...)
	for _, rank := range c.pairs {
		at := q.at((float64(rank) + 0.5) / float64(len(c.a)))
		s.line(stroke{width: 1, color: mix(ink, white, 0.45)}, pt{at, v.at(c.a[c.pa[rank]])}, pt{at, v.at(c.b[c.pb[rank]])})
	}
	s.line(stroke{width: 2, color: blue}, x...)
	s.line(stroke{width: 2, color: vermilion, dash: dashes[1]}, y...)
	s.line(stroke{width: 1.2, color: axis}, pt{q.from, v.to}, pt{q.from, v.from}, pt{q.to, v.from})
	for _, t := range linearTicks(0, 1, 4) {
		s.line(stroke{width: 1, color: axis}, pt{q.at(t.at), v.from}, pt{q.at(t.at), v.from + 4})
		s.text(pt{q.at(t.at), v.from + 16}, textStyle{size: sizeTick, align: 0.5, color: soft}, t.label...)
	}
	s.text(pt{b.x + 10, (v.from + v.to) / 2}, textStyle{size: sizeTick, align: 0.5, angle: math.Pi / 2, color: soft}, plain("position along "), it("θ"))

	name := func(x float64, col color.NRGBA, dash []float64, letter string) {
		s.line(stroke{width: 2, color: col, dash: dash}, pt{x, v.to + 9}, pt{x + 18, v.to + 9})
		s.text(pt{x + 23, v.to + 14}, textStyle{size: 15, halo: true, color: dark(col)}, it(letter), subIt("(i)"))
	}
	name(q.from+10, blue, nil, "a")
	name(q.from+70, vermilion, dashes[1], "b")
	under := b.y + b.h + 20
	s.text(pt{b.x + b.w/2, under}, textStyle{size: sizeTick, align: 0.5, color: soft}, plain("level "), it("i"), plain("/"), it("m"), plain(" of the "), it("i"), plain("-th smallest"))
	sum := []span{plain("area = "), it("W"), plain("₁ = "), sup("1"), plain("/"), subIt("m"), plain(" ∑"), subIt("i"),
		plain(" |"), it("a"), subIt("(i)"), plain(" − "), it("b"), subIt("(i)"), plain("| = ")}
	sum = append(sum, digits(c.w1(), 3)...)
	s.text(pt{b.x + b.w/2, under + 24}, textStyle{size: sizeHead, align: 0.5, maxLen: b.w + 12}, sum...)
}
