package table

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

const gap = "  "

// text writes the sheet for a terminal, in panels of as many columns as fit, two lines per row.
func (s Sheet) text(b *bytes.Buffer, width int) {
	for _, line := range append([]string{s.Title}, s.About...) {
		paragraph(b, line, "", width)
	}
	names := s.textNames()
	for _, panel := range s.panels(width - names.width) {
		b.WriteByte('\n')
		s.panel(b, append([]textColumn{names}, panel...))
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

func (s Sheet) panel(b *bytes.Buffer, panel []textColumn) {
	total := -len(gap)
	for _, c := range panel {
		total += len(gap) + c.width
	}
	line := func(part func(c textColumn) string) {
		var parts []string
		for _, c := range panel {
			parts = append(parts, fmt.Sprintf("%-*s", c.width, part(c)))
		}
		b.WriteString(strings.TrimRight(strings.Join(parts, gap), " ") + "\n")
	}
	rule := strings.Repeat("─", total) + "\n"
	line(func(c textColumn) string { return c.head })
	if slices.ContainsFunc(panel, func(c textColumn) bool { return strings.TrimSpace(c.factor) != "" }) {
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

// textColumn is a column of texts, none longer than width.
type textColumn struct {
	head, factor string
	cells, paper []string // one per row
	width        int
}

func (s Sheet) textNames() textColumn {
	c := textColumn{head: s.RowHeader, width: max(runes(s.RowHeader), runes(gap+s.Below))}
	for _, l := range s.Lines {
		name := l.label() + asText.notes(l.notes)
		c.cells, c.paper, c.width = append(c.cells, name), append(c.paper, gap+s.Below), max(c.width, runes(name))
	}
	return c
}

// textColumn aligns a column: means are right-aligned, deviations left-aligned, and headings end
// with the numbers.
func (s Sheet) textColumn(j int) textColumn {
	mean, body, all := 0, 0, 0
	for _, l := range s.Lines {
		for _, e := range l.both(j) {
			mean = max(mean, len(e.Mean))
		}
	}
	number := func(e Entry) string {
		e.Mean = fmt.Sprintf("%*s", mean, e.Mean)
		return e.number()
	}
	for _, l := range s.Lines {
		for _, e := range l.both(j) {
			body, all = max(body, runes(number(e))), max(all, runes(number(e)+e.tail()))
		}
	}
	head, factor := s.Columns[j].heading(), s.Columns[j].factor()
	c := textColumn{width: max(runes(head), runes(factor), all)}
	shown := func(e Entry) string { return fmt.Sprintf("%*s%-*s", c.width-all, "", all, number(e)+e.tail()) }
	for _, l := range s.Lines {
		entries := append(l.both(j), Entry{})
		c.cells, c.paper = append(c.cells, shown(entries[0])), append(c.paper, shown(entries[1]))
	}
	end := max(c.width-all+body, runes(head))
	c.head, c.factor = fmt.Sprintf("%*s", end, head), fmt.Sprintf("%*s", end, factor)
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
func (s Sheet) panels(width int) [][]textColumn {
	var fixed, rest []textColumn
	for j, c := range s.Columns {
		column := s.textColumn(j)
		if len(rest) == 0 && c.Better == None {
			fixed = append(fixed, column)
			width -= len(gap) + column.width
		} else {
			rest = append(rest, column)
		}
	}
	split := func(most int) (out [][]textColumn) { // at most that many side by side
		free := 0
		for _, c := range rest {
			need, last := len(gap)+c.width, len(out)-1
			if last < 0 || need > free || len(out[last]) == len(fixed)+most {
				out, free, last = append(out, slices.Clone(fixed)), width, last+1
			}
			out[last] = append(out[last], c)
			free -= need
		}
		return out
	}
	few := split(len(rest))
	if len(few) == 0 {
		return nil
	}
	if even := split((len(rest) + len(few) - 1) / len(few)); len(even) == len(few) {
		return even
	}
	return few
}

func runes(text string) int { return utf8.RuneCountInString(text) }

// paragraph writes text in lines of the width, indented after the first.
func paragraph(b *bytes.Buffer, text, indent string, width int) {
	at := 0
	for i, word := range strings.Fields(text) {
		n := runes(word)
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
