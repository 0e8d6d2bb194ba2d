//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/janpfeifer/must"
)

// heedHangUp makes the children of a test heed SIGHUP also where the test ignores it, as under nohup.
func heedHangUp(t *testing.T) {
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(heard) })
}

// TestSignals: INT, TERM and a dropped connection, which may send HUP twice, end a training within five seconds. It has saved all its
// steps and says how to resume, and the resumed run equals an uninterrupted one. Under nohup a training continues, also when nobody
// reads its progress any more.
func TestSignals(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make check")
	}
	heedHangUp(t)
	const steps = 50 // in one epoch: only the signal saves anything
	data, dir := cloudFile(t, 1, 2*steps, 16, 3), t.TempDir()
	call := func(out string) []string {
		return []string{"train", "--data", data, "--loss", "sw", "--points", "16", "--batch", "2", "--epochs", "1", "--slices", "5", "--backend", "go", "--out", out}
	}
	whole := filepath.Join(dir, "whole")
	object(t, call(whole)...)
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(signal.String(), func(t *testing.T) {
			out := filepath.Join(dir, signal.String())
			cmd := process(call(out)...)
			var errs strings.Builder
			cmd.Stderr = &errs
			startTraining(t, cmd, out, 5)
			began := time.Now()
			must.M(cmd.Process.Signal(signal))
			if signal == syscall.SIGHUP {
				_ = cmd.Process.Signal(signal) // it may have ended
			}
			_ = cmd.Wait() // the exit code is checked
			took, n := time.Since(began), len(logLines(out))
			if code := cmd.ProcessState.ExitCode(); code != 1 || !strings.HasSuffix(errs.String(), "swlab: interrupted; the same command with --resume continues\n") {
				t.Fatalf("exit code %d after %d steps: %s", code, n, errs.String())
			}
			if _, err := os.Stat(filepath.Join(out, "checkpoints", fmt.Sprintf("step-%09d", n), "state.json")); err != nil || n >= steps || took > 5*time.Second {
				t.Errorf("ended %v after the signal, with %d of %d steps: %v", took, n, steps, err)
			}
			if signal == syscall.SIGHUP {
				object(t, append(call(out), "--resume")...)
				sameRun(t, out, whole, steps)
			}
		})
	}

	kept := filepath.Join(dir, "kept")
	of := process(call(kept)...)
	cmd := exec.Command("sh", append([]string{"-c", `trap "" HUP; exec "$@"`, "sh"}, of.Args...)...)
	cmd.Env = of.Env
	read, write := must.M2(os.Pipe())
	cmd.Stderr = write
	startTraining(t, cmd, kept, 5)
	read.Close()
	write.Close()
	must.M(cmd.Process.Signal(syscall.SIGHUP))
	if err := cmd.Wait(); err != nil {
		t.Errorf("under nohup, progress unread: %v", err)
	}
	sameRun(t, kept, whole, steps)
}

// startTraining starts a training and returns after that many steps.
func startTraining(t *testing.T, cmd *exec.Cmd, out string, steps int) {
	t.Helper()
	must.M(cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // an error if it has ended
	for deadline := time.Now().Add(time.Minute); len(logLines(out)) < steps; {
		if time.Now().After(deadline) {
			t.Fatalf("no %d steps in a minute", steps)
		}
		<-time.After(time.Millisecond)
	}
}

// sameRun checks that two finished runs of that many steps have the same log, except for seconds, and the same weights.
func sameRun(t *testing.T, got, want string, steps int) {
	t.Helper()
	if a, b := runFiles(t, got, ""), runFiles(t, want, ""); len(logLines(got)) != steps || !reflect.DeepEqual(a, b) {
		t.Errorf("%v\nexpected\n%v", a, b)
	}
}
