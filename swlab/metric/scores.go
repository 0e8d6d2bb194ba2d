package metric

import (
	"fmt"
	"math"

	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
)

// Matrix holds the distances of all pairs of two sets: the distance's first argument by row, the
// second by column.
type Matrix struct {
	Rows, Cols int
	Values     []float64 // [Rows, Cols]
	// The smallest fraction of a pair's mass that the distance matched: 1 except for emd-approx.
	MatchedMass float64
}

// At is the distance from i of the first set to j of the second; NaN outside the matrix.
func (m Matrix) At(i, j int) float64 {
	if k := i*m.Cols + j; i >= 0 && j >= 0 && j < m.Cols && i < m.Rows && k < len(m.Values) {
		return m.Values[k]
	}
	return math.NaN()
}

// Scores of a generated set against a reference set under one distance D_ij = D(generated i,
// reference j). They are fractions, not per cent; distances are in the distance's own unit, not
// times 100. The released code calls its routine with the roles of the sets exchanged. Its numbers
// are the fields Paper, the usual ones (Achlioptas et al. 2018) the fields Standard.
type Scores struct {
	MMDPaper    float64 `json:"mmd_paper"`    // mean over generated i of min over reference j of D_ij
	MMDStandard float64 `json:"mmd_standard"` // mean over reference j of min over generated i of D_ij
	// COVPaper is the fraction of the generated clouds that are nearest to some reference cloud,
	// #{argmin_i D_ij over j} / generated. COVStandard is that of the reference clouds that are
	// nearest to some generated one, #{argmin_j D_ij over i} / reference.
	COVPaper    float64 `json:"cov_paper"`
	COVStandard float64 `json:"cov_standard"`
	// NNA is the leave-one-out accuracy of the 1-nearest-neighbour classifier over all clouds: 1/2
	// is best, 1 means that the sets can always be told apart.
	NNA          float64 `json:"nna"`
	NNAGenerated float64 `json:"nna_generated"` // of the generated clouds alone
	NNAReference float64 `json:"nna_reference"` // of the reference clouds alone
}

// NewScores scores matrices of one distance: generated to generated, generated to reference,
// reference to reference. For NNA they form the table
//
//	[ gg    gr ]
//	[ gr^T  rr ]   with infinity on its diagonal
//
// in which the neighbour of a column is the row of its smallest number: for distances that are not
// symmetric, what is nearest TO the cloud. Of equal distances the first row, or column, counts
// everywhere, generated before reference.
func NewScores(gg, gr, rr Matrix) (Scores, error) {
	n, r := gr.Rows, gr.Cols
	for _, m := range []struct {
		what       string
		m          Matrix
		rows, cols int
	}{{"generated to reference", gr, n, r}, {"generated to generated", gg, n, n}, {"reference to reference", rr, r, r}} {
		if m.m.Rows != m.rows || m.m.Cols != m.cols || len(m.m.Values) != m.rows*m.cols || n == 0 || r == 0 {
			return Scores{}, fmt.Errorf("scores: distances %s: expected a matrix [%d, %d] that is not empty, found [%d, %d] with %d values",
				m.what, m.rows, m.cols, m.m.Rows, m.m.Cols, len(m.m.Values))
		}
		if k := vec.NotFinite(m.m.Values); k >= 0 {
			return Scores{}, fmt.Errorf("scores: distances %s: expected finite numbers, found %v for clouds %d and %d",
				m.what, m.m.Values[k], k/m.cols, k%m.cols)
		}
	}
	var s Scores
	s.MMDPaper, s.COVStandard = nearest(n, r, gr.At)
	s.MMDStandard, s.COVPaper = nearest(r, n, func(j, i int) float64 { return gr.At(i, j) })
	table := func(row, column int) float64 {
		switch {
		case row == column:
			return math.Inf(1)
		case row < n && column < n:
			return gg.At(row, column)
		case row < n:
			return gr.At(row, column-n)
		case column < n:
			return gr.At(column, row-n)
		}
		return rr.At(row-n, column-n)
	}
	generated, reference := 0, 0
	for column := range n + r {
		at, _ := smallest(n+r, func(row int) float64 { return table(row, column) })
		switch {
		case column < n && at < n:
			generated++
		case column >= n && at >= n:
			reference++
		}
	}
	s.NNAGenerated, s.NNAReference = float64(generated)/float64(n), float64(reference)/float64(r)
	s.NNA = float64(generated+reference) / float64(n+r)
	return s, nil
}

// nearest is the mean over i < n of the smallest d(i, j) over j < m, and the fraction of the j that
// are the smallest of some i.
func nearest(n, m int, d func(i, j int) float64) (mean, covered float64) {
	found := map[int]bool{}
	for i := range n {
		at, value := smallest(m, func(j int) float64 { return d(i, j) })
		mean += value / float64(n)
		found[at] = true
	}
	return mean, float64(len(found)) / float64(m)
}

// smallest is the smallest of n numbers, with its first place.
func smallest(n int, v func(int) float64) (at int, value float64) {
	value = v(0)
	for i := 1; i < n; i++ {
		if x := v(i); x < value {
			at, value = i, x
		}
	}
	return at, value
}
