package optim_test

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/optim"
)

// One step from w = 1 along the gradient 2, with a buffer of 10: the buffer becomes 0.9 10 + 2.
func ExampleSGD_Step() {
	e, err := engine.Open("go")
	if err != nil {
		fmt.Println(err)
		return
	}
	sgd := optim.SGD{LearningRate: 0.01, Momentum: 0.9}
	out, err := graph.CallOnceN(e.Backend, func(w, grad, buf *graph.Node) []*graph.Node {
		w1, buf1 := sgd.Step(w, grad, buf)
		return []*graph.Node{w1, buf1}
	}, 1.0, 2.0, 10.0)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(out[0].Value(), out[1].Value())
	// Output: 0.89 11
}
