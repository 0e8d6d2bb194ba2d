//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// heedHangUp makes the children of a test heed SIGHUP also where the test ignores it, as under nohup.
func heedHangUp(t *testing.T) {
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(heard) })
}

// TestHangUp: a dropped connection ends a training with a checkpoint, also if it sends SIGHUP
// twice. Resumed, the run equals an uninterrupted one. Under nohup a training continues, also when
// nobody reads its progress any more.
func TestHangUp(t *testing.T) {
	if testing.Short() {
		t.Skip("twenty seconds")
	}
	heedHangUp(t)
	const steps = 60 // in one epoch: only the signal saves anything
	data := cloudFile(t, 1, 2*steps, 16, 3)
	call := func(out string) []string {
		return []string{"train", "--data", data, "--loss", "sw", "--points", "16", "--batch", "2", "--epochs", "1", "--slices", "5", "--backend", "go", "--out", out}
	}
	dir := t.TempDir()
	whole, cut, kept := filepath.Join(dir, "whole"), filepath.Join(dir, "cut"), filepath.Join(dir, "kept")
	hangUp := func(cmd *exec.Cmd) {
		if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
	}
	object(t, call(whole)...)

	cmd := process(call(cut)...)
	var errs strings.Builder
	cmd.Stderr = &errs
	startTraining(t, cmd, cut, 5)
	hangUp(cmd)
	hangUp(cmd)
	_ = cmd.Wait() // the exit code is checked
	n := len(logLines(cut))
	if code := cmd.ProcessState.ExitCode(); code != 1 || !strings.HasSuffix(errs.String(), "swlab: interrupted; the same command with --resume continues\n") {
		t.Fatalf("exit code %d after %d steps: %s", code, n, errs.String())
	}
	if _, err := os.Stat(filepath.Join(cut, "checkpoints", fmt.Sprintf("step-%09d", n))); err != nil || n >= steps {
		t.Errorf("after %d of %d steps: %v", n, steps, err)
	}
	object(t, append(call(cut), "--resume")...)
	sameRun(t, cut, whole, steps)

	of := process(call(kept)...)
	cmd = exec.Command("sh", append([]string{"-c", `trap "" HUP; exec "$@"`, "sh"}, of.Args...)...)
	cmd.Env = of.Env
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = write
	startTraining(t, cmd, kept, 5)
	read.Close()
	write.Close()
	hangUp(cmd)
	if err := cmd.Wait(); err != nil {
		t.Errorf("under nohup, progress unread: %v", err)
	}
	sameRun(t, kept, whole, steps)
}
