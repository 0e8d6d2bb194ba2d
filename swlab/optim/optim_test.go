package optim

import (
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
)

// TestReference follows five steps of every optimizer of the paper against PyTorch in float64. testdata/optim.npz is
// the project's golden file of that name: w0 [8], grads [5, 8], and the parameters after each step, [5, 8].
func TestReference(t *testing.T) {
	z := graphtest.Reference(t, "testdata/optim.npz")
	e := must.M1(engine.Open(""))
	type rule = func(w, g, m, v, t *graph.Node) (w1, m1, v1 *graph.Node)
	sgd := func(o SGD) rule {
		return func(w, g, m, v, _ *graph.Node) (*graph.Node, *graph.Node, *graph.Node) {
			w, m = o.Step(w, g, m)
			return w, m, v
		}
	}
	for name, step := range map[string]rule{
		"sgd":        sgd(SGD{LearningRate: 1e-3, Momentum: 0.9, WeightDecay: 5e-4}),
		"sgd_clf":    sgd(SGD{LearningRate: 1e-3, Momentum: 0.9, WeightDecay: 5e-3}),
		"sgd_plain":  sgd(SGD{LearningRate: 0.1}),
		"adam_amort": Adam{LearningRate: 1e-3, Beta1: 0, Beta2: 0.9, Eps: 1e-8}.Step,
		"adam_inner": Adam{LearningRate: 1e-4, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8}.Step,
		"adam_gen":   Adam{LearningRate: 1e-4, Beta1: 0, Beta2: 0.9, Eps: 1e-8}.Step,
	} {
		x := must.M1(graph.NewExec(e.Backend, func(in []*graph.Node) []*graph.Node {
			w, m, v := step(in[0], in[1], in[2], in[3], in[4])
			return []*graph.Node{w, m, v}
		}))
		grads := tensors.MustCopyFlatData[float32](z["grads"])
		var got []float32
		w, m, v := z["w0"], tensors.FromValue(make([]float32, 8)), tensors.FromValue(make([]float32, 8))
		for k := range 5 {
			out := must.M1(x.Call(w, grads[8*k:8*k+8], m, v, float64(k+1)))
			w, m, v = out[0], out[1], out[2]
			got = append(got, tensors.MustCopyFlatData[float32](w)...)
		}
		graphtest.Close(t, name, got, graphtest.Values(z[name]), 1e-6) // relative to the largest value, as in the golden set
	}
}

// TestStepNumber: Adam refuses a step number that is no float64 scalar, from which 1 - beta^t would
// be wrong or of another shape.
func TestStepNumber(t *testing.T) {
	e := must.M1(engine.Open(""))
	for says, number := range map[string]any{"": 1.0, "found (Float32)": float32(1),
		"found (Float64)[2]": []float64{1, 2}} {
		x := must.M1(graph.NewExec(e.Backend, func(in []*graph.Node) *graph.Node {
			w, _, _ := Adam{LearningRate: 0.1, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8}.Step(in[0], in[0], in[0], in[0], in[1])
			return w
		}))
		if _, err := x.Call([]float32{1, 2}, number); (err == nil) != (says == "") || err != nil &&
			!strings.Contains(err.Error(), says) {
			t.Errorf("step number %v: error %v, expected %q", number, err, says)
		}
	}
}
