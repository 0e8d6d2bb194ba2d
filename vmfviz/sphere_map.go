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
	l, err := newSphereLayout(o, panels, func(n int) int { return min(n, 2) }, 22)
	if err != nil {
		return nil, err
	}
	radius := math.Floor(math.Min(200, l.room(cardWidth)/4-1))
	l.w, l.h = 4*radius+2, 2*radius+8
	cam := o.View.or(sphereView).cameraZ()
	return l.picture(fmt.Sprintf("%d equal-area map(s) of the unit sphere with directions", len(panels)), func(s *page, b box, p SpherePanel) {
		near := mapFrame{pt{b.x + radius, b.y + radius + 4}, radius, cam}
		far := mapFrame{near.c.add(pt{2*radius + 2, 0}), radius, cam.behind()}
		draw := func() { s.sphereMap(near, far, p, l.lo, l.hi) }
		if p.Heat != nil { // all of it lies on the map's own colours
			s.exact(draw)
		} else {
			draw()
		}
	}), nil
}
