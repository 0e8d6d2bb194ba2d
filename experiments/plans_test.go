package experiments

import (
	"math"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
)

// TestScorePlans: a line of points and its copy, far apart across it: along the line the plan is the
// optimal one, across it all projections are equal and the coordinates decide.
func TestScorePlans(t *testing.T) {
	const points = 12
	var x, y []float32
	for i := range points {
		x = append(x, float32(i), 0, 0)
		y = append(y, float32(i)*1.5, 3, 0)
	}
	setX, setY := must.M1(datasets.New(append(x, y...), 2, points, 3)), must.M1(datasets.New(append(y, x...), 2, points, 3))
	s := must.M1(ScorePlans(setX, setY, []float32{1, 0, 0, 0.6, 0, 0.8}, PlanOptions{Seed: 1}))
	want := 9 + 0.25*11*23/6.0 // and (i/2)^2
	for name, got := range map[string]Score{"location": s.Location, "best of 10": s.BestOf10, "best": s.BestOfAll} {
		if math.Abs(got.Mean-want) > 1e-9 || got.StdErr > 1e-9 {
			t.Errorf("%s: %v, expected %g", name, got, want)
		}
	}
	if math.Abs(s.Resultant-math.Hypot(0.8, 0.4)) > 1e-6 {
		t.Errorf("resultant %g", s.Resultant)
	}
	if _, err := ScorePlans(setX, setY, []float32{1, 0, 0}, PlanOptions{}); err == nil || !strings.Contains(err.Error(), "a direction for each pair") {
		t.Error(err)
	}
}
