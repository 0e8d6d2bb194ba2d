package sweep

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sliced-wasserstein/lab/internal/version"
)

var writers = []struct {
	format string
	write  func(*Result, *bytes.Buffer) error
}{
	{"text", func(r *Result, b *bytes.Buffer) error { r.sheet().text(b); return nil }},
	{"md", func(r *Result, b *bytes.Buffer) error { r.sheet().markdown(b); return nil }},
	{"csv", (*Result).csv},
	{"json", func(r *Result, b *bytes.Buffer) error {
		return json.NewEncoder(b).Encode(struct {
			*Result
			Version string `json:"version"`
		}{r, version.String()})
	}},
	{"html", func(r *Result, b *bytes.Buffer) error { r.sheet().html(b); return nil }},
}

// Formats are the names that Write takes.
func Formats() []string {
	names := make([]string, len(writers))
	for i, w := range writers {
		names[i] = w.format
	}
	return names
}

// Write writes the result in one of the Formats. csv and json hold the numbers with all their digits.
func (r *Result) Write(w io.Writer, format string) error {
	if r == nil || w == nil {
		return errors.New("expected a result and where to write it, found nil")
	}
	i := slices.Index(Formats(), format)
	if i < 0 {
		return fmt.Errorf("unknown format %q, expected one of %s", format, strings.Join(Formats(), ", "))
	}
	var b bytes.Buffer
	if err := writers[i].write(r, &b); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

func (s sheet) text(b *bytes.Buffer) {
	for _, line := range s.about {
		fmt.Fprintln(b, line)
	}
	for _, g := range s.grids {
		b.WriteByte('\n')
		width := make([]int, len(g.head))
		for _, row := range append([][]string{g.head}, g.rows...) {
			for j, cell := range row {
				width[j] = max(width[j], utf8.RuneCountInString(cell))
			}
		}
		for i, row := range append([][]string{g.head}, g.rows...) {
			line := ""
			for j, cell := range row {
				line += cell + strings.Repeat(" ", width[j]-utf8.RuneCountInString(cell)+2)
			}
			line = strings.TrimRight(line, " ")
			fmt.Fprintln(b, line)
			if i == 0 {
				total := -2
				for _, w := range width {
					total += w + 2
				}
				fmt.Fprintln(b, strings.Repeat("─", total))
			}
		}
	}
	b.WriteByte('\n')
	for _, line := range s.legend {
		fmt.Fprintln(b, line)
	}
}

func (s sheet) markdown(b *bytes.Buffer) {
	escape := strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;", "\n", " ").Replace
	for i, line := range s.about {
		if i > 0 {
			b.WriteString("  \n")
		}
		b.WriteString(escape(line))
	}
	b.WriteByte('\n')
	for _, g := range s.grids {
		b.WriteByte('\n')
		row := func(cells []string) { fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | ")) }
		escaped := func(cells []string) []string {
			out := make([]string, len(cells))
			for i, c := range cells {
				out[i] = escape(c)
			}
			return out
		}
		row(escaped(g.head))
		row(slices.Repeat([]string{"--:"}, len(g.head)))
		for _, cells := range g.rows {
			row(escaped(cells))
		}
	}
	b.WriteByte('\n')
	for _, line := range s.legend {
		fmt.Fprintf(b, "- %s\n", escape(line))
	}
}

// html writes a fragment for a page or a notebook, whose own style it takes.
func (s sheet) html(b *bytes.Buffer) {
	esc := html.EscapeString
	b.WriteString("<div class=\"swlab-sweep\">\n<p>")
	for i, line := range s.about {
		if i > 0 {
			b.WriteString("<br/>")
		}
		b.WriteString(esc(line))
	}
	b.WriteString("</p>\n")
	for _, g := range s.grids {
		b.WriteString("<table>\n<thead><tr>")
		for _, h := range g.head {
			fmt.Fprintf(b, `<th style="text-align:right">%s</th>`, esc(h))
		}
		b.WriteString("</tr></thead>\n<tbody>\n")
		for _, row := range g.rows {
			b.WriteString("<tr>")
			for _, cell := range row {
				fmt.Fprintf(b, `<td style="text-align:right;white-space:nowrap">%s</td>`, esc(cell))
			}
			b.WriteString("</tr>\n")
		}
		b.WriteString("</tbody>\n</table>\n")
	}
	b.WriteString("<ul style=\"font-size:smaller\">\n")
	for _, line := range s.legend {
		fmt.Fprintf(b, "<li>%s</li>\n", esc(line))
	}
	b.WriteString("</ul>\n</div>\n")
}

// csv writes a line for every row and metric.
func (r *Result) csv(b *bytes.Buffer) error {
	w := csv.NewWriter(b)
	head := []string{}
	for _, v := range r.Vary {
		head = append(head, v.Name)
	}
	full := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	optional := func(v *float64) string {
		if v == nil {
			return ""
		}
		return full(*v)
	}
	listed := func(values []float64) string {
		var out []string
		for _, v := range values {
			out = append(out, full(v))
		}
		return strings.Join(out, " ")
	}
	_ = w.Write(append(head, "metric", "mean", "sd", "n", "values", "difference", "low", "high", "p", "clouds", "difference_sd", "difference_values", "state", "reason"))
	for _, row := range r.Rows {
		for _, key := range append(keys(), "time") {
			line := append(append([]string{}, row.shown...), key)
			if n, ok := row.Values[key]; ok {
				line = append(line, full(n.Mean), optional(n.SD), strconv.Itoa(n.N), listed(n.Values))
			} else {
				line = append(line, "", "", "", "")
			}
			if d, ok := row.Difference[key]; ok {
				line = append(line, full(d.Mean), full(d.Low), full(d.High), full(d.P), strconv.Itoa(d.Clouds), optional(d.SD), listed(d.Values))
			} else {
				line = append(line, "", "", "", "", "", "", "")
			}
			_ = w.Write(append(line, string(row.State), row.Reason))
		}
	}
	w.Flush()
	return w.Error()
}

// keys are those of the metrics.
func keys() []string {
	var out []string
	for _, m := range metrics {
		out = append(out, m.key)
	}
	return out
}
