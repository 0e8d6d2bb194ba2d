package table

import (
	"bytes"
	"embed"
	"fmt"
	"html"
	"strings"
	"text/template"

	"github.com/janpfeifer/must"
)

// markup says how a format writes the parts of a sheet; its template has their order.
type markup struct {
	escape       func(text string) string
	note         string // number of a footnote, a format with one %d
	gap          string // between it and the footnote
	best, second string // around a number, a format with one %s
	// What the legend calls them, and bold numbers in the paper's lines.
	bestName, secondName, boldName string
}

var asText = markup{escape: func(text string) string { return text }, note: " [%d]", gap: " ", bestName: "*", secondName: "°", boldName: "•"}

var asMarkdown = markup{note: "<sup>%d</sup>", gap: " ", best: "**%s**", second: "*%s*",
	bestName: "**bold**", secondName: "*italic*", boldName: "**bold**",
	escape: strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;", "[", `\[`, "]", `\]`,
		"#", `\#`, "$", `\$`, "~", `\~`, "\r", " ", "\n", " ").Replace}

// asHTML is a fragment with its style, for a page or a notebook. Colours follow the page, light or
// dark.
var asHTML = markup{note: "<sup>%d</sup>", gap: " ", best: `<b class="best">%s</b>`, second: `<i class="second">%s</i>`,
	bestName: `<b class="best">bold</b>`, secondName: `<i class="second">underlined</i>`, boldName: `<b class="best">bold</b>`,
	escape: html.EscapeString}

// asLaTeX is a float for the booktabs package, with everything a reader has to know in and below it.
var asLaTeX = markup{note: "$^{%d}$", gap: "~", best: `\mathbf{%s}`, second: `\underline{%s}`,
	bestName: `\textbf{bold}`, secondName: `\underline{underlined}`, boldName: `\textbf{bold}`,
	escape: strings.NewReplacer(`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`, "{", `\{`, "}", `\}`,
		"[", "{[}", "]", "{]}", "*", "{*}", "~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "<", "$<$", ">", "$>$", "|", "$|$",
		`"`, "''", "±", `$\pm$`, "×", `$\times$`, "↑", `$\uparrow$`, "↓", `$\downarrow$`, dagger, `$^{\dagger}$`, "\r", " ", "\n", " ").Replace}

//go:embed *.tmpl
var templates embed.FS

// write fills the format's template.
func (m markup) write(b *bytes.Buffer, s Sheet, format string) {
	entry := m.entry
	if format == "latex" {
		entry = texEntry
	}
	t := template.Must(template.New("table."+format+".tmpl").Delims("[[", "]]").Funcs(template.FuncMap{
		"esc": m.escape, "entry": entry, "scaled": scaledColumns,
		"heading": func(c Column) string { return m.escape(c.heading()) },
		"factor":  func(c Column) string { return m.escape(c.factor()) },
		"name":    func(l Line) string { return m.escape(l.label()) + m.notes(l.notes) },
		"rule":    func(l Line) bool { return l.rule },
		"ours":    func(l Line) bool { return l.ours },
		"remarks": func() []string { return s.remarks(m) },
		"notes":   func() []string { return s.notes },
		"label":   func() string { return strings.ReplaceAll(s.Name, "_", "-") },
	}).ParseFS(templates, "table."+format+".tmpl"))
	must.M(t.Execute(b, s))
}

// marked returns text with the mark of its entry.
func (m markup) marked(e Entry, text string) string {
	switch {
	case text == "":
	case e.mark == Best || e.mark == paperBold:
		return fmt.Sprintf(m.best, text)
	case e.mark == Second:
		return fmt.Sprintf(m.second, text)
	}
	return text
}

// entry formats a cell: marked, with its brackets and footnotes.
func (m markup) entry(e Entry) string {
	text := m.marked(e, e.number())
	if e.Aside != "" {
		text += " (" + e.Aside + ")"
	}
	return text + m.notes(e.notes)
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

func (m markup) notes(notes []int) string {
	text := ""
	for _, n := range notes {
		text += fmt.Sprintf(m.note, n)
	}
	return text
}
