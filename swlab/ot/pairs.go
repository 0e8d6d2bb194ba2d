package ot

import (
	"fmt"
	"math"
)

// checkSides returns the numbers of points of two clouds of any sizes.
func checkSides(caller string, x, y []float32, dim int) (n, k int, err error) {
	if dim < 1 || len(x) == 0 || len(x)%dim != 0 || len(y) == 0 || len(y)%dim != 0 {
		return 0, 0, fmt.Errorf("%s: expected two clouds of points of dim >= 1 coordinates, found dim = %d, %d and %d numbers", caller, dim, len(x), len(y))
	}
	for c, cloud := range [][]float32{x, y} {
		for n, a := range cloud {
			if b := float64(a); math.IsNaN(b) || math.IsInf(b, 0) {
				return 0, 0, fmt.Errorf("%s: coordinate %d of point %d of cloud %c is %v, expected a finite number", caller, n%dim, n/dim, "xy"[c], a)
			}
		}
	}
	return len(x) / dim, len(y) / dim, nil
}
