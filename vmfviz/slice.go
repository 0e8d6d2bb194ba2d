package vmfviz

import (
	"fmt"
	"math"
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
		draw func(*page, box)
	}
	parts := []part{{"Project", c.drawProjection}, {"Sort and match", c.drawMatching}}
	if o.Quantiles {
		parts = append(parts, part{"Area between the quantiles", c.drawQuantiles})
	}
	if values != nil {
		parts = append(parts, part{"Average over directions", func(s *page, b box) { c.drawAverage(s, b, values) }})
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
	paint := func(s *page) {
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
func (s *page) heading(b box, number, name string) {
	s.disc(pt{b.x + 10, b.y - 20}, 10, ink)
	s.text(pt{b.x + 10, b.y - 15.5}, textStyle{size: 13, bold: true, color: white, align: 0.5}, plain(number))
	s.text(pt{b.x + 27, b.y - 15}, textStyle{size: sizeHead, bold: true, maxLen: b.w - 27}, plain(name))
}
