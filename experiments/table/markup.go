package table

import (
	"bytes"
	_ "embed"
	"fmt"
	"html"
	"strings"
)

var asMarkdown = markup{escape: strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;", "[", `\[`, "]", `\]`, "#", `\#`, "$", `\$`, "~", `\~`, "\r", " ", "\n", " ").Replace,
	note: "<sup>%d</sup>", gap: " ", best: "**%s**", second: "*%s*", bestName: "**bold**", secondName: "*italic*", boldName: "**bold**"}

// markdown writes the sheet as a table in GitHub's format, second lines in their own rows.
func (s Sheet) markdown(b *bytes.Buffer) {
	m := asMarkdown
	fmt.Fprintf(b, "**%s**", m.escape(s.Title))
	for _, line := range s.About {
		fmt.Fprintf(b, "  \n%s", m.escape(line))
	}
	b.WriteString("\n\n")
	row := func(name string, cells []string) {
		fmt.Fprintf(b, "| %s |\n", strings.Join(append([]string{name}, cells...), " | "))
	}
	entries := func(name string, entries []Entry) {
		var cells []string
		for _, e := range entries {
			cells = append(cells, m.entry(e))
		}
		row(name, cells)
	}
	var head, align []string
	for _, c := range s.Columns {
		head, align = append(head, strings.TrimSpace(m.escape(c.heading())+" "+c.factor())), append(align, "--:")
	}
	row(m.escape(s.RowHeader), head)
	row(":--", align)
	for _, l := range s.Lines {
		entries(m.escape(l.label())+m.notes(l.notes), l.Cells)
		if l.Below != nil {
			entries("&nbsp;&nbsp;"+s.Below, l.Below)
		}
	}
	b.WriteByte('\n')
	for _, line := range s.remarks(m) {
		fmt.Fprintf(b, "- %s\n", line)
	}
	for _, note := range s.notes {
		fmt.Fprintf(b, "- %s %s\n", onPaper, m.escape(note))
	}
}

//go:embed style.css
var style string

var asHTML = markup{escape: html.EscapeString, note: "<sup>%d</sup>", gap: " ", best: `<b class="best">%s</b>`, second: `<i class="second">%s</i>`,
	bestName: `<b class="best">bold</b>`, secondName: `<i class="second">underlined</i>`, boldName: `<b class="best">bold</b>`}

// html writes the sheet as a fragment with its style, for a page or a notebook. Colours follow the
// page, light or dark.
func (s Sheet) html(b *bytes.Buffer) {
	m, esc := asHTML, html.EscapeString
	fmt.Fprintf(b, "<div class=\"swlab-table\">\n<style>\n%s</style>\n", style)
	fmt.Fprintf(b, "<p class=\"title\">%s</p>\n<p class=\"about\">%s</p>\n", esc(s.Title), strings.ReplaceAll(esc(strings.Join(s.About, "\n")), "\n", "<br/>"))
	fmt.Fprintf(b, "<div class=\"scroll\" tabindex=\"0\">\n<table class=\"grid\">\n<thead><tr><th scope=\"col\">%s</th>", esc(s.RowHeader))
	for _, c := range s.Columns {
		fmt.Fprintf(b, "<th scope=\"col\" title=\"%s\">%s<span class=\"paper\">%s</span></th>", esc(c.Unit), esc(c.heading()), esc(c.factor()))
	}
	b.WriteString("</tr></thead>\n<tbody>\n")
	below := func(text string) string { return `<span class="paper">` + text + `</span>` }
	for _, l := range s.Lines {
		var classes []string
		if l.rule {
			classes = append(classes, "rule")
		}
		if l.ours {
			classes = append(classes, "ours")
		}
		fmt.Fprintf(b, "<tr class=\"%s\"><th scope=\"row\">%s%s", strings.Join(classes, " "), esc(l.label()), m.notes(l.notes))
		if l.Below != nil {
			b.WriteString(below(esc(s.Below)))
		}
		b.WriteString("</th>")
		for j, e := range l.Cells {
			fmt.Fprintf(b, "<td>%s", m.entry(e))
			if l.Below != nil {
				b.WriteString(below(m.entry(l.Below[j])))
			}
			b.WriteString("</td>")
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody>\n</table>\n</div>\n")
	list := func(items []string) { fmt.Fprintf(b, "<ul>\n<li>%s</li>\n</ul>\n", strings.Join(items, "</li>\n<li>")) }
	list(s.remarks(m))
	if len(s.notes) > 0 {
		fmt.Fprintf(b, "<p>%s</p>\n", onPaper)
		var items []string
		for _, note := range s.notes {
			items = append(items, esc(note))
		}
		list(items)
	}
	b.WriteString("</div>\n")
}

var asLaTeX = markup{escape: strings.NewReplacer(`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`, "{", `\{`, "}", `\}`, "[", "{[}", "]", "{]}", "*", "{*}",
	"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "<", "$<$", ">", "$>$", "|", "$|$", `"`, "''",
	"±", `$\pm$`, "×", `$\times$`, "↑", `$\uparrow$`, "↓", `$\downarrow$`, dagger, `$^{\dagger}$`, "\r", " ", "\n", " ").Replace,
	note: "$^{%d}$", gap: "~", best: `\mathbf{%s}`, second: `\underline{%s}`, bestName: `\textbf{bold}`, secondName: `\underline{underlined}`, boldName: `\textbf{bold}`}

// latex writes the sheet as a float for the booktabs package, with everything a reader has to know
// in and below it.
func (s Sheet) latex(b *bytes.Buffer) {
	m, tex := asLaTeX, asLaTeX.escape
	caption := tex(s.Title) + "."
	for _, line := range s.About {
		caption += " " + tex(line) + "."
	}
	size := "footnotesize"
	if len(s.Columns) > 7 {
		size = "scriptsize" // fits a page 17 cm wide
	}
	fmt.Fprintf(b, "%% \\usepackage{booktabs}\n\\begin{table*}[t]\n\\centering\n\\caption{%s}\n\\label{tab:swlab-%s}\n\\%s\\setlength{\\tabcolsep}{3pt}\n", caption, strings.ReplaceAll(s.Name, "_", "-"), size)
	fmt.Fprintf(b, "\\begin{tabular}{l%s}\n\\toprule\n", strings.Repeat("r", len(s.Columns)))
	row := func(cells []string) { b.WriteString(strings.Join(cells, " & ") + " \\\\\n") }
	head, factors, scaled := []string{tex(s.RowHeader)}, []string{""}, false
	for _, c := range s.Columns {
		head, factors, scaled = append(head, tex(c.heading())), append(factors, tex(c.factor())), scaled || c.factor() != ""
	}
	row(head)
	if scaled {
		row(factors)
	}
	b.WriteString("\\midrule\n")
	for i, l := range s.Lines {
		switch {
		case l.rule:
			b.WriteString("\\midrule\n")
		case i > 0 && l.Below != nil:
			b.WriteString("\\addlinespace[1pt]\n")
		}
		cells := []string{tex(l.label()) + m.notes(l.notes)}
		for _, e := range l.Cells {
			cells = append(cells, texEntry(e))
		}
		row(cells)
		if l.Below == nil {
			continue
		}
		cells = []string{`\quad\scriptsize ` + tex(s.Below)}
		for _, e := range l.Below {
			text := texEntry(e)
			if text != "" {
				text = `\scriptsize ` + text
			}
			cells = append(cells, text)
		}
		row(cells)
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n\n\\smallskip\n\\begin{minipage}{\\linewidth}\\scriptsize\\raggedright\n")
	lines := s.remarks(m)
	for _, note := range s.notes {
		lines = append(lines, onPaper+" "+tex(note))
	}
	for _, line := range lines {
		fmt.Fprintf(b, "%s\\par\n", line)
	}
	b.WriteString("\\end{minipage}\n\\end{table*}\n")
}

// texEntry formats a number in math mode, with the mark around its mean only. Words stay text.
func texEntry(e Entry) string {
	m := asLaTeX
	if strings.Trim(e.Mean, "+-.0123456789e") != "" || e.Mean == nothing || e.Mean == "" {
		return m.escape(e.Mean) + m.notes(e.notes)
	}
	text := m.marked(e, e.Mean)
	if e.Spread != "" {
		text += ` \pm ` + e.Spread
	}
	if e.Aside != "" {
		text += `\ (` + e.Aside + `)`
	}
	return "$" + text + "$" + m.notes(e.notes)
}
