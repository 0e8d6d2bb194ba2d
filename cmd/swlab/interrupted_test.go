package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// logLines returns the lines of a run's log.
func logLines(dir string) []string {
	raw, _ := os.ReadFile(filepath.Join(dir, "log.jsonl"))
	return strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n")
}

// startTraining starts a training and returns after that many steps.
func startTraining(t *testing.T, cmd *exec.Cmd, out string, steps int) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // an error if it has ended
	for deadline := time.Now().Add(time.Minute); len(logLines(out)) < steps; {
		if time.Now().After(deadline) {
			t.Fatalf("no %d steps in a minute", steps)
		}
		<-time.After(time.Millisecond)
	}
}

// sameRun checks that two finished runs of that many steps have the same log, except for seconds,
// and the same weights.
func sameRun(t *testing.T, gotDir, wantDir string, steps int) {
	t.Helper()
	got, want := logLines(gotDir), logLines(wantDir)
	if len(got) != steps || len(want) != steps {
		t.Fatalf("%d and %d lines, expected %d", len(got), len(want), steps)
	}
	for i := range want {
		g, _, _ := strings.Cut(got[i], `,"seconds"`)
		w, _, _ := strings.Cut(want[i], `,"seconds"`)
		if g != w {
			t.Fatalf("line %d: %s, want %s", i+1, g, w)
		}
	}
	for _, name := range []string{"weights.safetensors", "best.safetensors"} {
		a, err := os.ReadFile(filepath.Join(gotDir, name))
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(wantDir, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a, b) {
			t.Errorf("%s differs", name)
		}
	}
}
