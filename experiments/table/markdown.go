package table

import (
	"bytes"
	"fmt"
	"strings"
)

// markdown writes the sheet as a table in the form of GitHub, the paper's numbers in rows of their own.
func (s sheet) markdown(b *bytes.Buffer) {
	fmt.Fprintf(b, "**%s**  \n%s", md(s.title), md(s.about))
	if s.settings != "" {
		fmt.Fprintf(b, "  \n%s", md(s.settings))
	}
	b.WriteString("\n\n")
	row := func(cells []string) { fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | ")) }
	head, align := []string{md(s.rowHeader)}, []string{":--"}
	for _, c := range s.columns {
		text := md(c.heading())
		if factor := c.factor(); factor != "" {
			text += " " + factor
		}
		head, align = append(head, text), append(align, "--:")
	}
	row(head)
	row(align)
	for _, l := range s.lines {
		cells := []string{md(l.label()) + mdNotes(l.notes)}
		for _, e := range l.cells {
			cells = append(cells, mdEntry(e))
		}
		row(cells)
		if l.paper == nil {
			continue
		}
		cells = []string{"&nbsp;&nbsp;paper"}
		for _, e := range l.paper {
			cells = append(cells, mdEntry(e))
		}
		row(cells)
	}
	b.WriteByte('\n')
	item := func(text string) { b.WriteString("- " + text + "\n") }
	for i, note := range s.footnotes {
		item(fmt.Sprintf("<sup>%d</sup> %s", i+1, md(note)))
	}
	for _, why := range s.failures {
		item("failed: " + md(why))
	}
	for _, line := range s.legend {
		item(md(line))
	}
	if signs := s.signs("**bold**", "*italic*", "**bold**"); signs != "" {
		item(signs)
	}
	for _, unit := range s.units {
		item(md(unit))
	}
	for _, note := range s.notes {
		item("On the paper's table: " + md(note))
	}
}

func mdEntry(e entry) string {
	text := e.mean
	if e.sd != "" {
		text += plusMinus + e.sd
	}
	switch {
	case text == "":
	case e.mark == Best || e.mark == paperBold:
		text = "**" + text + "**"
	case e.mark == Second:
		text = "*" + text + "*"
	}
	if e.n != "" {
		text += " (" + e.n + ")"
	}
	return text + mdNotes(e.notes)
}

func mdNotes(notes []int) string {
	text := ""
	for _, n := range notes {
		text += fmt.Sprintf("<sup>%d</sup>", n)
	}
	return text
}

var mdEscape = strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;", "[", `\[`, "]", `\]`, "#", `\#`, "$", `\$`, "~", `\~`, "\r", " ", "\n", " ")

func md(text string) string { return mdEscape.Replace(text) }
