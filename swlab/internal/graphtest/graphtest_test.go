package graphtest

import (
	"testing"

	"github.com/gomlx/gomlx/core/graph"
)

// TestHash: the check values that come with the reference sets.
func TestHash(t *testing.T) {
	for i, want := range []float64{0.6856722521927257, -0.28574638555307685, -0.07584919671067669, 0.045620761471706794} {
		if got := Hash(7, 0, uint64(i)); got != want {
			t.Errorf("Hash(7, 0, %d) = %v, want %v", i, got, want)
		}
	}
	if got := Hash(7, 40, 5); got != -0.9843368746450243 {
		t.Errorf("Hash(7, 40, 5) = %v", got)
	}
}

// recorder counts failures.
type recorder struct {
	testing.TB
	failed int
}

func (r *recorder) Helper()               {}
func (r *recorder) Errorf(string, ...any) { r.failed++ }

func TestClose(t *testing.T) {
	r := &recorder{}
	Close(r, "x", []float32{1, 2.001}, []float64{1, 2}, 1e-3)
	if r.failed != 0 {
		t.Error("refused an error within the tolerance of the largest value")
	}
	Close(r, "x", []float32{1, 2.01}, []float64{1, 2}, 1e-3)
	if r.failed != 1 {
		t.Error("took an error beyond it")
	}
	if got := Floats(t, func(n []*graph.Node) []*graph.Node { return []*graph.Node{graph.Add(n[0], n[0])} }, []float32{1, 2}); got[0][1] != 4 {
		t.Errorf("%v", got)
	}
}
