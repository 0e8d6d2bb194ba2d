package amortizer

import (
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
)

// TestSorted: la-sorted sees every cloud in rising order of theta'p, theta_c = cos(c).
func TestSorted(t *testing.T) {
	const batch, points, dim = 2, 9, 3
	p := normal(1, 1, batch, points, dim)
	v := graphtest.Floats(t, func(in []*graph.Node) []*graph.Node { return []*graph.Node{sorted(in[0])} }, p)[0]
	project := func(q []float32) (s float64) {
		for c, x := range q {
			s += math.Cos(float64(c+1)) * float64(x)
		}
		return s
	}
	given := tensors.MustCopyFlatData[float32](p)
	for b := range batch {
		sum, want := 0.0, 0.0
		for i := range points {
			at := (b*points + i) * dim
			sum, want = sum+project(v[at:at+dim])*float64(v[at]), want+project(given[at:at+dim])*float64(given[at])
			if i > 0 && project(v[at:at+dim]) < project(v[at-dim:at])-1e-6 {
				t.Errorf("cloud %d: point %d comes before point %d", b, i, i-1)
			}
		}
		if math.Abs(sum-want) > 1e-4 {
			t.Errorf("cloud %d: other points than were given", b)
		}
	}
}
