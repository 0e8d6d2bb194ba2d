package train

import (
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
	"github.com/sliced-wasserstein/lab/swlab/internal/loop"
	"github.com/sliced-wasserstein/lab/swlab/plain"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
)

// TestPlain takes one step with every fast path and with it switched off by name: loss, gradient of every parameter, and the amortizer
// after its ascent agree. Batch and points are large enough that no path is passed over as too small.
func TestPlain(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles several programs")
	}
	const batch, points = 4, 300
	set, err := datasets.Load("builtin", datasets.Options{Points: points})
	if err != nil {
		t.Fatal(err)
	}
	clouds := tensors.FromFlatDataAndDimensions(set.Coords[:batch*points*3], batch, points, 3)
	onCPU := loop.CPU(graphtest.Engine(t).Backend)
	for _, c := range []struct {
		loss, amortizer string
		plain           plain.Set
		value, gradient float64 // tolerances, relative to the largest number
	}{
		{"sw", "", plain.Sort, 1e-6, 1e-3}, // points closer than a key's step may be matched otherwise
	} {
		t.Run(c.loss+" "+c.amortizer+" "+string(c.plain), func(t *testing.T) {
			step := func(off plain.Set) (names []string, values [][]float32, nodes int) {
				config := DefaultConfig()
				config.Loss, config.Amortizer, config.Points, config.Plain = c.loss, c.amortizer, points, off
				m, err := config.Model()
				if err != nil {
					t.Fatal(err)
				}
				in := append([]any{clouds, tensors.FromFlatDataAndDimensions([]uint64{1, 2, 3}, 3)}, startOf(m, 1)...)
				names = []string{"loss"}
				for _, s := range m.trained() {
					names = append(names, s.Name)
				}
				for _, s := range m.Loss.Specs() {
					names = append(names, s.Name)
				}
				values = graphtest.Floats(t, func(n []*graph.Node) []*graph.Node {
					src := slicing.Seeded(n[1])
					o := m.Step(m.bind(n[2:]), n[0], nil, Noise{src, src})
					out := append([]*graph.Node{o.Loss}, o.NetGrad...)
					for _, s := range m.Loss.Specs() {
						out = append(out, o.State.Psi.Get(s.Name))
					}
					nodes = len(n[0].Graph().Nodes())
					return out
				}, in...)
				return names, values, nodes
			}
			// On CUDA there is one way to sort, and one to find nearest points.
			switches := onCPU || c.plain != plain.Sort && c.loss != "chamfer"
			names, fast, nodes := step("")
			_, plain, others := step(c.plain)
			if (nodes != others) != switches {
				t.Errorf("the graphs have %d and %d nodes, want them to differ: %t", nodes, others, switches)
			}
			top := 0.0
			for _, v := range plain[1:] {
				for _, x := range v {
					top = max(top, float64(x), float64(-x))
				}
			}
			for i := range plain {
				tol, scale := c.gradient, top
				if i == 0 {
					tol, scale = c.value, float64(plain[0][0])
				} else if !onCPU {
					tol *= 2 // sums in another order: 3.3e-4 were found for the encoder
				}
				for j := range plain[i] {
					if d := float64(fast[i][j]) - float64(plain[i][j]); d > tol*scale || d < -tol*scale {
						t.Errorf("%s[%d]: %v, plain %v; the largest is %v", names[i], j, fast[i][j], plain[i][j], scale)
						break
					}
				}
			}
		})
	}
}
