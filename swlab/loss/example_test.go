package loss_test

import (
	"fmt"

	"github.com/sliced-wasserstein/lab/swlab/loss"
)

// A loss says what its number is, and which properties of a metric it does not have.
func ExampleNew() {
	for _, name := range []string{"sw", "chamfer", "emd-approx"} {
		l, err := loss.New(name, loss.Defaults())
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: %s\n", l.Name(), l.Convention())
		for _, p := range loss.Violates(l) {
			fmt.Println("  violates:", p)
		}
	}
	// Output:
	// SW: W_2^2: sum over points, mean over slices, no root
	//   violates: zero only between equal clouds
	// CD: squared Euclidean distance to the nearest neighbour, mean over points, both ways added, no root
	//   violates: zero only between equal clouds
	//   violates: triangle inequality of its root, with the same random numbers
	// EMD: approximate matching (ApproxMatch, Fan et al. 2017), unsquared Euclidean distance, sum over points
	//   violates: zero on itself
	//   violates: zero only between equal clouds
	//   violates: symmetry, with the same random numbers
	//   violates: triangle inequality of its root, with the same random numbers
	//   violates: is homogeneous: clouds scaled by c cost c^p times as much, with the same directions
}
