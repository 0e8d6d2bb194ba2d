package show

import (
	"fmt"
	"html"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// interval is the least time between two updates of one bar.
const interval = 250 * time.Millisecond

// Progress shows how far a long piece of work is: one output that is updated in place at most four
// times a second, with a bar, the rate and the time left. Call the returned function with the
// number of steps done so far, from any goroutine, as often as you like; note is a short text for
// the end of the line, for example the loss. A total of 0 or less means unknown.
//
// The last state stays in the notebook. It holds no times, so that a repeated run stores the same
// output: when done reaches total, or, for work that ends early, when [Done] is called. Outside a
// notebook the last state is written to standard error.
func Progress(total int, title string) func(done int, note string) {
	b := newBar(total, title, time.Now)
	bars.Lock()
	bars.open = append(bars.open, b)
	bars.Unlock()
	return b.update
}

// bars are those that Done has to finish.
var bars struct {
	sync.Mutex
	open []*bar
}

func flushProgress() {
	bars.Lock()
	open := bars.open
	bars.open = nil
	bars.Unlock()
	for _, b := range open {
		b.finish()
	}
}

type bar struct {
	mu    sync.Mutex
	id    string
	total int
	title string
	now   func() time.Time

	done     int
	note     string
	first    int       // done at the first update
	began    time.Time // the first update
	shown    time.Time
	finished bool
}

func newBar(total int, title string, now func() time.Time) *bar {
	return &bar{id: "swlab_progress_" + gonbui.UniqueId(), total: total, title: title, now: now}
}

func (b *bar) update(done int, note string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.finished {
		return
	}
	t := b.now()
	b.done, b.note = max(done, 0), note
	if b.began.IsZero() {
		b.began, b.first = t, b.done
	}
	if b.total > 0 && b.done >= b.total {
		b.end()
		return
	}
	if !b.shown.IsZero() && t.Sub(b.shown) < interval {
		return
	}
	b.shown = t
	b.show(b.times(t))
}

// finish shows the last state of a bar that was begun and not ended.
func (b *bar) finish() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.began.IsZero() && !b.finished {
		b.end()
	}
}

func (b *bar) end() {
	b.finished = true
	b.show("")
}

// times returns the rate and the time left, as far as they are known.
func (b *bar) times(t time.Time) string {
	elapsed, steps := t.Sub(b.began).Seconds(), b.done-b.first
	if elapsed < 0.5 || steps <= 0 {
		return ""
	}
	rate := float64(steps) / elapsed
	s := fmt.Sprintf("%.1f/s", rate)
	if rate < 1 {
		s = fmt.Sprintf("%.1f s each", 1/rate)
	}
	if b.total > b.done {
		left := math.Min(float64(b.total-b.done)/rate, 1e9)
		s += fmt.Sprintf(" · %v left", time.Duration(math.Ceil(left))*time.Second)
	}
	return s
}

// line returns the state in words.
func (b *bar) line(times string) string {
	text := fmt.Sprint(b.done)
	if b.total > 0 {
		text = fmt.Sprintf("%d of %d (%d %%)", b.done, b.total, int(100*b.part()))
	}
	for _, p := range []string{times, b.note} {
		if p != "" {
			text += " · " + p
		}
	}
	return text
}

// part is the share that is done, 0 to 1.
func (b *bar) part() float64 {
	return math.Min(1, float64(b.done)/float64(max(b.total, 1)))
}

func (b *bar) show(times string) {
	line := b.line(times)
	if !inNotebook() {
		if b.finished {
			fmt.Fprintf(stderr, "%s: %s\n", b.title, line)
		}
		return
	}
	send(&protocol.DisplayData{
		Data:      map[protocol.MIMEType]any{protocol.MIMETextHTML: b.html(line)},
		DisplayID: b.id,
	})
	if b.finished {
		wait()
	}
}

// html takes its colours from JupyterLab's theme; elsewhere from the page.
func (b *bar) html(line string) string {
	var s strings.Builder
	s.WriteString(`<div style="max-width:680px;font-size:13px;line-height:1.5;color:var(--jp-content-font-color1,inherit)">`)
	fmt.Fprintf(&s, `<div><b>%s</b> %s</div>`, html.EscapeString(b.title), html.EscapeString(line))
	if b.total > 0 {
		fmt.Fprintf(&s, `<div style="height:8px;border-radius:4px;overflow:hidden;background:rgba(128,128,128,0.35)">`+
			`<div style="height:8px;width:%.1f%%;background:#0072B2"></div></div>`, 100*b.part())
	}
	s.WriteString(`</div>`)
	return s.String()
}
