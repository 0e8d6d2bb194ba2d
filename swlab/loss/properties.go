package loss

// Property is one that losses between clouds have as a rule; the suite of package losstest proves them. What holds "with the same
// directions" is looked at with directions that do not depend on the clouds.
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

// Violator is a Loss, or a Reduction, that does not have every Property. It names those it lacks, and the suite shows that it lacks them.
type Violator interface{ Violates() []Property }

// Violates lists what a loss declares to lack.
func Violates(l Loss) []Property {
	if k, ok := l.(Violator); ok {
		return k.Violates()
	}
	return nil
}

// Violates: an amortizer predicts a location that does not turn with the clouds and, unless it is invariant, one that depends on the order
// of their points; and what the reduction lacks. The location depends on the pair and on where it lies, so that, with the loss's own
// directions, no amortized loss is a metric either.
func (s Sliced) Violates() []Property {
	var lacks []Property
	if a := s.Slicer.Amortizer; a != nil {
		lacks = append(lacks, Rotation)
		if !a.Properties().Invariant {
			lacks = append(lacks, PermutationInvariant)
		}
	}
	if r, ok := s.estimator().(Violator); ok {
		for _, p := range r.Violates() {
			if p != NonNegative || !s.Root { // a root of what is negative is 0
				lacks = append(lacks, p)
			}
		}
	}
	return lacks
}

// Violates: n grows with the size of the clouds and with every other pair of the batch.
func (Adaptive) Violates() []Property { return []Property{Triangle, Scaling, BatchIndependent} }

// Violates: weights that grow with the costs favour the largest, the more so the further the clouds are apart. Of x, x+v and x+2v the
// outer two are more than twice as far apart as the neighbours.
func (Energy) Violates() []Property { return []Property{Triangle, Scaling} }

// Violates: a fit over few slices may extrapolate below 0, and it differs from pair to pair.
func (Control) Violates() []Property { return []Property{NonNegative, Triangle} }

// Violates: nearest neighbours say nothing of how many points there are, so x may be near y and y near z with x far from z.
func (Chamfer) Violates() []Property { return []Property{Triangle} }

// Violates: the match is found from x to y, at fixed scales, and never quite sharp.
func (ApproximateEMD) Violates() []Property {
	return []Property{ZeroOnItself, Symmetry, Triangle, Scaling}
}

// Violates: Reg is a cost of its own, beside which larger clouds are sharper; the transport part of a cloud and itself is that of a blurred plan.
// At p = 1, and of the divergence below 2, a blur counts for more the further translates are apart: x and x+2v cost more than twice x and x+v.
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
