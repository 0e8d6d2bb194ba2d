package conformance

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// Subject is a loss under test.
type Subject struct {
	loss    loss.Loss
	o       Options
	graph   loss.Graph   // nil for a Host
	sliced  *loss.Sliced // nil for others
	p       float64      // exponent
	degree  float64      // clouds scaled by c cost c^degree times as much
	tol     float64
	engine  *engine.Engine
	weights *weights.Set
	draws   int       // random numbers that the loss asked for when built with its own slicer
	theta   []float64 // [Slices, Dim] held directions
	few     []float64 // [fewest, Dim] as few as the estimator takes
}

// New prepares a loss for the checks. Close closes its engine.
func New(l loss.Loss, o Options) (*Subject, error) {
	for _, d := range []struct {
		field *int
		own   int
	}{{&o.Dim, 3}, {&o.Points, 16}, {&o.Slices, 24}} {
		if *d.field == 0 {
			*d.field = d.own
		}
	}
	if o.Backend == "" {
		o.Backend = "go"
	}
	if o.Dirac == 0 {
		o.Dirac = 1
	}
	s := &Subject{loss: l, o: o, p: cmp.Or(l.Convention().Exponent, 1), tol: o.Tolerance}
	if s.degree = s.p; l.Convention().Root {
		s.degree = 1
	}
	if err := l.Check(o.Points, o.Points, o.Dim); err != nil {
		return nil, fmt.Errorf("method Check rejects the clouds of the suite: %w", err)
	}
	for _, p := range loss.Violates(l) {
		if !slices.ContainsFunc(all, func(c Check) bool { return c.Property == p }) {
			return nil, fmt.Errorf("%s declares to violate %q, which is not a property of package loss", l.Name(), p)
		}
	}
	switch k := l.(type) {
	case loss.Host:
	case loss.Graph:
		s.graph = k
		s.weights = weights.Init(k.Specs(), 4)
		var err error
		if s.engine, err = engine.Open(o.Backend); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("%T is neither a loss.Graph nor a loss.Host", l)
	}
	if k, ok := l.(loss.Sliced); ok {
		s.sliced = &k
		s.theta = directions(5, o.Slices, o.Dim)
		n := 1
		for k.CheckDirections(o.Points, o.Points, n, o.Dim) != nil {
			if n++; n > o.Slices {
				return nil, fmt.Errorf("%d directions are not enough: %w", o.Slices,
					k.CheckDirections(o.Points, o.Points, o.Slices, o.Dim))
			}
		}
		s.few = directions(6, n, o.Dim)
	}
	if s.tol == 0 {
		s.tol = 2e-5
		if s.wide() {
			s.tol = 1e-7
		}
	}
	return s, nil
}

// Close closes the engine of the graphs.
func (s *Subject) Close() {
	if s.engine != nil {
		s.engine.Close()
	}
}

// wide reports whether graphs run in float64.
func (s *Subject) wide() bool {
	return s.graph != nil && !s.o.Float32 && !s.engine.IsXLA()
}

// deterministic reports whether the values are free of randomness: a Host's, and those of a Graph
// that draws nothing.
func (s *Subject) deterministic() (bool, error) {
	if s.graph == nil {
		return true, nil
	}
	_, err := s.own(s.pairs()[:1], 1, ot1d.None)
	return s.draws == 0, err
}

// values are the losses of the pairs: for a Sliced with the given directions, for another Graph
// with one seed.
func (s *Subject) values(pairs []pair, theta []float64) ([]float64, error) {
	if s.graph == nil {
		r, err := s.compare(pairs, false)
		return r.Pairs, err
	}
	if s.sliced != nil && pairs[0].x.points() != pairs[0].y.points() {
		return s.onHost(pairs, theta)
	}
	r, err := s.held(pairs, theta, ot1d.None)
	return r.Pairs, err
}

// onHost is values of a Sliced between clouds of unequal sizes, which graphs do not take.
func (s *Subject) onHost(pairs []pair, theta []float64) ([]float64, error) {
	n, o := len(theta)/s.o.Dim, ot1d.Config{P: s.p, Reduce: s.sliced.Reduce}
	var out []float64
	for i := range pairs {
		one := pairs[i : i+1]
		costs, err := ot1d.HostCosts(clouds(one, false), clouds(one, true), vec.To[float32](theta), n, o)
		if err != nil {
			return nil, err
		}
		value, err := s.finish(one, costs, theta, n)
		if err != nil {
			return nil, err
		}
		out = append(out, value...)
	}
	return out, nil
}

// metric takes the p-th root of a value that has none yet.
func (s *Subject) metric(v float64) float64 {
	return math.Copysign(math.Pow(math.Abs(v), 1/s.degree), v)
}

// near compares values that are the same in exact arithmetic, on the scale of the larger.
func (s *Subject) near(a, b, factor float64) bool {
	return math.Abs(a-b) <= factor*s.tol*math.Max(math.Abs(a), math.Abs(b))
}

// same requires the values of two lists of pairs to agree, those of the second multiplied by factor.
func (s *Subject) same(what string, at, other []pair, theta, theta2 []float64, factor float64) error {
	a, err := s.values(at, theta)
	if err != nil {
		return err
	}
	b, err := s.values(other, theta2)
	if err != nil {
		return err
	}
	for i := range a {
		if !s.near(a[i], b[i]*factor, 1) {
			return violated("%s: pair %d costs %.9g, expected %.9g", what, i, b[i], a[i]/factor)
		}
	}
	return nil
}
