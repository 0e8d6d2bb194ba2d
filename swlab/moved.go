package swlab

import (
	"fmt"
	"math"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
)

// stays is the mean angle in degrees up to which an ascent has not moved.
const stays = 1

// unmoved returns a warning if a single ascent with that seed has left the locations [B, d] near where
// it began, at the predicted ones or at random: the value is then no maximum over locations, and can lie
// below the mean over all directions.
func (p problem) unmoved(l loss.Sliced, m *slicing.Maximizer, seed int64, predicted, reached []float32) (string, error) {
	a := l.Slicer.Ascent
	if a.Steps == 0 || a.Starts > 1 || p.x.Dim < 2 {
		return "", nil
	}
	began, from := predicted, "predicted"
	if began == nil {
		x := tensor(p.x)
		defer engine.Free(x)
		start, err := m.Start(seed, x)
		if err != nil {
			return "", err
		}
		defer engine.Free(start)
		if began, err = tensors.CopyFlatData[float32](start); err != nil {
			return "", err
		}
		from = "random"
	}
	turned := 0.0
	for b := range p.x.Clouds {
		chord := 0.0
		for i := b * p.x.Dim; i < (b+1)*p.x.Dim; i++ {
			chord += math.Pow(float64(reached[i])-float64(began[i]), 2)
		}
		turned += 2 * math.Asin(min(1, math.Sqrt(chord)/2)) * 180 / math.Pi / float64(p.x.Clouds)
	}
	if turned > stays {
		return "", nil
	}
	return fmt.Sprintf("the ascent turned the location by %.1g degrees in %d steps: "+
		"it is near the %s one where it began, and the value is no maximum; "+
		"a larger ascent rate, best with the radial part of the gradient removed, moves it", turned, a.Steps, from), nil
}
