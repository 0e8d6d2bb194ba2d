package datasets

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"runtime"
	"slices"
	"testing"
)

// shapesChecksum is the SHA-256 of all coordinates of the default set in units of 1e-4, rounded, as
// little-endian int16. The rounding makes it independent of a platform's fused multiply-add. If it
// changes, ShapesVersion must change too.
const shapesChecksum = "f7b66009daf3993afea8003735784093958935e84b3d66ad323e88645d4a96b0"

func TestShapesChecksum(t *testing.T) {
	s := load(t, Builtin, Options{})
	wantShape(t, s, Builtin, 32*40, 2048, 3)
	buffer := make([]byte, 0, 2*len(s.Coords))
	for _, v := range s.Coords {
		buffer = binary.LittleEndian.AppendUint16(buffer, uint16(int16(math.Round(float64(v)*1e4))))
	}
	sum := sha256.Sum256(buffer)
	if got := hex.EncodeToString(sum[:]); got != shapesChecksum {
		t.Errorf("%s has the checksum %s, expected %s", ShapesVersion, got, shapesChecksum)
	}
	checkNormalized(t, s)
	names := ShapeClasses()
	if len(names) < 24 || !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("classes %v", names)
	}
	if !slices.Equal(s.Classes, names) {
		t.Errorf("the set has the classes %v", s.Classes)
	}
	sum2 := s.Summary()
	if sum2.Train != 1024 || sum2.Test != 256 {
		t.Errorf("%d train and %d test clouds", sum2.Train, sum2.Test)
	}
	for class, n := range sum2.PerClass {
		if n != 40 {
			t.Errorf("class %s has %d clouds", names[class], n)
		}
	}
}

func TestShapesDoNotDependOnSchedulingOrSize(t *testing.T) {
	classes := []string{"car", "tree", "bicycle"}
	big, err := Shapes{Train: 3, Test: 2, Points: 300, Classes: classes, Raw: true}.Generate()
	if err != nil {
		t.Fatal(err)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	small, err := Shapes{Train: 1, Test: 1, Points: 200, Classes: classes[1:], Raw: true}.Generate()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(small.Split, []uint8{0, 1, 0, 1}) || !slices.Equal(small.Classes, classes[1:]) || !slices.Equal(small.Labels, []int32{0, 0, 1, 1}) {
		t.Errorf("found %v %v %v", small.Split, small.Classes, small.Labels)
	}
	// Tree 0 of train and test, bicycle 0 of train and test.
	for i, row := range []int{5, 8, 10, 13} {
		if !slices.Equal(small.Cloud(i), big.Cloud(row)[:600]) {
			t.Errorf("cloud %d of the small set is not the start of cloud %d of the big one", i, row)
		}
	}
}

func TestBuiltinOptions(t *testing.T) {
	sub := load(t, Builtin, Options{Points: 64, Seed: 1})
	wantShape(t, sub, Builtin, 1280, 64, 3)
	other := load(t, Builtin, Options{Points: 64, Seed: 2})
	if slices.Equal(sub.Coords, other.Coords) {
		t.Error("the subset must depend on the seed")
	}
	if test, err := sub.Part("test"); err != nil || test.Clouds != 256 {
		t.Errorf("test part: %v", err)
	}
	more, err := Shapes{Train: 1, Points: 3000, Classes: []string{"mug"}}.Generate()
	if err != nil || more.Points != 3000 || more.Clouds != 1 {
		t.Errorf("more points than the default: %v", err)
	}
}

func TestShapesVaryInsideAClass(t *testing.T) {
	s, err := Shapes{Train: 12, Points: 256, Raw: true}.Generate()
	if err != nil {
		t.Fatal(err)
	}
	for class := range len(s.Classes) {
		// Extents of the shapes, in thousandths: almost all of a class must differ.
		seen := map[[3]int]bool{}
		for i := range 12 {
			one := s.Select([]int{12*class + i})
			sum := one.Summary()
			var size [3]int
			for k := range 3 {
				size[k] = int(1000 * (sum.Max[k] - sum.Min[k]))
			}
			seen[size] = true
		}
		if len(seen) < 11 {
			t.Errorf("class %s: only %d different sizes among 12 shapes", s.Classes[class], len(seen))
		}
	}
}

func TestShapesErrors(t *testing.T) {
	_, err := Shapes{Classes: []string{"unicorn"}}.Generate()
	wantError(t, err, "unicorn", "aeroplane")
	_, err = Shapes{Train: -1}.Generate()
	wantError(t, err, "-1 train")
	_, err = Shapes{Classes: []string{}}.Generate()
	wantError(t, err, "0 classes")
	_, err = Shapes{Train: math.MaxInt / 2, Test: 1}.Generate()
	wantError(t, err, "at most")
	_, err = Shapes{Train: 1, Points: 1, Classes: []string{"mug"}}.Generate()
	wantError(t, err, "class mug", "zero extent")
}

// TestPiecesAreUniformByArea samples each kind of piece and compares a coordinate that must be
// uniform.
func TestPiecesAreUniformByArea(t *testing.T) {
	up := vec{0, 1, 0}
	for name, c := range map[string]struct {
		build   func(g *solid)
		area    float64
		uniform func(p vec) float64 // uniform in [0, 1]
	}{
		"sphere":   {func(g *solid) { g.sphere(vec{}, 1) }, 4 * math.Pi * 0.997, func(p vec) float64 { return (p.y + 1) / 2 }},
		"disc":     {func(g *solid) { g.disc(vec{}, up, 0.5, 1) }, 0.75 * math.Pi, func(p vec) float64 { return (p.dot(p) - 0.25) / 0.75 }},
		"cone":     {func(g *solid) { g.cone(vec{}, vec{0, 1, 0}, up, 1, 0) }, math.Pi * math.Sqrt2, func(p vec) float64 { return (1 - p.y) * (1 - p.y) }},
		"tube":     {func(g *solid) { g.tube(vec{}, vec{0, 2, 0}, 0.5) }, 2 * math.Pi, func(p vec) float64 { return p.y / 2 }},
		"triangle": {func(g *solid) { g.triangle(vec{}, vec{2, 0, 0}, vec{0, 1, 0}) }, 1, func(p vec) float64 { return 1 - (1-p.y)*(1-p.y) }},
		"torus": {func(g *solid) { g.torus(vec{}, up, 1, 0.4, 0, 2*math.Pi) }, 4 * math.Pi * math.Pi * 0.4 * 0.98, func(p vec) float64 {
			turn := math.Atan2(p.x, p.z)/(2*math.Pi) + 0.5
			return turn
		}},
		"ellipsoid": {func(g *solid) { g.ellipsoid(vec{}, vec{1, 1, 1}) }, 4 * math.Pi * 0.97, func(p vec) float64 { return (p.y + 1) / 2 }},
		"moved":     {func(g *solid) { g.tube(vec{}, vec{0, 2, 0}, 0.5); g.move(0, rotation('z', math.Pi/2, vec{})) }, 2 * math.Pi, func(p vec) float64 { return -p.x / 2 }},
	} {
		t.Run(name, func(t *testing.T) {
			g := &solid{rng: newStream(1)}
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
			points := g.sample(n, newStream(2))
			for i := 0; i < len(points); i += 3 {
				u := c.uniform(vec{float64(points[i]), float64(points[i+1]), float64(points[i+2])})
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
	g := &solid{rng: newStream(1)}
	g.box(vec{-1, -1, -1}, vec{0, 1, 1})
	g.box(vec{0, -1, -1}, vec{1, 1, 1}) // touches the first one
	g.tube(vec{-2, 0, 0}, vec{2, 0, 0}, 0.1)
	g.ellipsoid(vec{0, 1, 0}, vec{0.5, 0.5, 0.5})
	g.move(0, rotation('y', 0.6, vec{1, 2, 3}))
	m := rotation('y', 0.6, vec{1, 2, 3})
	points := g.sample(4000, newStream(3))
	for i := 0; i < len(points); i += 3 {
		p := m.undo(vec{float64(points[i]), float64(points[i+1]), float64(points[i+2])})
		if math.Abs(p.x) < 0.99 && math.Abs(p.y) < 0.99 && math.Abs(p.z) < 0.99 {
			t.Fatalf("point %v lies inside the boxes", p)
		}
		if d := p.sub(vec{0, 1, 0}); d.norm() < 0.49 {
			t.Fatalf("point %v lies inside the ball", p)
		}
	}
}

func TestHiddenShareIsSmall(t *testing.T) {
	for _, c := range shapeClasses {
		for number := range uint64(8) {
			name := hashName(ShapesVersion + "/" + c.name)
			g := &solid{rng: newStream(shapesSeed, name, number, hashName("parameters"))}
			c.build(g)
			upTo, total := make([]float64, len(g.elements)), 0.0
			for i := range g.elements {
				total += g.elements[i].area
				upTo[i] = total
			}
			hidden, random := 0, newStream(9)
			for range 500 {
				e := &g.elements[pick(upTo, random.float())]
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

func BenchmarkShapes(b *testing.B) {
	for b.Loop() {
		if _, err := (Shapes{}).Generate(); err != nil {
			b.Fatal(err)
		}
	}
}
