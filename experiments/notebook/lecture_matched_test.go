package notebook

import (
	"math"
	"strings"
	"testing"

	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

// TestMatchedLengths: by hand for two pairs that are crossed in space, and √F of the library for two lectures' clouds.
func TestMatchedLengths(t *testing.T) {
	x, y := []float32{0, 0, 0, 1, 0, 0}, []float32{3, 0, 4, 2, 3, 0} // sorted along the first axis: 0 with 2, 1 with 3
	along, across, err := MatchedLengths(x, y, []float32{1, 0, 0})
	if want := math.Sqrt((9.0 + 16) / 2); err != nil || math.Abs(along-2) > 1e-12 || math.Abs(across-want) > 1e-12 {
		t.Errorf("along %v, across %v, %v; expected 2 and %v", along, across, err, want)
	}
	a, b, err := Pair(64, "chair", "person")
	if err != nil {
		t.Fatal(err)
	}
	theta := []float32{0.48, 0.64, 0.6}
	o := swlab.DistanceOptions{Settings: loss.Defaults(), Directions: &swlab.Directions{Values: theta, Shape: []int{1, 3}}}
	o.PerPoint, o.Root = true, true
	d, err := swlab.Distance("sw", a, b, o)
	if err != nil {
		t.Fatal(err)
	}
	if along, _, err = MatchedLengths(a.Points, b.Points, theta); err != nil || math.Abs(along-d.Value) > 1e-6 {
		t.Errorf("along %v, %v; the library has %v", along, err, d.Value)
	}
	if _, _, err := MatchedLengths(x, y, x[:2]); err == nil || !strings.Contains(err.Error(), "theta: expected 3") {
		t.Errorf("%v", err)
	}
	if _, _, err := MatchedLengths(x, y[:3], x[:3]); err == nil || !strings.Contains(err.Error(), "found 6 and 3 numbers") {
		t.Errorf("%v", err)
	}
}
