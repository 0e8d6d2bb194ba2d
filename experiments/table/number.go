package table

import (
	"math"
	"strconv"
)

// maxDecimals bounds the decimals of small numbers.
const maxDecimals = 6

// decimals returns the number of decimals of our numbers in the column: the paper's, or more where
// the largest mean would have fewer than two significant digits.
func (f Results) decimals(c Column) int {
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

// number formats v with that many decimals; beyond ten million, with a power of ten.
func number(v float64, decimals int) string {
	if math.Abs(v) >= 1e7 {
		return strconv.FormatFloat(v, 'e', 2, 64)
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

// paperBold marks what is bold in the paper.
const paperBold Mark = "bold"

// ourEntry formats c on the printed scale.
func ourEntry(col Column, c Cell, decimals int) Entry {
	e := Entry{Mean: number(c.Mean*col.Scale, decimals), Aside: strconv.Itoa(c.N)}
	if c.SD != nil && col.Better != None {
		e.Spread = number(*c.SD*col.Scale, decimals)
	}
	return e
}

// paperEntry formats what the paper prints.
func paperEntry(col Column, p Printed) Entry {
	e := Entry{Mean: number(p.Mean, col.Decimals)}
	if p.SD != nil {
		e.Spread = number(*p.SD, col.Decimals)
	}
	if p.Bold {
		e.mark = paperBold
	}
	return e
}
