package vmfviz

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
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
	// View is where the reader stands for three-dimensional clouds (y is up), turned
	// as little as needed for theta to lie in the picture plane; the zero View is
	// one of four around the clouds.
	View View
	// Quantiles adds a part behind the matching: the quantile functions of the
	// projections, and the area between them.
	Quantiles bool
	// Theme is the look; nil means [DefaultTheme].
	Theme *Theme
}

// maxPairs is how many matched pairs are drawn; of larger clouds evenly many
// order statistics.
const maxPairs = 12

// Slice shows what a sliced Wasserstein distance is. Left: clouds x and y
// ([m, d], d = 2 or 3, equally many points) and the projections
// aᵢ = θᵀxᵢ and bᵢ = θᵀyᵢ of some of their points on the direction theta ([d], a
// unit vector), in a view in which theta lies in the picture plane, so that a foot
// line is at right angles to it. Middle: the sorted projections of the same points,
// the i-th smallest joined with the i-th smallest, the densities of all, and the cost
// F(θ); the axis runs to the side to which the arrow points. Right: values, the
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
	theme := o.Theme.or()
	c := newSliced(o, x, y, theta)
	plots := []*plot.Plot{c.projectionPlot(theme), c.matchingPlot(theme)}
	names := []string{"Project", "Sort and match"}
	cols, height := 3, vg.Length(270)
	if o.Quantiles && values != nil {
		cols = 2
	}
	w := (fullWidth - 2*cardEdge - plotGap*vg.Length(cols-1)) / vg.Length(cols)
	if o.Quantiles {
		plots, names = append(plots, c.quantilePlot(theme, w, height)), append(names, "Area between the quantiles")
	}
	if values != nil {
		plots, names = append(plots, c.averagePlot(theme, values, w, height)), append(names, "Average over directions")
	}
	for i, q := range plots {
		q.Title.Text = fmt.Sprintf("%d  %s", i+1, names[i])
		fitted(&q.X.Label.TextStyle, q.X.Label.Text, w-10)
	}
	p := &Picture{Title: o.Title, Theme: theme,
		Alt: altText(o.Title, "two clouds projected on a direction, their sorted projections matched, and the costs of many directions")}
	cols = min(cols, len(plots))
	p.setPlots(plots, cols, w*vg.Length(cols)+plotGap*vg.Length(cols-1)+2*cardEdge, height)
	return p, nil
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
