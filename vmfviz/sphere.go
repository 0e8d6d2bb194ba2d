package vmfviz

import (
	"fmt"
	"math"
)

// SphereOptions are what the panels of a [Sphere] picture share.
type SphereOptions struct {
	Title string
	// View is where the reader stands; the zero View is From(35, 22).
	View View
	// Columns is the number of panels in a row; 0 means up to four.
	Columns int
}

var sphereView = From(35, 22)

func (o SphereOptions) check(panels []SpherePanel) error {
	if err := checkText("Title", o.Title); err != nil {
		return err
	}
	if err := o.View.check(); err != nil {
		return err
	}
	if o.Columns < 0 || o.Columns > 12 {
		return fmt.Errorf("vmfviz: Columns = %d, expected 0 (automatic) to 12", o.Columns)
	}
	if len(panels) == 0 {
		return fmt.Errorf("vmfviz: no panels given, expected at least one")
	}
	for i, p := range panels {
		if err := p.check(fmt.Sprintf("panels[%d]", i)); err != nil {
			return err
		}
	}
	return nil
}

// Sphere draws one or several unit spheres with directions, locations, paths
// and functions on them. All panels have the same view, and where several have
// a Heat, one colour bar and one range for all.
func Sphere(o SphereOptions, panels ...SpherePanel) (*Picture, error) {
	if err := o.check(panels); err != nil {
		return nil, err
	}
	panels = sampled(panels)
	cols := o.Columns
	if cols == 0 {
		cols = min(len(panels), 4)
		if n := len(panels); n > 4 { // no lonely sphere in the last row
			cols = (n + (n+3)/4 - 1) / ((n + 3) / 4)
		}
	}
	cols = min(cols, len(panels))
	rows := (len(panels) + cols - 1) / cols

	heats, barLabel := heatsOf(panels)
	caption := 0.0
	for _, p := range panels {
		if p.Caption != "" {
			caption = 26
		}
	}
	bar := 0.0
	if len(heats) > 0 {
		bar = barWidth
	}
	width := cardWidth
	if cols == 1 {
		width = 520 + bar
	}
	const gap = 10
	cell := math.Floor((width - 2*margin - bar - gap*float64(cols-1)) / float64(cols))
	radius := math.Floor(math.Min(0.42*cell, (cell/2-11)/axisReach))
	view := o.View.or(sphereView)
	above, below := verticalReach(view.cameraZ(), radius, panels)
	cellH := math.Ceil(above + below)
	top := titleHeight(o.Title)
	height := top + float64(rows)*(cellH+caption) + float64(rows-1)*gap + margin
	lo, hi := heatRange(heats)

	paint := func(s *sheet) {
		s.title(o.Title)
		for i, p := range panels {
			b := box{
				x: margin + float64(i%cols)*(cell+gap),
				y: top + float64(i/cols)*(cellH+caption+gap),
				w: cell, h: cellH,
			}
			f := sphereFrame{pt{math.Round(b.x + b.w/2), math.Round(b.y + above)}, radius, view.cameraZ()}
			s.sphere(f, p, lo, hi)
			s.text(pt{b.x + b.w/2, b.y + b.h + 15}, look{size: sizeCaption, align: 0.5, maxLen: cell + gap - 4}, plain(p.Caption))
		}
		if bar > 0 {
			h := math.Min(cellH, 320) * 0.72
			y := top + cellH/2 - h/2
			if rows > 1 {
				y = top + (height-margin-top)/2 - h/2
			}
			b := box{width - margin - bar + 18, y, 16, h}
			s.colorBar(b, viridisMap, lo, hi, barLabel)
			if anyContours(heats) {
				s.contourMarks(b, lo, hi)
			}
		}
	}
	alt := fmt.Sprintf("%d unit sphere(s) with directions", len(panels))
	if o.Title != "" {
		alt = o.Title + ": " + alt
	}
	return newPicture(width, height, alt, paint), nil
}

// axisReach is how far the axes stand out of the unit sphere, from its centre.
const axisReach = 1.16

// verticalReach returns how much room, in pixels, the panels need above and
// below the centre of a sphere with its axes, arrows and letters.
func verticalReach(cam camera, radius float64, panels []SpherePanel) (above, below float64) {
	f := sphereFrame{r: radius, cam: cam}
	above, below = radius+4, radius+4
	see := func(y, room float64) { above, below = math.Max(above, room-y), math.Max(below, room+y) }
	for k := range 3 {
		var e vec3
		e[k] = axisReach
		q, _ := f.at(e)
		see(q.y, 20)
	}
	for _, p := range panels {
		if p.Location != nil {
			_, to, _, _ := f.locationArrow(row3(p.Location, 0).unit())
			see(to.y, 26)
		}
	}
	return above, below
}
