package shapes

import (
	"math"
	"testing"

	"github.com/sliced-wasserstein/lab/datasets/internal/rng"
)

// TestPiecesAreUniformByArea samples each kind of piece and compares a coordinate that must be
// uniform.
func TestPiecesAreUniformByArea(t *testing.T) {
	up := xyz(0, 1, 0)
	for name, c := range map[string]struct {
		build   func(g *solid)
		area    float64
		uniform func(p vec) float64 // uniform in [0, 1]
	}{
		"sphere":   {func(g *solid) { g.sphere(vec{}, 1) }, 4 * math.Pi * 0.997, func(p vec) float64 { return (p.Y + 1) / 2 }},
		"disc":     {func(g *solid) { g.disc(vec{}, up, 0.5, 1) }, 0.75 * math.Pi, func(p vec) float64 { return (p.Dot(p) - 0.25) / 0.75 }},
		"cone":     {func(g *solid) { g.cone(vec{}, xyz(0, 1, 0), up, 1, 0) }, math.Pi * math.Sqrt2, func(p vec) float64 { return (1 - p.Y) * (1 - p.Y) }},
		"tube":     {func(g *solid) { g.tube(vec{}, xyz(0, 2, 0), 0.5) }, 2 * math.Pi, func(p vec) float64 { return p.Y / 2 }},
		"triangle": {func(g *solid) { g.triangle(vec{}, xyz(2, 0, 0), xyz(0, 1, 0)) }, 1, func(p vec) float64 { return 1 - (1-p.Y)*(1-p.Y) }},
		"torus": {func(g *solid) { g.torus(vec{}, up, 1, 0.4, 0, 2*math.Pi) }, 4 * math.Pi * math.Pi * 0.4 * 0.98, func(p vec) float64 {
			turn := math.Atan2(p.X, p.Z)/(2*math.Pi) + 0.5
			return turn
		}},
		"ellipsoid": {func(g *solid) { g.ellipsoid(vec{}, xyz(1, 1, 1)) }, 4 * math.Pi * 0.97, func(p vec) float64 { return (p.Y + 1) / 2 }},
		"moved":     {func(g *solid) { g.tube(vec{}, xyz(0, 2, 0), 0.5); g.move(0, rotation('z', math.Pi/2, vec{})) }, 2 * math.Pi, func(p vec) float64 { return -p.X / 2 }},
	} {
		t.Run(name, func(t *testing.T) {
			g := &solid{Stream: rng.New(1)}
			c.build(g)
			area := 0.0
			for _, e := range g.elements {
				area += e.area
			}
			if math.Abs(area/c.area-1) > 0.03 {
				t.Errorf("area %v, expected about %v", area, c.area)
			}
			const n, bins = 8000, 10
			var counts [bins]float64
			points := g.sample(n, rng.New(2))
			for i := 0; i < len(points); i += 3 {
				u := c.uniform(xyz(float64(points[i]), float64(points[i+1]), float64(points[i+2])))
				if u < -1e-6 || u > 1+1e-6 {
					t.Fatalf("point %v lies off the piece: %v", points[i:i+3], u)
				}
				counts[min(max(int(u*bins), 0), bins-1)]++
			}
			chi := 0.0
			for _, k := range counts {
				chi += (k - n/bins) * (k - n/bins) / (n / bins)
			}
			if chi > 27.9 { // p = 0.001, 9 degrees of freedom
				t.Errorf("chi-square %.1f, counts %v", chi, counts)
			}
		})
	}
}

func TestHiddenSurfacesAreNotSampled(t *testing.T) {
	g := &solid{Stream: rng.New(1)}
	g.box(xyz(-1, -1, -1), xyz(0, 1, 1))
	g.box(xyz(0, -1, -1), xyz(1, 1, 1)) // touches the first one
	g.tube(xyz(-2, 0, 0), xyz(2, 0, 0), 0.1)
	g.ellipsoid(xyz(0, 1, 0), xyz(0.5, 0.5, 0.5))
	g.move(0, rotation('y', 0.6, xyz(1, 2, 3)))
	m := rotation('y', 0.6, xyz(1, 2, 3))
	points := g.sample(4000, rng.New(3))
	for i := 0; i < len(points); i += 3 {
		p := m.undo(xyz(float64(points[i]), float64(points[i+1]), float64(points[i+2])))
		if math.Abs(p.X) < 0.99 && math.Abs(p.Y) < 0.99 && math.Abs(p.Z) < 0.99 {
			t.Fatalf("point %v lies inside the boxes", p)
		}
		if d := p.Sub(xyz(0, 1, 0)); d.Norm() < 0.49 {
			t.Fatalf("point %v lies inside the ball", p)
		}
	}
}

func TestHiddenShareIsSmall(t *testing.T) {
	for _, c := range classes {
		for number := range uint64(8) {
			name := rng.Hash(Version + "/" + c.name)
			g := &solid{Stream: rng.New(Seed, name, number, rng.Hash("parameters"))}
			c.build(g)
			upTo, total := make([]float64, len(g.elements)), 0.0
			for i := range g.elements {
				total += g.elements[i].area
				upTo[i] = total
			}
			hidden, random := 0, rng.New(9)
			for range 500 {
				e := &g.elements[random.Pick(upTo)]
				if g.hidden(e.draw(random), e.owner) {
					hidden++
				}
			}
			if hidden > 300 {
				t.Errorf("%s %d: %d of 500 draws are hidden", c.name, number, hidden)
			}
		}
	}
}
