package notebook

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
)

// AscentPaths follows the rule's ascent on the location, step by step: of x and y, one cloud each, it returns one path
// [1 + rule.Ascent.Steps, dim] for every start, unit vectors [starts, dim]. What is raised is the training loss of that rule, F of one
// direction (slicing.Point: Max-SW) or its mean over rule.Slices directions around the location (slicing.VMF: v-DSW), whose noise seed
// steers.
func AscentPaths(e *engine.Engine, x, y *datasets.Set, rule slicing.Rule, starts []float32, seed uint64) ([][]float32, error) {
	if err := engine.Ready(e); err != nil {
		return nil, err
	}
	if err := onePair("ascent paths", x, y); err != nil {
		return nil, err
	}
	if len(starts) == 0 || len(starts)%x.D != 0 {
		return nil, fmt.Errorf("ascent paths: expected starts of %d coordinates each, found %d numbers", x.D, len(starts))
	}
	if rule.Ascent == nil || rule.Law == nil || !rule.Law.Located() {
		return nil, fmt.Errorf("ascent paths: expected a rule with a location and an ascent, found %s", rule.Name())
	}
	if err := rule.Ascent.Check(); err != nil {
		return nil, err
	}
	objective := loss.Sliced{Rule: rule}.Objective("")
	step, err := graph.NewExec(e.Backend, func(in []*graph.Node) []*graph.Node {
		src := slicing.Seeded(in[0])
		at, m, v := rule.Ascent.Step(in[1], in[2], in[3], in[4], func(at *graph.Node) *graph.Node { return objective(src, at, in[5], in[6]) })
		return []*graph.Node{at, m, v}
	})
	if err != nil {
		return nil, err
	}
	defer step.Finalize()
	n := len(starts) / x.D
	matrix := func(v []float32) *tensors.Tensor { return tensors.FromFlatDataAndDimensions(v, n, x.D) }
	many := func(s *datasets.Set) *tensors.Tensor {
		return tensors.FromFlatDataAndDimensions(s.Select(make([]int, n)).Points, n, s.M, s.D)
	}
	clouds := []*tensors.Tensor{many(x), many(y)}
	state := []*tensors.Tensor{matrix(starts), matrix(make([]float32, len(starts))), matrix(make([]float32, len(starts)))}
	defer func() { free(append(state, clouds...)) }()
	paths := make([][]float32, n)
	record := func(at []float32) {
		for i := range paths {
			paths[i] = append(paths[i], at[i*x.D:(i+1)*x.D]...)
		}
	}
	record(starts)
	for t := range rule.Ascent.Steps {
		noise, err := graph.RNGStateFromSeed(int64(seed) + int64(t))
		if err != nil {
			return nil, err
		}
		next, err := step.Call(noise, state[0], state[1], state[2], float64(t+1), clouds[0], clouds[1])
		noise.FinalizeAll()
		if err != nil {
			return nil, err
		}
		free(state)
		state = next
		at, err := tensors.CopyFlatData[float32](state[0])
		if err != nil {
			return nil, err
		}
		record(at)
	}
	return paths, nil
}

func free(some []*tensors.Tensor) {
	for _, t := range some {
		t.FinalizeAll()
	}
}
