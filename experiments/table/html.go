package table

import (
	"bytes"
	_ "embed"
	"fmt"
	"html"
	"strings"
)

//go:embed style.css
var style string

// html writes the sheet as a fragment with its style, for a page or a notebook: colours are those of the page, light or dark.
func (s sheet) html(b *bytes.Buffer) {
	esc := html.EscapeString
	fmt.Fprintf(b, "<div class=\"swlab-table\">\n<style>\n%s</style>\n", style)
	fmt.Fprintf(b, "<p class=\"title\">%s</p>\n<p class=\"about\">%s", esc(s.title), esc(s.about))
	if s.settings != "" {
		fmt.Fprintf(b, "<br/>%s", esc(s.settings))
	}
	fmt.Fprintf(b, "</p>\n<div class=\"scroll\" tabindex=\"0\">\n<table class=\"grid\">\n<thead><tr><th scope=\"col\">%s</th>", esc(s.rowHeader))
	for _, c := range s.columns {
		fmt.Fprintf(b, "<th scope=\"col\" title=\"%s\">%s<span class=\"paper\">%s</span></th>", esc(c.Unit), esc(c.heading()), esc(c.factor()))
	}
	b.WriteString("</tr></thead>\n<tbody>\n")
	for _, l := range s.lines {
		var classes []string
		if l.rule {
			classes = append(classes, "rule")
		}
		if l.ours {
			classes = append(classes, "ours")
		}
		fmt.Fprintf(b, "<tr class=\"%s\"><th scope=\"row\">%s%s", strings.Join(classes, " "), esc(l.label()), htmlNotes(l.notes))
		if l.paper != nil {
			b.WriteString(`<span class="paper">paper</span>`)
		}
		b.WriteString("</th>")
		for j, e := range l.cells {
			fmt.Fprintf(b, "<td>%s", htmlEntry(e))
			if l.paper != nil {
				fmt.Fprintf(b, `<span class="paper">%s</span>`, htmlEntry(l.paper[j]))
			}
			b.WriteString("</td>")
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody>\n</table>\n</div>\n")
	s.htmlLegend(b)
	b.WriteString("</div>\n")
}

func (s sheet) htmlLegend(b *bytes.Buffer) {
	item := func(text string) { fmt.Fprintf(b, "<li>%s</li>\n", text) }
	b.WriteString("<ul>\n")
	for i, note := range s.footnotes {
		item(fmt.Sprintf("<sup>%d</sup> %s", i+1, html.EscapeString(note)))
	}
	for _, why := range s.failures {
		item("failed: " + html.EscapeString(why))
	}
	for _, line := range s.legend {
		item(html.EscapeString(line))
	}
	if signs := s.signs(`<b class="best">bold</b>`, `<i class="second">underlined</i>`, `<b class="best">bold</b>`); signs != "" {
		item(signs)
	}
	for _, unit := range s.units {
		item(html.EscapeString(unit))
	}
	b.WriteString("</ul>\n")
	if len(s.notes) == 0 {
		return
	}
	b.WriteString("<p>On the paper's table:</p>\n<ul>\n")
	for _, note := range s.notes {
		item(html.EscapeString(note))
	}
	b.WriteString("</ul>\n")
}

func htmlEntry(e entry) string {
	text := e.mean
	if e.sd != "" {
		text += plusMinus + e.sd
	}
	switch e.mark {
	case Best, paperBold:
		text = `<b class="best">` + text + `</b>`
	case Second:
		text = `<i class="second">` + text + `</i>`
	}
	if e.n != "" {
		text += " (" + e.n + ")"
	}
	return text + htmlNotes(e.notes)
}

func htmlNotes(notes []int) string {
	text := ""
	for _, n := range notes {
		text += fmt.Sprintf("<sup>%d</sup>", n)
	}
	return text
}
