package amortizer_test

import (
	"fmt"

	"github.com/sliced-wasserstein/lab/swlab/amortizer"
)

// The numbers of parameters at 2048 points that the paper prints.
func ExampleParameters() {
	for _, name := range []string{"l", "g", "n", "a", "ea", "la"} {
		a, err := amortizer.New(name, amortizer.Config{Points: 2048})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%-3s %d\n", a.Name(), amortizer.Parameters(a))
	}
	// Output:
	// l   4097
	// g   4121
	// n   4121
	// a   524
	// ea  524
	// la  262796
}
