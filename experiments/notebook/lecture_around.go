package notebook

import (
	"fmt"
	"math/rand/v2"

	"github.com/sliced-wasserstein/lab/swlab/vmf"
)

// Around returns n directions [n, 3] drawn from vMF(location, kappa) with the seed; kappa 0 is the uniform law. location is one unit
// vector [3].
func Around(location []float32, kappa float64, n int, seed uint64) ([]float32, error) {
	if len(location) != 3 {
		return nil, fmt.Errorf("location: expected 3 coordinates, found %d", len(location))
	}
	if n < 1 {
		return nil, fmt.Errorf("n: expected at least 1 direction, found %d", n)
	}
	d, err := vmf.New(location, kappa)
	if err != nil {
		return nil, err
	}
	return d.Rand32(rand.New(rand.NewPCG(seed, 5)), n), nil
}
