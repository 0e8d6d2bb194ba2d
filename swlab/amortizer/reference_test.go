package amortizer_test

import (
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// TestReference compares outputs and weight gradients with the project's golden set (the authors'
// modules in float64, m = 256, d_k = 16, k = 32), where it is at hand; its clouds may not be copied
// into the repository. TestByHand is its companion.
func TestReference(t *testing.T) {
	z := graphtest.Golden(t, "amortizers.npz")
	form, attended := []string{"lin_w", "lin_b"}, []string{"q_w", "q_b", "k_w", "k_b", "v_w", "v_b"}
	network := append(form[:2:2], "h1_w", "h1_b", "h2_w", "h2_b")
	for name, c := range map[string]struct {
		keys []string
		tol  float64
	}{
		"l": {form, 5e-6}, "g": {network, 5e-6}, "n": {network, 5e-6}, "a": {attended, 5e-6}, "ea": {attended, 2e-5},
		"la": {append(attended[:6:6], "pk_w", "pk_b", "pv_w", "pv_b"), 5e-5},
	} {
		t.Run(name, func(t *testing.T) {
			a := must.M1(amortizer.New(name, amortizer.Config{Points: 256, DK: 16, K: 32}))
			prefix := strings.ToUpper(name) + "_"
			in := []any{z["x"], z["y"], z["W"]}
			for i, s := range a.Specs() {
				v := tensors.MustCopyFlatData[float32](z[prefix+c.keys[i]])
				in = append(in, tensors.FromFlatDataAndDimensions(v, s.Shape...))
			}
			out := graphtest.Floats(t, func(n []*graph.Node) []*graph.Node {
				d := a.Direction(weights.Bind(a.Specs(), n[3:]), n[0], n[1])
				return append([]*graph.Node{d}, graph.Gradient(graph.ReduceAllSum(graph.Mul(d, n[2])), n[3:]...)...)
			}, in...)
			for i, key := range append([]string{"out"}, c.keys...) {
				if i > 0 {
					key = "d_" + key
				}
				tol := c.tol
				if prefix+key == "N_d_lin_b" {
					tol = 2e-5
				}
				want := tensors.MustCopyFlatData[float64](z[prefix+key])
				if key == "d_k_b" && name != "la" { // zero in exact arithmetic
					for _, v := range out[i] {
						if v > 5e-6 || v < -5e-6 {
							t.Errorf("%s%s: %v", prefix, key, v)
						}
					}
					continue
				}
				graphtest.Close(t, prefix+key, out[i], want, tol)
			}
		})
	}
}
