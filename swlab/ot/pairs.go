package ot

import (
	"fmt"
	"math"

	"github.com/sliced-wasserstein/lab/internal/memory"
	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
)

// checkSides returns the numbers of points of two clouds of any sizes, of which it takes distances to
// the power p.
func checkSides(caller string, x, y []float32, dim int, p float64) (n, k int, err error) {
	if !(p > 0) || math.IsInf(p, 1) {
		return 0, 0, fmt.Errorf("%s: expected a finite exponent p > 0, found %v", caller, p)
	}
	if dim < 1 || len(x) == 0 || len(x)%dim != 0 || len(y) == 0 || len(y)%dim != 0 {
		return 0, 0, fmt.Errorf(
			"%s: expected two clouds of points of dim >= 1 coordinates, found dim = %d, %d and %d numbers",
			caller, dim, len(x), len(y))
	}
	for c, cloud := range [][]float32{x, y} {
		if n := vec.NotFinite(cloud); n >= 0 {
			return 0, 0, fmt.Errorf("%s: coordinate %d of point %d of cloud %c is %v, expected a finite number",
				caller, n%dim, n/dim, "xy"[c], cloud[n])
		}
	}
	return len(x) / dim, len(y) / dim, nil
}

// beyondFloat64 is the error of costs that overflow.
func beyondFloat64(caller string, p float64) error {
	return fmt.Errorf("%s: the costs to the power of p = %v are beyond float64, expected smaller coordinates or p",
		caller, p)
}

// checkTable returns a *memory.Error if a table of n times k costs would not fit into the memory of
// this machine.
func checkTable(n, k int) error {
	return memory.Check(fmt.Sprintf("points: a table of %d times %d costs", n, k), memory.Bytes(16, n, k))
}
