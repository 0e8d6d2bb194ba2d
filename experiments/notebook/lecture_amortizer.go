package notebook

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/optim"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// AmortizerPath trains the map of that name on one pair, x and y of one cloud each, and returns the direction that it predicts before the
// first step and after every step, [1 + steps, dim]. A step is the one that training takes: Adam with beta = (0, 0.9) and the given rate
// on the map's weights, uphill on F of the predicted direction (Max-SW). The weights start from their initial laws, drawn with seed.
func AmortizerPath(e *engine.Engine, name string, x, y *datasets.Set, rate float64, steps int, seed uint64) ([]float32, error) {
	if err := engine.Ready(e); err != nil {
		return nil, err
	}
	if err := onePair("amortizer path", x, y); err != nil {
		return nil, err
	}
	if !(rate > 0) || steps < 0 {
		return nil, fmt.Errorf("amortizer path: expected a positive rate and steps >= 0, found %v and %d", rate, steps)
	}
	a, err := amortizer.New(name, amortizer.Config{Points: x.M, Dim: x.D})
	if err != nil {
		return nil, err
	}
	rule := slicing.Rule{Law: slicing.Point{}, Slices: 1, Amortizer: a}
	if err := rule.Fits(x.M, y.M, x.D); err != nil {
		return nil, err
	}
	specs := a.Specs()
	n := len(specs)
	adam := optim.Adam{Rate: rate, Beta2: 0.9, Eps: 1e-8}
	step, err := graph.NewExec(e.Backend, func(in []*graph.Node) []*graph.Node {
		x, y, t, w, second := in[0], in[1], in[2], in[3:3+n], in[3+n:]
		r := loss.Sliced{Rule: rule}.Build(loss.Call{Weights: weights.Bind(specs, w), Wrt: ot1d.Directions}, x, y)
		out := []*graph.Node{r.Location}
		grads := graph.Gradient(graph.Neg(graph.ReduceAllMean(r.Pairs)), w...)
		moved := make([]*graph.Node, 2*n)
		for i := range specs {
			moved[i], _, moved[n+i] = adam.Step(w[i], grads[i], nil, second[i], t)
		}
		return append(out, moved...)
	})
	if err != nil {
		return nil, err
	}
	defer step.Finalize()
	state := make([]*tensors.Tensor, 2*n)
	initial := weights.Init(specs, seed)
	for i, s := range specs {
		w, _ := initial.Get(s.Name)
		state[i] = tensors.FromFlatDataAndDimensions(w.Data, w.Shape...)
		state[n+i] = tensors.FromFlatDataAndDimensions(make([]float32, s.Size()), s.Shape...)
	}
	clouds := []*tensors.Tensor{tensors.FromFlatDataAndDimensions(x.Points, 1, x.M, x.D), tensors.FromFlatDataAndDimensions(y.Points, 1, y.M, y.D)}
	defer func() { free(append(state, clouds...)) }()
	var path []float32
	for t := range steps + 1 { // the direction comes before the step, so the last step only tells it
		in := []any{clouds[0], clouds[1], float64(t + 1)}
		for _, s := range state {
			in = append(in, s)
		}
		out, err := step.Call(in...)
		if err != nil {
			return nil, err
		}
		at, err := tensors.CopyFlatData[float32](out[0])
		if err != nil {
			return nil, err
		}
		path = append(path, at...)
		out[0].FinalizeAll()
		free(state)
		state = out[1:]
	}
	return path, nil
}
