package notebook

import (
	"context"
	"os"
	"testing"

	"github.com/janpfeifer/must"
)

// press sends the test the signal that the stop button sends a cell.
func press(t *testing.T) {
	t.Helper()
	if err := must.M1(os.FindProcess(os.Getpid())).Signal(os.Interrupt); err != nil {
		t.Skipf("no signals here: %v", err)
	}
}

// TestStoppable: the signal cancels. Work with nothing to save is abandoned, and ended work is not
// affected.
func TestStoppable(t *testing.T) {
	defer func(f func()) { leave = f }(leave)
	left := make(chan struct{}, 1)
	leave = func() { left <- struct{}{} }

	w := stoppable(context.Background())
	w.part(0, 3)
	press(t)
	<-w.Done()
	<-left
	w.end()

	w = stoppable(context.Background())
	w.part(1, 3)
	if !w.busy.Load() {
		t.Error("not busy after 1 of 3 steps")
	}
	press(t)
	<-w.Done()
	w.end()
	if w.part(3, 3); w.busy.Load() {
		t.Error("busy after 3 of 3 steps")
	}
	if len(left) > 0 {
		t.Error("left though the work had ended")
	}

	parent, cancel := context.WithCancel(context.Background())
	w = stoppable(parent)
	cancel()
	<-w.Done()
	w.end()
}
