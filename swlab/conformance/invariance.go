package conformance

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/sliced-wasserstein/lab/swlab/ot1d"
)

// permutation: with the same directions, and with the loss's own, whose location must not change.
func permutation(s *Subject) error {
	at := s.pairs()
	mix := func(c cloud) cloud { return c.permuted(7) }
	for _, c := range []struct {
		what string
		x, y func(cloud) cloud
	}{{"x in another order", mix, asIs}, {"y in another order", asIs, mix}} {
		if err := s.same(c.what, at, with(at, c.x, c.y), s.theta, s.theta, 1); err != nil {
			return err
		}
		if s.graph == nil {
			continue
		}
		if err := s.sameDistribution(c.what, at, with(at, c.x, c.y), nil); err != nil {
			return err
		}
	}
	return nil
}

func translation(s *Subject) error {
	at := s.pairs()
	move := func(c cloud) cloud { return c.moved(s.shift(), 0.75) }
	return s.same("both translated", at, with(at, move, move), s.theta, s.theta, 1)
}

func scaling(s *Subject) error {
	at := s.pairs()
	for _, c := range []float64{0.25, 3, 16} {
		scale := func(x cloud) cloud { return x.scaled(c) }
		if err := s.same("both scaled", at, with(at, scale, scale), s.theta, s.theta, math.Pow(c, -s.degree)); err != nil {
			return err
		}
	}
	return nil
}

// rotation: exact with rotated directions, and in distribution with the loss's own.
func rotation(s *Subject) error {
	at, q := s.pairs(), orthogonal(s.o.Dim)
	turn := func(c cloud) cloud { return c.times(q) }
	turned := with(at, turn, turn)
	still, err := s.deterministic()
	if err != nil {
		return err
	}
	if s.sliced != nil || still {
		theta := cloud{s.theta, s.o.Dim}.times(q).v
		if err := s.same("rotated, directions too", at, turned, s.theta, theta, 1); err != nil {
			return err
		}
	}
	if s.graph == nil {
		return nil
	}
	return s.sameDistribution("rotated", at, turned, q)
}

// sameDistribution compares values with the loss's own directions: those of equal seeds if the
// directions are the same, else the means of many draws. A location that depends on the clouds must
// follow them: be the same, or rotated by q.
func (s *Subject) sameDistribution(what string, at, other []pair, q []float64) error {
	a, err := s.own(at, 1, ot1d.None)
	if err != nil {
		return err
	}
	b, err := s.own(other, 1, ot1d.None)
	if err != nil {
		return err
	}
	worst, equal := 0, true
	for i := range a.Pairs {
		change := func(i int) float64 { return math.Abs(b.Pairs[i]/a.Pairs[i] - 1) }
		equal = equal && math.Abs(a.Pairs[i]-b.Pairs[i]) <= 1e-4*math.Abs(a.Pairs[i])
		if change(i) > change(worst) {
			worst = i
		}
	}
	if s.predicts() {
		want := cloud{a.Locations, s.o.Dim}
		if q != nil {
			want = want.times(q)
		}
		if d := furthest(want.v, b.Locations); d > 1e-4 {
			return violated("%s: the location moves by %.3g; pair %d costs %.6g in place of %.6g", what, d, worst,
				b.Pairs[worst], a.Pairs[worst])
		}
	}
	if equal {
		return nil
	}
	if s.draws == 0 {
		return violated("%s: %.6g in place of %.6g", what, b.Pairs, a.Pairs)
	}
	for _, k := range []int{1, 4} {
		mean, se, err := s.draw(at[k], 64)
		if err != nil {
			return err
		}
		mean2, se2, err := s.draw(other[k], 64)
		if err != nil {
			return err
		}
		if math.Abs(mean-mean2) > 5*math.Hypot(se, se2) {
			return violated("%s: pair %d costs %.6g +- %.2g on average, %.6g +- %.2g before", what, k, mean2, se2, mean, se)
		}
	}
	return nil
}

// predicts reports whether the location is a function of the clouds.
func (s *Subject) predicts() bool { return s.sliced != nil && s.sliced.Slicer.Amortizer != nil }

// draw is the mean of n independent values of one pair, with its standard error.
func (s *Subject) draw(p pair, n int) (mean, se float64, err error) {
	if s.graph == nil {
		return 0, 0, nil
	}
	const batch = 8 // the pairs of a batch may share their directions
	var values []float64
	for seed := range int64(n / batch) {
		r, err := s.own(slices.Repeat([]pair{p}, batch), 77+seed, ot1d.None)
		if err != nil {
			return 0, 0, err
		}
		values = append(values, r.Pairs...)
	}
	mean, sd := stat.MeanStdDev(values, nil)
	return mean, stat.StdErr(sd, float64(n)), nil
}

func furthest(a, b []float64) float64 {
	d := 0.0
	for i := range a {
		d = math.Max(d, math.Abs(a[i]-b[i]))
	}
	return d
}

// batchIndependence: the first and the last pair of a batch keep their values alone, and when the
// other pairs are replaced by ones of another size.
func batchIndependence(s *Subject) error {
	at := s.pairs()
	others, size := append([]pair{}, at...), 16.0
	if s.graph == nil {
		size = 0.25 // a Host may take long over large ones
	}
	for i := 1; i < len(at)-1; i++ {
		others[i] = pair{x: at[i].y.scaled(size), y: at[i].x.scaled(size)}
	}
	eval := func(pairs []pair) ([]float64, error) {
		if s.graph == nil {
			r, err := s.compare(pairs, false)
			return r.Pairs, err
		}
		r, err := s.call(mode{subject: s, held: true}, pairs, s.theta, 1)
		return r.Pairs, err
	}
	together, err := eval(at)
	if err != nil {
		return err
	}
	exchanged, err := eval(others)
	if err != nil {
		return err
	}
	for _, i := range []int{0, len(at) - 1} {
		if !s.near(together[i], exchanged[i], 1) {
			return violated("pair %d costs %.9g in one batch and %.9g in another", i, together[i], exchanged[i])
		}
	}
	if still, err := s.deterministic(); err != nil || !still && s.sliced == nil {
		return err
	}
	for i, p := range at {
		alone, err := eval([]pair{p})
		if err != nil {
			return err
		}
		if !s.near(together[i], alone[0], 1) {
			return violated("pair %d costs %.9g in a batch and %.9g alone", i, together[i], alone[0])
		}
	}
	return nil
}
