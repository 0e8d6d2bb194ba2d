package swlab

import (
	"errors"
	"fmt"
	"math"

	"github.com/sliced-wasserstein/lab/internal/settings"
	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/sphere"
)

// certified returns the loss of a call; with Certify without its ascent, whose location the certified
// maximum replaces. The error is that of a call that has no such maximum.
func (o DistanceConfig) certified(name string, l loss.Loss, dim int) (loss.Loss, error) {
	s, _ := l.(loss.Sliced)
	_, single := s.Slicer.Distribution.(slicing.Single)
	switch {
	case !o.Certify && o.Search != sphere.Search{}:
		return nil, errors.New("search: expected the zero value without Certify, which alone reads it")
	case !o.Certify:
		return l, nil
	case !single || s.Cost != ot1d.Wasserstein:
		return nil, fmt.Errorf("certify: loss %q is no maximum of Wasserstein's cost over directions, expected max-sw", name)
	case dim != 2 && dim != 3:
		return nil, fmt.Errorf("certify: expected clouds of dimension 2 or 3, found %d: several starts of the ascent "+
			"(--ascent-starts, in Go AscentStarts) look for the maximum in other dimensions", dim)
	case s.Slicer.Amortizer != nil:
		return nil, errors.New("certify: the amortizer predicts the location, which the certified maximum replaces: " +
			"expected none")
	case o.Directions != nil:
		return nil, errors.New("certify: the directions are given, which the certified maximum replaces: expected none")
	case o.Path == GraphPath:
		return nil, errors.New("certify: a graph rounds costs to float32, expected the host's path")
	}
	s.Slicer.Ascent = nil
	return s, settings.Of(&o.Search).Check()
}

// maximize returns the certified maxima of the pairs, and their directions [B, d].
func (p problem) maximize(l loss.Sliced) (found []sphere.Maximum, location []float32, err error) {
	s := p.Search
	if !l.Root { // the gap is relative to the value, which is the power
		s.Gap = math.Expm1(math.Log1p(s.Gap) / l.Exponent())
	}
	found, err = sphere.MaxSliced(clouds(p.x, p.MassX), clouds(p.y, p.MassY), l.Exponent(), s)
	for _, m := range found {
		location = append(location, vec.To[float32](m.At)...)
	}
	return found, location, err
}

// certify adds to the result how far each value can be from the maximum over all directions.
func (p problem) certify(l loss.Sliced, found []sphere.Maximum, d *Result) {
	worst, largest := 0, 0.0
	for b, m := range found {
		upper, value := m.Upper, d.PerPair[b]
		if l.Reduce != loss.Mean {
			upper *= math.Pow(float64(p.x.Points), 1/l.Exponent())
		}
		if !l.Root {
			upper = math.Pow(upper, l.Exponent())
		}
		// A direction of float32 is no unit vector: what its length adds to the value.
		beyond := value * math.Abs(math.Pow(vec.Norm(d.Location[b*p.x.Dim:(b+1)*p.x.Dim]), l.Exponent())-1)
		gap := max(upper-value, 0) + beyond
		d.DualityGap = append(d.DualityGap, gap)
		d.Work.Slices += m.Evaluations
		d.Work.Sorts += 2 * m.Evaluations
		if m.Evaluations >= p.Search.Budget && gap/value > largest {
			worst, largest = b, gap/value
		}
	}
	if largest > 1.01*p.Search.Gap {
		d.Warnings = append(d.Warnings, fmt.Sprintf("pair %d: the gap to the maximum over all directions is %.2g of the "+
			"value after %d directions, not %g: raise the budget (--budget, in Go Search.Budget)",
			worst, largest, found[worst].Evaluations, p.Search.Gap))
	}
	d.PairErrs, d.StdErr, d.Low, d.High = make([]float64, len(found)), 0, d.Value, d.Value
}
