package ot

import (
	"fmt"

	"github.com/sliced-wasserstein/lab/internal/memory"
	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
)

// checkSides returns the numbers of points of two clouds of any sizes.
func checkSides(caller string, x, y []float32, dim int) (n, k int, err error) {
	if dim < 1 || len(x) == 0 || len(x)%dim != 0 || len(y) == 0 || len(y)%dim != 0 {
		return 0, 0, fmt.Errorf(
			"%s: expected two clouds of points of dim >= 1 coordinates, found dim = %d, %d and %d numbers",
			caller, dim, len(x), len(y))
	}
	for c, cloud := range [][]float32{x, y} {
		for n, a := range cloud {
			if !vec.Finite(a) {
				return 0, 0, fmt.Errorf("%s: coordinate %d of point %d of cloud %c is %v, expected a finite number",
					caller, n%dim, n/dim, "xy"[c], a)
			}
		}
	}
	return len(x) / dim, len(y) / dim, nil
}

// checkTable returns a *memory.Error if a table of n times k costs would not fit into the memory of
// this machine.
func checkTable(n, k int) error {
	return memory.Check(fmt.Sprintf("points: a table of %d times %d costs", n, k), memory.Bytes(16, n, k))
}
