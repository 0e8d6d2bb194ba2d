package train

import (
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
)

// bootstrapStatistics draws every second cloud of a set whose points say where they are from, and counts distinct points.
func bootstrapStatistics(t *testing.T, clouds, m int) (distinct, total int) {
	t.Helper()
	data := make([]float32, clouds*m*3)
	for i := range data {
		data[i] = []float32{float32(i / 3 / m), float32(i / 3 % m), 0}[i%3]
	}
	var rows []int32
	for i := 1; i < clouds; i += 2 {
		rows = append(rows, int32(i))
	}
	x, err := graph.NewExec(graphtest.Engine(t).Backend, func(state, data, rows *graph.Node) (*graph.Node, *graph.Node) { return Bootstrap(state, data, rows) })
	if err != nil {
		t.Fatal(err)
	}
	rng, err := graph.RNGStateFromSeed(1)
	if err != nil {
		t.Fatal(err)
	}
	out, err := x.Call(rng, tensors.FromFlatDataAndDimensions(data, clouds, m, 3), rows)
	if err != nil {
		t.Fatal(err)
	}
	got := tensors.MustCopyFlatData[float32](out[1])
	for b, row := range rows {
		seen := map[float32]bool{}
		for i := range m {
			p := got[(b*m+i)*3:]
			if p[0] != float32(row) {
				t.Fatalf("a point of cloud %v in the draw of cloud %d", p[0], row)
			}
			seen[p[1]] = true
		}
		distinct, total = distinct+len(seen), total+m
	}
	return distinct, total
}
