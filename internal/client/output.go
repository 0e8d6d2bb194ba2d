package client

import (
	_ "embed" // embeds the page
	"encoding/json"
	"fmt"
	"html"
	"os"
	"runtime"
	"strings"
	"text/tabwriter"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/sliced-wasserstein/lab/internal/canvas"
)

// view shows the events of a call.
type view struct {
	id  string
	ids []string // of lines of text, which are removed at the end

	seen bool // that something stays
}

// show shows an event; it returns the answer if the line has one.
func (v *view) show(line []byte) *answer {
	var e event
	if err := json.Unmarshal(line, &e); err != nil {
		return &answer{Error: "the process of the lab answered what is no JSON: " + err.Error()}
	}
	switch id := v.id + e.ID; {
	case e.Answer != nil:
		return e.Answer
	case !gonbui.IsNotebook:
		if e.Text != "" && e.ID == "" {
			fmt.Fprintln(os.Stderr, e.Text)
		}
	case e.PNG != nil:
		v.seen = true
		sendPNG(e.PNG, e.Width, e.Text)
	case e.Markdown != "":
		gonbui.DisplayMarkdown(e.Markdown)
	case e.ID == "" && e.HTML != "":
		v.seen = true
		gonbui.DisplayHTML(e.HTML)
	case e.ID == "":
		fmt.Println(e.Text)
	case e.HTML != "":
		v.seen = true
		gonbui.UpdateHTML(id, e.HTML)
	default:
		gonbui.UpdateHTML(id, "<p>"+html.EscapeString(e.Text)+"</p>")
		v.ids = append(v.ids, id)
	}
	return nil
}

func (v *view) end() {
	for i, id := range v.ids {
		if i == 0 || id != v.ids[i-1] {
			gonbui.UpdateHTML(id, "")
		}
	}
}

//go:embed predict.html
var predictPage string

// Predict shows a question to a reader, or what the picture says to it; where scripts do not run, as text.
func Predict(question any, text string) {
	page, err := canvas.Page(predictPage, text, question)
	Check(err)
	Display(page, text)
}

// Picture shows a picture in a notebook, with a form that the reader can turn and a caption, "" for
// none; elsewhere its words.
func Picture(png []byte, width int, alt, turns, caption string) {
	if !gonbui.IsNotebook {
		fmt.Printf("[picture: %s]\n", alt)
		return
	}
	sendPNG(png, width, alt)
	if turns != "" {
		Display(turns, "")
	}
	if caption != "" {
		const open = `<figcaption class="swlab-caption" style="max-width:56em;opacity:.85">`
		Display(open+html.EscapeString(caption)+"</figcaption>", "")
	}
	gonbui.Sync()
}

func sendPNG(png []byte, width int, alt string) {
	gonbui.SendData(&protocol.DisplayData{
		Data:     map[protocol.MIMEType]any{protocol.MIMEImagePNG: png, protocol.MIMETextPlain: alt},
		Metadata: map[string]any{string(protocol.MIMEImagePNG): map[string]int{"width": width}},
	})
}

// Show shows the outputs of a training or table, unless the call has done so, with code below them; elsewhere, text.
func (f *Found) Show(code, text string) {
	if !f.answer.seen {
		code = f.answer.Text["shown"] + code
	}
	if code != "" || !gonbui.IsNotebook {
		Display(code, text)
	}
}

// Show shows text.
func Show(text string) { Display("<pre>"+html.EscapeString(text)+"</pre>", text) }

// Display shows HTML in a notebook, and text elsewhere.
func Display(code, text string) {
	if !gonbui.IsNotebook {
		fmt.Println(text)
		return
	}
	gonbui.DisplayHTML(code)
	gonbui.Sync()
}

// Table is rows of texts, the first of which is the header, for a notebook and as text.
func Table(rows [][]string) (code, text string) {
	var b, t strings.Builder
	w := tabwriter.NewWriter(&t, 0, 0, 2, ' ', 0)
	for i, row := range rows {
		fmt.Fprintln(w, strings.Join(row, "\t"))
		before, cell, after := "<tr>", "td", "</tr>"
		if i == 0 {
			before, cell, after = "<table><thead><tr>", "th", "</tr></thead><tbody>"
		}
		b.WriteString(before)
		for _, s := range row {
			b.WriteString("<" + cell + ">" + html.EscapeString(s) + "</" + cell + ">")
		}
		b.WriteString(after)
	}
	_ = w.Flush() // into memory
	return b.String() + "</tbody></table>", t.String()
}

// Check fails with an error, if there is one.
func Check(err error) {
	if err != nil {
		Fail(err)
	}
}

// Fail ends a cell with one line that says where, and panics elsewhere.
func Fail(err error) {
	if !gonbui.IsNotebook {
		panic(err)
	}
	at := ""
	var callers [64]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers[:])])
	for more := true; more && at == ""; {
		var f runtime.Frame
		if f, more = frames.Next(); strings.HasPrefix(f.Function, "main.") {
			at = fmt.Sprintf("%s:%d: ", f.File, f.Line)
		}
	}
	text, place, found := strings.Cut(err.Error(), "\n\tat ") // of a graph that could not be built
	if found {
		at = strings.TrimSpace(place) + ": "
	}
	fmt.Fprintf(os.Stderr, "%serror: %s\n", at, strings.Join(strings.Fields(text), " "))
	gonbui.Sync()
	os.Exit(1)
}
