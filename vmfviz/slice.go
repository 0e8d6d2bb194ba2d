package vmfviz

import (
	"fmt"
	"math"
	"sort"
)

// Convention says how the cost of a slice is counted.
type Convention int

const (
	// SumOverPoints: F(θ) = Σᵢ (a₍ᵢ₎ − b₍ᵢ₎)², the convention of the training
	// losses.
	SumOverPoints Convention = iota
	// MeanOverPoints: F(θ) = (1/m) Σᵢ (a₍ᵢ₎ − b₍ᵢ₎)², the squared Wasserstein
	// distance of the projections.
	MeanOverPoints
)

// SliceOptions describe a [Slice] picture.
type SliceOptions struct {
	Title string
	// Convention is that of the values, and of the number under the matching.
	Convention Convention
	// View is where the reader stands for three-dimensional clouds (y is up);
	// the zero View is the one of four around the clouds that sees theta best.
	View View
	// Quantiles adds a part behind the matching: the quantile functions of the
	// projections, and the area between them.
	Quantiles bool
}

// maxPairs is how many matched pairs are drawn; of larger clouds evenly many
// order statistics.
const maxPairs = 18

// Slice shows what a sliced Wasserstein distance is. Left: clouds x and y
// ([m, d], d = 2 or 3, equally many points) and the projections
// aᵢ = θᵀxᵢ and bᵢ = θᵀyᵢ of some of their points on the direction theta ([d], a
// unit vector). Middle: the sorted projections, the i-th smallest joined with
// the i-th smallest, the densities of all, and the cost F(θ). Right: values, the
// costs F(θ₁) ... F(θ_L) of many directions, as a histogram with their mean, which
// is the squared sliced distance, and its standard error s/√L; nil leaves this
// part out, and one value has no standard error.
//
// Values must be counted as the option Convention says.
//
// With the option Quantiles one more part shows the matching as the area between
// the quantile functions of the projections, which is their distance
// W₁ = (1/m) Σᵢ |a₍ᵢ₎ − b₍ᵢ₎|; F squares the same gaps.
func Slice(o SliceOptions, x, y, theta []float32, values []float64) (*Picture, error) {
	if o.Convention != SumOverPoints && o.Convention != MeanOverPoints {
		return nil, fmt.Errorf("vmfviz: Convention = %d, expected SumOverPoints or MeanOverPoints", o.Convention)
	}
	if err := checkSlice(o.Title, o.View, x, y, theta); err != nil {
		return nil, err
	}
	if values != nil {
		if err := checkFinite("values", values); err != nil {
			return nil, err
		}
	}
	c := newSliced(o, x, y, theta)

	type part struct {
		name string
		draw func(*sheet, box)
	}
	parts := []part{{"Project", c.drawProjection}, {"Sort and match", c.drawMatching}}
	if o.Quantiles {
		parts = append(parts, part{"Area between the quantiles", c.drawQuantiles})
	}
	if values != nil {
		parts = append(parts, part{"Average over directions", func(s *sheet, b box) { c.drawAverage(s, b, values) }})
	}
	const gap, body, under = 34.0, 268.0, 62.0
	cols, lines := len(parts), 1
	w := (cardWidth - 2*margin - gap*2) / 3
	if cols == 4 {
		cols, lines, w = 2, 2, (cardWidth-2*margin-gap)/2
	}
	width := 2*margin + float64(cols)*w + float64(cols-1)*gap
	top := titleHeight(o.Title)
	line := 34 + body + under
	height := top + float64(lines)*line + float64(lines-1)*gap/2 + margin - 10
	paint := func(s *sheet) {
		s.title(o.Title)
		for i, p := range parts {
			b := box{margin + float64(i%cols)*(w+gap), top + 34 + float64(i/cols)*(line+gap/2), w, body}
			s.heading(b, fmt.Sprint(i+1), p.name)
			p.draw(s, b)
		}
	}
	return newPicture(width, height, altText(o.Title, "two clouds projected on a direction, their sorted projections matched, and the costs of many directions"), paint), nil
}

// checkSlice checks what every picture of a slice takes.
func checkSlice(title string, view View, x, y, theta []float32) error {
	if err := checkText("Title", title); err != nil {
		return err
	}
	if err := view.check(); err != nil {
		return err
	}
	d := len(theta)
	if d != 2 && d != 3 {
		return fmt.Errorf("vmfviz: theta has length %d, expected 2 or 3", d)
	}
	if _, err := checkRows("theta", theta, d); err != nil {
		return err
	}
	var square float64
	for _, t := range theta {
		square += float64(t) * float64(t)
	}
	if math.Abs(square-1) > 0.02 {
		return fmt.Errorf("vmfviz: theta has length %.4g, expected a unit vector", math.Sqrt(square))
	}
	m, err := checkRows("x", x, d)
	if err != nil {
		return err
	}
	my, err := checkRows("y", y, d)
	if err != nil {
		return err
	}
	if m != my {
		return fmt.Errorf("vmfviz: y has %d points, expected %d as x has: the i-th smallest of one is matched with the i-th smallest of the other", my, m)
	}
	return nil
}

// heading writes the number and name of a part above its box.
func (s *sheet) heading(b box, number, name string) {
	s.disc(pt{b.x + 10, b.y - 20}, 10, ink)
	s.text(pt{b.x + 10, b.y - 15.5}, look{size: 13, bold: true, color: white, align: 0.5}, plain(number))
	s.text(pt{b.x + 27, b.y - 15}, look{size: sizeHead, bold: true, maxLen: b.w - 27}, plain(name))
}

// sliced is one slice of a pair of clouds.
type sliced struct {
	opt    SliceOptions
	x, y   []vec3 // two-dimensional clouds have third coordinate 0
	theta  vec3
	a, b   []float64 // projections
	pa, pb []int     // order: a[pa[i]] is the i-th smallest
	pairs  []int     // ranks drawn
	cost   float64
	cam    camera
}

func newSliced(o SliceOptions, x, y, theta []float32) *sliced {
	d := len(theta)
	c := &sliced{opt: o, x: rows(x, d), y: rows(y, d), theta: rows(theta, d)[0].unit()}
	c.a, c.b = project(c.x, c.theta), project(c.y, c.theta)
	c.pa, c.pb = order(c.a), order(c.b)
	for i := range c.a {
		e := c.a[c.pa[i]] - c.b[c.pb[i]]
		c.cost += e * e
	}
	m := len(c.a)
	if o.Convention == MeanOverPoints {
		c.cost /= float64(m)
	}
	k := min(m, maxPairs)
	for i := range k {
		c.pairs = append(c.pairs, int((float64(i)+0.5)*float64(m)/float64(k)))
	}
	switch {
	case d == 2:
		c.cam = camera{vec3{1, 0, 0}, vec3{0, 1, 0}, vec3{0, 0, 1}}
	case o.View.set:
		c.cam = o.View.cameraY()
	default:
		best := -1.0
		for _, az := range []float64{38, -38, 80, -10} {
			cam := From(az, 20).cameraY()
			if q := cam.apply(c.theta); math.Hypot(q[0], q[1]) > best+0.05 {
				best, c.cam = math.Hypot(q[0], q[1]), cam
			}
		}
	}
	return c
}

// rows returns the rows of v, of 2 or 3 numbers, as points.
func rows(v []float32, d int) []vec3 {
	out := make([]vec3, len(v)/d)
	for i := range out {
		for k := range d {
			out[i][k] = float64(v[i*d+k])
		}
	}
	return out
}

func project(p []vec3, theta vec3) []float64 {
	out := make([]float64, len(p))
	for i := range p {
		out[i] = dot(p[i], theta)
	}
	return out
}

func order(a []float64) []int {
	idx := make([]int, len(a))
	for i := range idx {
		idx[i] = i
	}
	sort.SliceStable(idx, func(i, j int) bool { return a[idx[i]] < a[idx[j]] })
	return idx
}

func bounds(lists ...[]float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, l := range lists {
		for _, v := range l {
			lo, hi = math.Min(lo, v), math.Max(hi, v)
		}
	}
	return lo, hi
}

// drawProjection draws the clouds, the direction beside them, and the way of
// some points to it.
func (c *sliced) drawProjection(s *sheet, b box) {
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
	s.arrow(at(tail), at(tip), 2.6, purple, dark(purple))
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
	s.text(pt{q.x, q.y + 5}, look{size: 17, align: 0.5, color: dark(purple), bold: true, halo: true}, it("θ"))

	// Legend and formula.
	y := b.y + b.h + 20
	s.cloudLegend(pt{b.x + 8, y})
	s.text(pt{b.x, y + 24}, look{size: sizeLabel}, it("a"), subIt("i"), plain(" = "), it("θ"), plain("·"), it("x"), subIt("i"),
		plain("     "), it("b"), subIt("i"), plain(" = "), it("θ"), plain("·"), it("y"), subIt("i"),
		it("     i"), plain(fmt.Sprintf(" = 1 … %d", len(c.x))))
}

// drawMatching draws the sorted projections on two lines, pairs joined.
func (c *sliced) drawMatching(s *sheet, b box) {
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
	l := look{size: 15, align: 0}
	l.color = dark(blue)
	s.text(pt{b.x - 4, ya + 5}, l, it("a"), subIt("(i)"))
	l.color = dark(vermilion)
	s.text(pt{b.x - 4, yb + 5}, l, it("b"), subIt("(i)"))

	axisY := b.y + b.h - 20
	s.line(stroke{width: 1, color: axis}, pt{left, axisY}, pt{right, axisY})
	for _, t := range linearTicks(lo, hi, 5) {
		s.line(stroke{width: 1, color: axis}, pt{at(t.at), axisY}, pt{at(t.at), axisY + 4})
		s.text(pt{at(t.at), axisY + 16}, look{size: sizeTick, align: 0.5, color: soft}, t.label...)
	}
	y := b.y + b.h + 20
	s.text(pt{b.x + b.w/2, y}, look{size: sizeTick, align: 0.5, color: soft}, plain("position along "), it("θ"))
	sum := []run{it("F"), plain("("), it("θ"), plain(") = ")}
	if c.opt.Convention == MeanOverPoints {
		sum = append(sum, sup("1"), plain("/"), subIt("m"), plain(" "))
	}
	sum = append(sum, plain("∑"), subIt("i"), plain(" ("), it("a"), subIt("(i)"), plain(" − "), it("b"), subIt("(i)"), plain(")² = "))
	sum = append(sum, digits(c.cost, 3)...)
	s.text(pt{b.x + b.w/2, y + 24}, look{size: sizeHead, align: 0.5, maxLen: b.w + 12}, sum...)
}

// drawAverage draws the histogram of the costs with their mean.
func (c *sliced) drawAverage(s *sheet, b box, values []float64) {
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
		s.text(pt{left - 5, y + 4}, look{size: sizeTick, align: 1, color: soft}, t.label...)
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
		s.text(pt{at(t.at), base + 16}, look{size: sizeTick, align: 0.5, color: soft}, t.label...)
	}
	// The slice of parts 1 and 2, as a marker on the axis with its name above.
	m := at(c.cost)
	s.fill(dark(purple), pt{m - 7.5, base - 13.5}, pt{m + 7.5, base - 13.5}, pt{m, base + 1})
	s.fill(purple, pt{m - 5.5, base - 12.4}, pt{m + 5.5, base - 12.4}, pt{m, base - 1.6})
	l := look{size: sizeTick + 0.5, halo: true, color: dark(purple), bold: true}
	name := "this θ"
	lx := m + 9
	if lx+textWidth(l, plain(name)) > right {
		lx, l.align = m-9, 1
	}
	s.text(pt{lx, base - 9}, l, plain(name))

	l = look{size: sizeLabel, halo: true, bold: true}
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
	s.text(pt{b.x + b.w/2, y}, look{size: sizeTick, align: 0.5, color: soft}, it("F"), plain("("), it("θ"),
		plain(fmt.Sprintf(") of %d directions", len(values))))
	s.text(pt{b.x + 10, (top + base) / 2}, look{size: sizeTick, align: 0.5, angle: math.Pi / 2, color: soft}, plain("number of directions"))
	out := []run{plain("SW² = ")}
	if c.opt.Convention == SumOverPoints {
		out = []run{it("m"), plain(" SW² = ")}
	}
	out = append(out, withError(mean, stderr)...)
	s.text(pt{b.x + b.w/2, y + 24}, look{size: sizeHead, align: 0.5, maxLen: b.w + 12}, out...)
}

// withError writes value ± error, the error with two digits.
func withError(v, e float64) []run {
	if !(e > 0) {
		return number(v)
	}
	if big := math.Max(math.Abs(v), e); big >= 1e5 || big < 1e-3 {
		return append(append(digits(v, 4), plain(" ± ")), digits(e, 2)...)
	}
	dec := max(0, 1-int(math.Floor(math.Log10(e))))
	return []run{plain(minus(fmt.Sprintf("%.*f ± %.*f", dec, v, dec, e)))}
}

// meanStdErr returns the mean and s/√n, 0 for a single value.
func meanStdErr(v []float64) (mean, stderr float64) {
	n := float64(len(v))
	for _, x := range v {
		mean += x / n
	}
	if n < 2 {
		return mean, 0
	}
	var ss float64
	for _, x := range v {
		ss += (x - mean) * (x - mean)
	}
	return mean, math.Sqrt(ss / (n - 1) / n)
}

// histogram counts values in equal bins of [lo, hi].
func histogram(v []float64, lo, hi float64, bins int) []int {
	count := make([]int, bins)
	for _, x := range v {
		i := int(float64(bins) * (x - lo) / (hi - lo))
		count[min(max(i, 0), bins-1)]++
	}
	return count
}

func maxInt(v []int) int {
	m := 1
	for _, x := range v {
		m = max(m, x)
	}
	return m
}
