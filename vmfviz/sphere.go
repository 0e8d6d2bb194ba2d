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
	l, err := newSphereLayout(o, panels, sphereColumns, 10)
	if err != nil {
		return nil, err
	}
	width := cardWidth
	if l.cols == 1 {
		width = 520 + l.bar
	}
	l.w = l.room(width)
	cam := o.View.or(sphereView).cameraZ()
	radius := math.Floor(math.Min(0.42*l.w, (l.w/2-11)/axisReach))
	above, below := verticalReach(cam, radius, panels)
	l.h = math.Ceil(above + below)
	return l.picture(fmt.Sprintf("%d unit sphere(s) with directions", len(panels)), func(s *page, b box, p SpherePanel) {
		s.sphere(sphereFrame{pt{math.Round(b.x + b.w/2), math.Round(b.y + above)}, radius, cam}, p, l.lo, l.hi)
	}), nil
}

// sphereColumns is how many of n spheres stand in a line: up to four, and no
// lonely one in the last.
func sphereColumns(n int) int {
	lines := (n + 3) / 4
	return (n + lines - 1) / lines
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
