// Package amortizertest is the conformance suite of amortizers: what every map must satisfy, and
// that it has exactly the properties it claims. It also tests maps from outside the registry.
package amortizertest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sliced-wasserstein/lab/swlab/amortizer"
)

const (
	batch = 3
	m     = 12
	// exact is the largest angle, in degrees, that rounding may make of zero.
	exact = 1e-4
	// visible is the smallest angle that shows a violated property.
	visible = 1e-2
)

// Suite tests the maps that make returns, in both variants and for points of dimension 2, 3 and 5.
// make returns nil for a configuration that the map does not have.
//
// It requires unit vectors; the symmetries that Properties claims, to 1e-4 degrees, and the absence
// of those it does not claim; finite values for clouds of zeros; independent pairs; gradients in
// all weights that agree with differences along random directions and, except for Properties.Inert,
// are not zero; errors, not panics, for clouds that do not fit; weights with distinct names, filled
// by their initial distributions.
func Suite(t *testing.T, make func(amortizer.Config) amortizer.Amortizer) {
	known := 0
	for _, c := range []amortizer.Config{
		{Dim: 3, Variant: amortizer.Released},
		{Dim: 5, Variant: amortizer.Paper},
		{Dim: 2, Variant: amortizer.Released},
	} {
		c.Points, c.DK, c.K = m, 4, 5
		a := make(c)
		if a == nil {
			continue
		}
		known++
		t.Run(fmt.Sprintf("%s dim %d", c.Variant, c.Dim), func(t *testing.T) {
			s := newSubject(t, a, c.Dim)
			defer s.close()
			s.specs(t)
			s.directions(t)
			s.symmetries(t)
			s.pairs(t)
			s.zeros(t)
			s.gradients(t)
			s.sizes(t)
		})
	}
	if known == 0 {
		t.Error("make returned no map")
	}
}

func (s *subject) specs(t *testing.T) {
	seen := map[string]bool{}
	for i, spec := range s.a.Specs() {
		if seen[spec.Name] {
			t.Errorf("two weights are called %s", spec.Name)
		}
		seen[spec.Name] = true
		for _, v := range s.w[i] {
			if v == 0 || math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
				t.Errorf("%s: initial value %v", spec.Name, v)
				break
			}
		}
	}
	for _, name := range s.a.Properties().Inert {
		if !seen[name] {
			t.Errorf("Properties.Inert names %s, which is no weight", name)
		}
	}
}

func (s *subject) directions(t *testing.T) {
	for b, v := range s.call(t, s.x, s.y, s.w).direction {
		if n := norm(v); math.Abs(n-1) > 1e-5 {
			t.Errorf("pair %d: norm %v, expected 1", b, n)
		}
	}
}

// symmetries compares both orders of the clouds, and orders of the points of each cloud.
func (s *subject) symmetries(t *testing.T) {
	p := s.a.Properties()
	at := s.call(t, s.x, s.y, s.w).direction
	order := rand.New(rand.NewPCG(8, 1)).Perm(m)
	for _, c := range []struct {
		what    string
		x, y    cloud
		claimed bool
	}{
		{"exchanging X and Y", s.y, s.x, p.Symmetric},
		{"permuting X", s.x.permuted(order), s.y, p.Invariant},
		{"permuting Y", s.x, s.y.permuted(order), p.Invariant},
	} {
		turn := s.call(t, c.x, c.y, s.w).direction.angle(at)
		if c.claimed && !(turn < exact) {
			t.Errorf("%s turns the direction by %.3g degrees, though Properties claims that it does not", c.what, turn)
		}
		if !c.claimed && !(turn > visible) {
			t.Errorf("%s turns the direction by only %.3g degrees, but Properties does not claim it", c.what, turn)
		}
	}
}

// pairs exchanges the first two pairs of the batch.
func (s *subject) pairs(t *testing.T) {
	at := s.call(t, s.x, s.y, s.w).direction
	got := s.call(t, s.x.exchanged(), s.y.exchanged(), s.w).direction
	if turn := got.angle(directions{at[1], at[0], at[2]}); !(turn < exact) {
		t.Errorf("pairs depend on each other: their order in the batch turns directions by %.3g degrees", turn)
	}
	if turn := (directions{at[0]}).angle(directions{at[1]}); !(turn > visible) {
		t.Errorf("two pairs have one direction, to %.3g degrees: do the clouds matter?", turn)
	}
}

func (s *subject) zeros(t *testing.T) {
	zero := newCloud(s.x.dim)
	r := s.call(t, zero, zero, s.w)
	for _, v := range r.direction {
		if n := norm(v); !(n < 1+1e-5) {
			t.Errorf("clouds of zeros have the direction %v", v)
		}
	}
	for i, g := range r.gradients {
		if n := norm(g); math.IsNaN(n) || math.IsInf(n, 0) {
			t.Errorf("at clouds of zeros the gradient in %s is %v", s.a.Specs()[i].Name, n)
		}
	}
}

// gradients compares the gradient g in every weight with differences along g/|g| and a random
// direction added.
func (s *subject) gradients(t *testing.T) {
	inert := map[string]bool{}
	for _, name := range s.a.Properties().Inert {
		inert[name] = true
	}
	r := rand.New(rand.NewPCG(5, 1))
	at := s.call(t, s.x, s.y, s.w)
	for i, spec := range s.a.Specs() {
		g := at.gradients[i]
		size := norm(g)
		along := make([]float64, len(g))
		for k := range along {
			along[k] = r.NormFloat64()
		}
		n := norm(along)
		want := 0.0
		for k := range along {
			along[k] /= n
			if size > 0 {
				along[k] += g[k] / size
			}
			want += along[k] * g[k]
		}
		var got, noise float64
		agree := false
		for step := 0.03; !agree && step > 1e-3; step /= 4 { // shorter steps if the map bends much
			got, noise = s.slope(t, i, along, step/max(size, 1e-9))
			agree = math.Abs(got-want) <= 0.01*size+noise
		}
		if !agree {
			t.Errorf("%s: the gradient says a slope of %.6g, differences say %.6g (rounding %.1g)", spec.Name, want, got, noise)
		}
		if zero := !(size > 2*noise); zero != inert[spec.Name] {
			t.Errorf("%s: |gradient| is %.3g (rounding %.1g); in Properties.Inert: %v", spec.Name, size, noise, inert[spec.Name])
		}
	}
}

// sizes tries other numbers of points and another dimension.
func (s *subject) sizes(t *testing.T) {
	if err := s.a.Check(m); err != nil {
		t.Errorf("Check(%d): %v", m, err)
	}
	if err := s.a.Check(0); err == nil {
		t.Error("Check(0): no error")
	}
	more := gaussian(3, s.x.dim, m+3)
	switch err := s.a.Check(m + 3); {
	case s.a.Properties().AnySize:
		if err != nil {
			t.Errorf("Check(%d): %v, though Properties claims any size", m+3, err)
		}
		r, err := s.try(s.only, s.x, more, s.w)
		if err != nil {
			t.Fatal(err)
		}
		for b, v := range r.direction {
			if n := norm(v); math.Abs(n-1) > 1e-5 {
				t.Errorf("pair %d, %d and %d points: norm %v", b, m, m+3, n)
			}
		}
	case err == nil || !strings.Contains(err.Error(), fmt.Sprint(m)) || !strings.Contains(err.Error(), fmt.Sprint(m+3)):
		t.Errorf("Check(%d): %v, expected an error that says %d and %d", m+3, err, m, m+3)
	default:
		if _, err := s.try(s.only, more, more, s.w); err == nil {
			t.Errorf("clouds of %d points give no error", m+3)
		}
	}
	wrong := gaussian(3, s.x.dim+1, m)
	if _, err := s.try(s.only, wrong, wrong, s.w); err == nil {
		t.Errorf("clouds of dimension %d give no error", s.x.dim+1)
	}
}
