package loss

import (
	"fmt"

	"github.com/sliced-wasserstein/lab/internal/memory"
	"github.com/sliced-wasserstein/lab/swlab/ot"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
)

// The estimates below are peaks of a process minus that of a small call, measured on sets of 10^6
// to 10^8 elements with Go's default collector. They aim to be right within a factor of two, and
// rather too low, so that no call that would fit is rejected.
const (
	drawnBytes    = 45       // per coordinate of a direction: its draws, copies and share of the cost
	ascentBytes   = 90       // the same in an ascent
	adaptiveBytes = 9        // per entry of the table [slices, slices] of Adaptive
	chainBytes    = 80 << 10 // per step of a Markov chain: the nodes of its graph
)

// CheckSlices returns a *memory.Error if the directions and costs of that many slices of so many
// pairs would not fit into the memory of this machine.
func (s Sliced) CheckSlices(pairs, slices, dim int) error {
	each := drawnBytes
	if s.Slicer.Ascent != nil {
		each = ascentBytes
	}
	need := memory.Bytes(each, pairs, slices, dim)
	if _, ok := s.estimator().(Adaptive); ok {
		need = memory.Sum(need, memory.Bytes(adaptiveBytes, slices, slices))
	}
	what := fmt.Sprintf("slices: %s of %s", counted(slices, "direction"), counted(pairs, "pair"))
	if m, ok := s.Slicer.Distribution.(slicing.Markov); ok {
		steps := min(m.Chain, slices)
		need = memory.Sum(need, memory.Bytes(chainBytes, steps))
		what += fmt.Sprintf(" in chains of %d (chain)", steps)
	}
	return memory.Check(what, need)
}

// CheckTables returns a *memory.Error if the tables between points that the loss needs on this
// backend, for pairs of clouds of m and n points of dimension dim, would not fit into the memory of
// this machine. It ignores what lies on a GPU.
func CheckTables(l Loss, backend string, pairs, m, n, dim int) error {
	need, what := int64(0), fmt.Sprintf("points: tables of %d times %d points of %s", m, n, counted(pairs, "pair"))
	graph := backend == "go" // XLA makes such tables in blocks, the pure-Go backend whole
	switch l := l.(type) {
	case Sliced:
		each := 12
		if graph {
			each = 32
		}
		what = fmt.Sprintf("slices: %s of %d points, of %s, sorted in a graph", counted(l.Slicer.Slices, "projection"), max(m, n), counted(pairs, "pair"))
		if backend != "xla:cuda" {
			need = memory.Bytes(each, pairs, l.Slicer.Slices, max(m, n))
		}
	case Chamfer:
		if graph {
			need = memory.Bytes(28, pairs, m, n)
		}
	case ApproximateEMD:
		if graph {
			need = memory.Bytes(48, pairs, m, n)
		}
	case Sinkhorn: // on the host, one pair at a time
		if l.Debiased { // also each cloud with itself
			m, n = max(m, n), max(m, n)
		}
		need, what = memory.Bytes(24, m, n), fmt.Sprintf("points: a table of %d times %d costs", m, n)
	case ExactEMD: // so, too
		if m != n || !l.Ground.IsEuclidean(dim, l.Exponent()) {
			need, what = memory.Bytes(16, m, n), fmt.Sprintf("points: a table of %d times %d costs", m, n)
		} else if dim > ot.SearchedDims {
			need, what = memory.Bytes(8, m, n), fmt.Sprintf("points: a table of %d times %d costs, in more than %d dimensions", m, n, ot.SearchedDims)
		}
	}
	return memory.Check(what, need)
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
