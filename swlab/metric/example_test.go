package metric_test

import (
	"fmt"

	"github.com/sliced-wasserstein/lab/swlab/metric"
)

// Two generated clouds, both near the first of two reference clouds.
func ExampleNewScores() {
	matrix := func(v ...float64) metric.Matrix { return metric.Matrix{Rows: 2, Cols: 2, Values: v} }
	s, err := metric.NewScores(matrix(0, 1, 1, 0), matrix(1, 5, 2, 6), matrix(0, 9, 9, 0))
	fmt.Println(s.MMDStandard, s.COVStandard, s.MMDPaper, s.COVPaper, err)
	// Output: 3 0.5 1.5 0.5 <nil>
}
