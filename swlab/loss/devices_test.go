package loss_test

import (
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
	"github.com/sliced-wasserstein/lab/swlab/internal/shard"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// trained are the losses that a network can be trained on, with every amortizer.
func trained(t *testing.T, m int) (names []string, all []loss.Graph) {
	t.Helper()
	add := func(name, amortizer string) {
		s := settings(func(s *loss.Config) { s.Slices, s.Maps.Points, s.Amortizer = 6, m, amortizer })
		if l, err := loss.NewGraph(name, s); err == nil {
			names, all = append(names, name+" "+amortizer), append(all, l)
		}
	}
	for _, name := range loss.Names() {
		add(name, "")
	}
	for _, name := range amortizer.Names() {
		add("v-dsw", name)
	}
	if len(all) < 16 {
		t.Fatalf("only %q", names)
	}
	return names, all
}

// TestDevices: every loss and its gradient in the second cloud, and in the amortizer's weights, are on four devices what they are on one, and
// the devices exchange sums over the batch only.
func TestDevices(t *testing.T) {
	const batch, m, factor = 28, 6, 7 // 7 divides no size but the batch
	if !graphtest.InDump() {
		programs, sums := graphtest.Exchanged(t, graphtest.Dump(t, 4), 4, factor)
		if programs != 1 || sums < 1 {
			t.Errorf("%d all-reduces in %d programs for four devices", sums, programs)
		}
		return
	}
	names, all := trained(t, m) // few points: all losses are compiled in one program
	build := func(in []*graph.Node) (out []*graph.Node) {
		rng, x, y, psi := in[0], in[1], in[2], in[3:]
		var whole []*graph.Node
		for _, l := range all {
			n := len(l.Specs())
			c := loss.BuildArgs{Source: slicing.Seeded(rng), Weights: weights.Bind(l.Specs(), psi[:n]), Wrt: ot1d.Y}
			pairs := l.Build(c, x, y).Pairs
			out = append(out, pairs, graph.Gradient(graph.ReduceAllMean(pairs), y)[0])
			if n > 0 {
				c.Wrt = ot1d.Directions
				ascent := graph.ReduceAllMean(l.Build(c, x, y).Pairs)
				whole = append(whole, graph.Gradient(ascent, psi[:n]...)...)
			}
			psi = psi[n:]
		}
		return append(out, whole...)
	}
	layouts := make([]shard.Sharding, 2*len(all))
	for i := range layouts {
		layouts[i] = shard.Sharded
	}
	cloud := func(seed uint64) []float32 {
		out := make([]float32, batch*m*3)
		for i := range out {
			out[i] = float32(graphtest.Hash(seed, 0, uint64(i)) / 2)
		}
		return out
	}
	found := map[int][][]float32{}
	for _, count := range []int{1, 4} {
		d, err := shard.New(graphtest.Engine(t).Backend, count)
		if err != nil {
			t.Fatal(err)
		}
		exec, err := d.Exec(build, []shard.Sharding{shard.Replicated, shard.Sharded, shard.Sharded, shard.Replicated}, append(layouts, shard.Replicated))
		if err != nil {
			t.Fatal(err)
		}
		rng, err := d.Random(3)
		if err != nil {
			t.Fatal(err)
		}
		args := []shard.Value{rng, shard.Parts(d, cloud(1), batch, m, 3), shard.Parts(d, cloud(2), batch, m, 3)}
		for i, l := range all {
			set := weights.Init(l.Specs(), uint64(i))
			for _, sp := range l.Specs() {
				w, _ := set.Get(sp.Name)
				args = append(args, shard.Copies(d, w.Data, sp.Shape...))
			}
		}
		out, err := exec.Call(args...)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range out {
			if i >= len(layouts) {
				v = v[count-1:] // the last device's copy
			}
			var flat []float32
			for _, part := range v {
				flat = append(flat, tensors.MustCopyFlatData[float32](part)...)
			}
			found[count] = append(found[count], flat)
		}
	}
	for i, want := range found[1] {
		name, tolerance := "a gradient in weights", 1e-3 // a sum over the batch that may cancel
		if i < len(layouts) {
			name, tolerance = []string{"value of ", "gradient of "}[i%2]+names[i/2], 2e-5
		}
		off, size := 0.0, 0.0
		for k, v := range found[4][i] {
			off, size = max(off, math.Abs(float64(v-want[k]))), max(size, math.Abs(float64(want[k])))
		}
		if len(found[4][i]) != len(want) || !(off <= tolerance*size) {
			t.Errorf("%s: off by %v where the largest element is %v", name, off, size)
		}
	}
}
