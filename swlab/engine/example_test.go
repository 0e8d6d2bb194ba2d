package engine_test

import (
	"fmt"

	"github.com/sliced-wasserstein/lab/swlab/engine"
)

// The pure-Go backend is on every machine. Open("") takes the best one there is.
func ExampleOpen() {
	e, err := engine.Open("go")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(e.Name, e.IsCUDA())
	_, err = engine.Open("tpu")
	fmt.Println(err)
	// Output:
	// go false
	// backend "tpu" is unknown: expected auto, xla:cuda, xla:cpu or go
}
