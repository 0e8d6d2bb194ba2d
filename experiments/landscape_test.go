package experiments

import (
	"math/rand/v2"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

// TestSliceCosts: the costs are those of swlab.Distance, to the bit.
func TestSliceCosts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	draw := func(n int) (out []float32) {
		for range n {
			out = append(out, float32(r.NormFloat64()))
		}
		return out
	}
	x, y := must.M1(datasets.New(draw(150), 1, 50, 3)), must.M1(datasets.New(draw(150), 1, 50, 3))
	directions := swlab.Directions{Values: []float32{1, 0, 0, 0.6, 0, 0.8}, Shape: []int{2, 3}}
	o := swlab.DistanceConfig{Config: loss.Defaults(), Directions: &directions}
	o.Reduce = loss.Mean
	d := must.M1(swlab.Distance("sw", x, y, o))
	for l, c := range must.M1(SliceCosts(x, y, directions.Values)) {
		if c != float64(d.Costs[l]) {
			t.Errorf("direction %d: expected %v, found %v", l, d.Costs[l], c)
		}
	}
	if _, err := SliceCosts(x, y, directions.Values[:5]); err == nil {
		t.Error("5 numbers for directions in space: expected an error")
	}
}
