package show_test

import (
	"github.com/sliced-wasserstein/lab/vmfviz"
	"github.com/sliced-wasserstein/lab/vmfviz/show"
)

// A notebook cell.
func Example() {
	update := show.Progress(100, "training")
	for step := 1; step <= 100; step++ {
		update(step, "loss 1.2")
	}
	show.Table([]string{"loss", "SW"}, [][]string{{"SW", "1.12 ± 0.01"}, {"LA v-DSW", "1.08 ± 0.01"}})
	show.Picture(vmfviz.Curves(vmfviz.CurvesOptions{}, vmfviz.CurvePanel{
		XLabel: "step", YLabel: "loss (sum over points)",
		Series: []vmfviz.Series{{Label: "SW", Y: []float64{3, 2, 1}}},
	}))
	// Output:
}
