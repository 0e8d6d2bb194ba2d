package train_test

import (
	"context"
	"fmt"
	"os"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/train"
)

// Two steps on the built-in shapes, with 32 points a cloud and four clouds a step. The run folder
// has the log and the weights.
func ExampleRun() {
	out := must.M1(os.MkdirTemp("", ""))
	defer os.RemoveAll(out)
	set := must.M1(datasets.Load(datasets.Builtin, datasets.Options{Points: 32}))
	e := must.M1(engine.Open("go")) // "" takes the best backend
	defer e.Close()
	c := train.DefaultConfig()
	c.Loss, c.Points, c.Batch, c.Steps, c.Slices = "sw", 32, 4, 2, 10
	r := must.M1(train.Run(context.Background(), e, set, c, train.Options{Out: out}))
	lines := must.M1(train.ReadLog(out))
	fmt.Println(r.Steps, "steps,", len(lines), "lines of log, finite:", r.Loss > 0)
	// Output: 2 steps, 2 lines of log, finite: true
}
