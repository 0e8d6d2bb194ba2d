package show

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/sliced-wasserstein/lab/vmfviz"
)

// cell runs f as a notebook cell would (or, with notebook false, as a program)
// and returns what it sent, what it wrote to standard error, and its exit
// status.
func cell(t *testing.T, notebook bool, f func()) (sent []*protocol.DisplayData, text string, status int) {
	t.Helper()
	var out bytes.Buffer
	oldNotebook, oldSend, oldSync, oldExit, oldErr := inNotebook, send, syncKernel, exit, stderr
	defer func() {
		inNotebook, send, syncKernel, exit, stderr = oldNotebook, oldSend, oldSync, oldExit, oldErr
	}()
	inNotebook = func() bool { return notebook }
	send = func(d *protocol.DisplayData) { sent = append(sent, d) }
	confirmed := 0
	syncKernel = func() { confirmed = len(sent) }
	exit = func(code int) { status = code }
	stderr = &out
	f()
	if confirmed < len(sent) {
		t.Errorf("the kernel has confirmed %d of %d outputs", confirmed, len(sent))
	}
	return sent, out.String(), status
}

func sphere() (*vmfviz.Picture, error) {
	return vmfviz.Sphere(vmfviz.SphereOptions{Title: "T"}, vmfviz.SpherePanel{})
}

// A panic of a cell is one line, after which the kernel has all output; that of a program is left alone.
func TestPanic(t *testing.T) {
	sent, text, status := cell(t, true, func() {
		defer Done()
		panic(fmt.Errorf("shapes [2 3]\nand [3 2] do not fit"))
	})
	if text != "panic: shapes [2 3] and [3 2] do not fit\n" || status != 2 || len(sent) != 0 {
		t.Errorf("wrote %q, status %d, sent %d", text, status, len(sent))
	}
	_, text, status = cell(t, false, func() {
		defer func() {
			if p := recover(); p != "boom" {
				t.Errorf("outside a notebook: recovered %v", p)
			}
		}()
		defer Done()
		panic("boom")
	})
	if text != "" || status != 0 {
		t.Errorf("outside a notebook: wrote %q, status %d", text, status)
	}
}

func TestPicture(t *testing.T) {
	sent, text, status := cell(t, true, func() { Picture(sphere()) })
	if len(sent) != 1 || text != "" || status != 0 {
		t.Fatalf("sent %d outputs, wrote %q, status %d", len(sent), text, status)
	}
	png, _ := sent[0].Data[protocol.MIMEImagePNG].([]byte)
	if !bytes.HasPrefix(png, []byte("\x89PNG")) {
		t.Error("no PNG was sent")
	}
	p, _ := sphere()
	w, _ := p.Size()
	if meta, _ := sent[0].Metadata["image/png"].(map[string]int); meta["width"] != w {
		t.Errorf("metadata %v, expected width %d", sent[0].Metadata, w)
	}
	sent, text, _ = cell(t, false, func() { Picture(p) })
	if len(sent) != 0 || !strings.Contains(text, "T: 1 unit sphere") {
		t.Errorf("outside a notebook: sent %d, wrote %q", len(sent), text)
	}
}

// TestCheck: an error is shown, everything is flushed, the status is 1.
func TestCheck(t *testing.T) {
	for name, f := range map[string]func(){
		"Check":    func() { Check(errors.New("no such file")) },
		"Picture":  func() { Picture(nil, errors.New("no such file")) },
		"HTML":     func() { HTML("x", errors.New("no such file")) },
		"Markdown": func() { Markdown("x", nil, errors.New("no such file")) },
	} {
		sent, text, status := cell(t, true, f)
		if status != 1 || text != "error: no such file\n" || len(sent) != 0 {
			t.Errorf("%s: status %d, wrote %q, sent %v", name, status, text, sent)
		}
	}
	if _, text, status := cell(t, true, func() { Check(nil); Picture(sphere()) }); status != 0 || text != "" {
		t.Errorf("without an error: status %d, wrote %q", status, text)
	}
}

// TestSphere: the picture comes first, the view that turns second.
func TestSphere(t *testing.T) {
	sent, _, _ := cell(t, true, func() { Sphere(vmfviz.SphereOptions{}, vmfviz.SpherePanel{}) })
	if len(sent) != 2 || sent[0].Data[protocol.MIMEImagePNG] == nil || sent[1].Data[protocol.MIMETextHTML] == nil {
		t.Fatalf("sent %v", sent)
	}
	if _, _, status := cell(t, true, func() { Sphere(vmfviz.SphereOptions{}) }); status != 1 {
		t.Error("no panel is not an error")
	}
}

func TestTable(t *testing.T) {
	show := func() {
		Table([]string{"loss", "SW", "note"}, [][]string{{"<b>SW</b>", "1.2 ± 0.1", "a|b"}, {"CD", "−3"}, {"y", "NaN"}, {"x", "1e-3", "", "more"}})
	}
	sent, _, _ := cell(t, true, show)
	html := fmt.Sprint(sent[0].Data[protocol.MIMETextHTML])
	for _, want := range []string{
		`<th style="text-align:left">loss</th><th style="text-align:right">SW</th>`,
		`&lt;b&gt;SW&lt;/b&gt;`, `<td style="text-align:right">1.2 ± 0.1</td>`, `<td style="text-align:left">more</td>`,
	} {
		if !strings.Contains(html, want) {
			t.Errorf("the table lacks %q:\n%s", want, html)
		}
	}
	if n := strings.Count(html, "<td"); n != 16 {
		t.Errorf("%d cells, expected 16", n)
	}
	if strings.Contains(html, "color") {
		t.Error("a table takes its colours from the theme")
	}
	if _, text, _ := cell(t, false, show); !strings.Contains(text, "CD") {
		t.Errorf("outside a notebook: %q", text)
	}
	cell(t, true, func() { Table(nil, nil) })
}

// TestFolded: a hint travels beside the text, and is not shown.
func TestFolded(t *testing.T) {
	sent, _, _ := cell(t, true, func() { Folded("Try.", "Sort first.") })
	if len(sent) != 1 || sent[0].Data[protocol.MIMETextMarkdown] != "Try." || sent[0].Metadata["hint"] != "Sort first." {
		t.Errorf("sent %v", sent)
	}
	if _, text, _ := cell(t, false, func() { Folded("Try.", "Sort first.") }); text != "Try.\n" {
		t.Errorf("outside a notebook: %q", text)
	}
}

func TestMarkdownAndHTML(t *testing.T) {
	sent, _, _ := cell(t, true, func() { Markdown("# T"); HTML("<i>x</i>") })
	if len(sent) != 2 || sent[0].Data[protocol.MIMETextMarkdown] != "# T" || sent[1].Data[protocol.MIMETextHTML] != "<i>x</i>" {
		t.Errorf("sent %v", sent)
	}
	if _, text, _ := cell(t, false, func() { Markdown("# T"); HTML("<i>x</i>") }); text != "# T\n[HTML, 8 bytes]\n" {
		t.Errorf("outside a notebook: %q", text)
	}
}

func lines(sent []*protocol.DisplayData) []string {
	var out []string
	for _, d := range sent {
		if s, ok := d.Data[protocol.MIMETextHTML].(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// TestProgress: one output, at most four updates a second, rate and time left
// on the way, a last state without times.
func TestProgress(t *testing.T) {
	now := time.Unix(1000, 0)
	sent, _, _ := cell(t, true, func() {
		b := newBar(1000, "train <LA>", func() time.Time { return now })
		for i := 1; i <= 1000; i++ {
			now = now.Add(10 * time.Millisecond)
			b.update(i, fmt.Sprintf("loss %d", 1000-i))
		}
		b.update(1001, "after the end")
		b.finish()
	})
	shown := lines(sent)
	if n := len(shown); n < 30 || n > 42 {
		t.Errorf("%d updates in ten seconds, expected about 40", n)
	}
	for _, d := range sent {
		if d.DisplayID != sent[0].DisplayID || d.DisplayID == "" {
			t.Fatal("updates go to different outputs")
		}
	}
	if mid := shown[len(shown)/2]; !strings.Contains(mid, "100.0/s") || !strings.Contains(mid, "5s left") || !strings.Contains(mid, "train &lt;LA&gt;") {
		t.Errorf("half way: %s", mid)
	}
	if last := shown[len(shown)-1]; !strings.Contains(last, "</b> 1000 of 1000 (100 %) · loss 0</div>") || !strings.Contains(last, "width:100.0%") {
		t.Errorf("last: %s", last)
	}
	if strings.Contains(shown[0], "color:#") {
		t.Error("text has a colour of its own, which one of the themes hides")
	}
}

// TestProgressEndsEarly: Done shows the last state of work that was cut short,
// once, before it waits for the kernel.
func TestProgressEndsEarly(t *testing.T) {
	sent, _, _ := cell(t, true, func() {
		update := Progress(0, "search")
		never := Progress(5, "not begun")
		_ = never
		update(1, "")
		update(2, "throttled away")
		Done()
		update(3, "too late")
		Done()
	})
	shown := lines(sent)
	if len(shown) != 2 || !strings.Contains(shown[1], "</b> 2 · throttled away") || strings.Contains(shown[1], "height:8px") {
		t.Errorf("shown %q", shown)
	}
	if len(sent) != 2 {
		t.Errorf("sent %v", sent)
	}
}

// TestProgressText: outside a notebook only the last state is written, whoever reports it.
func TestProgressText(t *testing.T) {
	_, text, _ := cell(t, false, func() {
		update := Progress(3, "load")
		var wg sync.WaitGroup
		for i := range 3 {
			wg.Go(func() { update(i, "") })
		}
		wg.Wait()
		update(3, "")
		Done()
	})
	if text != "load: 3 of 3 (100 %)\n" {
		t.Errorf("wrote %q", text)
	}
}
