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

// mapFrame maps the hemisphere in front of a camera to a disc on the sheet.
type mapFrame struct {
	c   pt
	r   float64
	cam camera
}

// at returns the place of a direction and whether it lies on this hemisphere.
func (f mapFrame) at(p vec3) (pt, bool) {
	q := f.cam.apply(p)
	x, y := lambert(q)
	return pt{f.c.x + f.r*x, f.c.y - f.r*y}, q[2] >= 0
}

// cut returns the parts of a curve, given by close points, on this hemisphere;
// each ends at the rim where the curve leaves.
func (f mapFrame) cut(curve []vec3) [][]pt {
	var parts [][]pt
	var part []pt
	for i, p := range curve {
		q, in := f.at(p)
		if i > 0 {
			if _, was := f.at(curve[i-1]); was != in {
				edge, _ := f.at(f.rim(curve[i-1], p))
				part = append(part, edge)
			}
		}
		if in {
			part = append(part, q)
		} else if part != nil {
			parts, part = append(parts, part), nil
		}
	}
	if part != nil {
		parts = append(parts, part)
	}
	return parts
}

// rim returns where the great circle through two directions on different
// hemispheres crosses the rim between them.
func (f mapFrame) rim(a, b vec3) vec3 {
	da, db := dot(f.cam.fore, a), dot(f.cam.fore, b)
	p := a.scale(db).sub(b.scale(da)).scale(1 / (db - da))
	p = p.sub(f.cam.fore.scale(dot(f.cam.fore, p)))
	if dot(p, p) < 1e-18 {
		return f.cam.right // a and b are opposite: any way round is as short
	}
	return p.unit()
}

// sphereMap draws one panel.
func (s *sheet) sphereMap(near, far mapFrame, p SpherePanel, lo, hi float64) {
	frames := []mapFrame{near, far}
	lines := stroke{width: 1, color: color3(0xB9C0C8)}
	for _, f := range frames {
		if p.Heat != nil {
			n := int(2 * screenScale * f.r)
			s.image(box{f.c.x - f.r, f.c.y - f.r, 2 * f.r, 2 * f.r}, p.Heat.disc(n, lo, hi, func(x, y float64) vec3 { return f.cam.back(lambertBack(x, y)) }))
			lines = stroke{width: 0.8, color: alpha(white, 0.28)}
			p.Heat.contourLines(lo, hi, func(c []vec3, st stroke) {
				for _, part := range f.cut(c) {
					s.line(st, part...)
				}
			})
		} else {
			s.disc(f.c, f.r, shadow)
		}
		for _, l := range graticule() {
			for _, part := range f.cut(l) {
				s.line(lines, part...)
			}
		}
		s.ring(f.c, f.r, stroke{width: 1.2, color: axis})
	}
	for _, f := range frames {
		s.mapAxes(f, f.cam == near.cam, p.Heat != nil)
	}
	for _, f := range frames {
		s.mapPoints(f, p)
		s.mapPath(f, p.Path)
	}
	if p.Location != nil {
		eps, f := row3(p.Location, 0).unit(), near
		if _, in := near.at(eps); !in {
			f = far
		}
		s.mapLocation(f, eps, p.LocationLabel)
	}
}

// mapAxes marks the ends of the axes. One on the rim is marked on the near map
// only.
func (s *sheet) mapAxes(f mapFrame, near, heat bool) {
	col, casing := axis, white
	if heat {
		col, casing = white, color3(0x30363D)
	}
	for k, name := range []string{"x", "y", "z"} {
		for _, sign := range []float64{1, -1} {
			var e vec3
			e[k] = sign
			q, _ := f.at(e)
			d := dot(f.cam.fore, e)
			if d < -1e-9 || (d < 1e-9 && !near) {
				continue
			}
			const h = 4
			for _, st := range []stroke{{width: 3.4, color: alpha(casing, 0.6)}, {width: 1.5, color: col}} {
				s.line(st, pt{q.x - h, q.y}, pt{q.x + h, q.y})
				s.line(st, pt{q.x, q.y - h}, pt{q.x, q.y + h})
			}
			label := []run{it(name)}
			if sign < 0 {
				label = []run{plain("−"), it(name)}
			}
			t := pt{q.x + 10, q.y - 8}
			if q.x-f.c.x > 0.85*f.r { // keep inside the disc
				t.x = q.x - 12
			}
			if f.c.y-q.y > 0.85*f.r {
				t.y = q.y + 16
			}
			s.text(t, look{size: 13.5, align: 0.5, color: soft, halo: true}, label...)
		}
	}
}

// mapPoints draws the directions of one hemisphere.
func (s *sheet) mapPoints(f mapFrame, p SpherePanel) {
	n := len(p.Points) / 3
	r := math.Max(1.2, math.Min(2.8, 0.016*f.r*math.Sqrt(300/math.Max(float64(n), 1))))
	rim, col := white, blue
	if p.Heat != nil {
		col = color3(0x111111)
	}
	for i := range n {
		if q, in := f.at(row3(p.Points, i).unit()); in {
			s.disc(q, r+0.7, rim)
			s.disc(q, r, col)
		}
	}
}

// mapPath draws the part of a path on one hemisphere.
func (s *sheet) mapPath(f mapFrame, path []float32) {
	n := len(path) / 3
	if n == 0 {
		return
	}
	var curve []vec3
	for i := 1; i < n; i++ {
		curve = append(curve, greatCircle(row3(path, i-1).unit(), row3(path, i).unit())...)
	}
	parts := f.cut(curve)
	for _, st := range []stroke{{width: 4.2, color: dark(purple)}, {width: 2.6, color: purple}} {
		for _, part := range parts {
			s.line(st, part...)
		}
	}
	if q, in := f.at(row3(path, 0).unit()); in {
		s.disc(q, 4.6, dark(purple))
		s.disc(q, 3, white)
	}
	if q, in := f.at(row3(path, n-1).unit()); in {
		s.disc(q, 4.6, dark(purple))
		s.disc(q, 3.4, purple)
	}
}

// mapLocation marks a location with its letter.
func (s *sheet) mapLocation(f mapFrame, eps vec3, label string) {
	if label == "" {
		label = "ε"
	}
	q, _ := f.at(eps)
	s.disc(q, 7.8, white)
	s.disc(q, 6.8, dark(purple))
	s.disc(q, 5.4, purple)
	s.disc(q, 1.9, white)
	out := pt{16, -12}
	if q.x > f.c.x+0.7*f.r {
		out.x = -16
	}
	if q.y < f.c.y-0.7*f.r {
		out.y = 20
	}
	l := look{size: 18, color: dark(purple), align: 0.5, bold: true, halo: true}
	s.text(pt{q.x + out.x, q.y + out.y + 0.3*l.size}, l, plain(label))
}
