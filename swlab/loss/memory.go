package loss

import (
	"cmp"
	"fmt"

	"github.com/sliced-wasserstein/lab/internal/memory"
)

// Peaks of a process per element, measured on sets of 10^6 to 10^8. They are rather too low, so that
// no call that would fit is rejected.
const (
	directionBytes = 45 // per coordinate of a direction: its draws, copies and share of the cost
	tableBytes     = 28 // per pair of points

	stepBytes = 4000 // of a training step, per point: the encoder's activations and their gradients
)

// CheckStepMemory is CheckMemory for a training step on that many clouds, with its network. It ignores memory of a
// GPU.
func CheckStepMemory(l Loss, backend string, clouds, points, dim int) error {
	if backend == "xla:cuda" {
		return nil
	}
	what := fmt.Sprintf("batch, points: a step on %d clouds of %d points", clouds, points)
	return cmp.Or(memory.Check(what, memory.Bytes(stepBytes, clouds, points)),
		CheckMemory(l, backend, clouds, points, points, dim))
}

// CheckMemory returns a *memory.Error if the largest array of a loss, for pairs of clouds of m and n
// points, would not fit into the memory of this machine: the directions of a sliced loss, or the
// tables between points that the pure-Go backend stores for another Graph. Package ot checks those
// of a Host.
func CheckMemory(l Loss, backend string, pairs, m, n, dim int) error {
	if s, ok := l.(Sliced); ok {
		slices := s.Slicer.Slices
		return memory.Check(fmt.Sprintf("slices: %d directions of %d pairs", slices, pairs),
			memory.Bytes(directionBytes, pairs, slices, dim))
	}
	if _, ok := l.(Graph); ok && backend == "go" {
		return memory.Check(fmt.Sprintf("points: tables of %d times %d points of %d pairs", m, n, pairs),
			memory.Bytes(tableBytes, pairs, m, n))
	}
	return nil
}
