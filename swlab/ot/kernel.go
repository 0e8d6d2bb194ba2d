package ot

import (
	"math"

	"github.com/sliced-wasserstein/lab/swlab/internal/parallel"
)

// pieces is the number of parts into which rows are cut. It depends only on the size, and so do all
// sums.
func pieces(n int) int { return max(1, min(16, n/32)) }

// kernel is a matrix [n, k] of nonzero entries, by rows. A row without zeros has no indices.
type kernel struct {
	n, k  int
	value [][]float64 // [rows]
	index [][]int32   // [rows]; nil: 0 ... k-1
	sums  []float64   // [pieces, k]
}

func newKernel(n, k int) kernel {
	return kernel{n: n, k: k, value: make([][]float64, n), index: make([][]int32, n), sums: make([]float64, pieces(n)*k)}
}

// sparseBelow is the fraction of nonzero entries below which a row is stored with indices.
const sparseBelow = 0.4

// build stores exp((f_i + g_j - c_ij)/reg) with 0 for logarithms below least.
func (q *kernel) build(f, g, c []float64, reg, least float64) {
	parallel.Pieces(q.n, 16, func(from, to int) {
		row := make([]float64, q.k)
		for i := from; i < to; i++ {
			count := 0
			for j, d := range c[i*q.k : (i+1)*q.k] {
				row[j] = 0
				if t := (f[i] + g[j] - d) / reg; t >= least {
					row[j] = math.Exp(t)
					count++
				}
			}
			if float64(count) >= sparseBelow*float64(q.k) {
				q.index[i] = nil
				q.value[i] = append(q.value[i][:0], row...)
				continue
			}
			value, index := q.value[i][:0], q.index[i][:0]
			if index == nil {
				index = make([]int32, 0, count)
			}
			for j, a := range row {
				if a != 0 {
					value, index = append(value, a), append(index, int32(j))
				}
			}
			q.value[i], q.index[i] = value, index
		}
	})
}

// dot is the product of row i with v.
func (q *kernel) dot(i int, v []float64) float64 {
	row := q.value[i]
	var s0, s1, s2, s3 float64
	if index := q.index[i]; index != nil {
		row = row[:len(index)]
		n := 0
		for ; n+3 < len(index); n += 4 {
			s0 += row[n] * v[index[n]]
			s1 += row[n+1] * v[index[n+1]]
			s2 += row[n+2] * v[index[n+2]]
			s3 += row[n+3] * v[index[n+3]]
		}
		for ; n < len(index); n++ {
			s0 += row[n] * v[index[n]]
		}
		return s0 + s1 + (s2 + s3)
	}
	v = v[:len(row)]
	n := 0
	for ; n+3 < len(row); n += 4 {
		s0 += row[n] * v[n]
		s1 += row[n+1] * v[n+1]
		s2 += row[n+2] * v[n+2]
		s3 += row[n+3] * v[n+3]
	}
	for ; n < len(row); n++ {
		s0 += row[n] * v[n]
	}
	return s0 + s1 + (s2 + s3)
}

// add adds u times row i to sums.
func (q *kernel) add(i int, u float64, sums []float64) {
	row := q.value[i]
	if index := q.index[i]; index != nil {
		row = row[:len(index)]
		for n, j := range index {
			sums[j] += u * row[n]
		}
		return
	}
	sums = sums[:len(row)]
	for n, a := range row {
		sums[n] += u * a
	}
}

// round computes u_i = next(i, kernel_i v) and the column sums kernel' u, reading every row once.
func (q *kernel) round(v, u, columns []float64, next func(i int, sum float64) float64) {
	parts := pieces(q.n)
	parallel.Pieces(parts, 1, func(from, to int) {
		for part := from; part < to; part++ {
			sums := q.sums[part*q.k : (part+1)*q.k]
			clear(sums)
			for i := part * q.n / parts; i < (part+1)*q.n/parts; i++ {
				u[i] = next(i, q.dot(i, v))
				q.add(i, u[i], sums)
			}
		}
	})
	clear(columns)
	for part := range parts {
		for j, s := range q.sums[part*q.k : (part+1)*q.k] {
			columns[j] += s
		}
	}
}
