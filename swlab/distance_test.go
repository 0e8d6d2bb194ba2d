package swlab

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

func gaussian(seed uint64, n, m, d int, sd float64) *datasets.Set {
	r := rand.New(rand.NewPCG(seed, 1))
	s := &datasets.Set{Name: "gaussian", Clouds: n, Points: m, Dim: d, Coords: make([]float32, n*m*d)}
	for i := range s.Coords {
		s.Coords[i] = float32(sd * r.NormFloat64())
	}
	return s
}

// refused checks that a call, of which it gets the results, ends with an error that says all of parts.
func refused(t *testing.T, parts ...string) func(results ...any) {
	return func(results ...any) {
		t.Helper()
		err, _ := results[len(results)-1].(error)
		for _, says := range parts {
			if err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("error %v, expected one that says %q", err, says)
			}
		}
	}
}

// scatter are the variance of the pairs' values, and what their standard errors say of it.
func scatter(d *Result) (square, told float64) {
	for b, v := range d.PerPair {
		square += (v - d.Value) * (v - d.Value) / float64(len(d.PerPair)-1)
		told += d.PairErrs[b] * d.PairErrs[b] / float64(len(d.PerPair))
	}
	return square, told
}

// TestStandardErrorIsHonest: many copies of one pair, each with directions of its own, scatter as the standard error
// says, with and without the root.
func TestStandardErrorIsHonest(t *testing.T) {
	const copies = 400
	x, y := gaussian(1, 1, 40, 3, 1), gaussian(2, 1, 40, 3, 1)
	for i := 0; i < len(y.Coords); i += 3 {
		y.Coords[i] *= 3 // stretched, so that slices differ
	}
	rows := make([]int, copies)
	for _, root := range []bool{false, true} {
		o := DistanceConfig{Config: loss.Defaults(), Seed: 3}
		o.Slices, o.Root = 40, root
		d := must.M1(Distance("sw", x.Select(rows), y.Select(rows), o))
		square, _ := scatter(d)
		// The standard deviation of 400 values is known to 3.5 %; three of those.
		if ratio := math.Sqrt(square/copies) / d.StdErr; ratio < 0.89 || ratio > 1.11 {
			t.Errorf("root %v: the mean scatters by %v, the standard error says %v", root, math.Sqrt(square/copies), d.StdErr)
		}
	}
}

// TestStandardErrorOfSharedDirections: copies of one pair on common directions are known no better
// than the pair; on directions of their own they are, by the root of their number.
func TestStandardErrorOfSharedDirections(t *testing.T) {
	const copies, slices = 9, 20
	x, y, theta := gaussian(1, 1, 30, 3, 1), gaussian(2, 1, 30, 3, 2), gaussian(3, 1, slices, 3, 1).Coords
	var all []float32
	for range copies {
		all = append(all, theta...)
	}
	stderr := func(n int, root bool, d *Directions) float64 {
		o := DistanceConfig{Config: loss.Defaults(), Directions: d}
		o.Root = root
		rows := make([]int, n)
		return must.M1(Distance("sw", x.Select(rows), y.Select(rows), o)).StdErr
	}
	for _, root := range []bool{false, true} {
		one := stderr(1, root, &Directions{theta, []int{slices, 3}})
		common := stderr(copies, root, &Directions{theta, []int{slices, 3}})
		own := stderr(copies, root, &Directions{all, []int{copies, slices, 3}})
		if !(one > 0) || math.Abs(common/one-1) > 1e-5 || math.Abs(own/one*3-1) > 1e-5 {
			t.Errorf("root %v: one pair %v, 9 on common directions %v, 9 on their own %v", root, one, common, own)
		}
	}
	for _, distribution := range []string{"common", "fixed"} {
		o := DistanceConfig{Config: loss.Defaults()}
		o.Slicing, o.Slices = distribution, slices
		one := must.M1(Distance("sw", x, y, o))
		r := must.M1(Distance("sw", x.Select(make([]int, copies)), y.Select(make([]int, copies)), o))
		if !(one.StdErr > 0) || math.Abs(r.StdErr/one.StdErr-1) > 1e-5 {
			t.Errorf("%s: one pair %v, 9 on the same directions %v", distribution, one.StdErr, r.StdErr)
		}
	}
}

// TestStartIsNotTheSlices: the random location of an ascent and the slices around it are made of different numbers.
// Made of the same, the location's first coordinate would fix the component of the first slice along it.
func TestStartIsNotTheSlices(t *testing.T) {
	x := gaussian(1, 1, 3, 3, 1)
	o := DistanceConfig{Config: loss.Defaults()}
	o.Slices, o.AscentSteps, o.AscentLearningRate, o.Kappa = 1, 1, 1e-12, 1e8 // a slice is its location
	first := func(name string, seed uint64) []float32 {
		o.Seed = seed
		return must.M1(Distance(name, x, x, o)).Directions
	}
	for seed := range uint64(5) {
		location, slice := first("v-dsw", seed), first("sw", seed) // sw's first slice is made of the seed's first normals
		dot := 0.0
		for k, v := range location {
			dot += float64(v) * float64(slice[k])
		}
		if dot > 0.999 {
			t.Errorf("seed %d: the ascent starts at the first slice", seed)
		}
	}
}

// TestGivenDirections: the same directions give the same costs in any number of pairs and for [L,
// d] and [B, L, d], and the triangle inequality holds on them for the root of every slice's cost.
func TestGivenDirections(t *testing.T) {
	a, b, c := gaussian(1, 2, 50, 4, 1), gaussian(2, 2, 50, 4, 2), gaussian(3, 2, 50, 4, 0.5)
	theta := gaussian(4, 1, 6, 4, 1).Coords
	for v := range slices.Chunk(theta, 4) {
		n := float32(math.Sqrt(float64(v[0]*v[0] + v[1]*v[1] + v[2]*v[2] + v[3]*v[3])))
		for j := range v {
			v[j] /= n
		}
	}
	o := DistanceConfig{Config: loss.Defaults(), Directions: &Directions{Values: theta, Shape: []int{6, 4}}}
	costs := func(x, y *datasets.Set, o DistanceConfig) []float32 {
		d := must.M1(Distance("sw", x, y, o))
		if d.Slices != 6 {
			t.Fatalf("%d slices, want 6", d.Slices)
		}
		return d.Costs
	}
	ab, bc, ac := costs(a, b, o), costs(b, c, o), costs(a, c, o)
	ba := costs(b, a, o)
	both := o
	both.Directions = &Directions{Values: append(append([]float32{}, theta...), theta...), Shape: []int{2, 6, 4}}
	again := costs(a, b, both)
	root := func(v float32) float64 { return math.Sqrt(float64(v)) }
	for i := range ab {
		if math.Abs(float64(ab[i]-ba[i])) > 1e-4 || math.Abs(float64(ab[i]-again[i])) > 1e-4 {
			t.Errorf("slice %d: %v, exchanged %v, with directions per pair %v", i, ab[i], ba[i], again[i])
		}
		if root(ac[i]) > root(ab[i])+root(bc[i])+1e-5 {
			t.Errorf("slice %d breaks the triangle inequality: %v > %v + %v", i, root(ac[i]), root(ab[i]), root(bc[i]))
		}
	}
}

// TestAscentRaises: 200 tangent steps of Max-SW find at least the largest of 3000 random slices; a
// start in forty ends at a local maximum.
func TestAscentRaises(t *testing.T) {
	x, y := gaussian(1, 20, 60, 3, 1), gaussian(2, 20, 60, 3, 1)
	for i := 0; i < len(y.Coords); i += 3 {
		y.Coords[i] *= 4
	}
	o := DistanceConfig{Config: loss.Defaults(), Seed: 3}
	o.Slices, o.AscentSteps, o.AscentLearningRate, o.AscentTangent = 3000, 200, 0.02, true
	top := must.M1(Distance("max-sw", x, y, o))
	o.AscentTangent = false
	many := must.M1(Distance("sw", x, y, o))
	missed := 0
	for b, v := range top.PerPair {
		best := 0.0
		for _, c := range many.Costs[b*3000 : (b+1)*3000] {
			best = math.Max(best, float64(c))
		}
		if v < 0.999*best {
			missed++
			t.Logf("pair %d: Max-SW %v, the largest of 3000 slices %v", b, v, best)
		}
	}
	if missed > 2 {
		t.Errorf("%d of 20 ascents miss the largest slice", missed)
	}
	if !math.IsNaN(top.StdErr) {
		t.Errorf("standard error %v of a single slice", top.StdErr)
	}
}

// TestGradientIsOfTheValue compares the gradient in each cloud with a central difference of the
// value itself, same seed, and with the gradient that is asked for alone.
func TestGradientIsOfTheValue(t *testing.T) {
	same := slices.Equal[[]float32]
	if graphtest.Engine(t).IsCUDA() { // another program, for which XLA may choose other kernels
		same = func(a, b []float32) bool {
			return slices.EqualFunc(a, b, func(a, b float32) bool { return math.Abs(float64(a-b)) < 1e-6 })
		}
	}
	clouds := [2]*datasets.Set{gaussian(1, 2, 30, 3, 1), gaussian(2, 2, 30, 3, 1)}
	for _, c := range []struct {
		name string
		path Path
	}{{"sw", AutoPath}, {"sw", GraphPath}, {"cv-sw", HostPath}, {"eb-sw", HostPath}, {"eb-sw", GraphPath},
		{"chamfer", AutoPath}, {"emd-exact", AutoPath}, {"sinkhorn-divergence", AutoPath}} {
		o := DistanceConfig{Config: loss.Defaults(), Seed: 5, Path: c.path, Gradient: true, GradientX: true}
		o.Reg = 1
		d := must.M1(Distance(c.name, clouds[0], clouds[1], o))
		for side, gradient := range [][]float32{d.GradientX, d.Gradient} {
			norm := 0.0
			for _, g := range gradient {
				norm += float64(g) * float64(g)
			}
			norm = math.Sqrt(norm)
			at := func(h float64) *Result {
				moved := clouds
				moved[side] = clouds[side].Select([]int{0, 1})
				for i := range moved[side].Coords {
					moved[side].Coords[i] += float32(h * float64(gradient[i]) / norm)
				}
				alone := o
				alone.GradientX, alone.Gradient = side == 0, side == 1
				return must.M1(Distance(c.name, moved[0], moved[1], alone))
			}
			const h = 5e-3
			if got := (at(h).Value - at(-h).Value) / (2 * h); math.Abs(got-norm) > 0.02*norm {
				t.Errorf("%s, path %d, side %d: slope %v along the gradient of length %v", c.name, c.path, side, got, norm)
			}
			alone, other := at(0).GradientX, at(0).Gradient
			if side == 1 {
				alone, other = other, alone
			}
			if !same(alone, gradient) || other != nil {
				t.Errorf("%s, path %d, side %d: another gradient if it is asked for alone", c.name, c.path, side)
			}
		}
	}
}

func TestWrongCalls(t *testing.T) {
	x, flat, line := gaussian(1, 2, 10, 3, 1), gaussian(1, 2, 10, 2, 1), gaussian(1, 2, 10, 1, 1)
	fewer, config := gaussian(1, 2, 9, 3, 1), DistanceConfig{Config: loss.Defaults()}
	with := func(change func(o *DistanceConfig)) DistanceConfig {
		o := config
		change(&o)
		return o
	}
	directions := func(values []float32, shape ...int) DistanceConfig {
		return with(func(o *DistanceConfig) { o.Directions = &Directions{values, shape} })
	}
	masses := with(func(o *DistanceConfig) { o.MassX = make([]float64, 20) })
	refused(t, "2 in gaussian and 3")(CheckDistance("sw", x, gaussian(1, 3, 10, 3, 1), config))
	refused(t, "one dimension")(CheckDistance("sw", x, flat, config))
	refused(t, "equally many points, found 10 and 9: take the mean")(CheckDistance("sw", x, fewer, config))
	refused(t, "equally many points, found 10 and 9: take the mean")(CheckDistance("emd-exact", x, fewer, config))
	refused(t, "dimension 2 or more, found 1")(
		CheckDistance("v-dsw", line, line, with(func(o *DistanceConfig) { o.Amortizer = "la" })))
	mean := "a sum over points has none: take the mean over points (--reduce mean, in Go Reduce: loss.Mean)"
	refused(t, mean)(CheckDistance("sw", x, x, masses))
	for _, name := range []string{"emd-exact", "chamfer"} {
		refused(t, "masses of x: ", mean)(CheckDistance(name, x, x,
			with(func(o *DistanceConfig) { o.Reduce, o.MassX = loss.Sum, make([]float64, 20) })))
	}
	refused(t, "expected shape [2, 10] like the clouds of gaussian, found 3 values")(
		CheckDistance("sw", x, x, with(func(o *DistanceConfig) { o.Reduce, o.MassY = loss.Mean, make([]float64, 3) })))
	refused(t, `masses of x: the ascent of loss "v-dsw"`)(CheckDistance("v-dsw", x, x,
		with(func(o *DistanceConfig) { o.AscentSteps, o.Reduce, o.MassX = 3, loss.Mean, make([]float64, 20) })))
	refused(t, `masses of x: loss "emd-approx" takes none`)(CheckDistance("emd-approx", x, x, masses))
	refused(t, "expected shape [L, 3]")(CheckDistance("sw", x, x, directions(make([]float32, 4), 2, 2)))
	refused(t, "direction 1 is [0 NaN 1], expected finite")(
		CheckDistance("sw", x, x, directions([]float32{1, 0, 0, 0, float32(math.NaN()), 1}, 2, 3)))
	refused(t, `loss "chamfer" takes none`)(CheckDistance("chamfer", x, x, directions(make([]float32, 3), 1, 3)))
	refused(t, "the value is not finite: the costs between gaussian")(Distance("chamfer", gaussian(1, 1, 5, 3, 1e15),
		gaussian(2, 1, 5, 3, 1e15), DistanceConfig{Config: loss.Config{P: 8}}))
	refused(t, "expected up to between 1e-18 and 1e+18")(
		Distance("chamfer", gaussian(1, 1, 5, 3, 1e30), gaussian(2, 1, 5, 3, 1e30), config))
	must.M(CheckDistance("chamfer", x, fewer, config))
	must.M(CheckDistance("sw", flat, flat, config))
}

// TestHostIsTheGraph: costs, values, errors and gradients of the two paths agree to 1e-5 (the
// gradient's to 1e-4 where only float32 sorts), for every sliced loss, unequal sizes and masses
// included; directions are the same numbers.
func TestHostIsTheGraph(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles several programs")
	}
	x, y, short := gaussian(1, 2, 64, 3, 1), gaussian(2, 2, 64, 3, 1.5), gaussian(3, 2, 40, 3, 1.5)
	mass := make([]float64, 2*64)
	for i := range mass {
		mass[i] = float64(1 + i%5)
	}
	for name, c := range map[string]struct {
		loss   string
		y      *datasets.Set
		change func(*DistanceConfig)
	}{
		"sw":          {"sw", y, func(*DistanceConfig) {}},
		"p = 1, root": {"sw", y, func(o *DistanceConfig) { o.P, o.Root = 1, true }},
		"p = 3, mean": {"sw", y, func(o *DistanceConfig) { o.P, o.Reduce, o.Root = 3, loss.Mean, true }},
		"asw":         {"asw", y, func(o *DistanceConfig) { o.Slices, o.Epsilon = 60, 20 }},
		"energy":      {"eb-sw", y, func(o *DistanceConfig) {}},
		"control":     {"cv-sw", y, func(o *DistanceConfig) {}},
		"unequal":     {"sw", short, func(o *DistanceConfig) { o.Reduce = loss.Mean }},
		"masses":      {"sw", short, func(o *DistanceConfig) { o.Reduce, o.MassX = loss.Mean, mass }},
		"v-dsw, located": {"v-dsw", y,
			func(o *DistanceConfig) { o.AscentSteps, o.AscentLearningRate, o.AscentTangent = 3, 0.05, true }},
	} {
		o := DistanceConfig{Config: loss.Defaults(), Seed: 3, Gradient: true, Path: HostPath}
		o.Slices = 20
		c.change(&o)
		host := must.M1(Distance(c.loss, x, c.y, o))
		o.Path = GraphPath
		built := must.M1(Distance(c.loss, x, c.y, o))
		graphtest.Close(t, name+": directions", host.Directions, vec.To[float64](built.Directions), 0)
		graphtest.Close(t, name+": costs", host.Costs, vec.To[float64](built.Costs), 1e-5)
		graphtest.Close(t, name+": gradient", host.Gradient, vec.To[float64](built.Gradient), 1e-4)
		for b := range host.PerPair {
			if math.Abs(host.PerPair[b]/built.PerPair[b]-1) > 1e-5 || math.Abs(host.PairErrs[b]/built.PairErrs[b]-1) > 1e-3 {
				t.Errorf("%s, pair %d: %v +- %v on the host, %v +- %v in the graph", name, b, host.PerPair[b], host.PairErrs[b],
					built.PerPair[b], built.PairErrs[b])
			}
		}
		if host.Slices != built.Slices || host.Work.Sorts != built.Work.Sorts || host.Convention != built.Convention {
			t.Errorf("%s: %+v and %+v", name, host, built)
		}
	}
}

// TestIntervalsCover: for every rule and reduction, 95 % intervals hold the expectation about as
// often as they say, and the standard error is that of the values' scatter. The expectation is that
// of very many slices, or the rule's own mean where it is not SW's.
func TestIntervalsCover(t *testing.T) {
	const copies = 400
	x, y := gaussian(1, 1, 40, 3, 1), gaussian(2, 1, 40, 3, 1)
	for i := 0; i < len(y.Coords); i += 3 {
		y.Coords[i] = 2*y.Coords[i] + 0.5
	}
	rows := make([]int, copies)
	exact := DistanceConfig{Config: loss.Defaults(), Seed: 11}
	exact.Slices, exact.Reduce, exact.Replicates = 20000, loss.Mean, 1
	truth := must.M1(Distance("qmc-sw", x, y, exact))
	for name, change := range map[string]func(*loss.Config){
		"sw":            func(*loss.Config) {},
		"orthogonal-sw": func(*loss.Config) {},
		"qmc-sw":        func(s *loss.Config) { s.Slices, s.Replicates = 128, 8 },
		"markov-sw":     func(s *loss.Config) { s.Slices, s.Chain, s.Kappa = 120, 4, 5 },
		"cv-sw":         func(s *loss.Config) { s.Control = "harmonics" },
		"rp-sw":         func(s *loss.Config) { s.Kappa = 10 },
		"eb-sw":         func(s *loss.Config) { s.Slices = 300 },
		"v-dsw":         func(s *loss.Config) { s.Kappa = 1e-6; s.AscentSteps = 0 },
	} {
		o := DistanceConfig{Config: loss.Defaults(), Seed: 3}
		o.Slices, o.Reduce = 60, loss.Mean
		change(&o.Config)
		d := must.M1(Distance(name, x.Select(rows), y.Select(rows), o))
		want := truth.Value
		if name == "rp-sw" || name == "eb-sw" { // not SW: their own mean
			want = d.Value
		}
		covered := 0
		for b, v := range d.PerPair {
			if math.Abs(v-want) < 2.1*d.PairErrs[b] { // about the 97.5 % point of t with 30 to 60 degrees of freedom
				covered++
			}
		}
		square, told := scatter(d)
		if ratio := math.Sqrt(told / square); ratio < 0.85 || ratio > 1.2 {
			t.Errorf("%s: standard error %.4g, the values scatter by %.4g", name, math.Sqrt(told), math.Sqrt(square))
		}
		if covered < copies*88/100 {
			t.Errorf("%s: %d of %d intervals hold the expectation %v", name, covered, copies, want)
		}
		if d.Low >= d.Value || d.High <= d.Value || d.High-d.Low > 4.2*d.StdErr {
			t.Errorf("%s: %v +- %v has the interval %v to %v", name, d.Value, d.StdErr, d.Low, d.High)
		}
	}
}

// TestCutBlock: where the last block of slices is cut, the standard error is that of the values' scatter too.
func TestCutBlock(t *testing.T) {
	const copies = 3000
	x, y := gaussian(1, 1, 20, 5, 1), gaussian(2, 1, 20, 5, 1)
	for i := 0; i < len(y.Coords); i += 5 {
		y.Coords[i] *= 2
	}
	rows := make([]int, copies)
	o := DistanceConfig{Config: loss.Defaults(), Seed: 3}
	o.Slices, o.Chain, o.Kappa = 6, 5, 0 // a block of five directions and one of one; all independent
	d := must.M1(Distance("markov-sw", x.Select(rows), y.Select(rows), o))
	square, told := scatter(d)
	if ratio := math.Sqrt(told / square); ratio < 0.85 || ratio > 1.15 {
		t.Errorf("standard error %.4g, the values scatter by %.4g", math.Sqrt(told), math.Sqrt(square))
	}
}

// TestIntervalOfUnlikePairs: where one pair makes all of the error, the interval is that pair's,
// however many others there are.
func TestIntervalOfUnlikePairs(t *testing.T) {
	const pairs, slices = 20, 3
	wide := func(x *datasets.Set, one float32) float64 {
		y := x.Select(make([]int, pairs))
		for i := range y.Points * y.Dim {
			y.Coords[i] *= one
		}
		o := DistanceConfig{Config: loss.Defaults(), Seed: 3}
		o.Slices = slices
		d := must.M1(Distance("sw", x.Select(make([]int, pairs)), y, o))
		return (d.High - d.Low) / 2 / d.StdErr
	}
	x := gaussian(1, 1, 20, 3, 1)
	if got := wide(x, 30); math.Abs(got-4.303) > 0.001 {
		t.Errorf("one pair of 20 differs: the interval is %v standard errors, want 4.303 of 2 degrees of freedom", got)
	}
}

// TestRootOfZero: the delta method has nothing to say where the value is 0 and its slices are not;
// equal clouds have no error.
func TestRootOfZero(t *testing.T) {
	x, y := gaussian(1, 2, 20, 3, 1), gaussian(1, 2, 20, 3, 1)
	copy(y.Coords[:60], gaussian(2, 1, 20, 3, 1).Coords)
	o := DistanceConfig{Config: loss.Defaults()}
	o.Slices, o.Root, o.Control = 7, true, "harmonics"
	zeros := 0
	for o.Seed = range uint64(40) {
		d := must.M1(Distance("cv-sw", x, y, o))
		if d.PerPair[1] != 0 || d.PairErrs[1] != 0 {
			t.Errorf("equal clouds: %v +- %v", d.PerPair[1], d.PairErrs[1])
		}
		if d.PerPair[0] == 0 {
			zeros++
			if !math.IsNaN(d.PairErrs[0]) || !math.IsNaN(d.StdErr) || !math.IsNaN(d.Low) {
				t.Errorf("root of a negative value: %v +- %v, from %v", d.PerPair[0], d.PairErrs[0], d.Low)
			}
		}
	}
	if zeros == 0 {
		t.Error("no seed gives a negative value")
	}
}

// TestVanished: costs whose powers are below the numbers used are an error, by every loss and on
// every path; equal clouds are 0 with any exponent.
func TestVanished(t *testing.T) {
	x, y := gaussian(1, 2, 8, 3, 0.01), gaussian(1, 2, 8, 3, 0.01)
	copy(y.Coords[24:], gaussian(2, 1, 8, 3, 0.01).Coords) // pair 0 is equal, pair 1 is not
	for _, name := range inSpace() {
		if name == "emd-approx" || strings.HasPrefix(name, "sinkhorn") { // p = 1 alone, or not 0 for equal clouds
			continue
		}
		o := DistanceConfig{Config: loss.Config{P: 1000}}
		refused(t, "pair 1: ", "lower p")(Distance(name, x, y, o))
		if d, err := Distance(name, x, x, o); err != nil || d.Value != 0 {
			t.Errorf("%s, equal clouds: %v, %v", name, d, err)
		}
	}
	for _, name := range []string{"sinkhorn", "sinkhorn-divergence"} {
		refused(t, "lower p")(Distance(name, x, y, DistanceConfig{Config: loss.Config{P: 1000}}))
	}
	scaled := &datasets.Set{Name: "far below 1", Clouds: 2, Points: 8, Dim: 3, Coords: slices.Clone(y.Coords)}
	for i := range scaled.Coords {
		scaled.Coords[i] *= 1e-30
	}
	for _, path := range []Path{AutoPath, HostPath, GraphPath} {
		if path == GraphPath && testing.Short() { // the pure-Go backend has no sort: it is the host's path
			continue
		}
		for _, root := range []bool{false, true} {
			d, err := Distance("sw", x, y, DistanceConfig{Config: loss.Config{P: 1000, Root: root}, Path: path})
			if root && path != GraphPath { // only the power vanishes
				if err != nil || d.PerPair[0] != 0 || !(d.PerPair[1] > 1e-3 && d.PerPair[1] < 0.1) {
					t.Errorf("path %d, root: %+v (%v)", path, d, err)
				}
			} else {
				refused(t, "lower p")(err)
			}
		}
		squeezed := &datasets.Set{Name: "0", Clouds: 2, Points: 8, Dim: 3, Coords: make([]float32, 48)}
		says := "scale the clouds up"
		if path == GraphPath || path == AutoPath && graphtest.Engine(t).IsCUDA() {
			says = "expected up to between 1e-18 and 1e+18"
		}
		refused(t, says)(Distance("sw", squeezed, scaled, DistanceConfig{Path: path}))
	}
}

// TestBadPoints: what is no number is named with its set, cloud and point, by every loss on every
// path; so are empty sets and masses that are none.
func TestBadPoints(t *testing.T) {
	good := gaussian(1, 2, 4, 3, 1)
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		bad := good.Select([]int{0, 1})
		bad.Name, bad.Coords = "bad.npy", append([]float32{}, bad.Coords...)
		bad.Coords[4*3+2*3+1] = float32(v)
		for _, name := range loss.Names() {
			for path := AutoPath; path <= GraphPath; path++ {
				refused(t, "bad.npy: cloud 1, point 2: expected finite coordinates, found ")(
					Distance(name, good, bad, DistanceConfig{Config: loss.Defaults(), Path: path}))
			}
		}
	}
	masses := func(says string, m ...float64) {
		t.Helper()
		o := DistanceConfig{Config: loss.Defaults(), MassY: m}
		o.Reduce = loss.Mean
		refused(t, "masses of y: "+says)(CheckDistance("sw", good, good, o))
	}
	masses("cloud 0, point 1: expected a finite mass of at least 0, found -1", 1, -1, 1, 1, 1, 1, 1, 1)
	masses("cloud 1, point 3: expected a finite mass of at least 0, found NaN", 1, 1, 1, 1, 1, 1, 1, math.NaN())
	masses("cloud 1: expected a positive mass, found only 0", 1, 0, 0, 0, 0, 0, 0, 0)
	none, o := &datasets.Set{Name: "none.npy", Points: 4, Dim: 3}, DistanceConfig{Config: loss.Defaults()}
	refused(t, "none.npy: expected at least one cloud")(CheckDistance("sw", none, none, o))
	refused(t, "with at least one point, found [2, 0, 3]")(
		CheckDistance("chamfer", good, &datasets.Set{Clouds: 2, Dim: 3}, o))
	far := gaussian(1, 2, 4, 3, 1)
	for i := range far.Coords[12:] {
		far.Coords[12+i] *= 1e25
	}
	refused(t, "pair 1: the ascent on the location ends at NaN")(Distance("max-sw", far, good, o))
	o.Path = HostPath
	refused(t, "does not fit into float32")(Distance("sw", gaussian(1, 1, 5, 3, 1e25), gaussian(2, 1, 5, 3, 1e25), o))
	o.Directions = &Directions{make([]float32, 3), []int{2, 3}}
	refused(t, "the 6 values of shape [2 3], found 3")(CheckDistance("sw", good, good, o))
}

// TestOnePassForTheGradient: where the derivative in every cost is known beforehand, value, errors
// and gradient are those of two passes.
func TestOnePassForTheGradient(t *testing.T) {
	x, y := gaussian(1, 3, 30, 3, 1), gaussian(2, 3, 30, 3, 1.5)
	o := DistanceConfig{Config: loss.Defaults(), Seed: 5, Gradient: true, Path: HostPath}
	one := must.M1(Distance("sw", x, y, o))
	o.Root = true // V^(1/2): twice the root times its gradient is V's
	two := must.M1(Distance("sw", x, y, o))
	per := y.Points * y.Dim
	for b, v := range two.PerPair {
		if math.Abs(v*v/one.PerPair[b]-1) > 1e-12 {
			t.Errorf("pair %d: %v in one pass, %v in two", b, one.PerPair[b], v*v)
		}
		back := append([]float32{}, two.Gradient[b*per:(b+1)*per]...)
		for i := range back {
			back[i] *= float32(2 * v)
		}
		graphtest.Close(t, "gradient", one.Gradient[b*per:(b+1)*per], vec.To[float64](back), 1e-6)
	}
}

// TestAssigned: the approximate EMD says how much of the mass it has matched: all of small clouds,
// none of very large ones, whose cost is 0.
func TestAssigned(t *testing.T) {
	for size, want := range map[float64]float64{0.3: 1, 1000: 0} {
		d := must.M1(Distance("emd-approx", gaussian(1, 2, 64, 3, size), gaussian(2, 2, 64, 3, size),
			DistanceConfig{Config: loss.Defaults(), Gradient: true}))
		for b, v := range d.MatchedMass {
			if math.Abs(float64(v)-want) > 1e-3 || (d.PerPair[b] > 0) != (want > 0) {
				t.Errorf("size %g, pair %d: %v of the mass at a cost of %v, want %v", size, b, v, d.PerPair[b], want)
			}
		}
		if len(d.MatchedMass) != 2 || len(d.Gradient) != 2*64*3 {
			t.Errorf("%d parts and a gradient of %d numbers", len(d.MatchedMass), len(d.Gradient))
		}
	}
}

// TestSlicesNeeded: with the number it names, the error is what was asked for.
func TestSlicesNeeded(t *testing.T) {
	x, y := gaussian(1, 1, 40, 3, 1), gaussian(2, 1, 40, 3, 2)
	o := DistanceConfig{Config: loss.Defaults(), Seed: 3}
	o.Slices = 500
	d := must.M1(Distance("sw", x, y, o))
	o.Slices = must.M1(d.SlicesNeeded(0.004))
	d = must.M1(Distance("sw", x, y, o))
	if got := d.StdErr / d.Value; math.Abs(got/0.004-1) > 0.1 || o.Slices <= 500 {
		t.Errorf("%d slices give a relative error of %v, asked was 0.004", o.Slices, got)
	}
	refused(t, "positive number")(d.SlicesNeeded(0))
	refused(t, "no slices")((&Result{Loss: "CD"}).SlicesNeeded(1))
	refused(t, "no standard error")((&Result{Costs: []float32{1}, StdErr: math.NaN(), Value: 1}).SlicesNeeded(1))
}

// TestLedger counts the directions along which pairs were compared, the ascent's too, and two sorts each.
func TestLedger(t *testing.T) {
	x := gaussian(1, 3, 8, 3, 1)
	for name, want := range map[string]int{"sw": 3 * 7, "v-dsw": 3*7 + 2*3*7, "max-sw": 3 + 2*3, "asw": 3 * 7,
		"chamfer": 0} {
		o := DistanceConfig{Config: loss.Defaults()}
		o.Slices, o.AscentSteps = 7, 2
		d := must.M1(Distance(name, x, x, o))
		if d.Work.Slices != want || d.Work.Sorts != 2*want || !(d.Work.Seconds > 0) {
			t.Errorf("%s: %+v, want %d slices", name, d.Work, want)
		}
		if name == "asw" && d.Slices != 2 {
			t.Errorf("equal clouds took %d adaptive slices, want 2", d.Slices)
		}
	}
}

// TestAmortizedDistance: the location is the map's, weights given are used, and fine-tuning climbs from there.
func TestAmortizedDistance(t *testing.T) {
	x, y := gaussian(1, 2, 20, 3, 1), gaussian(2, 2, 20, 3, 1)
	for i := 0; i < len(y.Coords); i += 3 {
		y.Coords[i] *= 4
	}
	o := DistanceConfig{Config: loss.Defaults(), Seed: 5}
	o.Amortizer, o.Maps.DK = "ea", 4
	predicted := must.M1(Distance("max-sw", x, y, o))
	graphtest.Close(t, "the one slice", predicted.Directions, vec.To[float64](predicted.Location), 1e-6)
	o.FineTune, o.AscentSteps, o.AscentLearningRate, o.AscentTangent = true, 100, 0.05, true
	tuned := must.M1(Distance("max-sw", x, y, o))
	for b := range predicted.PerPair {
		if tuned.PerPair[b] < predicted.PerPair[b] {
			t.Errorf("pair %d: %v at the prediction, %v after 100 steps from it", b, predicted.PerPair[b], tuned.PerPair[b])
		}
	}
}

// TestZeroOptions: options that are not filled in are the paper's, field by field; a zero that was asked for stays one.
func TestZeroOptions(t *testing.T) {
	x, y := gaussian(1, 1, 12, 3, 1), gaussian(2, 1, 12, 3, 1)
	value := func(name string, o DistanceConfig) float64 {
		return must.M1(Distance(name, x, y, o)).Value
	}
	for _, name := range []string{"sw", "markov-sw", "rp-sw", "cv-sw", "asw", "sinkhorn"} {
		if got, want := value(name, DistanceConfig{}), value(name, DistanceConfig{Config: loss.Defaults()}); got != want {
			t.Errorf("%s: %v with zero options, %v with the defaults", name, got, want)
		}
	}
	some := loss.Defaults()
	some.Slices = 7
	if got, want := value("rp-sw", DistanceConfig{Config: loss.Config{Slices: 7}}),
		value("rp-sw", DistanceConfig{Config: some}); got != want {
		t.Errorf("with 7 slices alone %v, want %v", got, want)
	}
	some.Kappa = 0
	if value("rp-sw", DistanceConfig{Config: some}) == value("rp-sw", DistanceConfig{Config: loss.Config{Slices: 7}}) {
		t.Error("kappa = 0 was asked for, and replaced")
	}
	if got := some.WithDefaults(); got != some || got.Kappa != 0 {
		t.Errorf("explicit settings were changed: %+v", got)
	}
	if got := (loss.Config{}).WithDefaults(); got != loss.Defaults() {
		t.Errorf("zero settings become %+v", got)
	}
}
