package loss

import (
	"slices"

	"github.com/sliced-wasserstein/lab/swlab/ot"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
)

// Property is a property that losses between clouds usually have; the suite of package conformance
// tests them. Those "with the same directions" are tested with directions that do not depend on the
// clouds. Those "with the same random numbers" are tested with the directions that the loss itself
// takes for each pair, where they depend on the pair.
type Property string

const (
	ZeroOnItself         Property = "zero on itself"
	ZeroOnlyIfEqual      Property = "zero only between equal clouds"
	NonNegative          Property = "never negative"
	Symmetry             Property = "symmetry, with the same random numbers"
	Triangle             Property = "triangle inequality of its root, with the same random numbers"
	PermutationInvariant Property = "does not depend on the order of the points"
	Translation          Property = "does not change when both clouds are translated, with the same directions"
	Scaling              Property = "is homogeneous: clouds scaled by c cost c^p times as much, with the same directions"
	Rotation             Property = "does not change in distribution when both clouds are rotated"
	BatchIndependent     Property = "a pair's value does not depend on the other pairs of its batch"
)

// Violator is a Loss or an Estimator that violates some Property. It lists those, and the suite
// shows each violation.
type Violator interface{ Violates() []Property }

// Violates lists the properties that a loss declares not to have.
func Violates(l Loss) []Property {
	if k, ok := l.(Violator); ok {
		return k.Violates()
	}
	return nil
}

// Violates adds to those of the estimator:
//
//   - Different clouds can have equal projections on finitely many directions, so ZeroOnlyIfEqual
//     fails with any number of slices.
//   - Fixed directions do not rotate with the clouds.
//   - Directions that depend on the pair measure each side of a triangle differently.
//   - Other costs of a direction than Wasserstein's are squares of distances, so their first power has no
//     triangle inequality, and some do not scale.
//   - An amortizer predicts a location that does not rotate with the clouds. Unless it has these
//     properties, the location also depends on which cloud is first and on the order of the points.
func (s Sliced) Violates() []Property {
	violated := []Property{ZeroOnlyIfEqual}
	if shared, ok := s.Slicer.Distribution.(slicing.Shared); ok && shared.EveryCall() {
		violated = append(violated, Rotation)
	}
	_, dependsOnClouds := s.Slicer.Distribution.(slicing.CloudDependent)
	if dependsOnClouds || s.Slicer.Amortizer != nil {
		violated = append(violated, Triangle)
	}
	own := s.Cost == ot1d.Partial || s.Cost == ot1d.Unbalanced // not all points are matched
	if (own || !s.Cost.Powers()) && !slices.Contains(violated, Triangle) {
		violated = append(violated, Triangle)
	}
	if s.Cost != ot1d.Wasserstein && s.Cost != ot1d.Partial && s.Cost.Degree() == 0 {
		violated = append(violated, Scaling)
	}
	if s.Cost == ot1d.Sphere {
		violated = append(violated, Translation)
	}
	if a := s.Slicer.Amortizer; a != nil {
		violated = append(violated, Rotation)
		if !a.Properties().Symmetric {
			violated = append(violated, Symmetry)
		}
		if !a.Properties().Invariant {
			violated = append(violated, PermutationInvariant)
		}
	}
	if r, ok := s.estimator().(Violator); ok {
		for _, p := range r.Violates() {
			negative := p == NonNegative && s.Root // the root of a negative value is 0
			if !negative && !slices.Contains(violated, p) {
				violated = append(violated, p)
			}
		}
	}
	return violated
}

// Violates: n grows with the size of the clouds and depends on every other pair of the batch.
func (Adaptive) Violates() []Property { return []Property{Triangle, Scaling, BatchIndependent} }

// Violates: weights that grow with the costs favour the largest, and more so for clouds further
// apart. Of x, x+v and x+2v, the outer two are more than twice as far apart as neighbours.
func (Energy) Violates() []Property { return []Property{Triangle, Scaling} }

// Violates: a fit over few slices may extrapolate below 0, and it differs from pair to pair.
func (Control) Violates() []Property { return []Property{NonNegative, Triangle} }

// Violates: nearest neighbours ignore how many points there are, so x may be near y and y near z
// with x far from z. Clouds of the same points cost 0, however often each point occurs.
func (Chamfer) Violates() []Property { return []Property{ZeroOnlyIfEqual, Triangle} }

// Violates: the match goes from x to y, at fixed scales, and is never quite sharp. Points too far
// apart for the largest scale are not matched and cost 0.
func (ApproximateEMD) Violates() []Property {
	return []Property{ZeroOnItself, ZeroOnlyIfEqual, Symmetry, Triangle, Scaling}
}

// Violates: the p-norm depends on the axes.
func (e ExactEMD) Violates() []Property { return aboutAxes(e.Ground, e.Exponent()) }

// aboutAxes is the property that costs of the p-norm do not have.
func aboutAxes(g ot.Ground, p float64) []Property {
	if g == ot.PNorm && p != 2 {
		return []Property{Rotation}
	}
	return nil
}

// Violates: relative to Reg, larger clouds are sharper. The transport part between equal clouds is
// that of a blurred plan. At p = 1, and below 2 for the divergence, a blur counts for more between
// translates further apart: x and x+2v cost more than twice x and x+v.
func (s Sinkhorn) Violates() []Property {
	violated := append(aboutAxes(s.Ground, s.Exponent()), Scaling)
	if !s.Debiased {
		violated = append(violated, ZeroOnItself)
	}
	if p := s.Exponent(); p == 1 || s.Debiased && p < 2 {
		violated = append(violated, Triangle)
	}
	return violated
}
