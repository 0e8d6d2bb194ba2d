package vmfviz

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// Convention says how the cost of a slice is counted.
type Convention int

const (
	// SumOverPoints: F(θ) = Σᵢ (a₍ᵢ₎ − b₍ᵢ₎)², the convention of the training losses.
	SumOverPoints Convention = iota
	// MeanOverPoints: F(θ) = (1/m) Σᵢ (a₍ᵢ₎ − b₍ᵢ₎)², the squared Wasserstein distance of the
	// projections.
	MeanOverPoints
)

// SliceOptions describe a [Slice] picture.
type SliceOptions struct {
	Title string
	// Convention is that of the values, and of the number under the matching.
	Convention Convention
	// View is where the reader stands for three-dimensional clouds (y is up), turned as little as
	// needed for theta to lie in the picture plane; the zero View is one of four around the clouds.
	View View
	// Quantiles adds a part behind the matching: the quantile functions of the projections, and the
	// area between them.
	Quantiles bool
	// StdErr is the standard error of the mean of the values of [Slice], to be written and drawn; 0
	// and NaN mean none. A sample of independent directions has one, s/√L; evenly spread ones are a
	// quadrature, whose spread says nothing about its error.
	StdErr float64
	// Replace makes [SliceHTML] hide, in a notebook in which scripts run, the output above it: the
	// picture of the same slice.
	Replace bool
}

// Slice shows what a sliced Wasserstein distance is. Left: clouds x and y ([m, d], d = 2 or 3,
// equally many points) and the projections aᵢ = θᵀxᵢ and bᵢ = θᵀyᵢ of some of their points on the
// direction theta ([d], a unit vector), in a view in which theta lies in the picture plane, so that
// a foot line is at right angles to it. Middle: the sorted projections of the same points, the i-th
// smallest joined with the i-th smallest, of 30 points and more the densities of all, and the cost F(θ); the
// axis runs to the side to which the arrow points. Right: values, the costs F(θ₁) ... F(θ_L) of many directions,
// as a histogram with their mean, which is the squared sliced distance, and the option StdErr; nil
// leaves this part out.
//
// Values must be counted as the option Convention says.
//
// With the option Quantiles one more part shows the matching as the area between the quantile
// functions of the projections, which is their distance W₁ = (1/m) Σᵢ |a₍ᵢ₎ − b₍ᵢ₎|; F squares the
// same gaps.
func Slice(o SliceOptions, x, y, theta []float32, values []float64) (*Picture, error) {
	err := cmp.Or(errorIf(o.StdErr < 0 || o.StdErr >= largest, "StdErr is %g, expected a number not below 0", o.StdErr),
		checkSlice(x, y, theta))
	if err == nil && values != nil {
		err = checkFinite("values", values)
	}
	if err != nil {
		return nil, err
	}
	c := newSliced(o, x, y, theta, 12)
	plots := []*plot.Plot{c.projectionPlot(), c.matchingPlot()}
	names := []string{"Project", "Sort and match"}
	cols, height := 3, vg.Length(270)
	if o.Quantiles && values != nil {
		cols = 2
	}
	p := &Picture{Title: o.Title, Alt: altText(o.Title, "two clouds projected on a direction, their sorted projections matched, and the costs of many directions")}
	w := p.room(cols)
	if o.Quantiles {
		plots, names = append(plots, c.quantilePlot(w, height)), append(names, "Area between the quantiles")
	}
	if values != nil {
		plots, names = append(plots, c.averagePlot(values, w, height)), append(names, "Average over directions")
	}
	for i, q := range plots {
		q.Title.Text = fmt.Sprintf("%d  %s", i+1, names[i])
		fitted(&q.X.Label.TextStyle, q.X.Label.Text, w-10)
	}
	p.setPlots(plots, min(cols, len(plots)), w, height)
	return p, nil
}

// checkSlice checks what every picture of a slice takes.
func checkSlice(x, y, theta []float32) error {
	d := len(theta)
	if d != 2 && d != 3 {
		return fmt.Errorf("vmfviz: theta has length %d, expected 2 or 3", d)
	}
	return cmp.Or(checkUnit("theta", theta, d), checkRows("x", x, d), checkRows("y", y, d),
		errorIf(len(x) != len(y), "y has %d points, expected %d as x has: the i-th smallest of one is matched with the i-th smallest of the other", len(y)/d, len(x)/d))
}

// projected is a cloud, of which a two-dimensional one has third coordinates 0, with its sorted
// projections; sorted[i] is that of the point order[i].
type projected struct {
	points []vec3
	sorted []float64
	order  []int
}

// newProjected projects the rows of a cloud.
func newProjected(v []float32, d int, theta vec3) projected {
	p := projected{points: rows(v, d)}
	var at []float64
	for _, q := range p.points {
		at = append(at, dot(q, theta))
	}
	p.sorted, p.order = order(at)
	return p
}

// sliced is one slice of a pair of clouds.
type sliced struct {
	opt   SliceOptions
	x, y  projected
	theta vec3
	pairs []int // ranks drawn
	cost  float64
	cam   camera // theta lies in its picture plane
}

// newSliced makes a slice that shows some of its pairs: of larger clouds evenly many order
// statistics.
func newSliced(o SliceOptions, x, y, theta []float32, pairs int) *sliced {
	d := len(theta)
	t := rows(theta, d)[0].unit()
	c := &sliced{opt: o, x: newProjected(x, d, t), y: newProjected(y, d, t), theta: t}
	m := len(c.x.points)
	for i, a := range c.x.sorted {
		c.cost += (a - c.y.sorted[i]) * (a - c.y.sorted[i])
	}
	if o.Convention == MeanOverPoints {
		c.cost /= float64(m)
	}
	pairs = min(pairs, m)
	for i := range pairs {
		c.pairs = append(c.pairs, (2*i+1)*m/(2*pairs))
	}
	switch {
	case d == 2:
		c.cam = camera{vec3{1, 0, 0}, vec3{0, 1, 0}, vec3{0, 0, 1}}
	case o.View.set:
		c.cam = o.View.cameraY().beside(t)
	default: // one of four that sees theta well, or that from behind: the arrow points to the right
		best := math.Inf(1)
		for _, azimuth := range []float64{38, -38, 80, -10} {
			cam := From(azimuth, 20).cameraY()
			if away := math.Abs(dot(cam.fore, t)); away < best-0.05 {
				best, c.cam = away, cam.beside(t)
			}
		}
		if dot(c.cam.right, t) < 0 {
			c.cam.right, c.cam.fore = c.cam.right.scale(-1), c.cam.fore.scale(-1)
		}
	}
	return c
}

// beside is the nearest camera for which theta lies in the picture plane, so that a foot line is at
// right angles to theta on the page too.
func (c camera) beside(theta vec3) camera {
	across := func(a, b vec3) vec3 { // a without its part along b; the right side if nothing is left
		for _, v := range []vec3{a, c.right} {
			if v = v.sub(b.scale(dot(v, b))); dot(v, v) > 1e-6 {
				return v.unit()
			}
		}
		return c.up
	}
	fore := across(c.fore, theta)
	up := across(c.up, fore)
	return camera{right: cross(up, fore), up: up, fore: fore}
}

// flat returns the places of points in the picture plane.
func (c camera) flat(points []vec3) plotter.XYs {
	out := make(plotter.XYs, len(points))
	for i, q := range points {
		out[i] = plotter.XY{X: dot(c.right, q), Y: dot(c.up, q)}
	}
	return out
}

// seamed adds marks of a role with a seam of the background, and returns the marks.
func seamed(p *plot.Plot, at plotter.XYs, r Role, radius vg.Length) *plotter.Scatter {
	seam := theme.glyph(r, radius+0.6)
	seam.Color = theme.Background
	marks := &plotter.Scatter{XYs: at, GlyphStyle: theme.glyph(r, radius)}
	p.Add(&plotter.Scatter{XYs: at, GlyphStyle: seam}, marks)
	return marks
}

// dotRadius is that of the marks of a cloud of n points.
func dotRadius(n int) vg.Length {
	return vg.Length(math.Max(0.8, math.Min(2.4, 2.4*math.Sqrt(60/float64(n)))))
}
