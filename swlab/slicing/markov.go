package slicing

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/vmf"
)

// Markov runs independent chains of Chain directions: the first uniform, each further one drawn
// from vMF(previous, Kappa) (Markovian sliced Wasserstein with the random-walk transition; Nguyen,
// Ren and Ho 2023). Every direction by itself is uniform, so the mean over slices estimates SW. At
// Kappa = 0 the chain is i.i.d.; at large Kappa it hardly moves. The last chain may be cut.
type Markov struct {
	Kappa float64
	Chain int
}

func (m Markov) Name() string       { return fmt.Sprintf("markov(%g, %d)", m.Kappa, m.Chain) }
func (Markov) HasLocation() bool    { return false }
func (m Markov) Block(_, _ int) int { return m.Chain }

func (m Markov) Check(dim int) error {
	if m.Chain < 1 {
		return fmt.Errorf("markov: chain: expected at least 1, found %d", m.Chain)
	}
	return atLeastTwo("markov", dim)
}

func (m Markov) Draw(r Request) *graph.Node {
	batch, dim := r.Batch(), r.Dim()
	steps := min(m.Chain, r.Slices)
	chains := (r.Slices + steps - 1) / steps
	at := vmf.UniformFromNormals(r.Source.Normal(batch*chains, dim))
	path := []*graph.Node{graph.InsertAxes(at, 1)}
	for range steps - 1 {
		next := drawVMF(r.Source, at, 1, m.Kappa, vmf.Stable) // [batch*chains, 1, dim]
		path = append(path, next)
		at = graph.Reshape(next, batch*chains, dim)
	}
	all := graph.Reshape(graph.Concatenate(path, 1), batch, chains*steps, dim)
	return graph.Slice(all, graph.AxisRange(), graph.AxisRange(0, r.Slices))
}
