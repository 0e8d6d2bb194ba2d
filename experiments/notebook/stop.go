package notebook

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync/atomic"
	"time"

	"github.com/sliced-wasserstein/lab/vmfviz/show"
)

// errStopped is what a cell says that the stop button has ended.
var errStopped = errors.New("interrupted; what was done is kept, and running the cell again goes on")

// The edges of stoppable, which tests replace.
var (
	leave = func() { show.Check(errStopped) }
	grace = time.Second
)

// work is a piece of work that the stop button ends.
type work struct {
	context.Context             // cancelled by the button
	busy            atomic.Bool // steps have been done that only the work itself can save
	end             func()      // to be called when the work has ended
}

// stoppable returns a work that Jupyter's stop button, SIGINT, cancels. Work that is busy then
// saves and ends by itself. While a program is compiled nobody looks at a context, which may take
// half a minute, and the kernel kills after five seconds; but nothing is lost then either: work
// that is not busy and has not ended after a second ends the cell.
func stoppable(ctx context.Context) *work {
	ctx, cancel := context.WithCancel(ctx)
	pressed, ended := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(pressed, os.Interrupt)
	w := &work{Context: ctx}
	w.end = func() {
		signal.Stop(pressed)
		close(ended)
		cancel()
	}
	go func() {
		select {
		case <-ended:
			return
		case <-pressed:
		}
		cancel()
		select {
		case <-ended:
		case <-time.After(grace):
			if !w.busy.Load() {
				leave()
			}
		}
	}()
	return w
}

// part notes how far one part of the work is.
func (w *work) part(done, total int) { w.busy.Store(done > 0 && done < total) }
