package table

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	gap        = "  "
	plusMinus  = " ± "
	paperName  = "  paper"
	bestSign   = "*"
	secondSign = "°"
	boldSign   = "•"
)

// text writes the sheet for a terminal, in panels of columns side by side as far as they fit.
func (s sheet) text(b *bytes.Buffer, width int) {
	paragraph(b, s.title, "", width)
	paragraph(b, s.about, "", width)
	if s.settings != "" {
		paragraph(b, s.settings, "", width)
	}
	names := s.textNames()
	columns := make([]textColumn, len(s.columns))
	for j := range columns {
		columns[j] = s.textColumn(j)
	}
	for _, panel := range s.panels(columns, width-names.width) {
		b.WriteByte('\n')
		s.panel(b, names, columns, panel)
	}
	b.WriteByte('\n')
	for i, note := range s.footnotes {
		paragraph(b, fmt.Sprintf("[%d] %s", i+1, note), gap, width)
	}
	for _, why := range s.failures {
		paragraph(b, "failed: "+why, gap, width)
	}
	for _, line := range s.legend {
		paragraph(b, line, gap, width)
	}
	if signs := s.signs(bestSign, secondSign, boldSign); signs != "" {
		paragraph(b, signs, gap, width)
	}
	for _, unit := range s.units {
		paragraph(b, unit, gap, width)
	}
	if len(s.notes) > 0 {
		b.WriteString("On the paper's table:\n")
	}
	for _, note := range s.notes {
		paragraph(b, "- "+note, gap, width)
	}
}

// panel writes the columns of these numbers, two lines a row.
func (s sheet) panel(b *bytes.Buffer, names textColumn, columns []textColumn, panel []int) {
	total := names.width
	for _, j := range panel {
		total += len(gap) + columns[j].width
	}
	line := func(part func(c textColumn) string) {
		text := part(names)
		for _, j := range panel {
			text += gap + part(columns[j])
		}
		b.WriteString(strings.TrimRight(text, " ") + "\n")
	}
	rule := strings.Repeat("─", total) + "\n"
	line(func(c textColumn) string { return c.head })
	if slices.ContainsFunc(panel, func(j int) bool { return s.columns[j].factor() != "" }) {
		line(func(c textColumn) string { return c.factor })
	}
	b.WriteString(rule)
	for i, l := range s.lines {
		if l.rule {
			b.WriteString(rule)
		}
		line(func(c textColumn) string { return c.cells[i] })
		if l.paper != nil {
			line(func(c textColumn) string { return c.paper[i] })
		}
	}
}

// textColumn is a column as text of one width.
type textColumn struct {
	head, factor string
	cells, paper []string // one a row
	width        int
}

func (s sheet) textNames() textColumn {
	c := textColumn{width: max(utf8.RuneCountInString(s.rowHeader), len(paperName))}
	for _, l := range s.lines {
		c.cells = append(c.cells, l.label()+textNotes(l.notes))
		c.width = max(c.width, utf8.RuneCountInString(c.cells[len(c.cells)-1]))
	}
	c.head, c.factor = left(s.rowHeader, c.width), left("", c.width)
	for i := range c.cells {
		c.cells[i] = left(c.cells[i], c.width)
		c.paper = append(c.paper, left(paperName, c.width))
	}
	return c
}

// textColumn aligns a column: means end below each other, deviations begin below each other.
func (s sheet) textColumn(j int) textColumn {
	mean, body := 0, 0
	for _, l := range s.lines {
		for _, e := range l.both(j) {
			mean = max(mean, len(e.mean))
		}
	}
	number := func(e entry) string {
		text := right(e.mean, mean)
		if e.sd != "" {
			text += plusMinus + e.sd
		}
		return text
	}
	c := textColumn{head: s.columns[j].heading(), factor: s.columns[j].factor()}
	c.width = max(utf8.RuneCountInString(c.head), utf8.RuneCountInString(c.factor))
	all := 0
	for _, l := range s.lines {
		for _, e := range l.both(j) {
			n := utf8.RuneCountInString(number(e))
			body, all = max(body, n), max(all, n+utf8.RuneCountInString(e.tail()))
		}
	}
	c.width = max(c.width, all)
	shown := func(e entry) string { return right(left(number(e)+e.tail(), all), c.width) }
	for _, l := range s.lines {
		c.cells = append(c.cells, shown(l.cells[j]))
		if l.paper != nil {
			c.paper = append(c.paper, shown(l.paper[j]))
		} else {
			c.paper = append(c.paper, "")
		}
	}
	end := max(c.width-all+body, utf8.RuneCountInString(c.head)) // headings end where the numbers end
	c.head, c.factor = left(right(c.head, end), c.width), left(right(c.factor, end), c.width)
	return c
}

// tail is what follows a number: its runs, its mark, its footnotes.
func (e entry) tail() string {
	text := ""
	if e.n != "" {
		text = " (" + e.n + ")"
	}
	switch e.mark {
	case Best:
		text += bestSign
	case Second:
		text += secondSign
	case paperBold:
		text += boldSign
	}
	return text + textNotes(e.notes)
}

func textNotes(notes []int) string {
	text := ""
	for _, n := range notes {
		text += fmt.Sprintf(" [%d]", n)
	}
	return text
}
