package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/sliced-wasserstein/lab/experiments/sweep"
	"github.com/sliced-wasserstein/lab/experiments/table"
)

// sweepView shows a running sweep. A terminal shows the table so far and a progress line below it,
// redrawn in place. Otherwise it prints a line for every point of the grid.
type sweepView struct {
	w     io.Writer
	size  func() (width, height int) // of the terminal; nil without one
	drawn int                        // lines above the cursor's
	told  time.Time
	bar   func(what string, done, total int)
}

func newSweepView(f *os.File) *sweepView {
	v := &sweepView{w: f, bar: passes()}
	if fd := int(f.Fd()); term.IsTerminal(fd) {
		v.size = func() (int, int) {
			w, h, err := term.GetSize(fd)
			if err != nil {
				return 80, 24
			}
			return w, h
		}
	}
	return v
}

// say shows progress.
func (v *sweepView) say(what string, done, total int) {
	if v.size == nil {
		v.bar(what, done, total)
		return
	}
	if time.Since(v.told) < 100*time.Millisecond {
		return
	}
	v.told = time.Now()
	width, _ := v.size()
	text := what
	if total > 0 {
		text += fmt.Sprintf(" %d/%d", done, total)
	}
	fmt.Fprintf(v.w, "\r\x1b[K%s", cut(text, width))
}

// changed shows the table with a new row; row -1: the initial table.
func (v *sweepView) changed(r *sweep.Result, row int) {
	done := len(r.Rows) - r.Count(sweep.Pending)
	if v.size == nil {
		switch {
		case row >= 0 && r.Rows[row].State == sweep.Done:
			n := r.Rows[row].Values
			fmt.Fprintf(v.w, "%s: CD %.4g (mean over points), SW %.4g, EMD %.4g, exact EMD %.4g (sums over points) (%d of %d)\n", r.Label(row), n["cd"].Mean, n["sw"].Mean, n["emd_approx"].Mean, n["emd_exact"].Mean, done, len(r.Rows))
		case row >= 0:
			fmt.Fprintf(v.w, "%s: %s: %s (%d of %d)\n", r.Label(row), r.Rows[row].State, r.Rows[row].Reason, done, len(r.Rows))
		case done > 0:
			fmt.Fprintf(v.w, "%d of %d points of the grid are done or invalid\n", done, len(r.Rows))
		}
		return
	}
	var b bytes.Buffer
	width, height := v.size()
	_ = table.Text(&b, r, max(width, 60)) // writes to memory
	v.clear()
	lines := strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
	if n := max(height-2, 1); len(lines) > n { // what has scrolled away cannot be redrawn
		lines = lines[:n]
	}
	for _, l := range lines {
		fmt.Fprintln(v.w, cut(l, width))
	}
	v.drawn = len(lines)
}

// close erases what was drawn.
func (v *sweepView) close() {
	if v.size != nil {
		v.clear()
	}
}

func (v *sweepView) clear() {
	fmt.Fprint(v.w, "\r")
	if v.drawn > 0 {
		fmt.Fprintf(v.w, "\x1b[%dA", v.drawn)
	}
	fmt.Fprint(v.w, "\x1b[J")
	v.drawn = 0
}

// cut returns as much of the text as fits into a line.
func cut(text string, width int) string {
	if r := []rune(text); len(r) >= width {
		return string(r[:max(width-1, 0)])
	}
	return text
}
