package vmfviz

import (
	"fmt"
	"math"
)

// drawProjection draws the clouds, the direction beside them, and the way of
// some points to it.
func (c *sliced) drawProjection(s *page, b box) {
	all := append(append([]vec3(nil), c.x...), c.y...)
	l := c.beside()
	foot, tail, tip := l.foot, l.tail, l.tip
	at := fitBox(c.cam, b, append(all, tail, tip))

	r := math.Max(1.1, math.Min(3.2, 3.2*math.Sqrt(60/float64(len(c.x)))))
	pale := 0.0
	if len(c.x) > maxPairs {
		pale = 0.55
	}
	for i := range max(len(c.x), len(c.y)) {
		s.disc(at(c.x[i]), r, mix(blue, white, pale))
		s.diamond(at(c.y[i]), r*1.25, mix(vermilion, white, pale))
	}
	ranks := c.pairs
	if len(c.x) > maxPairs { // in space every second pair is enough
		ranks = nil
		for i := 0; i < len(c.pairs); i += 2 {
			ranks = append(ranks, c.pairs[i])
		}
	}
	for _, rank := range ranks {
		i, j := c.pa[rank], c.pb[rank]
		s.line(stroke{width: 0.9, color: mix(blue, white, 0.35), dash: []float64{3, 2.5}}, at(c.x[i]), at(foot(c.a[i])))
		s.line(stroke{width: 0.9, color: mix(vermilion, white, 0.35), dash: []float64{3, 2.5}}, at(c.y[j]), at(foot(c.b[j])))
	}
	s.arrow(at(tail), at(tip), 2.6, purple, dark(purple), 1)
	// The feet stand a little to either side of the line, so that none hides
	// another.
	along := at(tip).sub(at(tail))
	off := pt{-along.y, along.x}.scale(3.2 / math.Max(along.norm(), 1e-9))
	if clouds := at(foot(l.lo).sub(l.side)).sub(at(foot(l.lo))); clouds.x*off.x+clouds.y*off.y < 0 {
		off = off.scale(-1)
	}
	for _, rank := range ranks {
		i, j := c.pa[rank], c.pb[rank]
		s.disc(at(c.x[i]), 4.2, white)
		s.disc(at(c.x[i]), 3.4, blue)
		s.diamond(at(c.y[j]), 5.2, white)
		s.diamond(at(c.y[j]), 4.2, vermilion)
		fa, fb := at(foot(c.a[i])).add(off), at(foot(c.b[j])).sub(off)
		s.disc(fa, 4, white)
		s.disc(fa, 3.2, blue)
		s.diamond(fb, 4.8, white)
		s.diamond(fb, 3.9, vermilion)
	}
	end := at(tip)
	q := at(tail).towards(end, end.sub(at(tail)).norm()+1)
	away := at(foot(l.hi)).sub(at(foot(l.hi).sub(l.side.scale(0.1 * (l.hi - l.lo)))))
	if n := away.norm(); n > 0 {
		q = q.add(away.scale(-15 / n))
	}
	q.x = math.Min(b.x+b.w-6, math.Max(b.x+6, q.x))
	s.text(pt{q.x, q.y + 5}, textStyle{size: 17, align: 0.5, color: dark(purple), bold: true, halo: true}, it("θ"))

	// Legend and formula.
	y := b.y + b.h + 20
	s.cloudLegend(pt{b.x + 8, y})
	s.text(pt{b.x, y + 24}, textStyle{size: sizeLabel}, it("a"), subIt("i"), plain(" = "), it("θ"), plain("·"), it("x"), subIt("i"),
		plain("     "), it("b"), subIt("i"), plain(" = "), it("θ"), plain("·"), it("y"), subIt("i"),
		it("     i"), plain(fmt.Sprintf(" = 1 … %d", len(c.x))))
}
