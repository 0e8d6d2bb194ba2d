package loss

import "github.com/sliced-wasserstein/lab/swlab/slicing"

// Property is a property that losses between clouds usually have; the suite of package losstest
// tests them. Those "with the same directions" are tested with directions that do not depend on the
// clouds.
type Property string

const (
	ZeroOnItself         Property = "zero on itself"
	NonNegative          Property = "never negative"
	Symmetry             Property = "symmetry, with the same directions"
	Triangle             Property = "triangle inequality of its root, with the same directions"
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

// Violates adds to those of the estimator: fixed directions do not rotate with the clouds. Nor does
// the location that an amortizer predicts, which, unless the map is invariant, also depends on the
// order of their points. The location
// depends on the pair and on its position, so with the loss's own directions no amortized loss is a
// metric.
func (s Sliced) Violates() []Property {
	var lacks []Property
	if _, fixed := s.Slicer.Distribution.(slicing.Fixed); fixed {
		lacks = append(lacks, Rotation)
	}
	if a := s.Slicer.Amortizer; a != nil {
		lacks = append(lacks, Rotation)
		if !a.Properties().Invariant {
			lacks = append(lacks, PermutationInvariant)
		}
	}
	if r, ok := s.estimator().(Violator); ok {
		for _, p := range r.Violates() {
			if p != NonNegative || !s.Root { // the root of a negative value is 0
				lacks = append(lacks, p)
			}
		}
	}
	return lacks
}

// Violates: n grows with the size of the clouds and depends on every other pair of the batch.
func (Adaptive) Violates() []Property { return []Property{Triangle, Scaling, BatchIndependent} }

// Violates: weights that grow with the costs favour the largest, and more so for clouds further
// apart. Of x, x+v and x+2v, the outer two are more than twice as far apart as neighbours.
func (Energy) Violates() []Property { return []Property{Triangle, Scaling} }

// Violates: a fit over few slices may extrapolate below 0, and it differs from pair to pair.
func (Control) Violates() []Property { return []Property{NonNegative, Triangle} }

// Violates: nearest neighbours ignore how many points there are, so x may be near y and y near z
// with x far from z.
func (Chamfer) Violates() []Property { return []Property{Triangle} }

// Violates: the match goes from x to y, at fixed scales, and is never quite sharp.
func (ApproximateEMD) Violates() []Property {
	return []Property{ZeroOnItself, Symmetry, Triangle, Scaling}
}

// Violates: relative to Reg, larger clouds are sharper. The transport part between equal clouds is
// that of a blurred plan. At p = 1, and below 2 for the divergence, a blur counts for more between
// translates further apart: x and x+2v cost more than twice x and x+v.
func (s Sinkhorn) Violates() []Property {
	lacks := []Property{Scaling}
	if !s.Debiased {
		lacks = append(lacks, ZeroOnItself)
	}
	if p := s.Exponent(); p == 1 || s.Debiased && p < 2 {
		lacks = append(lacks, Triangle)
	}
	return lacks
}
