package vmfviz

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// PairsOptions describe a [Pairs] picture.
type PairsOptions struct {
	Title string
	// Lines is how many pairs are joined; 0 means up to 60. Of larger clouds
	// they are evenly many order statistics.
	Lines int
	// View is where the reader stands for three-dimensional clouds (y is up);
	// the zero View is the one of four around the clouds that sees theta best. It
	// is turned until theta lies in the picture plane.
	View View
	// Theme is the look; nil means [DefaultTheme].
	Theme *Theme
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
	m := len(c.a)
	n := o.Lines
	if n == 0 {
		n = 60
	}
	n = min(n, m)
	c.pairs = nil
	for i := range n {
		c.pairs = append(c.pairs, (2*i+1)*m/(2*n))
	}
	alt := fmt.Sprintf("two clouds of %d points, %d of the pairs that one direction matches joined", m, n)
	p := &Picture{Title: o.Title, Alt: altText(o.Title, alt), Theme: o.Theme.or()}
	p.setPlots([]*plot.Plot{c.pairsPlot(p.Theme)}, 1, 465, 345)
	return p, nil
}

// pairsPlot draws the clouds, pale, and joins the pairs; the axes are those of the
// picture plane, in units of the clouds.
func (c *sliced) pairsPlot(t *Theme) *plot.Plot {
	p := t.bare()
	p.HideAxes()
	cam := c.alongPage()
	all := append(append([]vec3(nil), c.x...), c.y...)
	first, last := math.Inf(1), math.Inf(-1)
	for _, q := range all {
		d := dot(cam.fore, q)
		first, last = math.Min(first, d), math.Max(last, d)
	}
	// near is 0 at the back and 1 at the front, in steps.
	near := func(q vec3) float64 {
		if last-first < 1e-12 {
			return 1
		}
		return math.Round(16*(dot(cam.fore, q)-first)/(last-first)) / 16
	}
	flat := func(q vec3) plotter.XY {
		v := cam.apply(q)
		return plotter.XY{X: v[0], Y: v[1]}
	}
	points := &cloud{}
	for i, q := range all {
		col := t.Input
		if i >= len(c.x) {
			col = t.Output
		}
		d := near(q)
		points.XYs, points.depth = append(points.XYs, flat(q)), append(points.depth, d)
		points.size = append(points.size, 0.75+0.35*d)
		points.color = append(points.color, blend(col, white, 0.72-0.52*d))
	}
	p.Add(points)

	var xs, ys plotter.XYs
	var depths [2][]float64
	for _, rank := range c.pairs {
		a, b := c.x[c.pa[rank]], c.y[c.pb[rank]]
		d := (near(a) + near(b)) / 2
		p.Add(&plotter.Line{XYs: plotter.XYs{flat(a), flat(b)}, LineStyle: draw.LineStyle{Color: faded(t.Text, 0.35+0.4*d), Width: 0.8}})
		xs, ys = append(xs, flat(a)), append(ys, flat(b))
		depths[0], depths[1] = append(depths[0], near(a)), append(depths[1], near(b))
	}
	radius := vg.Length(math.Max(1.5, math.Min(2.4, 2.4*math.Sqrt(60/float64(len(c.pairs))))))
	for k, ends := range []plotter.XYs{xs, ys} {
		seam, mark := t.glyph(Input+Role(k), radius+0.6), t.glyph(Input+Role(k), radius)
		seam.Color = t.Background
		s := &plotter.Scatter{XYs: ends, GlyphStyle: mark, GlyphStyleFunc: func(i int) draw.GlyphStyle {
			g := mark
			g.Color = blend(mark.Color, white, 0.35*(1-depths[k][i]))
			return g
		}}
		p.Add(&plotter.Scatter{XYs: ends, GlyphStyle: seam}, s)
		p.Legend.Add([]string{"cloud X", "cloud Y"}[k], s)
	}
	pairs := fmt.Sprintf("%d of %d pairs: equal ranks along θ", len(c.pairs), len(c.a))
	if len(c.pairs) == len(c.a) {
		pairs = fmt.Sprintf("all %d pairs: equal ranks along θ", len(c.a))
	}
	p.Legend.Add(pairs, &plotter.Line{LineStyle: draw.LineStyle{Color: faded(t.Text, 0.7), Width: 1}})
	along := flat(c.theta)
	line := beside(points.XYs, along)
	p.Add(&arrow{From: line.tail, To: line.tip, Color: t.Direction, Casing: t.dark(t.Direction), Width: 2.2})
	label(t, p, line.tip, "θ", italic(bold(t.style(13.5, t.dark(t.Direction)))), vg.Point{X: vg.Length(10 * along.X), Y: vg.Length(10 * along.Y)}, false)
	p.Legend.Left = true
	pad(&p.Y, 0.02)
	p.Y.Min = at(&p.Y, -0.1) // room for the legend
	return p
}
