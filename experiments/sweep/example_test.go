package sweep_test

import (
	"fmt"

	"github.com/sliced-wasserstein/lab/experiments/sweep"
)

func ExampleParse() {
	vary, err := sweep.Parse("kappa=0.1, 1, 10", "amortizer=none,la")
	fmt.Println(vary, err)
	_, err = sweep.Parse("kappa")
	fmt.Println(err)
	// Output:
	// [{kappa [0.1 1 10]} {amortizer [none la]}] <nil>
	// vary: expected NAME=V1,V2,..., found "kappa"
}
