package loss

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/sliced-wasserstein/lab/internal/suggest"
	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
)

// sliced makes the loss of these parts.
func (s Config) sliced(label string, slicer slicing.Slicer, reduce Estimator) Loss {
	if s.Cost != ot1d.Wasserstein {
		label += fmt.Sprintf(" (%s)", s.Cost)
	}
	return Sliced{Label: label, Slicer: slicer, P: s.P, Reduce: s.Reduce, Cost: s.Cost, Estimator: reduce,
		Root: s.Root}
}

// common are the settings of every sliced loss.
var common = []string{"p", "reduce", "root", "cost"}

// newSW is the loss of a slicing distribution without a location, where the settings name no other.
// reduce makes the estimator and reads the other settings; nil: the mean over slices.
func newSW(label, dist string, reduce func(Config) (Estimator, error), reads ...string) Entry {
	return Entry{Reads: slices.Concat(common, reads), Slicing: dist, New: func(s Config) (Loss, error) {
		slicer, err := s.withoutLocation(dist, PaperSlices)
		if err != nil || reduce == nil {
			return s.sliced(label, slicer, nil), err
		}
		r, err := reduce(s)
		return s.sliced(label, slicer, r), err
	}}
}

func newASW(s Config) (Loss, error) {
	slicer, err := s.withoutLocation("uniform", 500)
	adaptive := PaperAdaptive()
	adaptive.Epsilon = s.Epsilon
	return s.sliced("ASW", slicer, adaptive), cmp.Or(err, adaptive.Check(adaptive.Start, 0))
}

// newControl returns the named control variate, which needs uniform directions.
func newControl(s Config) (Estimator, error) {
	k, ok := Controls[s.Control]
	if !ok {
		return nil, suggest.Unknown("control variate", s.Control, ControlNames())
	}
	switch s.Slicing {
	case "", "uniform", "auto", "orthogonal", "qmc", "markov":
		return k, nil
	}
	return nil, fmt.Errorf("a control variate needs directions that are uniform one by one, which those of %q are not",
		s.Slicing)
}

// withoutLocation is a slicer without a location.
func (s Config) withoutLocation(dist string, slices int) (slicing.Slicer, error) {
	l, err := s.distribution(dist)
	if err != nil {
		return slicing.Slicer{}, err
	}
	if l.HasLocation() {
		return slicing.Slicer{}, fmt.Errorf("it has no location, which the slicing distribution %q needs: v-dsw has one",
			s.Slicing)
	}
	return slicing.Slicer{Distribution: l, Slices: s.slices(slices)}, nil
}

func newVDSW(s Config) (Loss, error) { return s.withLocation("v-DSW", "vmf", s.slices(PaperSlices)) }

func newMaxSW(s Config) (Loss, error) { return s.withLocation("Max-SW", "point", 1) }

// withLocation makes a loss whose distribution has a location.
func (s Config) withLocation(label, dist string, n int) (Loss, error) {
	l, err := s.distribution(dist)
	if err != nil {
		return nil, err
	}
	if !l.HasLocation() {
		return nil, fmt.Errorf("its slicing distribution needs a location, which %q lacks: use sw", s.Slicing)
	}
	slicer := slicing.Slicer{Distribution: l, Slices: n}
	if s.Amortizer != "" {
		a, err := amortizer.New(s.Amortizer, s.Maps)
		if err != nil {
			return nil, err
		}
		slicer.Amortizer = a
		label = strings.ToUpper(s.Amortizer) + " " + label
	}
	ascent := slicing.Ascent{Steps: s.AscentSteps, LearningRate: s.AscentLearningRate,
		Tangent: s.AscentTangent, SGD: s.AscentSGD, Starts: s.AscentStarts}
	if err := ascent.Check(); err != nil {
		return nil, err
	}
	if ascent.Steps > 0 && (s.Amortizer == "" || s.FineTune) {
		slicer.Ascent = &ascent
	}
	return s.sliced(label, slicer, nil), nil
}

// newOnLine is the loss of a cost of package solve, with that reduction by default.
func newOnLine(label string, cost ot1d.LineCost, reduce Reduction, reads ...string) Entry {
	e := newSW(label, "uniform", nil)
	e.Reads = append([]string{"p", "reduce", "root"}, reads...)
	e.New = func(s Config) (Loss, error) {
		slicer, err := s.withoutLocation("uniform", PaperSlices)
		if err != nil {
			return nil, err
		}
		if _, depends := slicer.Distribution.(slicing.CloudDependent); depends && cost == ot1d.Sphere {
			return nil, fmt.Errorf("its planes do not depend on the clouds, as the directions of %q do", s.Slicing)
		}
		return Sliced{Label: label, Slicer: slicer, P: s.P, Reduce: cmp.Or(s.Reduce, reduce), Cost: cost, Root: s.Root,
			Pairs: s.Mass, KL: cmp.Or(s.KL, 1), Uniform: s.Uniform}, nil
	}
	if cost == ot1d.Circle {
		e.Slicing = ""
	}
	return e
}

func newChamfer(s Config) (Loss, error) { return Chamfer{P: s.P, Reduce: s.Reduce}, nil }

func newApproximateEMD(s Config) (Loss, error) {
	if s.P != 0 && s.P != 1 {
		return nil, fmt.Errorf("its distances are unsquared by definition: expected p = 1, found %v", s.P)
	}
	return ApproximateEMD{Reduce: s.Reduce}, nil
}

func newExactEMD(s Config) (Loss, error) {
	return ExactEMD{P: s.P, Ground: s.Ground, Reduce: s.Reduce}, nil
}

// newSinkhorn is the transport part or the divergence.
func newSinkhorn(debiased bool) Entry {
	return Entry{Reads: []string{"p", "reg", "ground", "reduce"}, New: func(s Config) (Loss, error) {
		if s.Reduce == Sum {
			return nil, fmt.Errorf("its plan is between masses of 1: a mean over points, no sum")
		}
		if s.Reg == 0 {
			return nil, fmt.Errorf("reg: expected a number > 0, found 0")
		}
		return Sinkhorn{Reg: s.Reg, P: s.P, Ground: s.Ground, Debiased: debiased}, nil
	}}
}
