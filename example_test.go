package lab_test

import (
	"fmt"

	"github.com/sliced-wasserstein/lab"
)

func Example() {
	x, y := lab.Cloud("chair"), lab.Cloud("bed")
	d := lab.SW(x, y, lab.Slices(1000), lab.Mean())
	fmt.Printf("%s %.3f, %s\n", d.Loss, d.Value, d.Convention)
	for _, row := range lab.Ablate(x, y, lab.Kappa(1, 10), lab.Slices(10), lab.Mean()).Rows {
		fmt.Printf("kappa %s: %.3f\n", row.Settings["kappa"], row.Mean)
	}
	// Output:
	// SW 0.023, W_2^2: mean over points, mean over slices, no root
	// kappa 1: 0.024
	// kappa 10: 0.018
}
