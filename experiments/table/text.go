package table

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

const gap = "  "

// text writes the sheet for a terminal, in panels of as many columns as fit.
func (s Sheet) text(b *bytes.Buffer, width int) {
	for _, line := range append([]string{s.Title}, s.About...) {
		paragraph(b, line, "", width)
	}
	names := s.textNames()
	columns := make([]textColumn, len(s.Columns))
	for j := range columns {
		columns[j] = s.textColumn(j)
	}
	for _, panel := range s.panels(columns, width-names.width) {
		b.WriteByte('\n')
		s.panel(b, names, columns, panel)
	}
	b.WriteByte('\n')
	for _, line := range s.remarks(asText) {
		paragraph(b, line, gap, width)
	}
	if len(s.notes) > 0 {
		b.WriteString("On the paper's table:\n")
	}
	for _, note := range s.notes {
		paragraph(b, "- "+note, gap, width)
	}
}

// panel writes the columns with these numbers, two lines per row.
func (s Sheet) panel(b *bytes.Buffer, names textColumn, columns []textColumn, panel []int) {
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
	if slices.ContainsFunc(panel, func(j int) bool { return s.Columns[j].factor() != "" }) {
		line(func(c textColumn) string { return c.factor })
	}
	b.WriteString(rule)
	for i, l := range s.Lines {
		if l.rule {
			b.WriteString(rule)
		}
		line(func(c textColumn) string { return c.cells[i] })
		if l.Below != nil {
			line(func(c textColumn) string { return c.paper[i] })
		}
	}
}

// textColumn is a column as text of one width.
type textColumn struct {
	head, factor string
	cells, paper []string // one per row
	width        int
}

func (s Sheet) textNames() textColumn {
	c := textColumn{width: max(utf8.RuneCountInString(s.RowHeader), utf8.RuneCountInString(gap+s.Below))}
	for _, l := range s.Lines {
		c.cells = append(c.cells, l.label()+asText.notes(l.notes))
		c.width = max(c.width, utf8.RuneCountInString(c.cells[len(c.cells)-1]))
	}
	c.head, c.factor = left(s.RowHeader, c.width), left("", c.width)
	for i := range c.cells {
		c.cells[i] = left(c.cells[i], c.width)
		c.paper = append(c.paper, left(gap+s.Below, c.width))
	}
	return c
}

// textColumn aligns a column: means are right-aligned, deviations left-aligned.
func (s Sheet) textColumn(j int) textColumn {
	mean, body := 0, 0
	for _, l := range s.Lines {
		for _, e := range l.both(j) {
			mean = max(mean, len(e.Mean))
		}
	}
	number := func(e Entry) string {
		text := right(e.Mean, mean)
		if e.Spread != "" {
			text += plusMinus + e.Spread
		}
		return text
	}
	c := textColumn{head: s.Columns[j].heading(), factor: s.Columns[j].factor()}
	c.width = max(utf8.RuneCountInString(c.head), utf8.RuneCountInString(c.factor))
	all := 0
	for _, l := range s.Lines {
		for _, e := range l.both(j) {
			n := utf8.RuneCountInString(number(e))
			body, all = max(body, n), max(all, n+utf8.RuneCountInString(e.tail()))
		}
	}
	c.width = max(c.width, all)
	shown := func(e Entry) string { return right(left(number(e)+e.tail(), all), c.width) }
	for _, l := range s.Lines {
		c.cells = append(c.cells, shown(l.Cells[j]))
		if l.Below != nil {
			c.paper = append(c.paper, shown(l.Below[j]))
		} else {
			c.paper = append(c.paper, "")
		}
	}
	// Headings end with the numbers.
	end := max(c.width-all+body, utf8.RuneCountInString(c.head))
	c.head, c.factor = left(right(c.head, end), c.width), left(right(c.factor, end), c.width)
	return c
}

// tail returns what follows a number: brackets, its mark, its footnotes.
func (e Entry) tail() string {
	text := ""
	if e.Aside != "" {
		text = " (" + e.Aside + ")"
	}
	return text + map[Mark]string{Best: asText.bestName, Second: asText.secondName, paperBold: asText.boldName}[e.mark] + asText.notes(e.notes)
}

// panels distributes the columns evenly over as few panels of this width as needed. Settings on the
// left, which distinguish rows of one name, are in every panel.
func (s Sheet) panels(columns []textColumn, width int) [][]int {
	fixed := 0
	for fixed < len(columns) && s.Columns[fixed].Better == None {
		width -= len(gap) + columns[fixed].width
		fixed++
	}
	split := func(most int) (out [][]int) { // at most that many side by side
		free := 0
		for j := fixed; j < len(columns); j++ {
			need := len(gap) + columns[j].width
			if len(out) == 0 || need > free || len(out[len(out)-1]) == fixed+most {
				panel := make([]int, fixed)
				for k := range panel {
					panel[k] = k
				}
				out, free = append(out, panel), width
			}
			out[len(out)-1] = append(out[len(out)-1], j)
			free -= need
		}
		return out
	}
	rest := len(columns) - fixed
	if rest == 0 {
		return nil
	}
	few := len(split(rest))
	if even := split((rest + few - 1) / few); len(even) == few {
		return even
	}
	return split(rest)
}

func left(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
}

func right(text string, width int) string {
	return strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text))) + text
}

// paragraph writes text in lines of the width, indented after the first.
func paragraph(b *bytes.Buffer, text, indent string, width int) {
	at := 0
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case at+1+n > width:
			b.WriteString("\n" + indent)
			at = len(indent)
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += n
	}
	b.WriteByte('\n')
}
