package vmfviz

import (
	"fmt"
	"image/color"
	"math"
)

// PairsOptions describe a [Pairs] picture.
type PairsOptions struct {
	Title string
	// Lines is how many pairs are joined; 0 means up to 60. Of larger clouds
	// they are evenly many order statistics.
	Lines int
	// View is where the reader stands for three-dimensional clouds (y is up);
	// the zero View is the one of four around the clouds that sees theta best.
	View View
}

// Pairs draws the matching of one slice back in the space of the clouds: the
// point of x with the i-th smallest projection aᵢ = θᵀxᵢ and the point of y with
// the i-th smallest bᵢ = θᵀyᵢ are joined by a line. A slice sees only how far a
// line goes along θ, drawn as an arrow; across it, partners may be far apart.
// This is the assignment whose squared lengths along θ the cost F(θ) adds up,
// and along which its gradient pulls the points.
//
// Clouds x and y are [m, d], d = 2 or 3, with equally many points; theta [d] is a
// unit vector. Near points and lines are darker.
func Pairs(o PairsOptions, x, y, theta []float32) (*Picture, error) {
	if err := checkSlice(o.Title, o.View, x, y, theta); err != nil {
		return nil, err
	}
	if o.Lines < 0 {
		return nil, fmt.Errorf("vmfviz: Lines = %d, expected 0 (automatic) or more", o.Lines)
	}
	c := newSliced(SliceOptions{View: o.View}, x, y, theta)
	n := o.Lines
	if n == 0 {
		n = 60
	}
	m := len(c.a)
	n = min(n, m)
	c.pairs = nil
	for i := range n {
		c.pairs = append(c.pairs, (2*i+1)*m/(2*n))
	}
	const w, body = 620 - 2*margin, 430.0
	top := titleHeight(o.Title)
	paint := func(s *page) {
		s.title(o.Title)
		c.drawPairs(s, box{margin, top, w, body})
	}
	alt := fmt.Sprintf("two clouds of %d points, %d of the pairs that one direction matches joined", m, n)
	return newPicture(w+2*margin, top+body+34+margin, altText(o.Title, alt), paint), nil
}

func (c *sliced) drawPairs(s *page, b box) {
	all := append(append([]vec3(nil), c.x...), c.y...)
	line := c.beside()
	at := fitBox(c.cam, b, append(all, line.tail, line.tip))
	first, last := math.Inf(1), math.Inf(-1)
	for _, p := range all {
		d := dot(c.cam.fore, p)
		first, last = math.Min(first, d), math.Max(last, d)
	}
	// nearness is 0 at the back and 1 at the front, in steps.
	nearness := func(p vec3) float64 {
		if last-first < 1e-12 {
			return 1
		}
		return math.Round(16*(dot(c.cam.fore, p)-first)/(last-first)) / 16
	}
	r := math.Max(1.25, math.Min(3, 2.2*math.Sqrt(400/float64(len(c.x)))))
	var dots []dot3
	for i := range all {
		col := blue
		if i >= len(c.x) {
			col = vermilion
		}
		t, q := nearness(all[i]), at(all[i])
		dots = append(dots, dot3{
			x: (q.x - b.x) * screenScale, y: (q.y - b.y) * screenScale, r: r * (0.75 + 0.35*t) * screenScale,
			depth: t, col: s.tone(mix(mix(col, white, 0.72), mix(col, white, 0.2), t)),
		})
	}
	s.image(b, splat(int(b.w*screenScale), int(b.h*screenScale), dots))

	ends := func(rank int) (p, q vec3) { return c.x[c.pa[rank]], c.y[c.pb[rank]] }
	for _, rank := range c.pairs {
		p, q := ends(rank)
		t := (nearness(p) + nearness(q)) / 2
		s.line(stroke{width: 1.1, color: alpha(ink, 0.35+0.4*t)}, at(p), at(q))
	}
	size := math.Max(2, math.Min(3.2, 3.2*math.Sqrt(60/float64(len(c.pairs)))))
	mark := func(col color.NRGBA, t float64) color.NRGBA { return mix(mix(col, white, 0.35), col, t) }
	for _, rank := range c.pairs {
		p, q := ends(rank)
		s.disc(at(p), size+0.8, white)
		s.disc(at(p), size, mark(blue, nearness(p)))
		s.diamond(at(q), 1.25*size+1, white)
		s.diamond(at(q), 1.25*size, mark(vermilion, nearness(q)))
	}

	s.arrow(at(line.tail), at(line.tip), 2.8, purple, dark(purple), 1)
	tip := at(line.tip)
	q := at(line.tail).towards(tip, tip.sub(at(line.tail)).norm()+3)
	if away := at(line.origin.add(line.side)).sub(at(line.origin)); away.norm() > 0 {
		q = q.sub(away.scale(16 / away.norm()))
	}
	q.x = math.Min(b.x+b.w-8, math.Max(b.x+8, q.x))
	s.text(pt{q.x, q.y + 6}, textStyle{size: 18, align: 0.5, color: dark(purple), bold: true, halo: true}, it("θ"))

	y := b.y + b.h + 26
	l := textStyle{size: sizeLabel}
	end := s.cloudLegend(pt{b.x + 8, y}) + 8
	text := fmt.Sprintf("%d of %d pairs: equal ranks along ", len(c.pairs), len(c.a))
	if len(c.pairs) == len(c.a) {
		text = fmt.Sprintf("all %d pairs: equal ranks along ", len(c.a))
	}
	s.line(stroke{width: 1.3, color: alpha(ink, 0.7)}, pt{b.x + end + 24, y - 4.5}, pt{b.x + end + 48, y - 4.5})
	s.text(pt{b.x + end + 56, y}, l, plain(text), it("θ"))
}
