package train

import (
	"context"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/internal/durable/durabletest"
	"github.com/sliced-wasserstein/lab/swlab/engine"
)

// TestDiskFull: a training on a real file system that is full stops with one line that says what to
// do, and continues to the end of an undisturbed run when there is space again.
func TestDiskFull(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make check")
	}
	small := t.TempDir()
	if err := syscall.Mount("tmpfs", small, "tmpfs", 0, "size=24m"); err != nil {
		t.Skipf("a small file system cannot be mounted here (%v): a full disk was not tried", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(small, 0); err != nil {
			t.Error(err)
		}
	})
	e, c := must.M1(engine.Open("go")), config("chamfer", "")
	c.Steps = 4
	o := Options{CheckpointEvery: 1}
	_, whole := finished(t, e, c, o)
	o.Out = filepath.Join(small, "run")
	_, err := Run(context.Background(), e, boxes(12, 32), c, o)
	if !durabletest.Explained(err) {
		t.Fatalf("%v", err)
	}
	t.Log(err)
	must.M(syscall.Mount("tmpfs", small, "tmpfs", syscall.MS_REMOUNT, "size=256m"))
	o.Resume = true
	finished(t, e, c, o)
	sameRuns(t, o.Out, whole, weightsFile, bestFile)
}
