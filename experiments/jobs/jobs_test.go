//go:build unix

package jobs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/internal/durable/durabletest"
)

// TestMain lets the test binary be the program that the jobs of these tests call.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "job" {
		os.Exit(job(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// job is what the jobs of these tests do.
func job(args []string) int {
	switch args[0] {
	case "say": // its words, one per line
		for _, word := range args[1:] {
			fmt.Println(os.ExpandEnv(word))
		}
	case "fail":
		fmt.Fprintln(os.Stderr, "some trouble\n\n  "+args[1]+"\n")
		return 3
	// The first time it writes its number into a pipe and waits to be stopped; the second time it
	// is done.
	case "stop":
		return waitForStop(args[1])
	}
	return 0
}

func waitForStop(pipe string) int {
	if _, err := os.Stat(pipe + ".begun"); err == nil {
		fmt.Println("gone on with")
		return 0
	}
	must.M(os.WriteFile(pipe+".begun", nil, 0o644))
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM)
	f := must.M1(os.OpenFile(pipe, os.O_WRONLY, 0)) // until the test reads
	fmt.Fprintln(f, os.Getpid())
	f.Close()
	select {
	case <-told:
		fmt.Println("saved, and stopped")
		return 1
	case <-time.After(time.Minute): // so that a failed test leaves nothing behind
		return 8
	}
}

func say(name string, words ...string) Job {
	return Job{name, append([]string{"job", "say"}, append(words, name)...)}
}

// stopping returns a job that waits to be stopped, and the pipe with its process number.
func stopping(t *testing.T, name string) (j Job, pipe string) {
	t.Helper()
	pipe = filepath.Join(t.TempDir(), "pipe")
	must.M(syscall.Mkfifo(pipe, 0o600))
	return Job{name, []string{"job", "stop", pipe}}, pipe
}

// begun waits until the job of that pipe runs and returns its process.
func begun(t *testing.T, pipe string) (pid int) {
	t.Helper()
	must.M1(fmt.Sscan(string(must.M1(os.ReadFile(pipe))), &pid))
	return pid
}

func logOf(dir, name string) string {
	// a missing log counts as empty
	raw, _ := os.ReadFile(filepath.Join(dir, "logs", logName(name)))
	return string(raw)
}

// TestLocal: all jobs run, never more than n at a time. A failing one is reported with its last
// line and does not stop others.
func TestLocal(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	list := []Job{say("a/1", "$GOMAXPROCS"), {"b", []string{"job", "fail", "no luck"}}, say("c"), say("d"), say("e")}
	t.Setenv("GOMAXPROCS", "7")
	most, last := 0, Counts{}
	failed, err := Local(t.Context(), dir, list, 2, func(c Counts) { most, last = max(most, c.Running), c })
	if err != nil || len(failed) != 1 {
		t.Fatal(failed, err)
	}
	if text := failed["b"].Error(); !strings.Contains(text, "exit status 3") || !strings.Contains(text, "no luck") || !strings.Contains(text, filepath.Join(dir, "logs", "b.log")) {
		t.Errorf("%s", text)
	}
	if most != 2 || last != (Counts{Done: 4, Failed: 1}) || last.String() != "0 waiting, 0 running, 4 done, 1 failed" {
		t.Errorf("at most %d at a time, at last %v", most, last)
	}
	if log := logOf(dir, "a/1"); !strings.HasSuffix(log, "\n7\na/1\n") {
		t.Errorf("log %q", log)
	}
	if _, err := Local(t.Context(), dir, list[:1], 1, nil); err != nil || strings.Count(logOf(dir, "a/1"), "== ") != 2 {
		t.Errorf("a second attempt: %v, %q", err, logOf(dir, "a/1"))
	}
}

// TestLocalStopped: when the context ends, running jobs are told to stop and awaited, and no other
// starts.
func TestLocalStopped(t *testing.T) {
	dir := t.TempDir()
	j, pipe := stopping(t, "slow")
	ctx, cancel := context.WithCancel(t.Context())
	var failed map[string]error
	var err error
	var ended sync.WaitGroup
	ended.Go(func() { failed, err = Local(ctx, dir, []Job{j, say("never")}, 1, nil) })
	pid := begun(t, pipe)
	cancel()
	ended.Wait()
	if !errors.Is(err, context.Canceled) || !strings.Contains(logOf(dir, "slow"), "saved, and stopped") || logOf(dir, "never") != "" {
		t.Errorf("%v, %v, log %q", err, failed, logOf(dir, "slow"))
	}
	if syscall.Kill(pid, 0) == nil {
		t.Errorf("process %d is left", pid)
	}
}

// TestEveryFault: whichever file operation of a job's log fails, the job is not run, the error says
// what to do, and the same call then runs it, with what was logged before kept.
func TestEveryFault(t *testing.T) {
	var dir string
	work := func() error {
		dir = t.TempDir()
		failed, err := Local(t.Context(), dir, []Job{say("a")}, 1, nil)
		return errors.Join(err, failed["a"])
	}
	durabletest.Every(t, work, func(fault string, err error) {
		if first, _, _ := strings.Cut(fmt.Sprint(err), "\n"); !durabletest.Explained(errors.New(first)) {
			t.Errorf("%s: %v", fault, err)
		}
		before := logOf(dir, "a")
		if strings.Contains(before, "\na\n") {
			t.Errorf("%s: the job was run: %q", fault, before)
		}
		failed, err := Local(t.Context(), dir, []Job{say("a")}, 1, nil)
		if log := logOf(dir, "a"); err != nil || len(failed) > 0 || !strings.HasPrefix(log, before) || !strings.HasSuffix(log, "\na\n") {
			t.Errorf("%s, then the same call: %v, %v, log %q", fault, failed, err, log)
		}
	})
}
