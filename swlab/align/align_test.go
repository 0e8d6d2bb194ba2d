package align

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"gonum.org/v1/gonum/mat"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

// translates are clouds, one moved by shifts, and the cloud at their mean.
func translates(seed uint64, clouds, points, dim int, offset float64) (set *datasets.Set, mean []float64) {
	r := rand.New(rand.NewPCG(seed, 1))
	one, all := make([]float64, points*dim), []float64{}
	for i := range one {
		one[i] = offset + r.NormFloat64()*float64(1+i%dim)/float64(dim)
	}
	mean = make([]float64, len(one))
	for range clouds {
		shift := make([]float64, dim)
		for k := range shift {
			shift[k] = 3 * r.NormFloat64()
		}
		for i, v := range one {
			all = append(all, v+shift[i%dim])
			mean[i] += (v + shift[i%dim]) / float64(clouds)
		}
	}
	return must.M1(datasets.New(all, clouds, points, dim)), mean
}

// farthest is the largest distance of two numbers.
func farthest(a, b []float64) (off float64) {
	for i := range a {
		off = max(off, math.Abs(a[i]-b[i]))
	}
	return off
}

// TestTranslates: the barycenter of translates is the cloud at their mean, to 1e-3, under every loss that
// is a mean over slices, in any dimension, far from 0 too.
func TestTranslates(t *testing.T) {
	for name, most := range map[string]float64{"sw": 1e-6, "orthogonal-sw": 1e-6, "qmc-sw": 1e-6, "markov-sw": 1e-6,
		"asw": 1e-6, "max-sw": 1e-3, "v-dsw": 1e-6, "rp-sw": 1e-6, "cv-sw": 1e-6} {
		set, want := translates(1, 4, 40, 3, 0)
		m := must.M1(Barycenter(set, BarycenterConfig{Loss: name, Steps: 10, Seed: 2}))
		if off := farthest(m.Points, want); off > most {
			t.Errorf("%s: off by %g", name, off)
		}
	}
	for _, c := range []struct {
		dim, points int
		offset      float64
	}{{1, 30, 0}, {2, 1, 0}, {3, 50, 1e9}, {20, 30, 0}} {
		set, want := translates(2, 3, c.points, c.dim, c.offset)
		m := must.M1(Barycenter(set, BarycenterConfig{Steps: 10}))
		if off := farthest(m.Points, want); off > 1e-3 {
			t.Errorf("%+v: off by %g", c, off)
		}
	}
}

// TestBarycenterDescends: from clouds of two shapes, with fewer points than these, the loss at the
// barycenter is less than at either cloud and falls with the steps.
func TestBarycenterDescends(t *testing.T) {
	chairs := datasets.Options{Points: 128, Raw: true, Classes: []string{"chair"}}
	set := must.M1(datasets.Load(datasets.Builtin, chairs)).Select([]int{0, 1, 2})
	value := func(steps, points int) float64 {
		return must.M1(Barycenter(set, BarycenterConfig{Steps: steps, Points: points, Seed: 1})).Value
	}
	o := swlab.DistanceConfig{Config: loss.Config{Reduce: loss.Mean}, Seed: 1}
	worst := must.M1(swlab.Distance("sw", set, set.Select([]int{0, 0, 0}), o)).Value
	if one, many := value(1, 128), value(40, 128); !(many < one && many < worst) {
		t.Errorf("value %v after 1 step, %v after 40, %v at the first cloud", one, many, worst)
	}
	if fewer := value(40, 50); fewer > 1.3*value(40, 128) {
		t.Errorf("value %v with 50 points", fewer)
	}
}

// TestColors: after 50 steps the distance is at most 2 % of the start, for unequal numbers of points, also
// where all points are equal or the target is one point.
func TestColors(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	picture := func(n int, colors ...[3]float64) *datasets.Set {
		var all []float64
		for range n {
			c := colors[r.IntN(len(colors))]
			for _, v := range c {
				all = append(all, min(1, max(0, v+0.1*r.NormFloat64())))
			}
		}
		return must.M1(datasets.New(all, n, 3))
	}
	sea := picture(1000, [3]float64{0.1, 0.3, 0.8}, [3]float64{0, 0.6, 0.7})
	sunset := picture(700, [3]float64{0.9, 0.4, 0.1}, [3]float64{0.3, 0.1, 0.2})
	flat := must.M1(datasets.New(make([]float64, 300), 100, 3))
	for i, c := range [][2]*datasets.Set{{sea, sunset}, {sunset, sea}, {flat, sea}, {sea, flat}} {
		moved, before, after, err := Colors(c[0], c[1], ColorsConfig{Seed: 1}, nil)
		if err != nil || !(after <= 0.02*before) || len(moved) != 3*c[0].Points || before < 0.1 {
			t.Errorf("%d: %v before, %v after (%.2f %%), %v", i, before, after, 100*after/before, err)
		}
	}
	_, before, after, err := Colors(sea, picture(1000, [3]float64{0.1, 0.3, 0.8}, [3]float64{0, 0.6, 0.7}), ColorsConfig{Seed: 1}, Round8)
	if err != nil || !(after < 0.5/255 && after < 0.3*before && after > 0.02*before) {
		t.Errorf("two pictures of one distribution: %v before, %v after, %v; expected less than half a grey level, and what is left of the noise", before, after, err)
	}
}

// turnedPair are a cloud of n points and the same one turned by 30 degrees around a random plane and moved,
// in another order, where a fifth of the points are outliers.
func turnedPair(seed uint64, n, dim int) (a, b *datasets.Set, rotation *mat.Dense, translation []float64) {
	r := rand.New(rand.NewPCG(seed, 9))
	points := make([]float64, n*dim)
	for i := range points {
		points[i] = 100 + r.NormFloat64()*float64(1+i%dim)
	}
	sin, cos := math.Sincos(math.Pi / 6)
	plane := identity(dim).turn
	plane.Set(0, 0, cos)
	plane.Set(1, 1, cos)
	plane.Set(0, 1, -sin)
	plane.Set(1, 0, sin)
	frame := turned(dim, 0, r).turn
	m := rigid{turn: mat.NewDense(dim, dim, nil), move: make([]float64, dim)}
	m.turn.Product(frame, plane, frame.T())
	for k := range m.move {
		m.move[k] = 5 * r.NormFloat64()
	}
	moved, shuffled := m.apply(points), []float64{}
	middle := centroid(moved, dim)
	for _, i := range r.Perm(n) {
		shuffled = append(shuffled, moved[i*dim:(i+1)*dim]...)
	}
	for i := range n / 5 * dim {
		shuffled[i] = middle[i%dim] + 16*(r.Float64()-0.5)
	}
	return must.M1(datasets.New(points, n, dim)), must.M1(datasets.New(shuffled, n, dim)), m.turn, m.move
}

// TestRegister: within 1 degree for 93 of 100 seeds, in the plane and in space; and where the motion is
// exact, it takes points to their partners.
func TestRegister(t *testing.T) {
	seeds := uint64(100)
	if testing.Short() {
		seeds = 4
	}
	for _, dim := range []int{2, 3} {
		good := 0
		for seed := range seeds {
			a, b, rotation, translation := turnedPair(seed, 100, dim)
			m := must.M1(Register(a, b, RegisterConfig{Seed: seed}))
			var between mat.Dense
			between.Mul(rotation.T(), mat.NewDense(dim, dim, m.Rotation))
			if (rigid{turn: &between}).degrees() > 1 {
				continue
			}
			good++
			if math.Abs(m.Degrees-30) > 1e-3 || farthest(m.Translation, translation) > 1e-3 ||
				math.Abs(m.Share-0.8) > 0.02 || m.Error > 1e-3 {
				t.Errorf("d = %d, seed %d: %+v, expected 30 degrees and %v", dim, seed, m, translation)
			}
		}
		if float64(good) < 0.93*float64(seeds) {
			t.Errorf("d = %d: %d of %d within 1 degree", dim, good, seeds)
		}
	}
}

// TestRegisterEdges: one point, equal points, a line, and clouds of unequal sizes.
func TestRegisterEdges(t *testing.T) {
	cloud := func(dim int, v ...float64) *datasets.Set { return must.M1(datasets.New(v, len(v)/dim, dim)) }
	for i, c := range []struct {
		a, b *datasets.Set
		want []float64
	}{
		{cloud(3, 1, 2, 3), cloud(3, 4, 4, 4), []float64{4, 4, 4}},
		{cloud(2, 1, 1, 1, 1, 1, 1), cloud(2, 0, 7, 0, 7), []float64{0, 7}},
		{cloud(1, 0, 1, 5, 7), cloud(1, 15, 10, 17, 11, 12), []float64{10}},
	} {
		m := must.M1(Register(c.a, c.b, RegisterConfig{Starts: 6}))
		moved := c.a.Positions(0)
		m.Apply(moved)
		if off := farthest(moved[:len(c.want)], c.want); off > 1e-6 || m.Degrees > 1e-3 {
			t.Errorf("%d: %+v takes the first point to %v, expected %v", i, m, moved, c.want)
		}
	}
}

// TestRefused: errors name what was expected and what was found.
func TestRefused(t *testing.T) {
	set, _ := translates(1, 2, 5, 3, 0)
	line, _ := translates(1, 1, 5, 1, 0)
	middle := func(c BarycenterConfig) error { _, err := Barycenter(set, c); return err }
	_, _, _, colors := Colors(set, set, ColorsConfig{}, nil)
	_, _, _, dims := Colors(set.Select([]int{0}), line, ColorsConfig{}, nil)
	for i, c := range []struct {
		err  error
		says string
	}{
		{middle(BarycenterConfig{Loss: "chamfer"}), "loss: expected a sliced one, found \"chamfer\""},
		{middle(BarycenterConfig{Loss: "maxsw"}), "did you mean \"max-sw\""},
		{middle(BarycenterConfig{Loss: "ssw"}), "loss: \"ssw\" compares unit vectors"},
		{middle(BarycenterConfig{Steps: -1}), "steps: expected at least 1"},
		{middle(BarycenterConfig{Points: 11}), "points: expected at most 10"},
		{colors, "expected one cloud, found 2"},
		{dims, "one dimension, found 3"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.says) {
			t.Errorf("%d: %v, expected %q", i, c.err, c.says)
		}
	}
}
