package conformance

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

const (
	mapPoints = 12
	// exact is the largest angle, in degrees, that rounding may make of zero.
	exact = 1e-4
	// visible is the smallest angle that shows a violated property.
	visible = 1e-2
)

// Amortizer tests the maps that make returns, in both variants and for points of dimension 2, 3 and
// 5. make returns nil for a configuration that the map does not have.
//
// It requires unit vectors; the symmetries that Properties claims, to 1e-4 degrees, and the absence
// of those it does not claim; finite values for clouds of zeros; independent pairs; gradients in
// all weights that agree with differences along random directions and, except for Properties.Inert,
// are not zero; errors, not panics, for clouds that do not fit; weights with distinct names, filled
// by their initial distributions. With -short it runs on the pure-Go backend, which compiles nothing,
// else on the best one.
func Amortizer(t *testing.T, make func(amortizer.Config) amortizer.Amortizer) {
	known := 0
	for _, c := range []amortizer.Config{
		{Dim: 3, Variant: amortizer.Released},
		{Dim: 5, Variant: amortizer.Paper},
		{Dim: 2, Variant: amortizer.Released},
	} {
		c.Points, c.DK, c.K = mapPoints, 4, 5
		a := make(c)
		if a == nil {
			continue
		}
		known++
		t.Run(fmt.Sprintf("%s dim %d", c.Variant, c.Dim), func(t *testing.T) {
			m := newMapTest(t, a, c.Dim)
			m.specs(t)
			m.symmetries(t)
			m.zeros(t)
			m.gradients(t)
			m.sizes(t)
		})
	}
	if known == 0 {
		t.Error("make returned no map")
	}
}

// mapTest is a map under test, with three pairs of clouds and weights.
type mapTest struct {
	a     amortizer.Amortizer
	dim   int
	pairs []pair
	w     [][]float32 // in the order of the specs
	mix   []float64   // [pairs, dim] factors that turn the directions into a number
	// both gives also the gradients of sum(mix * direction) in the weights.
	only, both engine.Program[mapInputs[*tensors.Tensor], mapOutputs[*tensors.Tensor]]
}

type mapInputs[T any] struct {
	X, Y, Mix T
	W         []T
}

type mapOutputs[T any] struct {
	Direction T // [pairs, dim] unit vectors
	Gradients []T
}

func newMapTest(t *testing.T, a amortizer.Amortizer, dim int) *mapTest {
	t.Helper()
	m := &mapTest{a: a, dim: dim, pairs: gaussians(1, dim, mapPoints)}
	set := weights.Init(a.Specs(), 4)
	for _, spec := range a.Specs() {
		v, _ := set.Get(spec.Name)
		m.w = append(m.w, v.Data)
	}
	for i := range len(m.pairs) * dim {
		m.mix = append(m.mix, float64(float32(math.Sin(float64(i+1)))))
	}
	backend := ""
	if testing.Short() {
		backend = "go"
	}
	e, err := engine.Open(backend)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	program := func(gradients bool) engine.Program[mapInputs[*tensors.Tensor], mapOutputs[*tensors.Tensor]] {
		build := func(in mapInputs[*graph.Node]) mapOutputs[*graph.Node] {
			out := mapOutputs[*graph.Node]{Direction: a.Direction(weights.Bind(a.Specs(), in.W), in.X, in.Y)}
			if gradients {
				out.Gradients = graph.Gradient(graph.ReduceAllSum(graph.Mul(in.Mix, out.Direction)), in.W...)
			}
			return out
		}
		return engine.NewProgram[mapInputs[*tensors.Tensor], mapOutputs[*tensors.Tensor]](e, nil, build)
	}
	m.only, m.both = program(false), program(true)
	return m
}

// gaussians are three pairs of clouds that are not centred at the origin.
func gaussians(seed uint64, dim, points int) []pair {
	r := random(seed)
	normal := func() cloud {
		c := cloud{make([]float64, points*dim), dim}
		return c.each(func(_, _ int, _ float64) float64 { return r.NormFloat64()*0.6 + 0.2 })
	}
	pairs := make([]pair, 3)
	for i := range pairs {
		pairs[i] = pair{x: normal(), y: normal()}
	}
	return pairs
}

// try returns the directions [pairs][dim] and the gradients in the weights.
func (m *mapTest) try(gradients bool, pairs []pair, w [][]float32) (directions, grad [][]float64, err error) {
	in := mapInputs[*tensors.Tensor]{X: tensor(false, pairs, false), Y: tensor(false, pairs, true),
		Mix: floats(false, m.mix, len(pairs), m.dim)}
	for i, spec := range m.a.Specs() {
		in.W = append(in.W, tensors.FromFlatDataAndDimensions(w[i], spec.Shape...))
	}
	program := m.only
	if gradients {
		program = m.both
	}
	out, err := program.Call(in)
	if err != nil {
		return nil, nil, err
	}
	defer engine.Free(in, out)
	for _, g := range out.Gradients {
		grad = append(grad, graphtest.Values(g))
	}
	return slices.Collect(slices.Chunk(graphtest.Values(out.Direction), pairs[0].x.dim)), grad, nil
}

func (m *mapTest) call(t *testing.T, gradients bool, pairs []pair, w [][]float32) (directions, grad [][]float64) {
	t.Helper()
	directions, grad, err := m.try(gradients, pairs, w)
	if err != nil {
		t.Fatal(err)
	}
	return directions, grad
}

func (m *mapTest) specs(t *testing.T) {
	seen := map[string]bool{}
	for i, spec := range m.a.Specs() {
		if seen[spec.Name] {
			t.Errorf("two weights are called %s", spec.Name)
		}
		seen[spec.Name] = true
		if !vec.Finite(m.w[i]...) || slices.Contains(m.w[i], 0) {
			t.Errorf("%s: an initial value is 0 or not finite", spec.Name)
		}
	}
	for _, name := range m.a.Properties().Inert {
		if !seen[name] {
			t.Errorf("Properties.Inert names %s, which is no weight", name)
		}
	}
}

// symmetries compares both orders of the clouds, orders of the points of each cloud, and of the pairs.
func (m *mapTest) symmetries(t *testing.T) {
	p, one := m.a.Properties(), m.pairs
	at, _ := m.call(t, false, one, m.w)
	for b, v := range at {
		if n := vec.Norm(v); math.Abs(n-1) > 1e-5 {
			t.Errorf("pair %d: norm %v, expected 1", b, n)
		}
	}
	exchanged := make([]pair, len(one))
	for i, p := range one {
		exchanged[i] = pair{x: p.y, y: p.x}
	}
	mix := func(c cloud) cloud { return c.permuted(8) }
	for _, c := range []struct {
		what    string
		pairs   []pair
		claimed bool
	}{
		{"exchanging X and Y", exchanged, p.Symmetric},
		{"permuting X", with(one, mix, asIs), p.Invariant},
		{"permuting Y", with(one, asIs, mix), p.Invariant},
	} {
		got, _ := m.call(t, false, c.pairs, m.w)
		turn := angle(got, at)
		if c.claimed && !(turn < exact) {
			t.Errorf("%s turns the direction by %.3g degrees, though Properties claims that it does not", c.what, turn)
		}
		if !c.claimed && !(turn > visible) {
			t.Errorf("%s turns the direction by only %.3g degrees, but Properties does not claim it", c.what, turn)
		}
	}
	got, _ := m.call(t, false, []pair{one[1], one[0], one[2]}, m.w)
	if turn := angle(got, [][]float64{at[1], at[0], at[2]}); !(turn < exact) {
		t.Errorf("pairs depend on each other: their order in the batch turns directions by %.3g degrees", turn)
	}
	if turn := angle(at[:1], at[1:2]); !(turn > visible) {
		t.Errorf("two pairs have one direction, to %.3g degrees: do the clouds matter?", turn)
	}
}

func (m *mapTest) zeros(t *testing.T) {
	zero := func(c cloud) cloud { return c.scaled(0) }
	directions, gradients := m.call(t, true, with(m.pairs, zero, zero), m.w)
	for _, v := range directions {
		if n := vec.Norm(v); !(n < 1+1e-5) {
			t.Errorf("clouds of zeros have the direction %v", v)
		}
	}
	for i, g := range gradients {
		if !vec.Finite(g...) {
			t.Errorf("at clouds of zeros the gradient in %s is not finite", m.a.Specs()[i].Name)
		}
	}
}

// gradients compares the gradient g in every weight with differences along g/|g| and a random
// direction added.
func (m *mapTest) gradients(t *testing.T) {
	r := random(5)
	_, gradients := m.call(t, true, m.pairs, m.w)
	for i, spec := range m.a.Specs() {
		g := gradients[i]
		size := vec.Norm(g)
		along := make([]float64, len(g))
		for k := range along {
			along[k] = r.NormFloat64()
		}
		vec.Unit(along)
		want := 0.0
		for k := range along {
			if size > 0 {
				along[k] += g[k] / size
			}
			want += along[k] * g[k]
		}
		var got, noise float64
		agree := false
		for step := 0.03; !agree && step > 1e-3; step /= 4 { // shorter steps if the map bends much
			got, noise = m.slope(t, i, along, step/max(size, 1e-9))
			agree = math.Abs(got-want) <= 0.01*size+noise
		}
		if !agree {
			t.Errorf("%s: the gradient says a slope of %.6g, differences say %.6g (rounding %.1g)",
				spec.Name, want, got, noise)
		}
		inert := slices.Contains(m.a.Properties().Inert, spec.Name)
		if zero := !(size > 2*noise); zero != inert {
			t.Errorf("%s: |gradient| is %.3g (rounding %.1g); in Properties.Inert: %v", spec.Name, size, noise, inert)
		}
	}
}

// slope is the derivative of sum(mix * direction) as weight number i moves along v, by differences
// of fourth order over steps of at most that length, with a bound on its rounding error.
func (m *mapTest) slope(t *testing.T, i int, v []float64, longest float64) (slope, noise float64) {
	t.Helper()
	h := min(0.02*max(0.1, vec.Norm(m.w[i]))/vec.Norm(v), longest)
	for _, term := range []struct{ at, factor float64 }{{-2, 1}, {-1, -8}, {1, 8}, {2, -1}} {
		w := slices.Clone(m.w)
		w[i] = slices.Clone(m.w[i])
		for k := range v {
			w[i][k] += float32(term.at * h * v[k])
		}
		directions, _ := m.call(t, false, m.pairs, w)
		for k, d := range slices.Concat(directions...) {
			slope += term.factor * m.mix[k] * d / (12 * h)
		}
	}
	return slope, 5e-7 / h
}

// sizes tries other numbers of points and another dimension.
func (m *mapTest) sizes(t *testing.T) {
	const more = mapPoints + 3
	if err := m.a.Check(mapPoints); err != nil {
		t.Errorf("Check(%d): %v", mapPoints, err)
	}
	if err := m.a.Check(0); err == nil {
		t.Error("Check(0): no error")
	}
	larger := gaussians(3, m.dim, more)
	switch err := m.a.Check(more); {
	case m.a.Properties().AnySize:
		if err != nil {
			t.Errorf("Check(%d): %v, though Properties claims any size", more, err)
		}
		for i := range larger {
			larger[i].x = m.pairs[i].x
		}
		directions, _ := m.call(t, false, larger, m.w)
		for b, v := range directions {
			if n := vec.Norm(v); math.Abs(n-1) > 1e-5 {
				t.Errorf("pair %d, %d and %d points: norm %v", b, mapPoints, more, n)
			}
		}
	case err == nil || !strings.Contains(err.Error(), fmt.Sprint(mapPoints)) ||
		!strings.Contains(err.Error(), fmt.Sprint(more)):
		t.Errorf("Check(%d): %v, expected an error that says %d and %d", more, err, mapPoints, more)
	default:
		if _, _, err := m.try(false, larger, m.w); err == nil {
			t.Errorf("clouds of %d points give no error", more)
		}
	}
	if _, _, err := m.try(false, gaussians(3, m.dim+1, mapPoints), m.w); err == nil {
		t.Errorf("clouds of dimension %d give no error", m.dim+1)
	}
}

// angle is the largest angle over the pairs, in degrees, from the chord: arccos would lose half the
// digits.
func angle(a, b [][]float64) float64 {
	worst := 0.0
	for i, v := range a {
		chord := vec.Norm(cloud{v, len(v)}.moved(b[i], -1).v)
		turn := 2 * math.Asin(math.Min(1, chord/2)) * 180 / math.Pi
		if !(turn <= worst) { // NaN stays
			worst = turn
		}
	}
	return worst
}
