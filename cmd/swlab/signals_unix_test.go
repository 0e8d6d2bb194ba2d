//go:build unix

package main

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestSignals: INT, TERM and HUP end a training within five seconds. It has saved all its steps and
// says how to resume.
func TestSignals(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make check")
	}
	heedHangUp(t)
	data := cloudFile(t, 1, 4000, 16, 3)
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(signal.String(), func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "run")
			cmd := process("train", "--data", data, "--loss", "sw", "--points", "16", "--batch", "2", "--epochs", "1", "--slices", "5", "--backend", "go", "--out", out)
			var errs strings.Builder
			cmd.Stderr = &errs
			startTraining(t, cmd, out, 5)
			began := time.Now()
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // the exit code is checked
			took := time.Since(began)
			if code := cmd.ProcessState.ExitCode(); code != 1 || !strings.HasSuffix(errs.String(), "swlab: interrupted; the same command with --resume continues\n") {
				t.Errorf("exit code %d: %s", code, errs.String())
			}
			steps := len(logLines(out))
			saved, err := filepath.Glob(filepath.Join(out, "checkpoints", "step-*", "state.json"))
			if err != nil || len(saved) != 1 || took > 5*time.Second {
				t.Errorf("ended %v after the signal, with %d steps and the checkpoints %v", took, steps, saved)
			}
			t.Logf("ended %v after the signal, with %d steps saved", took.Round(time.Millisecond), steps)
		})
	}
}
