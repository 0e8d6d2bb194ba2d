package losstest

import (
	"slices"

	"github.com/sliced-wasserstein/lab/swlab/loss"
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
	if s.lacks(p) {
		more = 20
	}
	for seed := range more {
		sets = append(sets, directions(20+seed, len(s.few)/s.o.Dim, s.o.Dim), directions(50+seed, s.o.Slices, s.o.Dim))
	}
	return sets
}

func symmetry(s *Subject) error {
	at := s.pairs()
	swapped := make([]pair, len(at))
	for i, p := range at {
		swapped[i] = pair{x: p.y, y: p.x}
	}
	return s.same("exchanged", at, swapped, s.theta, s.theta, 1)
}

// triangle compares d(x, z) with d(x, y) + d(y, z), d the p-th root of the loss: for any three
// clouds; for translates x, x+v, x+2v, where a metric has equality; for crosses; and for points at
// a, points at b, and one at a with the others at b.
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
	add(b[0], b[0].scaled(1.5), b[0].scaled(2))
	c := s.crosses()
	add(c[0], c[1], c[2])
	add(c[1], c[2], c[0])
	add(c[2], c[0], c[1])
	points := func(first, others float64) cloud {
		return b[0].each(func(point, axis int, _ float64) float64 {
			if point == 0 {
				return first * v[axis]
			}
			return others * v[axis]
		})
	}
	add(points(0, 0), points(0, 1), points(1, 1))
	add(points(0, 0), points(1, 0), points(1, 1))
	for _, theta := range s.sets(loss.Triangle) {
		var d [3][]float64
		for k, pairs := range [][]pair{xy, yz, xz} {
			var err error
			if d[k], err = s.values(pairs, theta); err != nil {
				return err
			}
		}
		for i := range d[0] {
			one, two, all := s.metric(d[0][i]), s.metric(d[1][i]), s.metric(d[2][i])
			if all > (one+two)*(1+s.tol) {
				return violated("triple %d: d(x, z) = %.9g, d(x, y) + d(y, z) = %.9g + %.9g", i, all, one, two)
			}
		}
	}
	return nil
}
