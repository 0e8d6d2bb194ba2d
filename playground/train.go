//go:build !js

package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

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

// Training of the amortizers: Adam steps on batches of pairs of different shapes.
const (
	trainingSteps = 1500
	trainingPairs = 16
	trainingSeed  = 1
	width         = 16 // of queries and keys, and the number of LA's projected keys
)

// train writes the weights of every amortizer, trained to predict the direction of the largest cost
// (Max-SW), in 2 and in 3 dimensions.
func train(folder string) error {
	e, err := engine.Open("")
	if err != nil {
		return err
	}
	defer e.Close()
	for _, dim := range []int{2, 3} {
		set, err := trainingSet(dim)
		if err != nil {
			return err
		}
		for _, name := range amortizer.Names() {
			w, value, err := trainAmortizer(e, name, set)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			fmt.Fprintf(os.Stderr, "%s, %d-D: mean cost of the predicted direction %.4f in the first 50 steps, %.4f in the last\n", name, dim, value[0], value[1])
			if err := weights.WriteSafetensors(filepath.Join(folder, fmt.Sprintf("%s-%dd.safetensors", name, dim)), w); err != nil {
				return err
			}
		}
	}
	return nil
}

// trainingSet holds shapes with seeds that differ from those of the page, which begin at 1.
func trainingSet(dim int) (*datasets.Set, error) {
	if dim == 3 {
		return datasets.Shapes{Train: 8, Points: Points, Seed: 1000}.Generate()
	}
	var all []float32
	n := 0
	for _, name := range slices.Sorted(maps.Keys(planar)) {
		for seed := range uint64(24) {
			points, err := planarCloud(name, Points, 1000+seed)
			if err != nil {
				return nil, err
			}
			all = append(all, points...)
			n++
		}
	}
	s, err := datasets.New(all, n, Points, 2)
	if err != nil {
		return nil, err
	}
	return s, s.Normalize()
}

// trainAmortizer returns the weights after training, and the mean cost of predicted directions in
// the first and in the last 50 steps.
func trainAmortizer(e *engine.Engine, name string, set *datasets.Set) (_ *weights.Set, values [2]float64, err error) {
	a, err := amortizer.New(name, amortizer.Config{Points: set.Points, Dim: set.Dim, DK: width, K: width})
	if err != nil {
		return nil, values, err
	}
	specs := a.Specs()
	objective := loss.Sliced{Slicer: slicing.Slicer{Distribution: slicing.Point{}, Slices: 1, Amortizer: a}, Reduce: loss.Mean}
	adam := optim.Adam{LearningRate: 1e-3, Beta2: 0.9, Eps: 1e-8}
	program := engine.NewProgram[training[*tensors.Tensor], training[*tensors.Tensor]](e, nil, func(in training[*graph.Node]) training[*graph.Node] {
		args := loss.BuildArgs{Weights: in.Weights, Wrt: ot1d.Directions}
		out := training[*graph.Node]{Weights: map[string]*graph.Node{}, Second: map[string]*graph.Node{}}
		out.Value = graph.ReduceAllMean(objective.Build(args, in.X, in.Y).Pairs)
		var w []*graph.Node
		for _, s := range specs {
			w = append(w, in.Weights[s.Name])
		}
		for i, g := range graph.Gradient(graph.Neg(out.Value), w...) {
			name := specs[i].Name
			out.Weights[name], _, out.Second[name] = adam.Step(w[i], g, nil, in.Second[name], in.Step)
		}
		return out
	})
	in := training[*tensors.Tensor]{Weights: weights.Init(specs, trainingSeed).Upload(), Second: map[string]*tensors.Tensor{}}
	for _, s := range specs {
		in.Second[s.Name] = tensors.FromFlatDataAndDimensions(make([]float32, s.Size()), s.Shape...)
	}
	r := rand.New(rand.NewPCG(trainingSeed, 0))
	batch := func() *tensors.Tensor {
		rows := make([]int, trainingPairs)
		for i := range rows {
			rows[i] = r.IntN(set.Clouds)
		}
		return tensors.FromFlatDataAndDimensions(set.Select(rows).Coords, trainingPairs, set.Points, set.Dim)
	}
	for step := range trainingSteps {
		in.Step, in.X, in.Y = tensors.FromScalar(float64(step+1)), batch(), batch()
		out, err := program.Call(in)
		if err != nil {
			return nil, values, err
		}
		in.Weights, in.Second = out.Weights, out.Second
		v := tensors.ToScalar[float32](out.Value)
		if step < 50 {
			values[0] += float64(v) / 50
		} else if step >= trainingSteps-50 {
			values[1] += float64(v) / 50
		}
	}
	trained, err := weights.Download(specs, in.Weights)
	return trained, values, err
}

// training is a step: its number, from 1, clouds, the mean cost along the predicted directions, and
// what the step changes.
type training[T any] struct {
	Step, X, Y, Value T
	Weights, Second   map[string]T
}
