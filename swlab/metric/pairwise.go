package metric

import (
	"context"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/engine"
)

// blockSize is the number of clouds along each side of a block of a matrix: an interrupted call
// loses at most a block.
const blockSize = 16

// side is one of the two sets of a matrix.
type side struct {
	*datasets.Set
	digest string
}

func newSide(c *datasets.Set) side { return side{c, c.Digest()} }

// is reports whether both hold the same clouds.
func (s side) is(t side) bool {
	return s.digest == t.digest && s.Clouds == t.Clouds && s.Points == t.Points && s.Dim == t.Dim
}

// matrices computes those of one distance for several pairs of sets, from every cloud of the first to
// every cloud of the second. If both are the same clouds and the distance is symmetric, it computes one
// half; the approximate EMD is not symmetric.
func matrices(ctx context.Context, e *engine.Engine, d distance, sets [][2]side, o Config) ([]Matrix, error) {
	s, err := newSolver(e, d)
	if err != nil {
		return nil, err
	}
	unit := o.Normalize && d.name == "emd-approx"
	done, total := 0, 0
	for _, p := range sets {
		for _, b := range blocks(p[0], p[1], d.symmetric, blockSize) {
			total += len(b.pairs())
		}
	}
	var out []Matrix
	for _, p := range sets {
		kept, err := newStore(o.Store, d, s.backend(), unit, p[0], p[1])
		if err != nil {
			return nil, err
		}
		m := Matrix{Rows: p[0].Clouds, Cols: p[1].Clouds, Values: make([]float64, p[0].Clouds*p[1].Clouds), MatchedMass: 1}
		for _, b := range blocks(p[0], p[1], d.symmetric, blockSize) {
			values, err := kept.block(b, func() (compared, error) { return s.block(ctx, b, unit, p[0], p[1]) })
			if err != nil {
				return nil, err
			}
			m.put(b, values)
			done += len(b.pairs())
			if o.Progress != nil {
				o.Progress(d.name, done, total)
			}
		}
		out = append(out, m)
	}
	return out, nil
}

// block is a part of a matrix: rows [row, row+rows), columns [column, column+columns). With half,
// only pairs on and above the diagonal are computed.
type block struct {
	row, rows, column, columns int
	half                       bool
}

// blocks cuts the matrix of two sets.
func blocks(a, b side, symmetric bool, size int) []block {
	half := symmetric && a.is(b)
	var out []block
	for i := 0; i < a.Clouds; i += size {
		for j := 0; j < b.Clouds; j += size {
			if !half || j >= i {
				out = append(out, block{i, min(size, a.Clouds-i), j, min(size, b.Clouds-j), half})
			}
		}
	}
	return out
}

// pairs are the pairs of clouds to compare, counted from the block's corner.
func (b block) pairs() [][2]int {
	var out [][2]int
	for i := range b.rows {
		for j := range b.columns {
			if !b.half || b.column+j >= b.row+i {
				out = append(out, [2]int{i, j})
			}
		}
	}
	return out
}

// compared holds the distances of a block's pairs and the smallest matched fraction of a pair's
// mass.
type compared struct {
	Values   []float64 `json:"values"`
	Assigned float64   `json:"assigned"`
}

// put enters a block.
func (m *Matrix) put(b block, v compared) {
	for k, p := range b.pairs() {
		i, j := b.row+p[0], b.column+p[1]
		m.Values[i*m.Cols+j] = v.Values[k]
		if b.half {
			m.Values[j*m.Cols+i] = v.Values[k]
		}
	}
	m.MatchedMass = min(m.MatchedMass, v.Assigned)
}
