package table

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Mark is the rank of a cell in its column, given only where it exceeds the noise.
type Mark string

const (
	Unmarked Mark = ""
	Best     Mark = "best"
	Second   Mark = "second"
)

// level is that of the two-sided test for a mark.
const level = 0.05

// Marks ranks the paper's rows (never ours) in every column that has a better direction, by row id
// and column key. Times are not ranked: the machine and its other work decide them too.
//
// The row of the best mean is Best if it differs significantly from every other row by Welch's
// t-test (two-sided, 5 %). Rows with exactly that mean share the mark if all of them pass. With one
// Best, the best of the remaining rows is Second if it passes against all others that remain. A
// single row with fewer than two runs leaves its column unmarked, because its uncertainty is
// unknown. No correction for multiple comparisons is needed, because the best row must pass all of
// them.
func (f Results) Marks() map[string]map[string]Mark {
	out := map[string]map[string]Mark{}
	for _, c := range f.Table.Columns {
		if c.Better == None || c.isTime() {
			continue
		}
		var ids []string
		var cells []Cell
		certain := true
		for _, r := range f.Table.Rows {
			cell, ok := f.cell(r, c)
			if r.Ours || !ok {
				continue
			}
			certain = certain && cell.SD != nil && !math.IsNaN(cell.Mean+*cell.SD) && !math.IsInf(cell.Mean+*cell.SD, 0)
			ids, cells = append(ids, r.ID), append(cells, cell)
		}
		if !certain || len(cells) < 2 {
			continue
		}
		for i, m := range ranks(cells, c.Better) {
			if m == Unmarked {
				continue
			}
			if out[ids[i]] == nil {
				out[ids[i]] = map[string]Mark{}
			}
			out[ids[i]][c.Key] = m
		}
	}
	return out
}

// ranks marks the cells of one column.
func ranks(cells []Cell, better Better) []Mark {
	marks := make([]Mark, len(cells))
	first := leaders(cells, marks, better)
	for _, i := range first {
		marks[i] = Best
	}
	if len(first) == 1 {
		for _, i := range leaders(cells, marks, better) {
			marks[i] = Second
		}
	}
	return marks
}

// leaders returns the cells of the best mean among the unmarked, if they differ significantly from
// all other unmarked cells.
func leaders(cells []Cell, marks []Mark, better Better) []int {
	var top, rest []int
	for i, c := range cells {
		if marks[i] != Unmarked {
			continue
		}
		switch {
		case len(top) == 0 || c.Mean == cells[top[0]].Mean:
			top = append(top, i)
		case (c.Mean > cells[top[0]].Mean) == (better == Up):
			top, rest = []int{i}, append(rest, top...)
		default:
			rest = append(rest, i)
		}
	}
	if len(rest) == 0 {
		return nil
	}
	for _, i := range top {
		for _, j := range rest {
			if Welch(cells[i], cells[j]) > level {
				return nil
			}
		}
	}
	return top
}

// Welch returns the two-sided p-value of Welch's t-test: t = (a - b) / sqrt(u + v) with u = sd_a^2
// / n_a and v = sd_b^2 / n_b, against Student's distribution with (u + v)^2 / (u^2 / (n_a - 1) +
// v^2 / (n_b - 1)) degrees of freedom. It is NaN where a cell has no spread: fewer than two runs, or
// no SD.
func Welch(a, b Cell) float64 {
	if a.N < 2 || b.N < 2 || a.SD == nil || b.SD == nil {
		return math.NaN()
	}
	na, nb := float64(a.N), float64(b.N)
	u, v := *a.SD**a.SD/na, *b.SD**b.SD/nb
	if u+v == 0 {
		if a.Mean == b.Mean {
			return 1
		}
		return 0
	}
	t := math.Abs(a.Mean-b.Mean) / math.Sqrt(u+v)
	freedom := (u + v) * (u + v) / (u*u/(na-1) + v*v/(nb-1))
	if !(freedom > 0) { // a deviation or mean that is not finite
		return math.NaN()
	}
	return 2 * distuv.StudentsT{Sigma: 1, Nu: freedom}.Survival(t)
}

// Paired returns the mean difference a - b of the runs of equal seeds, which stand in one order, and half the length of
// its 95 % interval by Student's distribution: 0 where there is one pair. It is NaN where there is none.
func Paired(a, b Cell) (mean, half float64) {
	var d []float64
	for k := range min(len(a.Values), len(b.Values)) {
		d = append(d, a.Values[k]-b.Values[k])
	}
	if len(d) < 2 {
		return stat.Mean(d, nil), 0
	}
	mean, deviation := stat.MeanStdDev(d, nil)
	t := distuv.StudentsT{Sigma: 1, Nu: float64(len(d) - 1)}.Quantile(0.975)
	return mean, t * stat.StdErr(deviation, float64(len(d)))
}

// Relative is Paired in per cent of b's mean over the same runs.
func Relative(a, b Cell) (mean, half float64) {
	mean, half = Paired(a, b)
	whole := math.Abs(stat.Mean(b.Values[:min(len(a.Values), len(b.Values))], nil)) / 100
	return mean / whole, half / whole
}
