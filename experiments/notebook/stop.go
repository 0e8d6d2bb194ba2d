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

// errStopped is the error of a cell that the stop button ended.
var errStopped = errors.New("interrupted; what was done is kept, and running the cell again goes on")

// Side effects of stoppable, which tests replace.
var (
	leave = func() { show.Check(errStopped) }
	grace = time.Second
)

// work is work that the stop button ends.
type work struct {
	context.Context             // cancelled by the stop button
	busy            atomic.Bool // set when there are steps that only the work itself can save
	end             func()      // call it when the work has ended
}

// stoppable returns work that Jupyter's stop button, SIGINT, cancels. Busy work then saves and ends
// by itself. Compiling a program may take half a minute and ignores the context, while the kernel
// kills after five seconds. Nothing is lost then: work that is not busy and has not ended after a
// second ends the cell.
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

// part records the progress of one part of the work.
func (w *work) part(done, total int) { w.busy.Store(done > 0 && done < total) }
