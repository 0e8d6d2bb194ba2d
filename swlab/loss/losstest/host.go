package losstest

import (
	"fmt"

	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
)

// compare calls a Host.
func (s *Subject) compare(pairs []pair, gradient bool) (loss.Comparison, error) {
	x, y := clouds(pairs, false), clouds(pairs, true)
	out, err := s.loss.(loss.Host).Compare(x, y, gradient)
	switch {
	case err != nil:
		return out, err
	case len(out.Pairs) != len(pairs):
		return out, fmt.Errorf("expected %d values, found %d", len(pairs), len(out.Pairs))
	case gradient && (len(out.GradientX) != len(x.Coords) || len(out.GradientY) != len(y.Coords)):
		return out, fmt.Errorf("expected gradients of %d and %d numbers in x and y, found %d and %d", len(x.Coords), len(y.Coords), len(out.GradientX), len(out.GradientY))
	case out.DualityGap != nil && len(out.DualityGap) != len(pairs):
		return out, fmt.Errorf("expected %d gaps, found %d", len(pairs), len(out.DualityGap))
	}
	for i, gap := range out.DualityGap {
		if !(gap >= 0 && gap <= 1e-3*out.Pairs[i]+1e-9) {
			return out, fmt.Errorf("pair %d: a gap of %.3g for a value of %.6g", i, gap, out.Pairs[i])
		}
	}
	return out, nil
}

// clouds are the first or the second clouds of the pairs.
func clouds(pairs []pair, second bool) ot1d.Clouds {
	var c cloud
	out := ot1d.Clouds{Batch: len(pairs)}
	for _, p := range pairs {
		if c = p.x; second {
			c = p.y
		}
		out.Coords = append(out.Coords, narrow(c.v)...)
	}
	out.Points, out.Dim = c.points(), c.dim
	return out
}
