package shapes

import "math"

// buildTree: a trunk, some branches, a crown of several round clumps.
func buildTree(g *solid) {
	trunk, r := g.between(0.45, 0.75), g.between(0.045, 0.08)
	crown := g.between(0.32, 0.48)
	up := xyz(0, 1, 0)
	g.cone(vec{}, xyz(0, 0.1, 0), up, r*1.6, r)
	g.cone(xyz(0, 0.1, 0), xyz(0, trunk, 0), up, r, r*0.7)
	n := g.count(4, 7)
	turn := g.between(0, 2*math.Pi)
	for i := range n {
		sin, cos := math.Sincos(turn + 2*math.Pi*float64(i)/float64(n))
		out := crown * g.between(0.55, 0.85)
		c := xyz(out*cos, trunk+crown*g.between(0.15, 0.75), out*sin)
		size := crown * g.between(0.42, 0.60)
		g.tube(xyz(0, trunk*g.between(0.75, 0.98), 0), c, r*0.4)
		g.ellipsoid(c, xyz(size, size*g.between(0.75, 0.95), size))
	}
	g.ellipsoid(xyz(0, trunk+crown*g.between(1.0, 1.3), 0), xyz(crown*0.65, crown*g.between(0.5, 0.75), crown*0.65))
}

// buildFir: a straight trunk and three to seven cones, wide below.
func buildFir(g *solid) {
	layers, height := g.count(3, 7), g.between(1.1, 1.7)
	trunk, r := g.between(0.10, 0.28), g.between(0.28, 0.48)
	up := xyz(0, 1, 0)
	g.cone(vec{}, xyz(0, trunk+0.1, 0), up, 0.055, 0.045)
	step := (height - trunk) / float64(layers)
	for i := range layers {
		wide := r * (1 - 0.80*float64(i)/float64(layers))
		y := trunk + step*float64(i)
		narrow := 0.45 * wide
		top := y + step*1.15
		if i == layers-1 {
			narrow, top = 0, height+0.05
		}
		g.cone(xyz(0, y, 0), xyz(0, top, 0), up, wide, narrow)
		g.disc(xyz(0, y, 0), up, 0.35*wide, wide)
	}
}

// buildChurch: a nave with a gabled roof along z, a tower with a spire before it, a cross or ball
// on top, a choir or side aisles on some.
func buildChurch(g *solid) {
	x, z, wall := g.between(0.18, 0.27), g.between(0.42, 0.62), g.between(0.26, 0.42)
	ridge, eave := g.between(0.20, 0.34), g.between(0.02, 0.05)
	g.walls(-x, x, -z, z, wall)
	// The roof is built along x and turned.
	start := g.mark()
	g.gable(-z, z+eave, -x, x, eave, wall, ridge)
	g.triangle(xyz(z, wall, -x), xyz(z, wall, x), xyz(z, wall+ridge, 0))
	g.move(start, rotation('y', -math.Pi/2, vec{}))
	switch g.count(0, 2) {
	case 1: // choir: a half-round end with a half cone
		r, h, up := x*0.75, wall*0.85, xyz(0, 1, 0)
		from, to := -math.Pi/2, math.Pi/2 // the frame of y starts at z
		g.coneArc(xyz(0, 0, z), xyz(0, h, z), up, r, r, from, to)
		g.coneArc(xyz(0, h, z), xyz(0, h+r, z), up, r, 0, from, to)
	case 2: // aisles
		w, h := g.between(0.10, 0.16), wall*g.between(0.45, 0.60)
		mirrored(func(side float64) {
			lo, hi := side*x, side*(x+w)
			g.walls(min(lo, hi), max(lo, hi), -0.7*z, 0.9*z, h)
			g.quad(xyz(lo, h+0.08, -0.7*z), xyz(hi, h, -0.7*z), xyz(hi, h, 0.9*z), xyz(lo, h+0.08, 0.9*z))
		})
	}
	t, tall, spire := g.between(0.12, 0.17), g.between(0.75, 1.10), g.between(0.35, 0.75)
	front := -z - t
	base := rectangle(-t, t, front-t, front+t, 0)
	top := rectangle(-t, t, front-t, front+t, tall)
	g.hexahedron(base, top)
	roof := rectangle(-t*1.15, t*1.15, front-t*1.15, front+t*1.15, tall)
	peak := xyz(0, tall+spire, front)
	for i := range 4 {
		g.triangle(roof[i], roof[(i+1)%4], peak)
	}
	if g.chance(0.5) {
		g.beam(peak, peak.Add(xyz(0, 0.16, 0)), 0.02)
		g.beam(peak.Add(xyz(-0.05, 0.10, 0)), peak.Add(xyz(0.05, 0.10, 0)), 0.02)
	} else {
		g.sphere(peak.Add(xyz(0, 0.02, 0)), 0.025)
	}
	g.box(xyz(-0.06, 0, front-t-0.02), xyz(0.06, 0.2, front-t))
}

// walls are the four sides of a box that stands on the ground.
func (g *solid) walls(x0, x1, z0, z1, height float64) {
	up := xyz(0, height, 0)
	ring := rectangle(x0, x1, z0, z1, 0)
	for i, p := range ring {
		g.parallelogram(p, ring[(i+1)%4].Sub(p), up)
	}
}

// gable is a roof of two slopes, ridge along x at z = 0, that reaches below the wall's top by the
// eaves.
func (g *solid) gable(x0, x1, z0, z1, eave, wall, ridge float64) {
	for _, z := range []float64{z0, z1} {
		out := z * (1 + eave/max(z, -z))
		low := wall - ridge*eave/max(z, -z)
		g.parallelogram(xyz(x0, low, out), xyz(x1-x0, 0, 0), xyz(0, wall+ridge-low, -out))
	}
}

// buildBridge: along x. A suspension bridge with two towers and cables, or an arch bridge with
// hangers or pillars.
func buildBridge(g *solid) {
	half, z := g.between(0.95, 1.15), g.between(0.10, 0.16)
	deck, thick := g.between(0.22, 0.36), g.between(0.03, 0.05)
	g.box(xyz(-half, deck-thick, -z), xyz(half, deck, z))
	rail := 0.05
	for _, s := range []float64{-1, 1} {
		g.beam(xyz(-half, deck+rail, s*z), xyz(half, deck+rail, s*z), 0.012)
	}
	switch g.count(0, 2) {
	case 0, 1:
		tower, top := half*g.between(0.5, 0.62), deck+g.between(0.36, 0.62)
		w := g.between(0.045, 0.07)
		for _, s := range []float64{-1, 1} {
			for _, side := range []float64{-1, 1} {
				g.beam(xyz(s*tower, 0, side*(z+0.02)), xyz(s*tower, top, side*(z+0.02)), w)
			}
			for _, h := range []float64{deck - thick - 0.04, deck + (top-deck)*0.55, top - 0.03} {
				g.beam(xyz(s*tower, h, -z), xyz(s*tower, h, z), w*0.8)
			}
		}
		sag := g.between(0.78, 0.94)
		hangers := g.count(8, 14)
		for _, side := range []float64{-1, 1} {
			at := func(x float64) vec {
				t := x / tower
				if t < 0 {
					t = -t
				}
				if t > 1 {
					u := (t*tower - tower) / (half - tower)
					return xyz(x, top+(deck-top)*u, side*(z+0.02))
				}
				return xyz(x, top-(top-deck)*sag*(1-t*t), side*(z+0.02))
			}
			const steps = 32
			curve := make([]vec, steps+1)
			for i := range curve {
				curve[i] = at(half * (2*float64(i)/steps - 1))
			}
			g.pipe(0.013, curve...)
			for i := 1; i < hangers; i++ {
				p := at(half * (2*float64(i)/float64(hangers) - 1))
				g.tube(xyz(p.X, deck, p.Z), p, 0.005)
			}
		}
	default:
		span, rise := half*g.between(0.72, 0.9), g.between(0.38, 0.60)
		foot := deck - thick
		if g.chance(0.4) { // the arch below carries pillars
			foot, rise = 0, deck-thick-0.02
		}
		w := g.between(0.04, 0.055)
		posts := g.count(7, 11)
		for _, side := range []float64{-1, 1} {
			at := func(t float64) vec { return xyz(span*t, foot+rise*(1-t*t), side*z) }
			for i := range 16 {
				g.beam(at(2*float64(i)/16-1), at(2*float64(i+1)/16-1), w)
			}
			for i := 1; i < posts; i++ {
				p := at(2*float64(i)/float64(posts) - 1)
				g.tube(p, xyz(p.X, deck-thick/2, p.Z), 0.010)
			}
		}
		mirrored(func(side float64) {
			g.box(xyz(side*half*0.94-0.05, 0, -z*1.1), xyz(side*half*0.94+0.05, deck-thick, z*1.1))
		})
	}
}

// buildWindmill: a tapered tower, a cap, four sails in the plane z = const in front.
func buildWindmill(g *solid) {
	height, r := g.between(0.85, 1.2), g.between(0.24, 0.34)
	top := r * g.between(0.5, 0.7)
	up := xyz(0, 1, 0)
	g.cone(vec{}, xyz(0, height, 0), up, r, top)
	g.cone(xyz(0, height, 0), xyz(0, height, 0), up, top, top*1.12)
	if g.chance(0.5) {
		g.cone(xyz(0, height, 0), xyz(0, height+top*1.3, 0), up, top*1.12, 0)
	} else {
		g.dome(xyz(0, height, 0), up, top*1.12, 0, math.Pi/2)
	}
	if g.chance(0.5) { // a gallery round the tower
		y := height * g.between(0.28, 0.4)
		g.disc(xyz(0, y, 0), up, r*0.8, r*1.35)
		g.torus(xyz(0, y+0.08, 0), up, r*1.33, 0.010, 0, 2*math.Pi)
	}
	hub := xyz(0, height+top*0.25, -top*1.15-0.08)
	g.tube(xyz(0, hub.Y, 0), hub, 0.03)
	g.sphere(hub, 0.045)
	reach, wide := g.between(0.62, 0.82), g.between(0.11, 0.17)
	turn, bars := g.between(0, math.Pi/2), g.count(6, 10)
	for i := range 4 {
		start := g.mark()
		tip := hub.Add(xyz(0, reach, 0))
		g.beam(hub, tip, 0.025)
		inner := hub.Add(xyz(0, reach*0.22, 0))
		edge := xyz(wide, 0, -0.02)
		g.beam(inner.Add(edge), tip.Add(edge), 0.014)
		for b := range bars + 1 {
			p := inner.Lerp(tip, float64(b)/float64(bars))
			g.beam(p, p.Add(edge), 0.014)
		}
		g.parallelogram(inner, tip.Sub(inner), edge.Scale(0.9))
		g.move(start, rotation('z', turn+math.Pi/2*float64(i), hub))
	}
	g.box(xyz(-0.07, 0, -r-0.01), xyz(0.07, 0.24, -r*0.7))
}

// limb is a row of cones with round joints and a round end.
func (g *solid) limb(joints []vec, radii []float64) {
	for i := 1; i < len(joints); i++ {
		g.cone(joints[i-1], joints[i], joints[i].Sub(joints[i-1]), radii[i-1], radii[i])
	}
	last := len(joints) - 1
	g.dome(joints[last], joints[last].Sub(joints[last-1]), radii[last], 0, math.Pi/2)
}

// buildPerson: front to -z; arms hang, point aside or are raised, legs stand or stride.
func buildPerson(g *solid) {
	tall, broad := g.between(0.92, 1.08), g.between(0.85, 1.25)
	hip, neck := 0.88*tall, 1.42*tall
	shoulder := 0.19 * broad
	w := 0.055 * broad
	// Trunk: the loft runs along z, so it is built lying and raised.
	start := g.mark()
	belly := g.between(0.9, 1.35)
	g.loft(station{-neck, 0, 0.05, 0.05, 2}, station{-neck + 0.05, 0, shoulder * 0.85, 0.075, 2.4}, station{-neck + 0.15, 0, shoulder * 0.95, 0.10, 2.5},
		station{-(hip+neck)/2 + 0.05, 0, shoulder * 0.75, 0.085 * belly, 2.3}, station{-hip - 0.02, 0, shoulder * 0.82, 0.10 * belly, 2.4}, station{-hip + 0.08, 0, shoulder * 0.70, 0.085, 2.3})
	g.move(start, rotation('x', math.Pi/2, vec{}))
	g.tube(xyz(0, neck-0.02, 0), xyz(0, neck+0.07, 0), 0.045)
	g.ellipsoid(xyz(0, neck+0.17, 0), xyz(0.078, 0.115, 0.095))
	raise := [2]float64{g.between(0.08, 0.5), 0}
	raise[1] = raise[0]
	if g.chance(0.35) {
		raise[0], raise[1] = g.between(1.1, 2.7), g.between(0.1, 2.7)
	}
	swing, stance := g.between(-0.35, 0.35), g.between(0, 0.12)
	bend := g.between(0, 0.35)
	for i, side := range []float64{-1, 1} {
		s := xyz(side*(shoulder-0.01), neck-0.07, 0)
		sin, cos := math.Sincos(raise[i])
		sin2, cos2 := math.Sincos(raise[i] + bend)
		elbow := s.Add(xyz(side*0.28*sin, -0.28*cos, side*swing*0.25))
		hand := elbow.Add(xyz(side*0.26*sin2, -0.26*cos2, side*swing*0.3-0.05))
		g.limb([]vec{s, elbow, hand, hand.Lerp(elbow, -0.28)}, []float64{w, w * 0.78, w * 0.62, w * 0.62})
		top := xyz(side*shoulder*0.5, hip, 0)
		knee := xyz(side*(shoulder*0.5+stance*0.5), hip*0.52, -side*swing*0.35)
		foot := xyz(side*(shoulder*0.5+stance), 0.06, -side*swing*0.8)
		g.limb([]vec{top, knee, foot}, []float64{w * 1.5, w * 1.05, w * 0.75})
		g.ellipsoid(foot.Add(xyz(0, -0.02, -0.07)), xyz(0.05, 0.045, 0.13))
	}
}

// buildDog: a four-legged animal with muzzle, ears and tail, nose to -z.
func buildDog(g *solid) {
	long, leg := g.between(0.36, 0.52), g.between(0.24, 0.46)
	r := g.between(0.12, 0.18)
	y := leg + r*0.8
	g.loft(station{-long, y + 0.05, 0.25 * r, 0.3 * r, 2}, station{-0.85 * long, y + 0.03, 0.75 * r, 0.95 * r, 2}, station{-0.4 * long, y, r, 1.15 * r, 2},
		station{0.35 * long, y + 0.02, 0.85 * r, 0.85 * r, 2}, station{0.85 * long, y + 0.02, 0.8 * r, 0.85 * r, 2}, station{long, y + 0.02, 0.2 * r, 0.3 * r, 2})
	// Neck and head.
	size := r * g.between(0.75, 0.95)
	head := xyz(0, y+g.between(0.20, 0.36), -long-g.between(0.08, 0.18))
	g.cone(xyz(0, y+0.04, -0.8*long), head, head.Sub(xyz(0, y, -0.8*long)), 0.75*r, 0.6*size)
	g.ellipsoid(head, xyz(0.85*size, 0.9*size, size))
	muzzle := size * g.between(1.2, 2.2)
	snout := head.Add(xyz(0, -0.25*size, -0.6*size-muzzle*0.6))
	g.limb([]vec{head.Add(xyz(0, -0.15*size, -0.5*size)), snout}, []float64{0.55 * size, 0.36 * size})
	hang := g.chance(0.5)
	tallEar := size * g.between(0.8, 1.4)
	mirrored(func(side float64) {
		root := head.Add(xyz(side*0.55*size, 0.6*size, 0.1*size))
		tip := root.Add(xyz(side*0.2*size, tallEar, 0))
		if hang {
			root = head.Add(xyz(side*0.75*size, 0.45*size, 0.1*size))
			tip = root.Add(xyz(side*0.35*size, -tallEar, 0))
		}
		g.triangle(root.Add(xyz(0, 0, -0.35*size)), root.Add(xyz(0, 0, 0.35*size)), tip)
		g.triangle(root.Add(xyz(side*0.1*size, 0, -0.35*size)), root.Add(xyz(side*0.1*size, 0, 0.35*size)), tip)
	})
	w := r * g.between(0.28, 0.38)
	stride := g.between(-0.12, 0.12)
	for _, end := range []float64{-1, 1} {
		mirrored(func(side float64) {
			top := xyz(side*0.55*r, y-0.2*r, end*0.72*long)
			step := side * end * stride
			knee := xyz(side*0.62*r, leg*0.52, top.Z+step*0.4-end*0.02)
			paw := xyz(side*0.62*r, w*0.7, top.Z+step)
			g.limb([]vec{top, knee, paw}, []float64{w * 1.7, w, w * 0.8})
			g.ellipsoid(paw.Add(xyz(0, -w*0.1, -w*0.6)), xyz(w, w*0.6, w*1.4))
		})
	}
	tail := xyz(0, y+0.06, 0.95*long)
	tip := tail.Add(xyz(0, g.between(-0.15, 0.35), g.between(0.15, 0.32)))
	curve := arc(tail, tail.Add(xyz(0, 0.02, 0.16)), tip, 6)
	g.pipe(w*0.45, curve...)
}
