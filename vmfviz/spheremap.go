package vmfviz

import (
	"fmt"
	"math"
)

// SphereMap draws what [Sphere] draws, the same panels, as flat maps that show
// the whole sphere at once and keep areas: where there are twice as many samples
// to a square millimetre, the density is twice as high.
//
// Every panel is two discs in Lambert's azimuthal equal-area projection: at the
// left the half of the sphere that [Sphere] shows with the same View, at the
// right the half behind, seen from behind; they touch where the left one ends at
// the right. A map in one piece (Mollweide, Hammer) stretches shapes near its
// rim without bound; here lengths change by a factor of √2 at most, the samples
// of a vMF distribution around a location stay round, and no pole is special.
// Costs of slices have F(θ) = F(−θ): the right disc is then the left one
// mirrored top to bottom.
//
// The location is a ring with its letter, the path a line from its open to its
// filled end, and crosses mark the ends of the axes. Columns 0 means up to two
// panels in a row.
func SphereMap(o SphereOptions, panels ...SpherePanel) (*Picture, error) {
	if err := o.check(panels); err != nil {
		return nil, err
	}
	panels = sampled(panels)
	cols := o.Columns
	if cols == 0 {
		cols = min(len(panels), 2)
	}
	cols = min(cols, len(panels))
	lines := (len(panels) + cols - 1) / cols
	heats, barLabel := heatsOf(panels)
	bar, caption := 0.0, 0.0
	if len(heats) > 0 {
		bar = barWidth
	}
	for _, p := range panels {
		if p.Caption != "" {
			caption = 26
		}
	}
	const gap = 22
	cell := math.Floor((cardWidth - 2*margin - bar - gap*float64(cols-1)) / float64(cols))
	radius := math.Floor(math.Min(200, cell/4-1))
	cell = 4*radius + 2
	width := 2*margin + bar + cell*float64(cols) + gap*float64(cols-1)
	top := titleHeight(o.Title)
	height := top + float64(lines)*(2*radius+8+caption) + float64(lines-1)*gap + margin
	lo, hi := heatRange(heats)
	cam := o.View.or(sphereView).cameraZ()

	paint := func(s *sheet) {
		s.title(o.Title)
		for i, p := range panels {
			x := margin + float64(i%cols)*(cell+gap)
			y := top + float64(i/cols)*(2*radius+8+caption+gap)
			near := mapFrame{pt{x + radius, y + radius + 4}, radius, cam}
			far := mapFrame{near.c.add(pt{2*radius + 2, 0}), radius, cam.behind()}
			draw := func() { s.sphereMap(near, far, p, lo, hi) }
			if p.Heat != nil { // all of it lies on the map's own colours
				s.exact(draw)
			} else {
				draw()
			}
			s.text(pt{x + cell/2, y + 2*radius + 8 + 17}, look{size: sizeCaption, align: 0.5, maxLen: cell}, plain(p.Caption))
		}
		if bar > 0 {
			h := math.Min(2*radius, 320) * 0.8
			y := top + (height-margin-top)/2 - h/2
			if lines == 1 {
				y = top + 4 + radius - h/2
			}
			b := box{width - margin - bar + 18, y, 16, h}
			s.colorBar(b, viridisMap, lo, hi, barLabel)
			if anyContours(heats) {
				s.contourMarks(b, lo, hi)
			}
		}
	}
	what := fmt.Sprintf("%d equal-area map(s) of the unit sphere with directions", len(panels))
	return newPicture(width, height, altText(o.Title, what), paint), nil
}

// heatsOf returns the functions of the panels and the first label of one.
func heatsOf(panels []SpherePanel) (heats []*Heat, label string) {
	for _, p := range panels {
		if p.Heat == nil {
			continue
		}
		heats = append(heats, p.Heat)
		if label == "" {
			label = p.Heat.Label
		}
	}
	return heats, label
}
