package experiments

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

// AscentPaths follows the slicer's ascent on the location, step by step. x and y hold one cloud
// each. It returns one path [1 + slicer.Ascent.Steps, dim] for every start; starts are unit vectors
// [starts, dim]. The objective is the training loss of that slicer: F of one direction
// (slicing.Point: Max-SW), or its mean over slicer.Slices directions around the location
// (slicing.VMF: v-DSW), drawn with seed.
func AscentPaths(e *engine.Engine, x, y *datasets.Set, slicer slicing.Slicer, starts []float32, seed uint64) ([][]float32, error) {
	if x.Clouds != 1 || y.Clouds != 1 || len(starts)%x.Dim != 0 {
		return nil, fmt.Errorf("ascent paths: expected one cloud in x and one in y, and starts of %d coordinates, found %d and %d, and %d numbers",
			x.Dim, x.Clouds, y.Clouds, len(starts))
	}
	maximizer, err := loss.Sliced{Slicer: slicer}.Maximizer(e, nil)
	if err != nil {
		return nil, err
	}
	n := len(starts) / x.Dim
	from := tensors.FromFlatDataAndDimensions(starts, n, x.Dim)
	defer from.FinalizeAll()
	var clouds [2]*tensors.Tensor // one pair for every start
	for i, set := range []*datasets.Set{x, y} {
		many := set.Select(make([]int, n))
		clouds[i] = tensors.FromFlatDataAndDimensions(many.Coords, n, set.Points, set.Dim)
		defer clouds[i].FinalizeAll()
	}
	steps, err := maximizer.Path(int64(seed), from, clouds[0], clouds[1])
	paths := make([][]float32, n)
	for _, at := range steps {
		for i := range paths {
			paths[i] = append(paths[i], at[i*x.Dim:(i+1)*x.Dim]...)
		}
	}
	return paths, err
}

// AmortizerPath trains the named amortizer on one pair, x and y of one cloud each. It returns the
// direction predicted before the first step and after every step, [1 + steps, dim]. A step is the
// same as in training: Adam with beta = (0, 0.9) and learning rate rate on the weights, ascending F
// of the predicted direction (Max-SW). The initial weights are drawn with seed.
func AmortizerPath(e *engine.Engine, name string, x, y *datasets.Set, rate float64, steps int, seed uint64) ([]float32, error) {
	a, err := amortizer.New(name, amortizer.Config{Points: x.Points, Dim: x.Dim})
	if err != nil {
		return nil, err
	}
	slicer := slicing.Slicer{Distribution: slicing.Point{}, Slices: 1, Amortizer: a}
	if err := slicer.Check(x.Points, y.Points, x.Dim); err != nil {
		return nil, err
	}
	specs := a.Specs()
	n := len(specs)
	state := make([]*tensors.Tensor, 2*n) // weights, then second moments
	initial := weights.Init(specs, seed)
	for i, s := range specs {
		w, _ := initial.Get(s.Name)
		state[i] = tensors.FromFlatDataAndDimensions(w.Data, w.Shape...)
		state[n+i] = tensors.FromFlatDataAndDimensions(make([]float32, s.Size()), s.Shape...)
	}
	adam := optim.Adam{LearningRate: rate, Beta2: 0.9, Eps: 1e-8}
	directions, err := iterate(e, x, y, state, steps, func(in pathState[*graph.Node]) (at *graph.Node, next []*graph.Node) {
		w, second, next := in.State[:n], in.State[n:], make([]*graph.Node, 2*n)
		r := loss.Sliced{Slicer: slicer}.Build(loss.BuildArgs{Weights: weights.Bind(specs, w), Wrt: ot1d.Directions}, in.X, in.Y)
		for i, g := range graph.Gradient(graph.Neg(graph.ReduceAllMean(r.Pairs)), w...) {
			next[i], _, next[n+i] = adam.Step(w[i], g, nil, second[i], in.T)
		}
		return r.Location, next
	})
	var path []float32
	for _, at := range directions {
		path = append(path, at...)
	}
	return path, err
}

// pathState is a step of a path: its number t, from 1, the clouds, and what the step changes.
type pathState[T any] struct {
	T, X, Y T
	State   []T
}

// iterate takes the state, which it frees, through a number of steps. It returns the output `at` of
// step before every step and after the last.
func iterate(e *engine.Engine, x, y *datasets.Set, state []*tensors.Tensor, steps int,
	step func(in pathState[*graph.Node]) (at *graph.Node, next []*graph.Node)) (shown [][]float32, err error) {
	program := engine.NewProgram[pathState[*tensors.Tensor], pathState[*tensors.Tensor]](e, nil, func(in pathState[*graph.Node]) pathState[*graph.Node] {
		at, next := step(in)
		return pathState[*graph.Node]{X: at, State: next}
	})
	in := pathState[*tensors.Tensor]{State: state}
	in.X = tensors.FromFlatDataAndDimensions(x.Coords, x.Clouds, x.Points, x.Dim)
	in.Y = tensors.FromFlatDataAndDimensions(y.Coords, y.Clouds, y.Points, y.Dim)
	defer func() { engine.Free(in) }()
	for t := range steps + 1 { // at is computed before the step, so the last step only reports it
		in.T = tensors.FromScalar(float64(t + 1))
		out, err := program.Call(in)
		engine.Free(in.T)
		in.T = nil
		if err != nil {
			return nil, err
		}
		engine.Free(in.State)
		in.State = out.State
		at, err := tensors.CopyFlatData[float32](out.X)
		out.X.FinalizeAll()
		if err != nil {
			return nil, err
		}
		shown = append(shown, at)
	}
	return shown, nil
}
