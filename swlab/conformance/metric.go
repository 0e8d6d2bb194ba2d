package conformance

import (
	"math"
	"slices"

	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
)

func zeroOnItself(s *Subject) error {
	typical, err := s.values(s.pairs(), s.theta)
	if err != nil {
		return err
	}
	var self []pair
	for i, c := range s.base() {
		self = append(self, pair{x: c, y: c.permuted(uint64(i))})
		self = append(self, pair{x: c, y: c})
	}
	got, err := s.values(self, s.theta)
	if err != nil {
		return err
	}
	for i, v := range got {
		if v > s.tol*slices.Max(typical) || v < -s.tol*slices.Max(typical) {
			return violated("cloud %d and its own points, permuted %t, cost %.6g", i/2, i%2 == 0, v)
		}
	}
	return nil
}

// zeroOnlyIfEqual compares clouds that some losses cannot distinguish. For a Sliced it also
// constructs different clouds with equal projections on as few directions as the loss takes.
func zeroOnlyIfEqual(s *Subject) error {
	typical, err := s.values(s.pairs(), s.theta)
	if err != nil {
		return err
	}
	zero := s.tol * slices.Max(typical)
	got, err := s.values(s.lookAlikes(), s.theta)
	if err != nil {
		return err
	}
	for i, v := range got {
		if math.Abs(v) <= zero {
			return violated("different clouds, pair %d, cost %.3g", i, v)
		}
	}
	if s.sliced == nil {
		return nil
	}
	at := []pair{blind(s.few, s.o.Dim)}
	on, err := s.values(at, s.few)
	if err != nil {
		return err
	}
	others, err := s.values(at, s.theta)
	if err != nil {
		return err
	}
	if math.Abs(on[0]) <= zero && others[0] > 10*zero {
		return violated("different clouds cost %.3g on %d slices, and %.3g on %d others", on[0], len(s.few)/s.o.Dim,
			others[0], s.o.Slices)
	}
	return nil
}

// notNegative includes few directions, because an estimator may extrapolate from them.
func notNegative(s *Subject) error {
	for k, theta := range s.sets(loss.NonNegative) {
		got, err := s.values(append(s.pairs(), s.crossed()...), theta)
		if err != nil {
			return err
		}
		for i, v := range got {
			if v < 0 {
				return violated("pair %d costs %.6g", i, v)
			}
			if k == 0 && i < len(s.smooth()) && !(v > 0) {
				return violated("pair %d of different clouds costs %.6g", i, v)
			}
		}
	}
	return nil
}

// sets are the sets of directions for inequalities: the held ones, others, and some of as few as
// the loss takes; many of them to show that a property is violated.
func (s *Subject) sets(p loss.Property) [][]float64 {
	sets := [][]float64{s.theta}
	if s.sliced == nil {
		return sets
	}
	more := uint64(2)
	if s.violates(p) {
		more = 20
	}
	for seed := range more {
		sets = append(sets, directions(20+seed, len(s.few)/s.o.Dim, s.o.Dim), directions(50+seed, s.o.Slices, s.o.Dim))
	}
	return sets
}

// symmetry is tested with the same directions. Where the loss's own depend on the pair, it must also
// hold with those, in distribution.
func symmetry(s *Subject) error {
	at := s.pairs()
	swapped := make([]pair, len(at))
	for i, p := range at {
		swapped[i] = pair{x: p.y, y: p.x}
	}
	if err := s.same("exchanged", at, swapped, s.theta, s.theta, 1); err != nil {
		return err
	}
	if depends, err := s.dependsOnClouds(); err != nil || !depends {
		return err
	}
	return s.sameDistribution("exchanged", at, swapped, nil)
}

// dependsOnClouds reports whether the loss's own directions depend on the pair: whether another pair
// gets others from the same random numbers.
func (s *Subject) dependsOnClouds() (bool, error) {
	if s.sliced == nil {
		return false, nil
	}
	at := s.pairs()
	a, err := s.own(at, 1, ot1d.None)
	if err != nil {
		return false, err
	}
	b, err := s.own(slices.Concat(at[1:], at[:1]), 1, ot1d.None)
	if err != nil {
		return false, err
	}
	return furthest(a.Directions, b.Directions) > 1e-5, nil
}

// triangle compares d(x, z) with d(x, y) + d(y, z), d the p-th root of the loss: for any three
// clouds; for translates x, x+v, x+2v, where a metric has equality; for crosses; and for points at
// a, points at b, and one at a with the others at b. The three sides have the same directions or,
// where the loss's own directions depend on the pair, the same random numbers.
func triangle(s *Subject) error {
	b := s.base()
	v := s.shift()
	var xy, yz, xz []pair
	add := func(x, y, z cloud) {
		xy, yz, xz = append(xy, pair{x: x, y: y}), append(yz, pair{x: y, y: z}), append(xz, pair{x: x, y: z})
	}
	for i := range b {
		add(b[i], b[(i+1)%len(b)], b[(i+3)%len(b)])
	}
	for _, step := range []float64{0.02, 0.07, 0.2, 0.7, 2} {
		add(b[4], b[4].moved(v, step), b[4].moved(v, 2*step))
	}
	for axis := range s.o.Dim {
		for _, step := range []float64{-1, 1} {
			e := make([]float64, s.o.Dim)
			e[axis] = step
			add(b[5], b[5].moved(e, 1), b[5].moved(e, 2))
		}
	}
	add(b[0], b[0].scaled(1.5), b[0].scaled(2))
	c := s.crosses()
	add(c[0], c[1], c[2])
	add(c[1], c[2], c[0])
	add(c[2], c[0], c[1])
	none, one, all := s.two(0), s.two(1), s.two(s.o.Points)
	add(none, one, all)
	add(none, s.two(s.o.Points-1), all)
	sides := [3][]pair{xy, yz, xz}
	for _, theta := range s.sets(loss.Triangle) {
		if err := s.triples(sides, s.tol, func(p []pair) ([]float64, error) { return s.values(p, theta) }); err != nil {
			return err
		}
	}
	if depends, err := s.dependsOnClouds(); err != nil || !depends {
		return err
	}
	for seed := range int64(3) {
		err := s.triples(sides, 1e-4, func(p []pair) ([]float64, error) { // in float32
			r, err := s.own(p, seed+1, ot1d.None)
			return r.Pairs, err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// triples requires d(x, z) to exceed d(x, y) + d(y, z) by at most the relative error tol.
func (s *Subject) triples(sides [3][]pair, tol float64, values func([]pair) ([]float64, error)) error {
	var d [3][]float64
	for k, pairs := range sides {
		var err error
		if d[k], err = values(pairs); err != nil {
			return err
		}
	}
	for i := range d[0] {
		xy, yz, xz := s.metric(d[0][i]), s.metric(d[1][i]), s.metric(d[2][i])
		if xz > (xy+yz)*(1+tol) {
			return violated("triple %d: d(x, z) = %.9g, d(x, y) + d(y, z) = %.9g + %.9g", i, xz, xy, yz)
		}
	}
	return nil
}
