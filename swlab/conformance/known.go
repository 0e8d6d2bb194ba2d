package conformance

import (
	"fmt"
	"math"

	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

// convention doubles every point: a sum over points doubles, a mean does not change. The check of
// Scaling covers exponent and root.
func convention(s *Subject) error {
	text, sum := s.loss.Convention(), s.loss.Convention().Reduce == loss.Sum
	at := s.pairs()
	factor := 1.0
	if sum {
		factor = 2
	}
	double := cloud.doubled
	twice := with(at, double, double)
	if s.sliced != nil {
		if err := s.sameSlices("every point doubled", at, twice, factor); err != nil {
			return err
		}
	}
	a, err := s.values(at, s.theta)
	if err != nil {
		return err
	}
	b, err := s.values(twice, s.theta)
	if err != nil {
		return err
	}
	for i, v := range a {
		want := v * math.Pow(factor, s.degree/s.p)
		// A loss with a length of its own may be a little off; for a Sliced the slices are known.
		if s.violates(loss.Scaling) {
			if s.sliced == nil && !(math.Abs(math.Log(b[i]/want)) < 0.1) {
				return violated("%q, but with every point doubled pair %d costs %.6g in place of %.6g", text, i, b[i], v)
			}
		} else if !s.near(b[i], want, 1) {
			return violated("%q, but with every point doubled pair %d costs %.9g in place of %.9g", text, i, b[i], v)
		}
	}
	if sum || s.loss.Check(s.o.Points, 2*s.o.Points, s.o.Dim) != nil {
		return nil
	}
	if b, err = s.values(with(at, asIs, double), s.theta); err != nil {
		return err
	}
	for i, v := range a {
		if !(math.Abs(b[i]-v) <= max(s.tol, 2e-5)*math.Abs(v)) {
			return violated("%q, but with the points of y doubled pair %d costs %.9g in place of %.9g", text, i, b[i], v)
		}
	}
	return nil
}

// sameSlices compares the costs of all slices.
func (s *Subject) sameSlices(what string, at, other []pair, factor float64) error {
	a, err := s.held(at, s.theta, 0)
	if err != nil {
		return err
	}
	b, err := s.held(other, s.theta, 0)
	if err != nil {
		return err
	}
	n := len(a.Slices) / len(a.Pairs)
	for i, v := range a.Slices {
		if got := b.Slices[i]; math.Abs(got-factor*v) > 2*s.tol*largest(a, i/n) {
			return violated("%s: slice %d of pair %d costs %.9g, expected %g times %.9g", what, i%n, i/n, got, factor, v)
		}
	}
	return nil
}

// largest is the largest cost of a slice of the pair.
func largest(r result, pair int) float64 {
	n := len(r.Slices) / len(r.Pairs)
	return vec.Largest(r.Slices[pair*n : (pair+1)*n])
}

// diracs: clouds of one point each cost Options.Dirac |x - y|^p, their slices |theta'(x - y)|^p.
func diracs(s *Subject) error {
	var pairs []pair
	b := s.base()
	for i := range 8 {
		one := b[i%len(b)].take([]int{i})
		pairs = append(pairs, pair{x: one, y: b[(i+1)%len(b)].take([]int{0})})
	}
	if s.loss.Check(1, 1, s.o.Dim) != nil && s.sliced == nil {
		return fmt.Errorf("method Check rejects single points")
	}
	between := func(p pair) []float64 { return p.x.moved(p.y.v, -1).v }
	if s.sliced == nil {
		return s.singles(pairs, func(p pair) float64 { return vec.Norm(between(p)) })
	}
	return s.slicesOf("single points", pairs, between, 1)
}

// singles compares the costs of single points; for a loss that draws, their mean over many draws.
func (s *Subject) singles(pairs []pair, length func(pair) float64) error {
	still, err := s.deterministic()
	if err != nil {
		return err
	}
	for _, p := range pairs {
		want := s.o.Dirac * math.Pow(length(p), s.degree)
		got, se, err := s.draw(p, 64)
		if err != nil {
			return err
		}
		if still {
			v, err := s.values([]pair{p}, nil)
			if err != nil {
				return err
			}
			got = v[0]
		}
		if !s.near(got, want, 10) && !(math.Abs(got-want) <= 5*se) {
			return violated("single points at distance %.6g cost %.9g, expected %.9g", length(p), got, want)
		}
	}
	return nil
}

// translates: slices between a cloud and its translate by v cost m |theta'v|^p (mean over points:
// |theta'v|^p), whatever the order of the points.
func translates(s *Subject) error {
	v := s.shift()
	var pairs []pair
	for i, c := range s.base() {
		pairs = append(pairs, pair{x: c, y: c.moved(v, 1).permuted(uint64(i))})
	}
	sum := float64(s.o.Points)
	if s.sliced.Reduce == loss.Mean {
		sum = 1
	}
	return s.slicesOf("translates", pairs, func(pair) []float64 { return v }, sum)
}

// slicesOf requires every slice to cost sum |theta'v|^p.
func (s *Subject) slicesOf(what string, pairs []pair, v func(pair) []float64, sum float64) error {
	r, err := s.held(pairs, s.theta, 0)
	if err != nil {
		return err
	}
	dim := s.o.Dim
	n := len(s.theta) / dim
	for i, p := range pairs {
		gap := v(p)
		for l := range n {
			along := 0.0
			for k, g := range gap {
				along += g * s.theta[l*dim+k]
			}
			want := sum * math.Pow(math.Abs(along), s.p)
			if got := r.Slices[i*n+l]; math.Abs(got-want) > 10*s.tol*largest(r, i) {
				return violated("%s: slice %d of pair %d costs %.9g, expected %.9g", what, l, i, got, want)
			}
		}
		if mean := r.Pairs[i]; math.IsNaN(mean) {
			return violated("%s: pair %d costs %v", what, i, mean)
		}
	}
	return nil
}

// shares: before the root, the value is the mean of the shares of the slices that count, which give
// standard errors.
func shares(s *Subject) error {
	r, err := s.held(s.pairs(), s.theta, 0)
	if err != nil {
		return err
	}
	if len(r.Shares) != len(r.Slices) {
		return violated("%d shares of %d slices", len(r.Shares), len(r.Slices))
	}
	n := len(r.Shares) / len(r.Pairs)
	for i, v := range r.Pairs {
		used := n
		if r.Used != nil {
			used = int(r.Used[i])
		}
		mean := 0.0
		for _, share := range r.Shares[i*n : i*n+used] {
			mean += share / float64(used)
		}
		if s.sliced.Root {
			v = math.Pow(v, s.p)
			mean = math.Max(mean, 0)
		}
		if math.Abs(v-mean) > s.tol*largest(r, i) {
			return violated("pair %d: the value before the root is %.9g, the mean of %d shares %.9g", i, v, used, mean)
		}
	}
	return nil
}
