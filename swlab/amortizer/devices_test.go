package amortizer

import (
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
	"github.com/sliced-wasserstein/lab/swlab/internal/shard"
)

// TestAttendOnDevices: the loops over the points divide a batch: values and gradients are those of one device, and nothing is exchanged
// but the shared factor's gradient.
func TestAttendOnDevices(t *testing.T) {
	const batch, m, dim, factor = 20, 13, 3, 5
	if !graphtest.InDump() {
		if programs, sums := graphtest.Exchanged(t, graphtest.Dump(t, 4), 4, factor); programs != 1 || sums != 1 {
			t.Errorf("%d all-reduces in %d programs for four devices, want 1 in 1", sums, programs)
		}
		return
	}
	points := make([]float32, batch*m*dim)
	for i := range points {
		points[i] = float32(graphtest.Hash(1, 0, uint64(i)))
	}
	var found [2][]float32
	for i, count := range []int{1, 4} {
		d, err := shard.New(graphtest.Engine(t).Backend, count)
		if err != nil {
			t.Fatal(err)
		}
		x, err := d.Exec(func(in []*graph.Node) []*graph.Node {
			q := graph.Einsum("bmc,ce->bme", in[1], in[0])
			f := graph.ReduceMean(attend(q, in[1], batch*m*4), 1) // four rows at a time
			all := graph.ReduceAllSum(graph.Mul(f, f))
			g := graph.Gradient(all, in[1], in[0])
			return []*graph.Node{f, g[0], g[1]}
		}, []shard.Sharding{shard.Replicated, shard.Sharded}, []shard.Sharding{shard.Sharded, shard.Sharded, shard.Replicated})
		if err != nil {
			t.Fatal(err)
		}
		out, err := x.Call(shard.Copies(d, points[:dim*dim], dim, dim), shard.Parts(d, points, batch, m, dim))
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range append(out[:2:2], out[2][:1]) {
			for _, part := range v {
				found[i] = append(found[i], tensors.MustCopyFlatData[float32](part)...)
			}
		}
	}
	if len(found[0]) != batch*(dim+m*dim)+dim*dim || len(found[1]) != len(found[0]) {
		t.Fatalf("%d and %d numbers", len(found[0]), len(found[1]))
	}
	for i, want := range found[0] {
		if got := found[1][i]; !(math.Abs(float64(got-want)) < 1e-5*(1+math.Abs(float64(want)))) {
			t.Errorf("number %d: %v, on one device %v", i, got, want)
		}
	}
}
