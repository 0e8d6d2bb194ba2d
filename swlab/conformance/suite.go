// Package conformance has the property suites of losses between point clouds and of amortizers. They
// test the registered ones, and one from elsewhere in a line:
//
//	func TestMine(t *testing.T) { conformance.Loss(t, mine{}, conformance.Options{}) }
//
// A loss that violates a property declares so by name (loss.Violator), and the suite shows the
// violation.
package conformance

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
)

// Options configures the suite of losses. The zero value suits most losses.
type Options struct {
	Dim    int // of the points; 0: 3
	Points int // of the clouds; 0: 16
	Slices int // number of held directions, for properties on the same directions; 0: 24

	// Backend runs the graphs, a name of engine.Open; "": "go", which needs no compilation. On
	// others the graphs run in float32.
	Backend string
	// Float32 says that a Graph cannot be built in float64, where rounding hides less.
	Float32 bool
	// Tolerance is the relative error allowed between values that are equal in exact arithmetic; 0:
	// 1e-7, or 2e-5 for a Host, whose clouds are float32, and in float32.
	Tolerance float64

	// Dirac is the cost of two single points at distance 1; 0: 1.
	Dirac float64
	// SW says that the loss estimates SW_p^p: every direction by itself is uniform. Its values must
	// then agree with a quadrature. Dim 2 or 3.
	SW bool
	// Held, for a Graph whose gradient holds something fixed (a match, a plan), returns the values
	// [batch] at x and y with what was found at x0 and y0. The gradient is compared with its
	// differences.
	Held func(x, y, x0, y0 *graph.Node) *graph.Node
	// HeldHost is Held for a Host.
	HeldHost func(x, y, x0, y0 ot1d.Clouds) ([]float64, error)
}

// Check is the test of one property.
type Check struct {
	Name     string        // as in t.Run
	Property loss.Property // what a loss may declare to violate; "": no loss may
	applies  func(*Subject) bool
	run      func(*Subject) error
}

// Checks are the checks that apply to the subject.
func (s *Subject) Checks() []Check {
	var out []Check
	for _, c := range all {
		if c.applies == nil || c.applies(s) {
			out = append(out, c)
		}
	}
	return out
}

var all = []Check{
	{"zero on itself", loss.ZeroOnItself, nil, zeroOnItself},
	{"zero only if equal", loss.ZeroOnlyIfEqual, nil, zeroOnlyIfEqual},
	{"not negative", loss.NonNegative, nil, notNegative},
	{"symmetry", loss.Symmetry, nil, symmetry},
	{"triangle inequality", loss.Triangle, nil, triangle},
	{"order of the points", loss.PermutationInvariant, nil, permutation},
	{"translation", loss.Translation, nil, translation},
	{"scaling", loss.Scaling, nil, scaling},
	{"rotation", loss.Rotation, nil, rotation},
	{"batch", loss.BatchIndependent, nil, batchIndependence},
	{"convention", "", nil, convention},
	{"single points", "", nil, diracs},
	{"translates", "", isSliced, translates},
	{"shares", "", isSliced, shares},
	{"gradient", "", nil, gradient},
	{"sides of the gradient", "", isGraph, sides},
	{"finite", "", nil, finite},
	{"seed", "", nil, seeds},
	{"float32", "", isGraph, precision},
	{"spherical quadrature", "", func(s *Subject) bool { return s.o.SW }, quadrature},
}

func isGraph(s *Subject) bool { return s.graph != nil }

func isSliced(s *Subject) bool { return s.sliced != nil }

// Violation is the error of a check whose property does not hold; other errors mean that the check
// could not decide.
type Violation struct{ what string }

func (v Violation) Error() string { return v.what }

func violated(format string, a ...any) error { return Violation{fmt.Sprintf(format, a...)} }

// Check runs one check. A property that the loss declares to violate must be violated.
func (s *Subject) Check(c Check) error {
	err := c.run(s)
	if !s.violates(c.Property) {
		return err
	}
	var v Violation
	switch {
	case err == nil:
		return fmt.Errorf("%s declares to violate %q, but has it on the clouds of the suite", s.loss.Name(), c.Property)
	case errors.As(err, &v):
		return nil
	}
	return err
}

func (s *Subject) violates(p loss.Property) bool {
	return p != "" && slices.Contains(loss.Violates(s.loss), p)
}

// Loss tests a loss.Graph or a loss.Host, on small clouds:
//
//   - It is zero between a cloud and itself in any order of its points, positive between different
//     clouds, and symmetric; its p-th root satisfies the triangle inequality.
//   - It does not depend on the order of the points, on a common translation or rotation, or on the
//     other pairs of the batch. Clouds scaled by c cost c^p times as much, or c times with a root.
//   - Convention is true: Reduce, Root and Exponent p.
//   - Single points at distance r cost Options.Dirac r^p. Slices between translates by v cost
//     m |theta'v|^p, and the value is the mean of the shares of the slices that count.
//   - Gradients in x and y agree with central differences. That in y is the same alone, and a
//     Sliced then has none in x. Neither value nor gradient is ever infinite or NaN: duplicates,
//     equal clouds, single points.
//   - Equal seeds give equal values and other seeds others. float32 agrees with float64. A loss
//     declared to estimate SW (Options.SW) agrees with a quadrature over the sphere.
//
// A loss.Sliced is tested with directions drawn once, for properties on the same directions, and
// with its own slicer, by seeds. If its own directions depend on the pair, as those of an amortizer
// do, symmetry and the triangle inequality must hold with them too. Another Graph is tested by seeds
// alone, with one seed standing for the same directions. Weights are initial ones. No ascent is run:
// the location is the slicer's.
//
// A property in the loss's list of violations (loss.Violates) must fail on the suite's clouds, and
// all others must hold. A violation that the suite cannot show therefore has no place in the list:
// the suite does not look into a Graph for directions on which different clouds agree.
func Loss(t *testing.T, l loss.Loss, o Options) {
	t.Helper()
	s, err := New(l, o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, c := range s.Checks() {
		t.Run(c.Name, func(t *testing.T) {
			if err := s.Check(c); err != nil {
				t.Error(err)
			}
		})
	}
}
