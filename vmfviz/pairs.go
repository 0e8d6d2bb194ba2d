package vmfviz

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// PairsOptions describe a [Pairs] picture.
type PairsOptions struct{ Title string }

// Pairs draws the matching of one slice back in the space of the clouds: the point of x with the
// i-th smallest projection aᵢ = θᵀxᵢ and the point of y with the i-th smallest bᵢ = θᵀyᵢ are joined
// by a line. A slice sees only how far a line goes along θ, drawn as an arrow; across it, partners
// may be far apart. Of clouds of more than 60 points, 60 pairs are joined: evenly many order
// statistics. This is the assignment whose squared lengths along θ the cost F(θ) adds up, and along
// which its gradient pulls the points.
//
// Clouds x and y are [m, d], d = 2 or 3, with equally many points; theta [d] is a unit vector. Near
// points and lines are darker. The view is that of [Slice].
func Pairs(o PairsOptions, x, y, theta []float32) (*Picture, error) {
	if err := checkSlice(x, y, theta); err != nil {
		return nil, err
	}
	c := newSliced(SliceOptions{}, x, y, theta, 60)
	alt := fmt.Sprintf("two clouds of %d points, %d of the pairs that one direction matches joined", len(c.x.points),
		len(c.pairs))
	p := &Picture{Title: o.Title, Alt: altText(o.Title, alt)}
	p.setPlots([]*plot.Plot{c.pairsPlot()}, 1, 432, 345)
	return p, nil
}

// pairsPlot draws the clouds, pale, and joins the pairs; the axes are those of the picture plane,
// in units of the clouds.
func (c *sliced) pairsPlot() *plot.Plot {
	p := theme.bare()
	p.HideAxes()
	m := len(c.x.points)
	all := append(slices.Clone(c.x.points), c.y.points...)
	page, depths, near := c.cam.flat(all), make([]float64, 2*m), make([]float64, 2*m)
	for i, q := range all {
		depths[i] = dot(c.cam.fore, q)
	}
	first, last := bounds(depths)
	for i := range near { // 0 at the back and 1 in front, in steps
		if near[i] = 1; first < last {
			near[i] = math.Round(16*scaleTo(first, last, depths[i])) / 16
		}
	}
	points := &plotter.Scatter{}
	_, back := order(depths) // the farthest first
	for _, i := range back {
		points.XYs = append(points.XYs, page[i])
	}
	points.GlyphStyleFunc = func(k int) draw.GlyphStyle {
		i := back[k]
		g := theme.glyph(Input+Role(i/m), dotRadius(m)*vg.Length(1.4+0.6*near[i]))
		g.Color = blend(g.Color, white, 0.72-0.52*near[i])
		return g
	}
	p.Add(&equalAspect{}, points)

	var ends [2]plotter.XYs
	for _, rank := range c.pairs {
		i, j := c.x.order[rank], m+c.y.order[rank]
		style := draw.LineStyle{Color: faded(theme.Text, 0.35+0.2*(near[i]+near[j])), Width: 0.8}
		p.Add(&plotter.Line{XYs: plotter.XYs{page[i], page[j]}, LineStyle: style})
		ends[0], ends[1] = append(ends[0], page[i]), append(ends[1], page[j])
	}
	for k, name := range []string{"cloud X", "cloud Y"} {
		p.Legend.Add(name, seamed(p, ends[k], Input+Role(k), 2.4))
	}
	pairs := fmt.Sprintf("%d of %d pairs: equal ranks along θ", len(c.pairs), len(c.x.points))
	if len(c.pairs) == len(c.x.points) {
		pairs = fmt.Sprintf("all %d pairs: equal ranks along θ", len(c.pairs))
	}
	p.Legend.Add(pairs, &plotter.Line{LineStyle: draw.LineStyle{Color: faded(theme.Text, 0.7), Width: 1}})
	beside(page, c.cam.flat([]vec3{c.theta})[0]).draw(p, 2.2)
	p.Legend.Left = true
	pad(&p.Y, 0.02)
	p.Y.Min = at(&p.Y, -0.1) // room for the legend
	return p
}
