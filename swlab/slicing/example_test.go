package slicing_test

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
)

// The maximum of 100 a^2 + 25 b^2 + 9 c^2 over unit vectors (a, b, c) is 100, at (+-1, 0, 0).
func ExampleMaximizer() {
	e, err := engine.Open("go")
	if err != nil {
		fmt.Println(err)
		return
	}
	objective := func(_ slicing.Source, location, _, _ *graph.Node) *graph.Node {
		weights := graph.Const(location.Graph(), [][]float32{{100, 25, 9}})
		return graph.ReduceSum(graph.Mul(weights, graph.Mul(location, location)), -1)
	}
	ascent := slicing.Ascent{Steps: 200, LearningRate: 0.05, Tangent: true}
	m, err := slicing.NewMaximizer(e, nil, ascent, objective)
	if err != nil {
		fmt.Println(err)
		return
	}
	clouds := tensors.FromValue([][][]float32{{{0, 0, 0}}}) // the objective does not look at them
	found, err := m.Maximize(1, nil, clouds, clouds)
	if err != nil {
		fmt.Println(err)
		return
	}
	v := tensors.MustCopyFlatData[float32](found)
	fmt.Printf("a^2 = %.4f\n", v[0]*v[0])
	// Output: a^2 = 1.0000
}
