package solve_test

import (
	"fmt"

	"github.com/sliced-wasserstein/lab/swlab/ot1d/solve"
)

func ExampleCircle() {
	x := solve.Points{At: []float64{0.1, 0.11, 0.4, 0.6}}
	y := solve.Points{At: []float64{0.21, 0.15, 0.7, 0.95}}
	w1, err := solve.Circle(x, y, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f\n", w1.Cost)
	// Output: 0.1200
}

func ExampleUniform() {
	point, err := solve.Uniform(solve.Points{At: []float64{0.3}}, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("1/%.0f\n", 1/point.Cost)
	// Output: 1/12
}

func ExamplePartial() {
	r, err := solve.Partial([]float64{0, 1, 2, 10}, []float64{0.5, 1.5, 30, 2.5}, 3, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Cost, r.Marginal)
	// Output: 1.5 [0.5 0.5 0.5 20]
}

func ExampleUnbalanced() {
	x, y := solve.Points{At: []float64{0}}, solve.Points{At: []float64{2}}
	r, err := solve.Unbalanced(x, y, 2, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.8f\n", r.Cost)
	// Output: 1.72932943
}
