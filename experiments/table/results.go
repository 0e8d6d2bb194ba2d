package table

import (
	"math"
	"slices"
	"strconv"
)

// Cell is the result of the runs of one row in one column, in natural units (fractions, distances
// without factors).
type Cell struct {
	Mean   float64   `json:"mean"`
	SD     *float64  `json:"sd"`             // over runs, dividing by N - 1; nil where N is 1
	N      int       `json:"n"`              // runs
	Values []float64 `json:"values"`         // per run, in the order of the seeds; may be nil
	Note   string    `json:"note,omitempty"` // a footnote
}

// NewCell returns the cell of the runs' values: mean and sample deviation sqrt(sum (v - mean)^2 /
// (n - 1)).
func NewCell(values ...float64) Cell {
	c := Cell{N: len(values), Values: values}
	if c.N == 0 {
		return c
	}
	sum := 0.0
	for _, v := range values {
		sum += v - values[0] // equal values have deviation 0, without rounding errors
	}
	c.Mean = values[0] + sum/float64(c.N)
	if c.N < 2 {
		return c
	}
	sum = 0
	for _, v := range values {
		sum += (v - c.Mean) * (v - c.Mean)
	}
	sd := math.Sqrt(sum / float64(c.N-1))
	c.SD = &sd
	return c
}

// SampleSD converts a deviation over n runs that divides by n, as in the paper, to one that divides
// by n - 1.
func SampleSD(population float64, n int) float64 {
	return population * math.Sqrt(float64(n)/float64(n-1))
}

// Results is a table filled with numbers. Without any (Cells and Failed are empty) it is written as
// in the paper.
type Results struct {
	Table  Table
	Preset string
	// Settings says what was reduced or overridden compared with the paper; always printed.
	Settings []string
	Seeds    []uint64
	Backend  string
	Data     string
	Cells    map[string]map[string]Cell // by row id and column key
	Failed   map[string]string          // by row id: why cells are missing
}

// empty reports whether there are only the paper's numbers.
func (f Results) empty() bool { return len(f.Cells) == 0 && len(f.Failed) == 0 }

// cell returns the row's cell in the column, if there is one.
func (f Results) cell(r Row, c Column) (Cell, bool) {
	cell, ok := f.Cells[r.ID][c.Key]
	return cell, ok
}

// Sheet shows our numbers with the paper's below them, or only the paper's if there are none of
// ours.
func (f Results) Sheet() Sheet {
	t := f.Table
	s := Sheet{Name: t.Name, Title: t.Title, About: f.about(), RowHeader: t.RowHeader, Columns: t.Columns, Below: "paper", notes: t.Notes}
	marks := f.Marks()
	usual := strconv.Itoa(f.usualRuns())
	theirs := func(r Row) bool { return !r.Ours } // above ours
	rows := slices.Concat(t.WithoutOurs().Rows, slices.DeleteFunc(slices.Clone(t.Rows), theirs))
	for i, r := range rows {
		l := Line{Name: r.Name, ours: r.Ours, notes: s.footnote(r.Note)}
		l.rule = i > 0 && (r.Group != rows[i-1].Group || r.Ours != rows[i-1].Ours)
		for _, c := range t.Columns {
			our, their := f.entries(r, c)
			if cell, ok := f.cell(r, c); ok {
				our.notes = s.footnote(cell.Note)
			}
			if m, ok := marks[r.ID][c.Key]; ok {
				our.mark = m
			}
			if our.Aside == usual || c.Better == None {
				our.Aside = ""
			}
			l.Cells, l.Below = append(l.Cells, our), append(l.Below, their)
		}
		switch {
		case f.empty():
			l.Cells, l.Below = l.Below, nil
		case r.Ours:
			l.Below = nil
		}
		s.Lines = append(s.Lines, l)
		if why, ok := f.Failed[r.ID]; ok {
			s.failures = append(s.failures, r.Name+" ("+r.ID+"): "+why)
		}
	}
	s.Legend = f.legend(marks)
	return s
}

// entries returns our number and the paper's. An unchanged setting is shown once, as the row's.
func (f Results) entries(r Row, c Column) (our, their Entry) {
	p, printed := r.Paper[c.Key]
	if printed {
		their = paperEntry(c, p)
	}
	cell, ok := f.cell(r, c)
	_, fell := f.Failed[r.ID]
	switch {
	case f.empty():
		if !printed {
			their.Mean = nothing
		}
	case ok:
		our = ourEntry(c, cell, f.decimals(c))
	case c.Better == None && printed:
		our = their
	case fell:
		our.Mean = failed
	default:
		our.Mean = nothing
	}
	if c.Better == None && !f.empty() && our.Mean == their.Mean {
		their = Entry{}
	}
	return our, their
}

// footnote numbers a text; equal texts share a number.
func (s *Sheet) footnote(text string) []int {
	if text == "" {
		return nil
	}
	i := slices.Index(s.footnotes, text)
	if i < 0 {
		i = len(s.footnotes)
		s.footnotes = append(s.footnotes, text)
	}
	return []int{i + 1}
}

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
