package table

import (
	"slices"
	"strconv"
	"strings"
)

// sheet is a filled table as readers see it, before it is text of some format.
type sheet struct {
	title, about string
	settings     string // what was reduced; "" without numbers of ours
	rowHeader    string
	columns      []Column
	lines        []sheetLine
	footnotes    []string // by number, from 1
	failures     []string
	legend       []string
	units        []string
	notes        []string
}

// sheetLine is a row: our numbers, and the paper's below them. Without numbers of ours the paper's are the only ones.
type sheetLine struct {
	name  string
	notes []int
	ours  bool
	rule  bool    // a rule above
	cells []entry // one a column
	paper []entry // nil: no second line
}

// label is the row's name, with a dagger if it is ours.
func (l sheetLine) label() string {
	if l.ours {
		return l.name + dagger
	}
	return l.name
}

// both are the entries of column j: ours, and the paper's where there is a line of it.
func (l sheetLine) both(j int) []entry {
	if l.paper == nil {
		return l.cells[j : j+1]
	}
	return []entry{l.cells[j], l.paper[j]}
}

// signs explains the marks that occur, given what the format makes of them.
func (s sheet) signs(best, second, bold string) string {
	has := map[Mark]bool{}
	for _, l := range s.lines {
		for j := range l.cells {
			for _, e := range l.both(j) {
				has[e.mark] = true
			}
		}
	}
	var parts []string
	if has[Best] {
		parts = append(parts, best+": best")
	}
	if has[Second] {
		parts = append(parts, second+": second best")
	}
	if has[paperBold] {
		parts = append(parts, bold+" in a line of the paper: bold there")
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, "; ") + "."
}

const (
	nothing = "-"
	failed  = "failed"
	dagger  = "†"
)

func (f Filled) sheet() sheet {
	t := f.Table
	s := sheet{title: t.Title, about: f.about(), settings: f.settings(), rowHeader: t.RowHeader, columns: t.Columns, units: t.units(), notes: t.Notes}
	marks := f.Marks()
	usual := strconv.Itoa(f.usualRuns())
	rows := slices.Clone(t.Rows)
	slices.SortStableFunc(rows, func(a, b Row) int { return order(a) - order(b) })
	for i, r := range rows {
		l := sheetLine{name: r.Name, ours: r.Ours, notes: s.footnote(r.Note)}
		l.rule = i > 0 && (r.Group != rows[i-1].Group || r.Ours != rows[i-1].Ours)
		for _, c := range t.Columns {
			our, their := f.entries(r, c)
			if cell, ok := f.cell(r, c); ok {
				our.notes = s.footnote(cell.Note)
			}
			if m, ok := marks[r.ID][c.Key]; ok {
				our.mark = m
			}
			if our.n == usual || c.Better == None {
				our.n = ""
			}
			l.cells, l.paper = append(l.cells, our), append(l.paper, their)
		}
		switch {
		case f.empty():
			l.cells, l.paper = l.paper, nil
		case r.Ours:
			l.paper = nil
		}
		s.lines = append(s.lines, l)
		if why, ok := f.Failed[r.ID]; ok {
			s.failures = append(s.failures, r.Name+" ("+r.ID+"): "+why)
		}
	}
	s.legend = f.legend(marks)
	return s
}

// order puts rows of ours below the paper's.
func order(r Row) int {
	if r.Ours {
		return 1
	}
	return 0
}

// entries are our number and the paper's. A setting that nobody has changed is shown once, as the row's.
func (f Filled) entries(r Row, c Column) (our, their entry) {
	p, printed := r.Paper[c.Key]
	if printed {
		their = paperEntry(c, p)
	}
	cell, ok := f.cell(r, c)
	_, fell := f.Failed[r.ID]
	switch {
	case f.empty():
		if !printed {
			their.mean = nothing
		}
	case ok:
		our = ourEntry(c, cell, f.decimals(c))
	case c.Better == None && printed:
		our = their
	case fell:
		our.mean = failed
	default:
		our.mean = nothing
	}
	if c.Better == None && !f.empty() && our.mean == their.mean {
		their = entry{}
	}
	return our, their
}

// footnote numbers a text; equal texts share a number.
func (s *sheet) footnote(text string) []int {
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

// usualRuns is the number of runs that most cells have, the larger of two; 0 without cells.
func (f Filled) usualRuns() int {
	count, usual := map[int]int{}, 0
	for _, r := range f.Table.Rows {
		for _, c := range f.Table.Columns {
			if cell, ok := f.cell(r, c); ok && c.Better != None {
				count[cell.N]++
			}
		}
	}
	for n, cells := range count {
		if cells > count[usual] || cells == count[usual] && n > usual {
			usual = n
		}
	}
	return usual
}
