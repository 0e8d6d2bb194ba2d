package train_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/train"
)

// Two steps on the built-in shapes, with 32 points a cloud and four clouds a step. The run folder
// has the log and the weights.
func ExampleRun() {
	out, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(out)
	set, err := datasets.Load(datasets.Builtin, datasets.Options{Points: 32})
	if err != nil {
		log.Fatal(err)
	}
	e, err := engine.Open("go") // "" takes the best backend
	if err != nil {
		log.Fatal(err)
	}
	defer e.Close()
	c := train.DefaultConfig()
	c.Loss, c.Points, c.Batch, c.Steps, c.Slices = "sw", 32, 4, 2, 10
	r, err := train.Run(context.Background(), e, set, c, train.Options{Out: out})
	if err != nil {
		log.Fatal(err)
	}
	lines, err := train.ReadLog(out)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Steps, "steps,", len(lines), "lines of log, finite:", r.Loss > 0)
	// Output: 2 steps, 2 lines of log, finite: true
}
