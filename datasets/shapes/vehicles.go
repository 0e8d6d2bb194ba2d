package shapes

import "math"

// wing is a tapered wing with a lozenge section, from the leading edge at root to the one at tip;
// chords run along +z, up gives the direction of its thickness.
func (g *solid) wing(root, tip vec, rootChord, tipChord, thick float64, up vec) {
	section := func(at vec, chord float64) [4]vec {
		middle, lift := at.Add(xyz(0, 0, 0.35*chord)), up.Scale(thick*chord/2)
		return [4]vec{at, middle.Add(lift), at.Add(xyz(0, 0, chord)), middle.Sub(lift)}
	}
	a, b := section(root, rootChord), section(tip, tipChord)
	for i := range 4 {
		j := (i + 1) % 4
		g.quad(a[i], a[j], b[j], b[i])
	}
	g.quad(b[0], b[1], b[2], b[3])
}

// buildAeroplane: nose to -z. Airliners with engines under swept wings, propeller planes with
// straight ones, jets with delta wings.
func buildAeroplane(g *solid) {
	long := g.between(1.7, 2.2)
	kind := g.count(0, 2) // airliner, propeller, jet
	r := long * g.between(0.045, 0.062)
	if kind == 1 {
		r = long * g.between(0.06, 0.08)
	}
	a, b := -long/2, long/2
	g.loft(station{a, -0.2 * r, 0, 0, 2}, station{a + 0.03*long, -0.1 * r, 0.5 * r, 0.5 * r, 2}, station{a + 0.10*long, 0, 0.9 * r, 0.9 * r, 2},
		station{a + 0.2*long, 0, r, r, 2}, station{b - 0.4*long, 0, r, r, 2}, station{b - 0.15*long, 0.35 * r, 0.6 * r, 0.6 * r, 2}, station{b, 0.7 * r, 0.12 * r, 0.15 * r, 2})
	up := xyz(0, 1, 0)
	span, sweep, chord, taper := g.between(0.75, 1.0), g.between(0.28, 0.55), g.between(0.30, 0.40), g.between(0.25, 0.4)
	y, dihedral, at := -0.35*r, g.between(0.02, 0.12), -0.05*long
	switch kind {
	case 1:
		sweep, chord, taper = g.between(0, 0.08), g.between(0.26, 0.36), g.between(0.6, 1)
		if g.chance(0.5) {
			y = 0.9 * r
		}
		at = -0.17 * long
	case 2:
		span, chord, sweep, taper = g.between(0.50, 0.68), long*g.between(0.32, 0.42), g.between(0.42, 0.6), g.between(0.1, 0.25)
		at, dihedral = -0.06*long, 0
	}
	engines := g.count(1, 2)
	mirrored(func(side float64) {
		g.wing(xyz(side*r*0.7, y, at), xyz(side*span, y+dihedral, at+sweep), chord, chord*taper, 0.10, up)
		if kind == 0 {
			for i := range engines {
				t := 0.33 + 0.28*float64(i)
				e := xyz(side*span*t, y+dihedral*t-0.055, at+sweep*t-0.06)
				g.revolve(e, xyz(0, 0, 1), [][2]float64{{0.038, 0}, {0.048, 0.05}, {0.046, 0.12}, {0.03, 0.2}})
				g.disc(e.Add(xyz(0, 0, 0.02)), xyz(0, 0, 1), 0, 0.036)
			}
		}
	})
	if kind == 1 {
		g.propeller(xyz(0, -0.2*r, a-0.02), g.between(0.20, 0.28), g.count(2, 4), g.between(0, math.Pi))
	}
	// Tail: fin and stabilisers.
	tail, fin := b-0.16*long, g.between(0.20, 0.32)
	high := g.chance(0.25) && kind != 1
	g.wing(xyz(0, 0.5*r, tail), xyz(0, 0.6*r+fin, tail+fin*0.75), 0.15*long, 0.07*long, 0.10, xyz(1, 0, 0))
	ty, tz := 0.45*r, tail+0.04*long
	if high {
		ty, tz = 0.6*r+fin, tail+fin*0.75
	}
	spread := span * g.between(0.32, 0.42)
	mirrored(func(side float64) {
		g.wing(xyz(side*0.1*r, ty, tz), xyz(side*spread, ty+0.02, tz+min(sweep*0.5, 0.2)), 0.11*long, 0.05*long, 0.10, up)
	})
}

// propeller has blades in the plane z = hub.Z.
func (g *solid) propeller(hub vec, r float64, blades int, turn float64) {
	g.dome(hub, xyz(0, 0, -1), 0.035, 0, math.Pi/2)
	for i := range blades {
		start := g.mark()
		g.plank(xyz(hub.X-0.018, hub.Y, hub.Z+0.01), xyz(hub.X+0.018, hub.Y, hub.Z-0.01), xyz(hub.X+0.022, hub.Y+r, hub.Z-0.008), xyz(hub.X-0.022, hub.Y+r, hub.Z+0.008), 0.008)
		g.move(start, rotation('z', turn+2*math.Pi*float64(i)/float64(blades), hub))
	}
}

// buildHelicopter: cabin, tail boom with fin and tail rotor, mast and main rotor, skids.
func buildHelicopter(g *solid) {
	r, long := g.between(0.20, 0.28), g.between(0.40, 0.60)
	g.loft(station{-long, -0.1 * r, 0, 0, 2}, station{-0.85 * long, -0.1 * r, 0.6 * r, 0.6 * r, 2}, station{-0.4 * long, 0, 0.95 * r, r, 2.4},
		station{0, 0, r, r, 2.6}, station{0.45 * long, 0.15 * r, 0.8 * r, 0.8 * r, 2.4}, station{0.75 * long, 0.45 * r, 0.3 * r, 0.35 * r, 2})
	tail := 0.7*long + g.between(0.55, 0.85)
	boom := xyz(0, 0.6*r, tail)
	g.cone(xyz(0, 0.45*r, 0.7*long), boom, xyz(0, 0, 1), 0.28*r, 0.12*r)
	g.wing(boom.Add(xyz(0, -0.02, -0.08)), boom.Add(xyz(0, g.between(0.18, 0.28), 0.06)), 0.14, 0.08, 0.15, xyz(1, 0, 0))
	mirrored(func(side float64) {
		g.wing(xyz(0, boom.Y, tail-0.25), xyz(side*0.22, boom.Y, tail-0.22), 0.10, 0.08, 0.12, xyz(0, 1, 0))
	})
	// Tail rotor on the right, in the plane x = const.
	hub := boom.Add(xyz(0.06, 0.10, 0.03))
	g.tube(xyz(0, hub.Y, hub.Z), hub, 0.015)
	turn, small := g.between(0, math.Pi), g.between(0.12, 0.18)
	for i := range 2 {
		sin, cos := math.Sincos(turn + math.Pi/2*float64(i))
		d := xyz(0, small*sin, small*cos)
		g.beam(hub.Sub(d), hub.Add(d), 0.022)
	}
	// Main rotor.
	top := r + g.between(0.12, 0.18)
	g.tube(xyz(0, 0.8*r, 0), xyz(0, top, 0), 0.03)
	g.cylinder(xyz(0, top, 0), xyz(0, top+0.04, 0), 0.06, 0.05)
	blades, reach, chord := g.count(2, 5), g.between(0.85, 1.1), g.between(0.05, 0.075)
	turn = g.between(0, math.Pi)
	for i := range blades {
		start := g.mark()
		g.box(xyz(0.05, top+0.01, -chord/2), xyz(reach, top+0.022, chord/2))
		g.move(start, rotation('y', turn+2*math.Pi*float64(i)/float64(blades), vec{}))
	}
	low := -r - g.between(0.10, 0.16)
	mirrored(func(side float64) {
		x := side * r * 0.95
		g.pipe(0.016, xyz(x, low+0.06, -0.8*long), xyz(x, low, -0.65*long), xyz(x, low, 0.6*long))
		for _, z := range []float64{-0.35, 0.3} {
			g.tube(xyz(side*0.5*r, -0.8*r, z*long), xyz(x, low, z*long), 0.014)
		}
	})
}

// roadWheel is a tyre with flat sides, axle along x.
func (g *solid) roadWheel(c vec, r, width float64) {
	half := xyz(width/2, 0, 0)
	g.cylinder(c.Sub(half), c.Add(half), r, r)
}

// buildCar: body, cabin with sloped windows (saloon, hatchback, estate or sports car), four wheels.
func buildCar(g *solid) {
	x, long := g.between(0.36, 0.42), g.between(0.85, 1.08) // half width, half length
	floor, waist := g.between(0.15, 0.20), g.between(0.44, 0.52)
	middle, half := (floor+waist)/2, (waist-floor)/2
	g.loft(station{-long, middle - 0.04, 0.80 * x, 0.60 * half, 4}, station{-0.93 * long, middle - 0.02, 0.96 * x, 0.85 * half, 5}, station{-0.4 * long, middle, x, half, 6},
		station{0.5 * long, middle, x, half, 6}, station{0.93 * long, middle, 0.97 * x, 0.95 * half, 5}, station{long, middle, 0.85 * x, 0.75 * half, 4})
	roof := waist + g.between(0.24, 0.38)
	front, windscreen := -0.42*long+g.between(-0.1, 0.1), g.between(0.22, 0.42)
	back, rear := 0.62*long, g.between(0.15, 0.40) // saloon
	switch g.count(0, 2) {
	case 1: // hatchback or estate
		back, rear = 0.92*long, g.between(0.06, 0.22)
	case 2: // sports car
		front, roof = front+0.12, waist+g.between(0.18, 0.24)
	}
	g.hexahedron(rectangle(-0.92*x, 0.92*x, front, back, waist-0.02), rectangle(-0.72*x, 0.72*x, front+windscreen, back-rear, roof))
	r := g.between(0.17, 0.22)
	for _, z := range []float64{-0.62, 0.60} {
		mirrored(func(side float64) { g.roadWheel(xyz(side*(x-0.03), r, z*long), r, 0.14) })
	}
	mirrored(func(side float64) {
		g.box(xyz(side*(x+0.05)-0.04, waist, front+0.12), xyz(side*(x+0.05)+0.04, waist+0.07, front+0.17))
	})
}

// buildTruck: a cab, a box, tank or open bed behind it, a frame, four to ten wheels.
func buildTruck(g *solid) {
	x, long := g.between(0.30, 0.36), g.between(0.9, 1.35) // half width, load length
	floor, r := g.between(0.28, 0.34), g.between(0.14, 0.17)
	cab, tall := g.between(0.36, 0.46), g.between(0.50, 0.62)
	lean := g.between(0, 0.14)
	front := -(cab + long) / 2
	behind := front + cab
	g.hexahedron(rectangle(-x, x, front, behind, floor-0.12), rectangle(-x, x, front, behind, floor+tall*0.4))
	g.hexahedron(rectangle(-x, x, front, behind, floor+tall*0.4), rectangle(-0.94*x, 0.94*x, front+lean, behind, floor+tall))
	start, end := behind+0.06, behind+0.06+long
	mirrored(func(side float64) {
		g.beam(xyz(side*x*0.5, floor-0.07, behind), xyz(side*x*0.5, floor-0.07, end-0.02), 0.07)
	})
	switch g.count(0, 2) {
	case 0: // box
		g.box(xyz(-x*1.05, floor, start), xyz(x*1.05, floor+g.between(0.65, 0.90), end))
	case 1: // bed with sides
		side := g.between(0.14, 0.30)
		g.box(xyz(-x, floor-0.03, start), xyz(x, floor, end))
		for _, s := range []float64{-1, 1} {
			g.box(xyz(s*x-0.015, floor, start), xyz(s*x+0.015, floor+side, end))
		}
		g.box(xyz(-x, floor, end-0.03), xyz(x, floor+side, end))
		g.box(xyz(-x, floor, start), xyz(x, floor+side*1.3, start+0.03))
	default: // tank
		radius := x * g.between(0.85, 1)
		g.cylinder(xyz(0, floor+radius, start), xyz(0, floor+radius, end), radius, radius)
	}
	axles := []float64{front + 0.18, end - 0.22}
	if long > 1 {
		axles = append(axles, end-0.22-2.2*r)
	}
	if long > 1.2 {
		axles = append(axles, behind+0.22)
	}
	for _, z := range axles {
		mirrored(func(side float64) { g.roadWheel(xyz(side*(x-0.05), r, z), r, 0.12) })
	}
}

// buildBicycle: two spoked wheels, a diamond or step-through frame, fork and handlebar, saddle,
// crank with pedals.
func buildBicycle(g *solid) {
	r, half := g.between(0.30, 0.36), g.between(0.48, 0.56)
	spokes, tyre := 2*g.count(4, 8), g.between(0.016, 0.028)
	axle := xyz(1, 0, 0)
	for _, z := range []float64{-half, half} {
		c := xyz(0, r, z)
		g.torus(c, axle, r-tyre, tyre, 0, 2*math.Pi)
		g.tube(xyz(-0.04, r, z), xyz(0.04, r, z), 0.025)
		for i := range spokes {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(spokes))
			side := 0.03
			if i%2 == 1 {
				side = -0.03
			}
			g.tube(xyz(side, r, z), xyz(0, r+(r-tyre)*cos, z+(r-tyre)*sin), 0.0045)
		}
	}
	const w = 0.020
	crank := xyz(0, r-0.04, half*0.14)
	seatTop := xyz(0, r+g.between(0.34, 0.46), half*0.38)
	head := xyz(0, r+g.between(0.36, 0.46), -half*0.58)
	headLow := head.Lerp(xyz(0, r, -half), 0.30)
	rear := xyz(0, r, half)
	low := 0.0
	if g.chance(0.3) {
		low = 0.55 // step-through: the top tube runs down
	}
	g.pipe(w, headLow, crank, seatTop)
	g.tube(head, seatTop.Lerp(crank, low), w)
	mirrored(func(side float64) {
		hub := rear.Add(xyz(side*0.045, 0, 0))
		g.tube(crank.Add(xyz(side*0.03, 0, 0)), hub, w*0.6)
		g.tube(seatTop.Lerp(crank, 0.1).Add(xyz(side*0.02, 0, 0)), hub, w*0.6)
		fork := headLow.Add(xyz(side*0.045, 0, 0))
		g.pipe(w*0.7, fork, xyz(side*0.045, r, -half))
		g.tube(headLow, fork, w*0.7)
	})
	post := head.Add(xyz(0, 0.09, 0.03))
	g.tube(headLow, post, w)
	drop := g.chance(0.4)
	mirrored(func(side float64) {
		grip := post.Add(xyz(side*0.24, 0.02, 0.02))
		if drop {
			end := post.Add(xyz(side*0.20, 0, -0.12))
			g.pipe(w*0.8, post, post.Add(xyz(side*0.20, 0, 0)), end)
			g.pipe(w*0.8, arc(end, end.Add(xyz(0, -0.06, -0.06)), end.Add(xyz(0, -0.12, 0.06)), 5)...)
		} else {
			g.pipe(w*0.8, post, grip, grip.Add(xyz(0, -0.01, 0.14)))
		}
		// Crank arm and pedal.
		p := crank.Add(xyz(side*0.06, side*0.13, side*0.10))
		g.pipe(w*0.6, crank.Add(xyz(side*0.05, 0, 0)), p)
		g.box(p.Add(xyz(-0.04, -0.012, -0.035)), p.Add(xyz(0.04, 0.012, 0.035)))
	})
	g.cylinder(crank.Add(xyz(0.04, 0, 0)), crank.Add(xyz(0.05, 0, 0)), 0.08, 0.08)
	saddle := seatTop.Add(xyz(0, 0.08, 0.02))
	g.tube(seatTop, saddle, w*0.8)
	g.slab(saddle, xyz(1, 0, 0), xyz(0, 0, 1), xyz(0, 0.04, 0), [][2]float64{{-0.02, -0.14}, {0.02, -0.14}, {0.035, 0}, {0.08, 0.08}, {0.07, 0.13}, {-0.07, 0.13}, {-0.08, 0.08}, {-0.035, 0}})
}

// buildSailboat: hull, deck, mast, boom, main sail and fore sail; a second mast on some.
func buildSailboat(g *solid) {
	half, beam, deep := g.between(0.75, 0.95), g.between(0.17, 0.26), g.between(0.16, 0.26)
	// Half width of the deck at u in [0, 1] from bow to stern; the stern is cut off square.
	stern := g.between(0.35, 0.8)
	width := func(u float64) float64 {
		if u < 0.6 {
			return beam * math.Sqrt(max(0, 1-(u/0.6-1)*(u/0.6-1)))
		}
		t := (u - 0.6) / 0.4
		return beam * (1 - (1-stern)*t*t)
	}
	keel := func(u float64) float64 { return deep * math.Sqrt(max(0, 1-(2*u-1)*(2*u-1)*(2*u-1)*(2*u-1)*0.8)) }
	at := func(u, v float64) vec {
		sin, cos := math.Sincos(math.Pi * v)
		return xyz(width(u)*cos, -keel(u)*sin, half*(2*u-1))
	}
	g.patch(16, 10, at)
	g.patch(16, 1, func(u, v float64) vec { return xyz(width(u)*(2*v-1), 0, half*(2*u-1)) })
	for j := range 10 { // stern board
		g.triangle(xyz(0, 0, half), at(1, float64(j)/10), at(1, float64(j+1)/10))
	}
	g.hexahedron(rectangle(-beam*0.5, beam*0.5, -0.1*half, 0.45*half, 0), rectangle(-beam*0.4, beam*0.4, -0.02*half, 0.4*half, g.between(0.06, 0.13)))
	tall, foot := g.between(1.25, 1.75), -half*g.between(0.15, 0.3)
	sail := func(mast, top, end float64) {
		g.tube(xyz(0, 0, mast), xyz(0, top, mast), 0.018)
		g.tube(xyz(0, 0.16, mast), xyz(0, 0.16, end), 0.014)
		// A sail bellies out to one side.
		belly := g.between(0.04, 0.14)
		g.patch(8, 8, func(u, v float64) vec {
			reach := (end - mast - 0.03) * v * (1 - 0.98*u) * (1 + 0.25*u)
			return xyz(belly*math.Sin(math.Pi*v)*(1-u), 0.19+(top-0.24)*u, mast+0.02+reach)
		})
	}
	if g.chance(0.3) {
		sail(foot, tall, half*0.28)
		sail(half*0.4, tall*0.75, half*0.98)
	} else {
		sail(foot, tall, half*g.between(0.65, 0.9))
	}
	bow, peak, clew := xyz(0, 0.05, -half*0.97), xyz(0, tall*g.between(0.75, 0.97), foot-0.02), xyz(0, 0.14, foot-0.04)
	g.triangle(bow, clew.Add(xyz(0.06, 0, 0)), peak)
}

// buildRocket: upright: body, pointed nose, three to five fins, a nozzle; boosters on some.
func buildRocket(g *solid) {
	r, height := g.between(0.10, 0.20), g.between(1.2, 1.7)
	up := xyz(0, 1, 0)
	nose := g.between(0.22, 0.42)
	base := 0.12
	ogive := func(y, r, long float64) {
		profile := make([][2]float64, 9)
		for i := range profile {
			t := float64(i) / 8
			profile[i] = [2]float64{r * (1 - t*t*(1.35-0.35*t)), y + long*t}
		}
		profile[8][0] = 0
		g.revolve(vec{}, up, profile)
	}
	g.tube(xyz(0, base, 0), xyz(0, height, 0), r)
	g.disc(xyz(0, base, 0), up, r*0.5, r)
	ogive(height, r, nose)
	g.cone(xyz(0, 0, 0), xyz(0, base, 0), up, r*0.75, r*0.45)
	if g.chance(0.5) {
		g.torus(xyz(0, height*g.between(0.5, 0.75), 0), up, r, 0.02, 0, 2*math.Pi)
	}
	n := g.count(3, 5)
	span, tall, sweep := g.between(0.18, 0.38), g.between(0.25, 0.45), g.between(0, 0.15)
	boosters := g.chance(0.35)
	for i := range n {
		start := g.mark()
		g.slab(xyz(0, base, -0.012), xyz(1, 0, 0), up, xyz(0, 0, 0.024), [][2]float64{{r, 0.02}, {r + span, -sweep}, {r + span, tall*0.4 - sweep}, {r, tall}})
		g.move(start, rotation('y', 2*math.Pi*float64(i)/float64(n), vec{}))
	}
	if boosters {
		for i := range 2 {
			start := g.mark()
			b, x, h := r*0.5, r*1.55, height*0.6
			g.tube(xyz(0, base, 0), xyz(0, h, 0), b)
			ogive(h, b, nose*0.6)
			g.cone(xyz(0, 0.03, 0), xyz(0, base, 0), up, b*0.9, b*0.5)
			m := rotation('y', math.Pi*float64(i)+math.Pi/float64(n), vec{})
			m.shift = m.turn(xyz(x, 0, 0))
			g.move(start, m)
		}
	}
}
