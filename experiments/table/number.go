package table

import (
	"math"
	"strconv"
)

// maxDecimals bounds the digits after the point of small numbers.
const maxDecimals = 6

// decimals is how many digits after the point our numbers of the column have: those of the paper, or more where the largest mean would
// have fewer than two significant digits.
func (f Filled) decimals(c Column) int {
	largest := 0.0
	for _, r := range f.Table.Rows {
		if cell, ok := f.cell(r, c); ok && !math.IsInf(cell.Mean, 0) && !math.IsNaN(cell.Mean) {
			largest = max(largest, math.Abs(cell.Mean*c.Scale))
		}
	}
	if c.Better == None || largest == 0 {
		return c.Decimals
	}
	return max(c.Decimals, min(maxDecimals, 1-int(math.Floor(math.Log10(largest)))))
}

// number writes v with so many digits after the point; beyond ten million with its power of ten.
func number(v float64, decimals int) string {
	if math.Abs(v) >= 1e7 {
		return strconv.FormatFloat(v, 'e', 2, 64)
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

// paperBold marks what is bold in the paper.
const paperBold Mark = "bold"

// full writes v so that it is read back exactly.
func full(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// entry is a number as it is shown: mean, deviation and number of runs, each "" if there is none to show.
type entry struct {
	mean, sd, n string
	mark        Mark  // of ours; of the paper's paperBold
	notes       []int // footnotes
}

// ourEntry shows c on the printed scale.
func ourEntry(col Column, c Cell, decimals int) entry {
	e := entry{mean: number(c.Mean*col.Scale, decimals), n: strconv.Itoa(c.N)}
	if c.SD != nil && col.Better != None {
		e.sd = number(*c.SD*col.Scale, decimals)
	}
	return e
}

// paperEntry shows what the paper prints.
func paperEntry(col Column, p Printed) entry {
	e := entry{mean: number(p.Mean, col.Decimals)}
	if p.SD != nil {
		e.sd = number(*p.SD, col.Decimals)
	}
	if p.Bold {
		e.mark = paperBold
	}
	return e
}
