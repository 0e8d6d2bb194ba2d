package exec_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/internal/exec"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// clouds are small whole numbers, so that sums are exact.
func clouds(n, m int) *datasets.Set {
	s := &datasets.Set{Name: "clouds", Clouds: n, Points: m, Dim: 3}
	for range n * m * 3 {
		s.Coords = append(s.Coords, float32(rand.IntN(100)))
	}
	return s
}

// sums is a network whose outputs are (sum of x - sum of y) times each weight.
func sums(t *testing.T, batch int) exec.Network {
	e, err := engine.Open("go")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	w := weights.NewSet()
	w.Put("c", weights.Tensor{Shape: []int{1, 2}, Data: []float32{2, 3}})
	return exec.Network{Engine: e, Config: "sums", Weights: w, Batch: batch, Build: func(w weights.Nodes, in []*graph.Node) []*graph.Node {
		sum := graph.Sub(graph.ReduceSum(in[0], 1, 2), graph.ReduceSum(in[1], 1, 2))
		return []*graph.Node{graph.Mul(graph.InsertAxes(sum, -1), w.Get("c"))}
	}}
}

// TestRows: the batches of a set come out in order, also if the last is not full, with clouds and
// weights in place. One graph serves all batches and other weights.
func TestRows(t *testing.T) {
	x, y := clouds(7, 5), clouds(7, 4)
	for _, batch := range []int{1, 2, 3, 7, 100} {
		n, before := sums(t, batch), exec.Built.Load()
		var told []int
		n.Progress = func(done, total int) { told = append(told, done) }
		for _, scale := range []float32{2, 5} {
			n.Weights.Put("c", weights.Tensor{Shape: []int{1, 2}, Data: []float32{scale, 3}})
			got, err := n.Rows(t.Context(), x, y)
			if err != nil {
				t.Fatal(err)
			}
			var want []float32
			for b := range 7 {
				var sum float32
				for _, v := range x.Cloud(b) {
					sum += v
				}
				for _, v := range y.Cloud(b) {
					sum -= v
				}
				want = append(want, scale*sum, 3*sum)
			}
			if !slices.Equal(got, want) {
				t.Errorf("batch %d: %v, expected %v", batch, got, want)
			}
		}
		if n := exec.Built.Load() - before; n != 1 {
			t.Errorf("batch %d: %d graphs", batch, n)
		}
		if len(told) != 2*((7+batch-1)/batch) || told[len(told)-1] != 7 {
			t.Errorf("batch %d: progress %v", batch, told)
		}
	}
}

// TestRowsFail: a context that ends during a batch ends the work after it. An unreadable cloud and
// a panicking graph are errors.
func TestRowsFail(t *testing.T) {
	x, y := clouds(7, 5), clouds(7, 4)
	n := sums(t, 2)
	ctx, stop := context.WithCancel(t.Context())
	calls := 0
	n.Progress = func(int, int) { calls++; stop() }
	if _, err := n.Rows(ctx, x, y); !errors.Is(err, context.Canceled) || calls != 1 {
		t.Errorf("%d batches, error %v", calls, err)
	}
	n.Progress = nil
	if _, err := n.Rows(t.Context(), x, clouds(6, 4)); err == nil || !strings.Contains(err.Error(), "6") {
		t.Errorf("six clouds beside seven: %v", err)
	}
	n.Config, n.Build = "panics", func(weights.Nodes, []*graph.Node) []*graph.Node { panic("broken") }
	if _, err := n.Rows(t.Context(), x, y); err == nil || !strings.Contains(fmt.Sprint(err), "broken") {
		t.Errorf("a graph that panics: %v", err)
	}
	n.Config, n.Build = "nil", func(weights.Nodes, []*graph.Node) []*graph.Node { return []*graph.Node{nil} }
	if _, err := n.Rows(t.Context(), x, y); err == nil || !strings.Contains(err.Error(), "output 0 of the graph is nil") {
		t.Errorf("a graph without its output: %v", err)
	}
}
