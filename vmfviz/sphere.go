package vmfviz

import (
	"fmt"
	"image/color"
	"math"
	"sort"
)

// SpherePanel is one sphere of a [Sphere] picture. Everything in it is
// optional; directions are unit vectors.
type SpherePanel struct {
	// Caption stands below the sphere, for example "κ = 10".
	Caption string
	// Points are directions [N, 3], for example samples of a distribution.
	// Those on the near side are solid, those on the far side pale.
	Points []float32
	// VMF are samples of a von Mises-Fisher distribution around Location, in
	// the place of Points.
	VMF *VMF
	// Location is one direction [3], drawn as an arrow from the centre.
	Location []float32
	// LocationLabel is the letter at the arrow; "" means ε.
	LocationLabel string
	// Path is a sequence of directions [T, 3], joined by great circles, for
	// example the ascent steps of a location.
	Path []float32
	// Heat paints a function on the sphere. The sphere is then opaque: the far
	// side shows nothing but the arrow.
	Heat *Heat
}

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

func (p SpherePanel) check(name string) error {
	if err := checkText(name+".Caption", p.Caption); err != nil {
		return err
	}
	if err := checkText(name+".LocationLabel", p.LocationLabel); err != nil {
		return err
	}
	if p.Points != nil {
		if _, err := checkUnit(name+".Points", p.Points); err != nil {
			return err
		}
	}
	if p.Location != nil {
		if len(p.Location) != 3 {
			return fmt.Errorf("vmfviz: %s.Location has length %d, expected 3", name, len(p.Location))
		}
		if _, err := checkUnit(name+".Location", p.Location); err != nil {
			return err
		}
	}
	if p.Path != nil {
		if _, err := checkUnit(name+".Path", p.Path); err != nil {
			return err
		}
	}
	if p.VMF != nil {
		if err := p.VMF.check(name, p); err != nil {
			return err
		}
	}
	if p.Heat != nil {
		return p.Heat.check(name + ".Heat")
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

// sphereFrame maps the unit ball to the sheet.
type sphereFrame struct {
	c   pt
	r   float64
	cam camera
}

func (f sphereFrame) at(p vec3) (pt, float64) {
	q := f.cam.apply(p)
	return pt{f.c.x + f.r*q[0], f.c.y - f.r*q[1]}, q[2]
}

// arc draws the parts of a curve on the sphere that lie on the near (or far)
// side; the curve is given by close points.
func (s *sheet) arc(f sphereFrame, curve []vec3, near bool, st stroke) {
	var part []pt
	flush := func() {
		s.line(st, part...)
		part = nil
	}
	for i, p := range curve {
		q, d := f.at(p)
		if (d >= 0) == near {
			if part == nil && i > 0 {
				part = append(part, f.horizon(curve[i-1], p))
			}
			part = append(part, q)
			continue
		}
		if part != nil {
			part = append(part, f.horizon(curve[i-1], p))
		}
		flush()
	}
	flush()
}

// horizon returns where the chord from a to b crosses the picture plane.
func (f sphereFrame) horizon(a, b vec3) pt {
	pa, da := f.at(a)
	pb, db := f.at(b)
	if da == db {
		return pa
	}
	return pa.to(pb, math.Max(0, math.Min(1, da/(da-db))))
}

// greatCircle returns close points on the shortest arc from a to b.
func greatCircle(a, b vec3) []vec3 {
	angle := math.Acos(math.Max(-1, math.Min(1, dot(a, b))))
	n := 1 + int(angle/0.04)
	if math.Sin(angle) < 1e-6 {
		return []vec3{a, b}
	}
	out := make([]vec3, n+1)
	for i := range out {
		t := float64(i) / float64(n)
		out[i] = a.scale(math.Sin((1 - t) * angle)).add(b.scale(math.Sin(t * angle))).unit()
	}
	return out
}

// graticule returns meridians and parallels every 30 degrees.
func graticule() [][]vec3 {
	const steps = 96
	circle := func(f func(t float64) vec3) []vec3 {
		c := make([]vec3, steps+1)
		for i := range c {
			c[i] = f(2 * math.Pi * float64(i) / steps)
		}
		return c
	}
	var lines [][]vec3
	for k := range 6 {
		sl, cl := math.Sincos(float64(k) * math.Pi / 6)
		lines = append(lines, circle(func(t float64) vec3 {
			st, ct := math.Sincos(t)
			return vec3{st * cl, st * sl, ct}
		}))
	}
	for k := -2; k <= 2; k++ {
		z, r := math.Sincos(float64(k) * math.Pi / 6)
		lines = append(lines, circle(func(t float64) vec3 {
			st, ct := math.Sincos(t)
			return vec3{r * ct, r * st, z}
		}))
	}
	return lines
}

// sphere draws one panel.
func (s *sheet) sphere(f sphereFrame, p SpherePanel, lo, hi float64) {
	s.axes(f, false)
	if p.Location != nil {
		s.location(f, p, false) // what stands out beyond the edge
	}

	near, far := stroke{width: 1, color: color3(0xB9C0C8)}, stroke{width: 0.8, color: color3(0xDDE1E6)}
	if p.Heat != nil {
		n := int(2 * screenScale * f.r)
		s.image(box{f.c.x - f.r, f.c.y - f.r, 2 * f.r, 2 * f.r}, p.Heat.image(f.cam, n, lo, hi))
		near = stroke{width: 0.8, color: alpha(white, 0.28)}
		p.Heat.contourLines(lo, hi, func(c []vec3, st stroke) { s.exact(func() { s.arc(f, c, true, st) }) })
	} else {
		s.disc(f.c, f.r, shadow)
		for _, l := range graticule() {
			s.arc(f, l, false, far)
		}
	}
	s.points(f, p, false)
	if p.Heat == nil {
		s.path3(f, p.Path, false)
	}
	if p.Location != nil {
		s.ghost(f, p)
	}
	onMap := func(draw func()) { // on the colours of a function, which are exact
		if p.Heat != nil {
			s.exact(draw)
		} else {
			draw()
		}
	}
	onMap(func() {
		for _, l := range graticule() {
			s.arc(f, l, true, near)
		}
	})
	s.ring(f.c, f.r, stroke{width: 1.2, color: axis})
	s.axes(f, true)
	onMap(func() { s.points(f, p, true) })
	s.path3(f, p.Path, true)
	if p.Location != nil {
		s.location(f, p, true)
		s.locationLabel(f, p)
	}
}

// axes draws the near or the far half axes outside the sphere with their names.
func (s *sheet) axes(f sphereFrame, near bool) {
	size := 14.0
	if f.small() {
		size = 12.5
	}
	for k, name := range []string{"x", "y", "z"} {
		var e vec3
		e[k] = 1
		a, d := f.at(e)
		if (d >= 0) != near {
			continue
		}
		b, _ := f.at(e.scale(axisReach))
		s.line(stroke{width: 1.3, color: axis}, a, b)
		q := b
		if out := b.sub(f.c); out.norm() > 1 {
			q = b.towards(b.add(out), 9)
		} else {
			q = pt{b.x + 9, b.y - 9}
		}
		s.text(pt{q.x, q.y + 0.3*size}, look{size: size, color: soft, align: 0.5, halo: near}, it(name))
	}
}

// points draws the directions of the near or of the far side, far ones first.
func (s *sheet) points(f sphereFrame, p SpherePanel, near bool) {
	n := len(p.Points) / 3
	if n == 0 {
		return
	}
	r := math.Max(1.1, math.Min(0.016*f.r, 0.016*f.r*math.Sqrt(300/float64(n))))
	if r < 2 && n <= 400 {
		r = 2
	}
	type mark struct {
		at    pt
		depth float64
	}
	var marks []mark
	for i := range n {
		q, d := f.at(row3(p.Points, i).unit())
		if (d >= 0) == near {
			marks = append(marks, mark{q, d})
		}
	}
	sort.SliceStable(marks, func(i, j int) bool { return marks[i].depth < marks[j].depth })
	for _, m := range marks {
		switch {
		case near && p.Heat != nil:
			s.disc(m.at, r+0.9, white)
			s.disc(m.at, r, color3(0x111111))
		case near:
			s.disc(m.at, r+0.6, white)
			s.disc(m.at, r, blue)
		case p.Heat == nil:
			s.disc(m.at, r*0.9, mix(blue, shadow, 0.72))
		}
	}
}

// path3 draws the path on the near or on the far side.
func (s *sheet) path3(f sphereFrame, path []float32, near bool) {
	n := len(path) / 3
	if n == 0 {
		return
	}
	var curve []vec3
	for i := 1; i < n; i++ {
		curve = append(curve, greatCircle(row3(path, i-1).unit(), row3(path, i).unit())...)
	}
	col, casing := purple, dark(purple)
	if !near {
		col, casing = mix(purple, shadow, 0.65), mix(dark(purple), shadow, 0.65)
	}
	s.arc(f, curve, near, stroke{width: 4.2, color: casing})
	s.arc(f, curve, near, stroke{width: 2.6, color: col})
	if q, d := f.at(row3(path, 0).unit()); (d >= 0) == near { // where it starts
		s.disc(q, 4.6, casing)
		s.disc(q, 3, white)
	}
	if q, d := f.at(row3(path, n-1).unit()); (d >= 0) == near { // where it ends
		s.disc(q, 4.6, casing)
		s.disc(q, 3.4, col)
	}
}

// locationArrow returns the ends of the arrow of a location on the sheet, and
// whether the location lies on the near side. The arrow is longer in space
// where it points at the reader, so that it can be seen; where even that leaves
// it short, ok is false.
func (f sphereFrame) locationArrow(eps vec3) (from, to pt, near, ok bool) {
	from, depth := f.at(eps)
	out := from.sub(f.c).norm() / f.r
	length := math.Min(1.1, 0.3/math.Max(out, 1e-9))
	to, _ = f.at(eps.scale(1 + length))
	return from, to, depth >= 0, to.sub(from).norm() >= 16
}

// location draws the arrow of a location from the surface outwards, if it lies
// on the given side.
func (s *sheet) location(f sphereFrame, p SpherePanel, near bool) {
	from, to, isNear, ok := f.locationArrow(row3(p.Location, 0).unit())
	if isNear == near {
		s.locationMark(f, from, to, ok, purple, dark(purple))
	}
}

// ghost draws the arrow of a location on the far side as seen through the
// sphere.
func (s *sheet) ghost(f sphereFrame, p SpherePanel) {
	from, to, near, ok := f.locationArrow(row3(p.Location, 0).unit())
	if near {
		return
	}
	tip := to
	if d := f.c.sub(from); ok && to.sub(f.c).norm() > f.r && d.norm() > 0 {
		// Only up to the edge: what is beyond is drawn already.
		tip = f.c.towards(to, f.r)
		s.line(stroke{width: f.arrowWidth() + 2, color: alpha(dark(purple), 0.35)}, from, tip)
		s.disc(from, f.arrowWidth()*1.25+1, alpha(dark(purple), 0.4))
		return
	}
	s.locationMark(f, from, tip, ok, alpha(purple, 0.4), alpha(dark(purple), 0.4))
}

func (f sphereFrame) small() bool { return f.r < 120 }

func (f sphereFrame) arrowWidth() float64 {
	if f.small() {
		return 3
	}
	return 3.6
}

func (s *sheet) locationMark(f sphereFrame, from, to pt, ok bool, col, casing color.NRGBA) {
	w := f.arrowWidth()
	if !ok { // it points at the reader: the arrow from its tip
		s.disc(from, 6.8, casing)
		s.disc(from, 5.4, col)
		s.disc(from, 1.9, white)
		return
	}
	s.arrow(from, to, w, col, casing)
	s.disc(from, w*1.25+1, casing)
	s.disc(from, w*1.25, col)
}

// locationLabel writes the letter of a location beside the tip of its arrow.
func (s *sheet) locationLabel(f sphereFrame, p SpherePanel) {
	label := p.LocationLabel
	if label == "" {
		label = "ε"
	}
	size := 18.0
	if f.small() {
		size = 16
	}
	from, to, _, ok := f.locationArrow(row3(p.Location, 0).unit())
	q := from.add(pt{13, -10})
	if ok {
		q = from.towards(to, to.sub(from).norm()+11)
	}
	s.text(pt{q.x, q.y + 0.3*size}, look{size: size, color: dark(purple), align: 0.5, bold: true, halo: true}, plain(label))
}
