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
	if err := slicer.Ascent.Check(); err != nil {
		return nil, err
	}
	l := loss.Sliced{Slicer: slicer}
	objective := l.Objective()
	n := len(starts) / x.Dim
	var state []*tensors.Tensor // location and both moments
	for _, v := range [][]float32{starts, make([]float32, len(starts)), make([]float32, len(starts))} {
		state = append(state, tensors.FromFlatDataAndDimensions(v, n, x.Dim))
	}
	draw := func(in pathState[*graph.Node]) *graph.Node {
		return slicer.Draw(slicing.Seeded(in.Noise), in.State[0], in.X, in.Y)
	}
	var costs func(in pathState[*tensors.Tensor]) (costs, slopes *tensors.Tensor, err error)
	if !e.IsCUDA() { // plain Go sorts, as in a training
		program := engine.NewProgram[pathState[*tensors.Tensor], *tensors.Tensor](e, nil, draw)
		var pairs *loss.HostPairs
		costs = func(in pathState[*tensors.Tensor]) (costs, slopes *tensors.Tensor, err error) {
			if pairs == nil {
				if pairs, err = l.HostPairs(in.X, in.Y); err != nil {
					return nil, nil, err
				}
			}
			directions, err := program.Call(in)
			if err != nil {
				return nil, nil, err
			}
			defer engine.Free(directions)
			return pairs.Slopes(directions)
		}
	}
	all := make([]int, n)
	locations, err := iterate(e, x.Select(all), y.Select(all), state, slicer.Ascent.Steps, seed, costs, func(in pathState[*graph.Node]) (at *graph.Node, next []*graph.Node) {
		location, m, v := slicer.Ascent.Step(in.State[0], in.State[1], in.State[2], in.T, func(at *graph.Node) *graph.Node {
			if in.Costs == nil {
				return objective(slicing.Seeded(in.Noise), at, in.X, in.Y)
			}
			leaf := in
			leaf.State = []*graph.Node{at}
			directions := draw(leaf)
			return l.Finish(slicing.Linearised(in.Costs, in.Slopes, directions), directions, in.X, in.Y, nil, x.Points).Pairs
		})
		return graph.Identity(in.State[0]), []*graph.Node{location, m, v}
	})
	paths := make([][]float32, n)
	for _, at := range locations {
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
	directions, err := iterate(e, x, y, state, steps, seed, nil, func(in pathState[*graph.Node]) (at *graph.Node, next []*graph.Node) {
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

// pathState is a step of a path: its number t, from 1, the clouds, costs and their derivatives in the
// directions if they are found outside of the graph, and what the step changes.
type pathState[T any] struct {
	Noise, T, X, Y, Costs, Slopes T
	State                         []T
}

// iterate takes the state, which it frees, through a number of steps. It returns the output `at` of
// step before every step and after the last. costs may be nil.
func iterate(e *engine.Engine, x, y *datasets.Set, state []*tensors.Tensor, steps int, seed uint64,
	costs func(in pathState[*tensors.Tensor]) (costs, slopes *tensors.Tensor, err error),
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
		if in.Noise, err = graph.RNGStateFromSeed(int64(seed) + int64(t)); err != nil {
			return nil, err
		}
		if costs != nil {
			if in.Costs, in.Slopes, err = costs(in); err != nil {
				return nil, err
			}
		}
		in.T = tensors.FromScalar(float64(t + 1))
		out, err := program.Call(in)
		engine.Free(in.Noise, in.T, in.Costs, in.Slopes)
		in.T, in.Costs, in.Slopes = nil, nil, nil
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
