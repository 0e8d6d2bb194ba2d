package shapes

import "math"

// buildMug: walls outside and inside, a bottom, a handle on the right.
func buildMug(g *solid) {
	r, height := g.between(0.30, 0.48), g.between(0.65, 1.15)
	foot := r * g.between(0.65, 1.05)
	up := xyz(0, 1, 0)
	bulge := g.between(0, 0.18) * r
	wall := 0.035
	profile := smooth([][2]float64{{foot, 0}, {(foot+r)/2 + bulge, height * 0.4}, {r, height}}, 8)
	g.revolve(vec{}, up, profile)
	inner := make([][2]float64, len(profile))
	for i, p := range profile {
		inner[i] = [2]float64{p[0] - wall, max(p[1], 0.06)}
	}
	g.revolve(vec{}, up, inner)
	g.disc(vec{}, up, 0, foot)
	g.disc(xyz(0, 0.06, 0), up, 0, foot-wall)
	g.disc(xyz(0, height, 0), up, r-wall, r)
	// An oval handle whose ends touch the wall.
	tall, reach, thick := height*g.between(0.24, 0.36), g.between(0.20, 0.34), g.between(0.035, 0.06)
	middle := height * g.between(0.48, 0.56)
	side := (foot+r)/2 + bulge*0.8
	g.oval(xyz(side, middle, 0), xyz(1, 0, 0), xyz(0, 1, 0), reach, tall, thick, -math.Pi/2, math.Pi/2)
}

// oval is a bent tube along the ellipse c + a*ra*cos(t) + b*rb*sin(t), t from one angle to another.
func (g *solid) oval(c, a, b vec, ra, rb, r, from, to float64) {
	normal := a.Cross(b)
	steps := max(6, int(math.Ceil(24*(to-from)/(2*math.Pi))))
	g.patch(steps, 10, func(u, v float64) vec {
		sin, cos := math.Sincos(from + float64((to-from)*u))
		out := a.Scale(rb * cos).Add(b.Scale(ra * sin)).Unit()
		sinV, cosV := math.Sincos(2 * math.Pi * v)
		return c.Add(a.Scale(ra * cos)).Add(b.Scale(rb * sin)).Add(out.Scale(r * cosV)).Add(normal.Scale(r * sinV))
	})
}

// buildTeapot: a round body, a lid with a knob, a curved spout to the left, a handle to the right.
func buildTeapot(g *solid) {
	r, height := g.between(0.45, 0.60), g.between(0.55, 0.95)
	up := xyz(0, 1, 0)
	foot, mouth := r*g.between(0.5, 0.75), r*g.between(0.35, 0.6)
	belly := g.between(0.35, 0.55)
	g.revolve(vec{}, up, smooth([][2]float64{{foot, 0}, {r * 0.95, height * belly * 0.55}, {r, height * belly}, {(r + mouth) * 0.55, height * 0.88}, {mouth, height}}, 6))
	g.disc(vec{}, up, 0, foot)
	lid := g.between(0.06, 0.16)
	g.revolve(xyz(0, height, 0), up, smooth([][2]float64{{mouth * 1.04, 0}, {mouth * 0.7, lid * 0.8}, {0, lid}}, 6))
	g.sphere(xyz(0, height+lid+0.05, 0), g.between(0.05, 0.08))
	// The spout narrows along its curve.
	tip := xyz(-r-g.between(0.30, 0.45), height*g.between(0.85, 1.1), 0)
	curve := arc(xyz(-r*0.85, height*0.28, 0), xyz(-r-0.22, height*0.35, 0), tip, 8)
	for i := 1; i < len(curve); i++ {
		w := func(i int) float64 { return 0.13 - 0.085*float64(i)/8 }
		g.cone(curve[i-1], curve[i], curve[i].Sub(curve[i-1]), w(i-1), w(i))
	}
	if g.chance(0.25) {
		g.oval(xyz(0, height*0.85, 0), xyz(1, 0, 0), up, r*0.85, height*0.75, 0.03, 0, math.Pi)
	} else {
		g.oval(xyz(r*0.8, height*0.52, 0), xyz(1, 0, 0), up, g.between(0.35, 0.5), height*g.between(0.28, 0.38), 0.04, -math.Pi*0.5, math.Pi*0.5)
	}
}

// buildVase: a turned profile with foot, belly, neck and lip; two handles on some.
func buildVase(g *solid) {
	height := g.between(0.9, 1.5)
	foot, belly := g.between(0.12, 0.25), g.between(0.25, 0.48)
	neck, lip := g.between(0.08, 0.20), g.between(0.14, 0.34)
	low, high := g.between(0.28, 0.55), g.between(0.72, 0.86)
	up := xyz(0, 1, 0)
	full := g.between(0.55, 0.9) // how round the belly is
	profile := smooth([][2]float64{{foot, 0}, {foot + (belly-foot)*full, height * low * 0.5}, {belly, height * low}, {neck + (belly-neck)*full, height * (low + (high-low)*0.45)}, {neck, height * high}, {lip, height}}, 8)
	g.revolve(vec{}, up, profile)
	g.disc(vec{}, up, 0, foot)
	// The inside of the neck, as far as it is visible.
	for i := len(profile) - 9; i < len(profile)-1; i++ {
		p, q := profile[i], profile[i+1]
		g.cone(xyz(0, p[1], 0), xyz(0, q[1], 0), up, p[0]-0.015, q[0]-0.015)
	}
	if g.chance(0.35) {
		bottom, top := height*(low+0.05), height*high
		mirrored(func(side float64) {
			g.pipe(0.025, arc(xyz(side*belly*0.9, bottom, 0), xyz(side*(belly+0.25), (bottom+top)/2+0.15, 0), xyz(side*neck, top, 0), 10)...)
		})
	}
}

// buildBottle: a straight body, a shoulder, a neck with a lip or a cap.
func buildBottle(g *solid) {
	r, height := g.between(0.16, 0.28), g.between(0.95, 1.35)
	shoulder, neckAt := g.between(0.48, 0.64), g.between(0.70, 0.80)
	neck := r * g.between(0.28, 0.45)
	up := xyz(0, 1, 0)
	g.disc(vec{}, up, 0, r*0.94)
	g.revolve(vec{}, up, [][2]float64{{r * 0.94, 0}, {r, 0.03}, {r, height * shoulder}})
	g.revolve(vec{}, up, smooth([][2]float64{{r, height * shoulder}, {r * 0.92, height * (0.7*shoulder + 0.3*neckAt)}, {neck * 1.25, height * (0.25*shoulder + 0.75*neckAt)}, {neck, height * neckAt}}, 6))
	g.tube(xyz(0, height*neckAt, 0), xyz(0, height, 0), neck)
	ring := neck * 1.25
	if g.chance(0.5) {
		g.cylinder(xyz(0, height*0.93, 0), xyz(0, height*1.01, 0), ring, ring)
	} else {
		g.cone(xyz(0, height*0.96, 0), xyz(0, height, 0), up, ring, ring)
		g.disc(xyz(0, height, 0), up, neck*0.8, ring)
	}
}

// buildGuitar: upright, front to -z: a waisted body, a neck with a head and pegs, a bridge and the
// rim of the hole.
func buildGuitar(g *solid) {
	long := g.between(0.46, 0.54)
	lower, upper := g.between(0.17, 0.22), g.between(0.12, 0.16)
	waist := upper * g.between(0.70, 0.88)
	deep := g.between(0.05, 0.12)
	half := smooth([][2]float64{{0, 0}, {lower * 0.75, 0.03 * long}, {lower, 0.25 * long}, {waist, 0.60 * long}, {upper, 0.82 * long}, {upper * 0.7, 0.97 * long}, {0.03, long}}, 5)
	cut := g.chance(0.3)
	outline := append([][2]float64{}, half[1:]...)
	for i := len(half) - 1; i > 0; i-- {
		x := half[i][0]
		if cut && half[i][1] > 0.72*long { // a cutaway beside the neck
			x = min(x, 0.05+0.5*max(0, 0.82*long-half[i][1]))
		}
		outline = append(outline, [2]float64{-x, half[i][1]})
	}
	g.slab(xyz(0, 0, -deep/2), xyz(1, 0, 0), xyz(0, 1, 0), xyz(0, 0, deep), outline)
	neck := g.between(0.36, 0.44)
	front := -deep / 2
	g.box(xyz(-0.028, long-0.12, front-0.015), xyz(0.028, long+neck, front+0.02))
	head := long + neck
	g.hexahedron([4]vec{xyz(-0.03, head, front-0.01), xyz(0.03, head, front-0.01), xyz(0.03, head, front+0.015), xyz(-0.03, head, front+0.015)},
		[4]vec{xyz(-0.045, head+0.15, front+0.02), xyz(0.045, head+0.15, front+0.02), xyz(0.045, head+0.15, front+0.04), xyz(-0.045, head+0.15, front+0.04)})
	for i := range 3 {
		y := head + 0.03 + 0.045*float64(i)
		mirrored(func(side float64) {
			g.cylinder(xyz(side*0.035, y, front+0.02), xyz(side*0.075, y, front+0.02), 0.010, 0.014)
		})
	}
	g.box(xyz(-0.07, 0.18*long, front-0.02), xyz(0.07, 0.22*long, front))
	g.torus(xyz(0, 0.60*long, front), xyz(0, 0, 1), waist*0.5, 0.008, 0, 2*math.Pi)
}

// buildHammer: a handle along y, a head across it with a face and a claw, a peen or a second face.
func buildHammer(g *solid) {
	long, r := g.between(0.75, 1.1), g.between(0.028, 0.045)
	up := xyz(0, 1, 0)
	g.revolve(vec{}, up, smooth([][2]float64{{r, 0}, {r * 1.25, long * 0.2}, {r * 0.8, long * 0.6}, {r * 0.85, long}}, 5))
	g.disc(vec{}, up, 0, r)
	w, reach := g.between(0.05, 0.085), g.between(0.16, 0.26)
	y := long
	g.box(xyz(-w, y-w, -w), xyz(w, y+w, w))
	g.cylinder(xyz(0, y, -w), xyz(0, y, -reach), w*0.75, w*0.95)
	switch g.count(0, 2) {
	case 0: // claw
		tip := xyz(0, y-g.between(0.08, 0.16), reach+0.10)
		mirrored(func(side float64) {
			curve := arc(xyz(side*w*0.45, y, w), xyz(side*w*0.6, y+0.03, reach*0.8), xyz(side*w*0.8, tip.Y, tip.Z), 6)
			for i := 1; i < len(curve); i++ {
				t := func(i int) float64 { return w * (0.75 - 0.6*float64(i)/6) }
				a, b := curve[i-1], curve[i]
				section := func(p vec, h float64) [4]vec {
					return [4]vec{xyz(p.X-w*0.35, p.Y-h, p.Z), xyz(p.X+w*0.35, p.Y-h, p.Z), xyz(p.X+w*0.35, p.Y+h, p.Z), xyz(p.X-w*0.35, p.Y+h, p.Z)}
				}
				g.hexahedron(section(a, t(i-1)), section(b, t(i)))
			}
		})
	case 1: // wedge
		g.hexahedron([4]vec{xyz(-w, y-w, w), xyz(w, y-w, w), xyz(w, y+w, w), xyz(-w, y+w, w)},
			[4]vec{xyz(-w, y-0.01, reach+0.05), xyz(w, y-0.01, reach+0.05), xyz(w, y+0.01, reach+0.05), xyz(-w, y+0.01, reach+0.05)})
	default: // sledge
		g.cylinder(xyz(0, y, w), xyz(0, y, reach), w*0.75, w*0.95)
	}
}

// buildUmbrella: an open canopy with scalloped edge and ribs, a stick with a crook.
func buildUmbrella(g *solid) {
	ribs := g.count(6, 10)
	r, height, deep := g.between(0.50, 0.65), g.between(0.9, 1.15), g.between(0.18, 0.36)
	scallop := g.between(0.05, 0.12)
	canopy := func(u, v float64) vec {
		angle := 2 * math.Pi * v
		fold := 0.5 - 0.5*math.Cos(float64(ribs)*angle)
		sin, cos := math.Sincos(angle)
		reach := r * u * (1 - scallop*u*fold)
		return xyz(reach*cos, height-deep*u*u*(1-0.25*u*fold), reach*sin)
	}
	g.patch(10, 4*ribs, canopy)
	for i := range ribs {
		v := float64(i) / float64(ribs)
		tip, hub := canopy(1, v), xyz(0, height-deep*1.05, 0)
		g.tube(hub, hub.Lerp(canopy(0.6, v), 1), 0.007)
		g.tube(canopy(0.6, v).Sub(xyz(0, 0.008, 0)), tip.Sub(xyz(0, 0.008, 0)), 0.007)
	}
	g.tube(xyz(0, 0.12, 0), xyz(0, height+0.10, 0), 0.016)
	crook := g.between(0.05, 0.08)
	g.oval(xyz(0, 0.12, -crook), xyz(0, 0, 1), xyz(0, 1, 0), crook, crook*1.3, 0.022, -math.Pi, 0)
}

// buildSpectacles: two rims, a bridge, temples that bend behind the ears; lenses on some.
func buildSpectacles(g *solid) {
	w, shape := g.between(0.23, 0.28), g.between(2, 4.5)
	h, wire := w*g.between(0.62, 1), g.between(0.012, 0.026)
	gap := g.between(0.06, 0.10)
	sunny := g.chance(0.4)
	rim := func(angle float64) (x, y float64) {
		sin, cos := math.Sincos(angle)
		s := math.Pow(math.Pow(math.Abs(cos), shape)+math.Pow(math.Abs(sin), shape), -1/shape)
		return w * cos * s, h * sin * s
	}
	mirrored(func(side float64) {
		centre := side * (gap + w)
		const steps = 28
		curve := make([]vec, steps+1)
		for i := range curve {
			x, y := rim(2 * math.Pi * float64(i) / steps)
			curve[i] = xyz(centre+x, y, 0)
		}
		g.pipe(wire, curve...)
		if sunny {
			for i := 1; i < len(curve); i++ {
				g.triangle(xyz(centre, 0, 0), curve[i-1], curve[i])
			}
		}
	})
	g.pipe(wire*0.9, arc(xyz(-gap, h*0.15, 0), xyz(0, h*0.45, 0), xyz(gap, h*0.15, 0), 6)...)
	long, drop := g.between(0.75, 0.95), g.between(0.12, 0.24)
	mirrored(func(side float64) {
		x := side * (gap + 2*w)
		hinge := xyz(x+side*0.02, h*0.25, 0.02)
		bend := xyz(x+side*0.01, h*0.25, long)
		g.pipe(wire, xyz(x, h*0.25, 0), hinge, bend)
		g.pipe(wire, arc(bend, xyz(bend.X, bend.Y, long+0.14), xyz(bend.X, bend.Y-drop, long+0.2), 5)...)
	})
}

// buildWheel: upright, axle along x: a tyre, a rim, a hub and spokes.
func buildWheel(g *solid) {
	r, tyre := 0.5, g.between(0.04, 0.11)
	hub, wide := g.between(0.06, 0.12), g.between(0.08, 0.2)
	axle := xyz(1, 0, 0)
	g.torus(vec{}, axle, r, tyre, 0, 2*math.Pi)
	if g.chance(0.5) {
		g.cone(xyz(-tyre*0.7, 0, 0), xyz(tyre*0.7, 0, 0), axle, r-tyre*0.85, r-tyre*0.85)
	}
	g.cylinder(xyz(-wide, 0, 0), xyz(wide, 0, 0), hub, hub)
	n, thick := g.count(5, 14), g.between(0.012, 0.028)
	lean := g.between(0, 0.6) * wide
	for i := range n {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		foot := lean
		if i%2 == 1 {
			foot = -lean
		}
		g.tube(xyz(foot, hub*cos*0.9, hub*sin*0.9), xyz(0, (r-tyre*0.8)*cos, (r-tyre*0.8)*sin), thick)
	}
}
