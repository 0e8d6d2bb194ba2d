package vmfviz

import (
	"fmt"
	"math"
)

// CurvePanel is one plot of a [Curves] picture.
type CurvePanel struct {
	Title string
	// XLabel and YLabel name what the axes show, with its unit or convention,
	// for example "step" and "SW² (sum over points)".
	XLabel, YLabel string
	// LogX and LogY make an axis logarithmic; its values must be positive.
	LogX, LogY bool
	// Smooth, from 0 (off) to below 1, draws on top of each curve, then pale,
	// its exponential moving average sᵢ = Smooth·sᵢ₋₁ + (1 − Smooth)·yᵢ without
	// the bias of the start (divided by 1 − Smoothⁱ).
	Smooth float64
	Series []Series
}

// CurvesOptions are what the panels of a [Curves] picture share.
type CurvesOptions struct {
	Title string
	// Height of the plots in pixels; 0 means 280.
	Height int
}

// Curves draws plots of curves side by side, up to three in a row: training
// losses, an ascent, errors against the number of slices. Up to seven curves of
// a plot differ in colour and in dashes or lightness, so that they can be told
// apart in greyscale.
func Curves(o CurvesOptions, panels ...CurvePanel) (*Picture, error) {
	if err := checkText("Title", o.Title); err != nil {
		return nil, err
	}
	if o.Height < 0 || o.Height > 2000 {
		return nil, fmt.Errorf("vmfviz: Height = %d, expected 0 (automatic) to 2000 pixels", o.Height)
	}
	if len(panels) == 0 {
		return nil, fmt.Errorf("vmfviz: no panels given, expected at least one")
	}
	plots := make([]*curvePlot, len(panels))
	legend, head := 0.0, 0.0
	for i, p := range panels {
		c, err := newCurvePlot(fmt.Sprintf("panels[%d]", i), p)
		if err != nil {
			return nil, err
		}
		plots[i] = c
		if p.Title != "" {
			head = 24
		}
	}
	cols := min(len(panels), 3)
	if len(panels) == 4 {
		cols = 2
	}
	lines := (len(panels) + cols - 1) / cols
	const gap = 26
	w := (cardWidth - 2*margin - gap*float64(cols-1)) / float64(cols)
	for _, c := range plots {
		legend = math.Max(legend, c.legendHeight(w))
	}
	h := 280.0
	if o.Height > 0 {
		h = float64(o.Height)
	}
	top := titleHeight(o.Title)
	cell := head + legend + h + 48
	height := top + cell*float64(lines) + 18*float64(lines-1) + margin - 8
	paint := func(s *page) {
		s.title(o.Title)
		for i, c := range plots {
			c.draw(s, box{margin + (w+gap)*float64(i%cols), top + (cell+18)*float64(i/cols), w, cell}, head, legend)
		}
	}
	return newPicture(cardWidth, height, altText(o.Title, fmt.Sprintf("curves in %d plot(s)", len(panels))), paint), nil
}
