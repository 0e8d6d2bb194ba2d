// Package show puts pictures, tables, text and progress into the output of a GoNB notebook cell.
// Every call waits until the kernel has its output: what is displayed just before the process of a
// cell ends is otherwise lost at times. Everything is readable in JupyterLab's light and dark
// themes.
//
// Outside a notebook (a program, a test) the same calls write a line to standard error, or the text
// of a table, and never fail for want of a kernel.
//
// The functions that show a result also take the error that came with it, so that a cell is one
// line and still fails when its work failed:
//
//	show.Picture(vmfviz.Sphere(options, panels...))
package show

import (
	"fmt"
	"html"
	"io"
	"os"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/sliced-wasserstein/lab/vmfviz"
)

// The edges of the package, which tests replace.
var (
	inNotebook           = func() bool { return gonbui.IsNotebook }
	send                 = gonbui.SendData
	syncKernel           = gonbui.Sync
	exit                 = os.Exit
	stderr     io.Writer = os.Stderr
)

// syncLimit is how long a call waits for the kernel to say that it has everything.
const syncLimit = 10 * time.Second

// Done shows the last state of every unfinished progress bar. A cell whose work may end early or
// panic defers it at its beginning; other cells do not need it. It returns after ten seconds at
// most, and at once outside a notebook.
//
// In a notebook, a panic of the cell ends here: one line says what it was and where in the cell, in
// place of Go's trace, and the exit status is 2.
func Done() {
	flushProgress()
	if !inNotebook() {
		return
	}
	if p := recover(); p != nil {
		fmt.Fprintln(stderr, panicLine(p)) // in one write, or the kernel does not see the place
		defer exit(2)
	}
	wait()
}

// put sends an output and waits until the kernel has it.
func put(data *protocol.DisplayData) {
	send(data)
	wait()
}

// wait returns when the kernel has all output, and after ten seconds at most.
func wait() {
	done := make(chan struct{})
	go func() { syncKernel(); close(done) }()
	limit := time.NewTimer(syncLimit)
	defer limit.Stop()
	select {
	case <-done:
	case <-limit.C:
		fmt.Fprintln(stderr, "show: the kernel did not confirm the output within", syncLimit)
	}
}

// panicLine says in one line where in the cell what has panicked. The place comes first, as
// FILE:LINE: before it the kernel writes the number of the cell and its line. (GoNB v0.11.4 dies of
// a line with two colons before the place.)
func panicLine(p any) string {
	text, place, found := strings.Cut(fmt.Sprint(p), "\n\tat ") // of a graph that could not be built
	text = "panic: " + strings.Join(strings.Fields(text), " ")
	if found {
		return place + ": " + text
	}
	var callers [64]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers[:])])
	for more := true; more; {
		var f runtime.Frame
		if f, more = frames.Next(); strings.HasPrefix(f.Function, "main.") {
			return fmt.Sprintf("%s:%d: %s", f.File, f.Line, text)
		}
	}
	return text
}

// Check ends the cell with exit status 1 if err is not nil, after its message has gone to standard
// error and all output to the kernel. A failed cell then looks failed, in a browser and in a
// headless run.
func Check(err error) {
	if err == nil {
		return
	}
	fmt.Fprintln(stderr, "error:", err)
	Done()
	exit(1)
}

// Must returns v, or ends the cell as Check does.
func Must[T any](v T, err error) T {
	Check(err)
	return v
}

// failed calls Check on the first error there is.
func failed(errs []error) bool {
	for _, err := range errs {
		if err != nil {
			Check(err)
			return true
		}
	}
	return false
}

// Picture shows a picture as PNG, at its own size with two pixels for one. An error ends the cell
// as Check does.
func Picture(p *vmfviz.Picture, err ...error) {
	if failed(err) {
		return
	}
	data, e := p.PNG()
	if e != nil {
		Check(e)
		return
	}
	w, h := p.Size()
	defer caption(p.Caption)
	if !inNotebook() {
		fmt.Fprintf(stderr, "[picture, %d × %d: %s]\n", w, h, p.Alt)
		return
	}
	put(&protocol.DisplayData{
		Data:     map[protocol.MIMEType]any{protocol.MIMEImagePNG: data, protocol.MIMETextPlain: p.Alt},
		Metadata: map[string]any{string(protocol.MIMEImagePNG): map[string]int{"width": w}},
	})
}

// Sphere shows vmfviz.Sphere and below it the view that turns, vmfviz.SphereHTML, as two outputs:
// where scripts run the second hides the first.
func Sphere(o vmfviz.SphereOptions, panels ...vmfviz.SpherePanel) {
	o.Replace = true
	p, err := vmfviz.Sphere(o, panels...)
	if err == nil {
		p.Caption = ""
	}
	Picture(p, err)
	HTML(vmfviz.SphereHTML(o, panels...))
	caption(o.Caption)
}

// caption shows the caption of a picture below it.
func caption(text string) {
	if text != "" {
		HTML(`<figcaption class="swlab-caption" style="max-width:56em;opacity:.85">` + html.EscapeString(text) + "</figcaption>")
	}
}

// Folded shows Markdown text with a hint, which the pages of the site show folded and a notebook does not show.
func Folded(text, hint string) {
	if !inNotebook() {
		fmt.Fprintln(stderr, text)
		return
	}
	put(&protocol.DisplayData{Data: map[protocol.MIMEType]any{protocol.MIMETextMarkdown: text}, Metadata: map[string]any{"hint": hint}})
}

// HTML shows a piece of HTML. An error ends the cell as Check does.
func HTML(code string, err ...error) {
	display(protocol.MIMETextHTML, code, fmt.Sprintf("[HTML, %d bytes]", len(code)), err)
}

// Markdown shows Markdown text; formulas stand between dollar signs. An error ends the cell as
// Check does.
func Markdown(text string, err ...error) { display(protocol.MIMETextMarkdown, text, text, err) }

// display shows text in a notebook, and elsewhere writes a line.
func display(kind protocol.MIMEType, text, line string, errs []error) {
	switch {
	case failed(errs):
	case inNotebook():
		put(&protocol.DisplayData{Data: map[protocol.MIMEType]any{kind: text}})
	default:
		fmt.Fprintln(stderr, line)
	}
}

// Table shows rows of text below a header. Columns whose cells are all numbers (also "1.2 ± 0.1",
// "5 %", "-", "NaN") stand to the right. Short rows end with empty cells; a longer row widens the
// table.
func Table(header []string, rows [][]string) {
	width := len(header)
	for _, r := range rows {
		width = max(width, len(r))
	}
	if !inNotebook() {
		textTable(header, rows)
		return
	}
	cell := func(r []string, j int) string {
		if j < len(r) {
			return r[j]
		}
		return ""
	}
	var b strings.Builder
	b.WriteString("<table>\n<thead><tr>")
	align := make([]string, width)
	for j := range align {
		align[j] = "left"
		if numeric(rows, j) {
			align[j] = "right"
		}
		fmt.Fprintf(&b, `<th style="text-align:%s">%s</th>`, align[j], html.EscapeString(cell(header, j)))
	}
	b.WriteString("</tr></thead>\n<tbody>\n")
	for _, r := range rows {
		b.WriteString("<tr>")
		for j := range align {
			fmt.Fprintf(&b, `<td style="text-align:%s">%s</td>`, align[j], html.EscapeString(cell(r, j)))
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody>\n</table>\n")
	HTML(b.String())
}

// words are what Go writes for values that are no numbers.
var words = strings.NewReplacer("NaN", "", "Inf", "")

// numeric reports whether column j holds numbers only, and at least one.
func numeric(rows [][]string, j int) bool {
	digits := false
	for _, r := range rows {
		if j >= len(r) {
			continue
		}
		for _, c := range words.Replace(r[j]) {
			switch {
			case unicode.IsDigit(c):
				digits = true
			case !strings.ContainsRune(" .,+-−–—±%eE×·⁻⁰¹²³⁴⁵⁶⁷⁸⁹()", c):
				return false
			}
		}
	}
	return digits
}

func textTable(header []string, rows [][]string) {
	w := tabwriter.NewWriter(stderr, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, strings.Join(header, "\t"))
	for _, r := range rows {
		fmt.Fprintln(w, strings.Join(r, "\t"))
	}
	w.Flush()
}
