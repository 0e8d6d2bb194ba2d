package shapes

import "math"

// buildChair: a seat on four legs or on a column with a star foot; a back of panel, slats or bars;
// arms on some.
func buildChair(g *solid) {
	width, depth := g.between(0.42, 0.56), g.between(0.40, 0.54)
	seat, thick := g.between(0.40, 0.50), g.between(0.03, 0.08)
	back, lean := g.between(0.38, 0.70), g.between(0.02, 0.14)
	x, z := width/2, depth/2
	g.box(xyz(-x, seat-thick, -z), xyz(x, seat, z))
	if g.chance(0.25) {
		g.tube(xyz(0, 0.08, 0), xyz(0, seat-thick, 0), 0.03)
		g.starFoot(g.count(4, 6), 0.9*max(x, z)+0.04, 0.06)
	} else {
		leg, splay := g.between(0.025, 0.055), g.between(0, 0.06)
		for _, c := range [4][2]float64{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}} {
			top := xyz(c[0]*(x-leg/2), seat-thick, c[1]*(z-leg/2))
			g.beam(xyz(top.X+c[0]*splay, 0, top.Z+c[1]*splay), top, leg)
		}
		if g.chance(0.4) {
			h := g.between(0.12, 0.22)
			mirrored(func(side float64) { g.beam(xyz(side*(x-leg/2), h, -z), xyz(side*(x-leg/2), h, z), 0.02) })
			g.beam(xyz(-x, h, 0), xyz(x, h, 0), 0.02)
		}
	}
	// The back leans from (seat, z) to (seat+back, z+lean).
	at := func(side, up float64) vec { return xyz(side*(x-0.02), seat+up*back, z-0.02+lean*up) }
	switch g.count(0, 2) {
	case 0:
		low := g.between(0, 0.25)
		g.plank(at(-1, low), at(1, low), at(1, 1), at(-1, 1), 0.03)
		if low > 0.05 {
			mirrored(func(side float64) { g.beam(at(side*0.7, 0), at(side*0.7, low), 0.035) })
		}
	case 1:
		mirrored(func(side float64) { g.beam(at(side, 0), at(side, 1), 0.035) })
		slats := g.count(2, 4)
		for i := range slats {
			lo := (float64(i) + 0.5) / (float64(slats) + 0.2)
			hi := lo + g.between(0.10, 0.18)
			g.plank(at(-1, lo), at(1, lo), at(1, min(hi, 1)), at(-1, min(hi, 1)), 0.02)
		}
	default:
		mirrored(func(side float64) { g.beam(at(side, 0), at(side, 1), 0.035) })
		g.plank(at(-1, 0.85), at(1, 0.85), at(1, 1), at(-1, 1), 0.03)
		bars := g.count(3, 6)
		for i := range bars {
			s := -1 + 2*float64(i+1)/float64(bars+1)
			g.beam(at(s, 0), at(s, 0.85), 0.02)
		}
	}
	if g.chance(0.35) {
		h := seat + g.between(0.18, 0.25)
		mirrored(func(side float64) {
			g.beam(xyz(side*(x+0.01), h, -z+0.06), xyz(side*(x+0.01), h, z), 0.04)
			g.beam(xyz(side*(x+0.01), seat-thick, -z+0.08), xyz(side*(x+0.01), h, -z+0.08), 0.03)
		})
	}
}

// plank is a quadrilateral board of some thickness, corners in order.
func (g *solid) plank(p, q, r, s vec, thick float64) {
	d := q.Sub(p).Cross(s.Sub(p)).Unit().Scale(thick)
	g.hexahedron([4]vec{p, q, r, s}, [4]vec{p.Add(d), q.Add(d), r.Add(d), s.Add(d)})
}

// starFoot is n legs that run out from the y axis to a radius, the middle at a height.
func (g *solid) starFoot(n int, radius, height float64) {
	for i := range n {
		sin, cos := math.Sincos(2 * math.Pi * (float64(i) + 0.25) / float64(n))
		g.beam(xyz(0, height, 0), xyz(radius*cos, 0.02, radius*sin), 0.035)
	}
}

// buildStool: a round seat, three or four splayed legs, a ring or rungs for the feet.
func buildStool(g *solid) {
	height, r := g.between(0.40, 0.80), g.between(0.15, 0.22)
	thick := g.between(0.03, 0.07)
	g.cylinder(xyz(0, height-thick, 0), xyz(0, height, 0), r, r*g.between(0.92, 1))
	n, foot, leg := g.count(3, 4), r*g.between(0.95, 1.5), g.between(0.012, 0.022)
	ring, rungs := g.between(0.25, 0.45), g.chance(0.5)
	top := 0.75 * r
	at := func(i int, h float64) vec {
		sin, cos := math.Sincos(2*math.Pi*float64(i)/float64(n) + math.Pi/4)
		radius := foot + (top-foot)*h
		return xyz(radius*cos, h*(height-thick), radius*sin)
	}
	for i := range n {
		g.tube(at(i, 0), at(i, 1), leg)
		if rungs {
			g.tube(at(i, ring), at(i+1, ring), 0.8*leg)
		}
	}
	if !rungs {
		g.torus(xyz(0, ring*(height-thick), 0), xyz(0, 1, 0), foot+(top-foot)*ring, 0.8*leg, 0, 2*math.Pi)
	}
}

// buildTable: a rectangular top on four legs, with an apron, a shelf or stretchers on some, or on
// two trestles.
func buildTable(g *solid) {
	x, z := g.between(0.5, 1.0), g.between(0.32, 0.50)
	height, thick := g.between(0.45, 0.78), g.between(0.025, 0.06)
	g.box(xyz(-x, height-thick, -z), xyz(x, height, z))
	under := height - thick
	if g.chance(0.25) {
		mirrored(func(side float64) {
			at := side * x * 0.75
			g.beam(xyz(at, 0.03, -z*0.8), xyz(at, 0.03, z*0.8), 0.06)
			g.beam(xyz(at, 0.05, 0), xyz(at, under, 0), 0.08)
			g.beam(xyz(at, under-0.03, -z*0.7), xyz(at, under-0.03, z*0.7), 0.06)
		})
		g.beam(xyz(-x*0.75, under/2, 0), xyz(x*0.75, under/2, 0), 0.06)
		return
	}
	leg, inset := g.between(0.04, 0.10), g.between(0, 0.10)
	taper := g.between(0.5, 1)
	lx, lz := x-leg/2-inset, z-leg/2-inset/2
	for _, c := range [4][2]float64{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}} {
		cx, cz, h := c[0]*lx, c[1]*lz, leg/2
		g.hexahedron(rectangle(cx-h*taper, cx+h*taper, cz-h*taper, cz+h*taper, 0), rectangle(cx-h, cx+h, cz-h, cz+h, under))
	}
	switch g.count(0, 3) {
	case 0:
		apron := g.between(0.06, 0.12)
		for _, s := range []float64{-1, 1} {
			g.parallelogram(xyz(-lx, under-apron, s*lz), xyz(2*lx, 0, 0), xyz(0, apron, 0))
			g.parallelogram(xyz(s*lx, under-apron, -lz), xyz(0, 0, 2*lz), xyz(0, apron, 0))
		}
	case 1:
		shelf := g.between(0.15, 0.3)
		g.box(xyz(-lx, shelf, -lz), xyz(lx, shelf+0.025, lz))
	case 2:
		h := g.between(0.1, 0.2)
		mirrored(func(side float64) { g.beam(xyz(side*lx, h, -lz), xyz(side*lx, h, lz), 0.035) })
		g.beam(xyz(-lx, h, 0), xyz(lx, h, 0), 0.035)
	}
}

// buildRoundTable: a round top on a turned column with a disc, a bell or three to five feet.
func buildRoundTable(g *solid) {
	r, height, thick := g.between(0.35, 0.65), g.between(0.55, 0.80), g.between(0.025, 0.05)
	g.cylinder(xyz(0, height-thick, 0), xyz(0, height, 0), r, r)
	under := height - thick
	w := g.between(0.03, 0.06)
	up := xyz(0, 1, 0)
	switch g.count(0, 2) {
	case 0:
		foot := r * g.between(0.5, 0.75)
		g.tube(xyz(0, 0.03, 0), xyz(0, under, 0), w)
		g.cylinder(vec{}, xyz(0, 0.03, 0), foot, foot*0.95)
	case 1:
		foot := r * g.between(0.45, 0.65)
		g.revolve(vec{}, up, smooth([][2]float64{{foot, 0}, {foot * 0.75, 0.05}, {w, 0.16}, {w * 1.6, under * 0.45}, {w, under * 0.75}, {w * 2.5, under}}, 6))
		g.disc(vec{}, up, 0, foot)
	default:
		feet, reach := g.count(3, 5), r*g.between(0.65, 0.9)
		g.revolve(vec{}, up, smooth([][2]float64{{w, 0.15}, {w * 1.7, under * 0.4}, {w, under * 0.7}, {w * 1.8, under}}, 6))
		for i := range feet {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(feet))
			curve := arc(xyz(0, under*0.35, 0), xyz(reach*0.6*cos, under*0.32, reach*0.6*sin), xyz(reach*cos, 0.02, reach*sin), 6)
			g.pipe(w*0.55, curve...)
		}
	}
}

// buildSofa: base, back, two arms, seat and back cushions for one to three, short feet.
func buildSofa(g *solid) {
	seats := 1 + g.count(1, 5)/2 // mostly two or three
	x := float64(seats)*g.between(0.28, 0.36) + 0.02
	z, seat := g.between(0.36, 0.44), g.between(0.24, 0.32)
	arm, armHeight := g.between(0.09, 0.16), g.between(0.20, 0.32)
	back, thick := g.between(0.42, 0.60), g.between(0.10, 0.16)
	foot := g.between(0.06, 0.14)
	g.box(xyz(-x, foot, -z), xyz(x, seat, z))
	g.hexahedron(rectangle(-x, x, z-thick, z, seat), rectangle(-x, x, z-thick*0.4, z+0.08, seat+back))
	round := g.chance(0.4)
	mirrored(func(side float64) {
		lo, hi := side*x, side*(x+arm)
		g.box(xyz(min(lo, hi), foot, -z), xyz(max(lo, hi), seat+armHeight, z))
		if round {
			g.cylinder(xyz((lo+hi)/2, seat+armHeight, -z-0.01), xyz((lo+hi)/2, seat+armHeight, z), arm*0.62, arm*0.62)
		}
		for _, end := range []float64{-1, 1} {
			g.tube(xyz(side*(x+arm*0.5), 0, end*(z-0.05)), xyz(side*(x+arm*0.5), foot, end*(z-0.05)), 0.025)
		}
	})
	cushion := g.between(0.08, 0.14)
	for i := range seats {
		lo := -x + 2*x*float64(i)/float64(seats) + 0.01
		hi := lo + 2*x/float64(seats) - 0.02
		g.box(xyz(lo, seat, -z-0.02), xyz(hi, seat+cushion, z-thick))
		g.hexahedron(rectangle(lo, hi, z-thick-0.12, z-thick, seat+cushion), rectangle(lo, hi, z-thick, z-thick*0.5, seat+back*0.95))
	}
}

// buildBed: mattress on a frame, head board, foot board or four posts on some, pillows.
func buildBed(g *solid) {
	x, z := g.between(0.45, 0.95), g.between(0.95, 1.08)
	frame, mattress := g.between(0.22, 0.36), g.between(0.14, 0.24)
	leg := g.between(0.10, 0.18)
	g.box(xyz(-x, leg, -z), xyz(x, frame, z))
	top := frame + mattress
	g.box(xyz(-x+0.03, frame, -z+0.03), xyz(x-0.03, top, z-0.03))
	head := top + g.between(0.25, 0.65)
	g.box(xyz(-x, leg, z), xyz(x, head, z+0.07))
	foot := 0.0
	if g.chance(0.5) {
		foot = top + g.between(0, 0.25)
		g.box(xyz(-x, leg, -z-0.05), xyz(x, foot, -z))
	}
	post := 0.0
	if g.chance(0.25) {
		post = g.between(1.4, 1.8)
	}
	for _, c := range [4][2]float64{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}} {
		at := xyz(c[0]*(x-0.03), 0, c[1]*z)
		g.beam(at, xyz(at.X, max(leg, post), at.Z), 0.07)
	}
	if post > 0 {
		for _, s := range []float64{-1, 1} {
			g.beam(xyz(-x, post, s*z), xyz(x, post, s*z), 0.05)
			g.beam(xyz(s*(x-0.03), post, -z), xyz(s*(x-0.03), post, z), 0.05)
		}
	}
	pillows := 1
	if x > 0.62 {
		pillows = 2
	}
	for i := range pillows {
		cx := x * (float64(2*i+1)/float64(pillows) - 1)
		g.ellipsoid(xyz(cx, top+0.05, z-0.28), xyz(0.75*x/float64(pillows), 0.10, 0.20))
	}
}

// buildBookshelf: two sides, three to six shelves, a back on some, rows of books on some shelves.
func buildBookshelf(g *solid) {
	x, height, depth := g.between(0.32, 0.58), g.between(1.1, 1.8), g.between(0.22, 0.34)
	const board = 0.04
	z := depth / 2
	mirrored(func(side float64) {
		g.box(xyz(side*x-board/2, 0, -z), xyz(side*x+board/2, height, z))
	})
	if g.chance(0.15) {
		g.parallelogram(xyz(-x, 0.05, z), xyz(2*x, 0, 0), xyz(0, height-0.05, 0))
	}
	shelves := g.count(3, 5)
	gap := (height - 0.08) / float64(shelves)
	for i := range shelves + 1 {
		y := 0.06 + gap*float64(i)
		g.box(xyz(-x, y-board, -z), xyz(x, y, z))
		if i == shelves || g.chance(0.5) {
			continue
		}
		for at, end := -x+0.03, x*g.between(-0.6, 0.3); at < end; {
			w := g.between(0.03, 0.09)
			if at+w > x-0.02 {
				break
			}
			g.box(xyz(at, y, z-0.05-g.between(0.10, 0.15)), xyz(at+w, y+gap*g.between(0.5, 0.8), z-0.05))
			at += w + g.between(0.002, 0.015)
		}
	}
}

// buildFloorLamp: a foot, a pole that is straight or bows over, a shade that is open below.
func buildFloorLamp(g *solid) {
	height, r := g.between(1.2, 1.8), g.between(0.14, 0.26)
	up := xyz(0, 1, 0)
	if g.chance(0.3) {
		g.starFoot(3, g.between(0.22, 0.34), height*0.25)
	} else {
		g.cylinder(vec{}, xyz(0, 0.03, 0), r, r*0.9)
	}
	shade, flare, deep := g.between(0.16, 0.30), g.between(0.35, 0.9), g.between(0.20, 0.36)
	top := xyz(0, height, 0)
	if g.chance(0.35) {
		reach := g.between(0.35, 0.65)
		top = xyz(0, height*0.9, -reach)
		curve := arc(xyz(0, height*0.6, 0), xyz(0, height*1.12, -0.05), top, 10)
		g.pipe(0.018, append([]vec{{}}, curve...)...)
		g.dome(xyz(0, top.Y-shade*0.7, top.Z), up, shade*0.8, 0, math.Pi*0.5)
		return
	}
	g.pipe(0.018, vec{}, top)
	g.cone(xyz(0, height-deep*0.8, 0), xyz(0, height+deep*0.2, 0), up, shade, shade*flare)
	g.sphere(xyz(0, height-deep*0.3, 0), 0.05)
}

// buildMonitor: a flat screen with a raised frame, a neck and a foot.
func buildMonitor(g *solid) {
	x := g.between(0.22, 0.40)
	y := x / g.between(1.25, 2.2)
	thick, lift := g.between(0.02, 0.08), g.between(0.06, 0.16)
	middle := lift + y
	start := g.mark()
	g.box(xyz(-x, lift, -thick/2), xyz(x, lift+2*y, thick/2))
	edge := g.between(0.012, 0.025)
	front := -thick/2 - 0.012
	for _, s := range []float64{-1, 1} {
		lo, hi := s*x, s*(x-edge)
		g.box(xyz(min(lo, hi), lift, front), xyz(max(lo, hi), lift+2*y, -thick/2))
		lo, hi = middle+s*y, middle+s*(y-edge)
		g.box(xyz(-x, min(lo, hi), front), xyz(x, max(lo, hi), -thick/2))
	}
	if g.chance(0.35) { // the tube of an old one
		deep := g.between(0.12, 0.24)
		ring := func(s, z float64) [4]vec {
			return [4]vec{xyz(-x*s, middle-y*s, z), xyz(x*s, middle-y*s, z), xyz(x*s, middle+y*s, z), xyz(-x*s, middle+y*s, z)}
		}
		g.hexahedron(ring(0.95, thick/2), ring(0.5, thick/2+deep))
	}
	g.move(start, rotation('x', g.between(-0.16, 0.02), xyz(0, middle, 0)))
	g.beam(xyz(0, 0.015, thick), xyz(0, lift+y*0.6, thick*0.6), g.between(0.025, 0.06))
	foot := x * g.between(0.35, 0.6)
	if g.chance(0.5) {
		g.cylinder(vec{}, xyz(0, 0.02, 0), foot, foot*0.9)
	} else {
		g.box(xyz(-foot, 0, -foot*0.6), xyz(foot, 0.02, foot*0.7))
	}
}
