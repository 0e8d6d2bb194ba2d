package amortizer

import (
	"fmt"

	"github.com/sliced-wasserstein/lab/internal/memory"
)

// parameterBytes is per weight: the set on the host, its copy for the backend, and garbage.
// Training needs more.
const parameterBytes = 12

// checkWeights returns a *memory.Error if the weights of a map would not fit into the memory of
// this machine.
func checkWeights(a Amortizer, c Config) error {
	var need int64
	for _, s := range a.Specs() {
		need = memory.Sum(need, memory.Bytes(append([]int{parameterBytes}, s.Shape...)...))
	}
	return memory.Check(fmt.Sprintf("dk, k: the weights of amortizer %q for d_k = %d, k = %d and %d points", a.Name(), c.DK, c.K, c.Points), need)
}

// CheckPairs returns a *memory.Error if the named map, computed for that many pairs at a time,
// would not fit into the memory of this machine.
func CheckPairs(name string, c Config, pairs int) error {
	c = c.withDefaults()
	if pairs < 1 {
		return nil
	}
	width := c.Points // queries and keys are [pairs, points, d_k]
	each := 8
	switch name {
	case "a":
	case "ea":
		each = 40
	case "la", "la-sorted":
		width = c.K // keys are [pairs, k, d_k]
	default:
		return nil
	}
	need := memory.Bytes(each, pairs, width, c.DK)
	return memory.Check(fmt.Sprintf("dk, k: queries and keys of amortizer %q, d_k = %d, k = %d, %d points, %d pairs at a time", name, c.DK, c.K, c.Points, pairs), need)
}
