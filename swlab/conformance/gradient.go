package conformance

import (
	"math"
	"slices"

	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
)

// gradient compares the gradient in x and in y with central differences along two random
// directions, at pairs of generic clouds and, for a Graph, on the same directions. The steps are
// exact in the clouds' number format, so rounding does not matter.
func gradient(s *Subject) error {
	at := s.smooth()
	sides := [2][]float64{}
	if s.graph == nil {
		r, err := s.compare(at, true)
		if err != nil {
			return err
		}
		sides = [2][]float64{r.GradientX, r.GradientY}
	} else {
		r, err := s.held(at, s.theta, ot1d.X|ot1d.Y)
		if err != nil {
			return err
		}
		sides = [2][]float64{r.GradX, r.GradY}
	}
	for side, g := range sides {
		if g == nil {
			continue
		}
		for seed := range uint64(2) {
			if err := s.slopes(at, side, g, 30+seed+10*uint64(side)); err != nil {
				return err
			}
		}
	}
	return nil
}

// slopes moves the x (side 0) or the y (1) of every pair along a random direction. A pair agrees if
// it does for the step or a shorter one, because there may be a kink in between.
func (s *Subject) slopes(at []pair, side int, g []float64, seed uint64) error {
	step, tol := 1e-4, 1e-3 // a Host: steps in float32
	switch {
	case s.wide():
		step, tol = 1e-6, 1e-6
	case s.graph != nil:
		step, tol = 5e-4, 3e-2
	}
	agrees, worst := make([]bool, len(at)), error(nil)
	for _, h := range []float64{step, step / 8} {
		r := random(seed)
		var ends [2][]pair
		want, size := make([]float64, len(at)), make([]float64, len(at))
		for i := range at {
			up, down := pair{x: at[i].x, y: at[i].y, at: &at[i]}, pair{x: at[i].x, y: at[i].y, at: &at[i]}
			plus, minus := &up.x, &down.x
			if side == 1 {
				plus, minus = &up.y, &down.y
			}
			old := *plus
			*plus = old.each(func(_, _ int, v float64) float64 { return s.round(v + h*r.NormFloat64()) })
			*minus = old.each(func(point, axis int, v float64) float64 { return s.round(2*v - plus.v[point*old.dim+axis]) })
			for k := range old.v {
				slope := g[i*len(old.v)+k]
				want[i] += slope * (plus.v[k] - minus.v[k])
				size[i] = math.Hypot(size[i], slope*2*h)
			}
			ends[0], ends[1] = append(ends[0], up), append(ends[1], down)
		}
		high, err := s.differentiated(ends[0])
		if err != nil {
			return err
		}
		low, err := s.differentiated(ends[1])
		if err != nil {
			return err
		}
		for i := range at {
			got := high[i] - low[i]
			if math.Abs(got-want[i]) <= tol*size[i] && size[i] > 0 {
				agrees[i] = true
			} else if !agrees[i] {
				worst = violated(
					"pair %d, cloud %s: moved along a random direction the value changes by %.9g, by the gradient %.9g",
					i, []string{"x", "y"}[side], got, want[i])
			}
		}
		if !slices.Contains(agrees, false) {
			return nil
		}
	}
	return worst
}

// differentiated is the function whose gradient is tested.
func (s *Subject) differentiated(pairs []pair) ([]float64, error) {
	held := heldOf(pairs)
	switch {
	case s.graph == nil && s.o.HeldHost != nil:
		return s.o.HeldHost(clouds(pairs, false), clouds(pairs, true), clouds(held, false), clouds(held, true))
	case s.graph != nil && s.o.Held != nil:
		r, err := s.call(mode{subject: s, held: true, difference: true}, pairs, nil, 1)
		return r.Pairs, err
	}
	return s.values(pairs, s.theta)
}

// round is v as the clouds store it.
func (s *Subject) round(v float64) float64 {
	if s.wide() {
		return v
	}
	return float64(float32(v))
}

// sides: the value does not depend on BuildArgs.Wrt, and the gradient in y alone, which training
// takes, equals that taken with x's. A Sliced has no gradient that is not asked for.
func sides(s *Subject) error {
	at := s.smooth()
	both, err := s.held(at, s.theta, ot1d.X|ot1d.Y)
	if err != nil {
		return err
	}
	y, err := s.held(at, s.theta, ot1d.Y)
	if err != nil {
		return err
	}
	none, err := s.held(at, s.theta, ot1d.None)
	if err != nil {
		return err
	}
	for i, v := range both.Pairs {
		for _, other := range []float64{y.Pairs[i], none.Pairs[i]} {
			if !s.near(v, other, 1) {
				return violated("pair %d costs %.9g or %.9g, as BuildArgs.Wrt is", i, v, other)
			}
		}
	}
	if s.sliced != nil {
		for _, g := range y.GradX {
			if g != 0 {
				return violated("with BuildArgs.Wrt = ot1d.Y there is a gradient in x, %.3g", g)
			}
		}
	}
	top := 0.0
	for _, g := range both.GradY {
		top = math.Max(top, math.Abs(g))
	}
	if d := furthest(both.GradY, y.GradY); d > 10*s.tol*top {
		return violated("the gradient in y alone differs by %.3g from that in y and x, of at most %.3g", d, top)
	}
	return nil
}

// finite looks for NaN and infinity where a square root or a division could give one: duplicates,
// equal clouds, points that are all the same, single points; in value and gradient, with the loss's
// own directions.
func finite(s *Subject) error {
	b := s.base()
	same := func(c cloud) cloud { return c.take(make([]int, c.points())) }
	origin := b[0].scaled(0)
	lists := [][]pair{{
		{x: b[0], y: b[0]}, {x: b[0], y: b[0].permuted(1)}, {x: b[1], y: b[1].bootstrapped(2)},
		{x: b[2].bootstrapped(1), y: b[2].bootstrapped(2)},
		{x: same(b[0]), y: same(b[0])}, {x: same(b[0]), y: same(b[7])}, {x: same(b[1]), y: b[1]}, {x: origin, y: origin},
	}}
	if s.loss.Check(1, 1, s.o.Dim) == nil {
		one := func(c cloud) cloud { return c.take([]int{0}) }
		lists = append(lists, []pair{{x: one(b[0]), y: one(b[0])}, {x: one(b[0]), y: one(b[1])},
			{x: one(origin), y: one(origin)}})
	}
	for _, pairs := range lists {
		var numbers [][]float64
		if s.graph == nil {
			r, err := s.compare(pairs, true)
			if err != nil {
				return err
			}
			numbers = [][]float64{r.Pairs, r.GradientX, r.GradientY}
		} else {
			for _, wrt := range []ot1d.Wrt{ot1d.Y, ot1d.X | ot1d.Y | ot1d.Directions} {
				r, err := s.own(pairs, 3, wrt)
				if err != nil {
					return err
				}
				numbers = append(append(numbers, r.Pairs, r.GradX, r.GradY), r.GradW...)
			}
		}
		for k, list := range numbers {
			for i, v := range list {
				if !vec.Finite(v) {
					return violated("value or gradient %d: number %d is %v, of %d pairs of %d points",
						k, i, v, len(pairs), pairs[0].x.points())
				}
			}
		}
	}
	return nil
}
