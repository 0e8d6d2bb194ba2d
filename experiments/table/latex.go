package table

import (
	"bytes"
	"fmt"
	"strings"
)

// latex writes the sheet as a float for the package booktabs, with everything a reader has to know in and below it.
func (s sheet) latex(b *bytes.Buffer, name string) {
	caption := tex(s.title) + ". " + tex(s.about) + "."
	if s.settings != "" {
		caption += " " + tex(s.settings) + "."
	}
	size := "footnotesize"
	if len(s.columns) > 7 {
		size = "scriptsize" // fits a page that is 17 cm wide
	}
	fmt.Fprintf(b, "%% \\usepackage{booktabs}\n\\begin{table*}[t]\n\\centering\n\\caption{%s}\n\\label{tab:swlab-%s}\n\\%s\\setlength{\\tabcolsep}{3pt}\n", caption, strings.ReplaceAll(name, "_", "-"), size)
	fmt.Fprintf(b, "\\begin{tabular}{l%s}\n\\toprule\n", strings.Repeat("r", len(s.columns)))
	row := func(cells []string) { b.WriteString(strings.Join(cells, " & ") + " \\\\\n") }
	head, factors, scaled := []string{tex(s.rowHeader)}, []string{""}, false
	for _, c := range s.columns {
		head, factors, scaled = append(head, tex(c.heading())), append(factors, tex(c.factor())), scaled || c.factor() != ""
	}
	row(head)
	if scaled {
		row(factors)
	}
	b.WriteString("\\midrule\n")
	for i, l := range s.lines {
		switch {
		case l.rule:
			b.WriteString("\\midrule\n")
		case i > 0 && l.paper != nil:
			b.WriteString("\\addlinespace[1pt]\n")
		}
		cells := []string{tex(l.label()) + texNotes(l.notes)}
		for _, e := range l.cells {
			cells = append(cells, texEntry(e))
		}
		row(cells)
		if l.paper == nil {
			continue
		}
		cells = []string{`\quad\scriptsize paper`}
		for _, e := range l.paper {
			text := texEntry(e)
			if text != "" {
				text = `\scriptsize ` + text
			}
			cells = append(cells, text)
		}
		row(cells)
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n\n\\smallskip\n\\begin{minipage}{\\linewidth}\\scriptsize\\raggedright\n")
	for i, note := range s.footnotes {
		fmt.Fprintf(b, "$^{%d}$~%s\\par\n", i+1, tex(note))
	}
	for _, why := range s.failures {
		fmt.Fprintf(b, "failed: %s\\par\n", tex(why))
	}
	for _, line := range s.legend {
		fmt.Fprintf(b, "%s\\par\n", tex(line))
	}
	if signs := s.signs(`\textbf{bold}`, `\underline{underlined}`, `\textbf{bold}`); signs != "" {
		fmt.Fprintf(b, "%s\\par\n", signs)
	}
	for _, unit := range s.units {
		fmt.Fprintf(b, "%s\\par\n", tex(unit))
	}
	for _, note := range s.notes {
		fmt.Fprintf(b, "On the paper's table: %s\\par\n", tex(note))
	}
	b.WriteString("\\end{minipage}\n\\end{table*}\n")
}

func texEntry(e entry) string {
	text := e.mean
	switch {
	case text == "" || text == nothing || text == failed:
		return text + texNotes(e.notes)
	case e.mark == Best || e.mark == paperBold:
		text = `\mathbf{` + text + `}`
	case e.mark == Second:
		text = `\underline{` + text + `}`
	}
	if e.sd != "" {
		text += ` \pm ` + e.sd
	}
	if e.n != "" {
		text += `\ (` + e.n + `)`
	}
	return "$" + text + "$" + texNotes(e.notes)
}

func texNotes(notes []int) string {
	text := ""
	for _, n := range notes {
		text += fmt.Sprintf("$^{%d}$", n)
	}
	return text
}

var texEscape = strings.NewReplacer(`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`, "{", `\{`, "}", `\}`, "[", "{[}", "]", "{]}", "*", "{*}",
	"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "<", "$<$", ">", "$>$", "|", "$|$", `"`, "''",
	"±", `$\pm$`, "×", `$\times$`, "↑", `$\uparrow$`, "↓", `$\downarrow$`, dagger, `$^{\dagger}$`, "\r", " ", "\n", " ")

func tex(text string) string { return texEscape.Replace(text) }
