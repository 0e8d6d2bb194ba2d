package experiments_test

import (
	"fmt"

	"github.com/sliced-wasserstein/lab/experiments"
)

// Two networks scored on the same five clouds: the pairs show what the means hide.
func ExampleComparePaired() {
	a := []float64{1.1, 2.1, 3.0, 4.1, 5.2}
	b := []float64{1.2, 2.2, 3.2, 4.2, 5.3}
	p, err := experiments.ComparePaired(a, b, 1)
	fmt.Printf("%.2f (%.2f to %.2f), unpaired standard error %.2f, %v\n", p.Difference, p.Low, p.High, p.StdErrUnpaired, err)
	// Output: -0.12 (-0.18 to -0.06), unpaired standard error 1.02, <nil>
}
