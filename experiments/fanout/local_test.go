//go:build unix

package fanout

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sliced-wasserstein/lab/internal/durable"
)

// TestLocal: all is done but one, which stops nobody; a second call runs that one only.
func TestLocal(t *testing.T) {
	jobs := []Job{say("a", "one", "two"), fail("b", "no luck"), say("c", "$GOMAXPROCS $NPROC"), say("d"), say("e")}
	t.Setenv("GOMAXPROCS", "7")
	dir := written(t, jobs...)
	var told []Counts
	s, err := Local(t.Context(), dir, 2, func(c Counts) { told = append(told, c) })
	if err != nil {
		t.Fatal(err)
	}
	states(t, s, Done, Failed, Done, Done, Done)
	contains(t, s.Err(), "expected 5 jobs done, found 0 waiting, 0 running, 4 done, 1 failed", "job 1 (b) failed, code 3: no luck; log: "+logPath(dir, 1))
	if len(told) != 11 || told[0] != (Counts{Waiting: 5}) || told[10] != (Counts{Done: 4, Failed: 1}) {
		t.Errorf("told %v", told)
	}
	for _, c := range told {
		if c.Running > 2 || c.Waiting+c.Running+c.Done+c.Failed != 5 {
			t.Errorf("told %v", c)
		}
	}
	if log := logOf(dir, 0); !strings.HasSuffix(log, "\none\ntwo\n") {
		t.Errorf("log %q", log)
	}
	if log := logOf(dir, 2); !strings.Contains(log, "\n7 ") || strings.HasSuffix(log, "7 \n") { // the environment's wins; the other is shared out
		t.Errorf("threads: %q", log)
	}
	if st := s.Status[0]; st.PID == 0 || st.Host == "" || st.Ended.Before(st.Started) || st.Started.IsZero() || st.Error != "" {
		t.Errorf("%+v", st)
	}
	runLocal(t, dir, 9)
	for i, want := range []int{1, 2, 1, 1, 1} {
		if n := attempts(dir, i); n != want {
			t.Errorf("job %d was started %d times, expected %d", i, n, want)
		}
	}
}

// TestKilledJob: kill -9 of a job is seen, the others go on, and the next call goes on with it.
func TestKilledJob(t *testing.T) {
	h, pipe := hanging(t, "h", "dies")
	dir := written(t, say("a"), h, say("c"))
	ended := make(chan Summary, 1)
	go func() { s, _ := Local(context.Background(), dir, 1, nil); ended <- s }()
	pid, _ := begun(t, dir, 1, pipe)
	syscall.Kill(pid, syscall.SIGKILL)
	s := <-ended
	states(t, s, Done, Interrupted, Done)
	contains(t, s.Err(), "job 1 (h) interrupted, code 137: ended by signal: killed")
	s = runLocal(t, dir, 2)
	states(t, s, Done, Done, Done)
	if s.Err() != nil || !strings.HasSuffix(logOf(dir, 1), "gone on with\n") || attempts(dir, 0) != 1 {
		t.Errorf("%v, log %q", s.Err(), logOf(dir, 1))
	}
}

// TestKilledCaller: a caller that is killed takes its job along, and the next call, made at once, goes on.
func TestKilledCaller(t *testing.T) {
	h, pipe := hanging(t, "h", "dies")
	dir := written(t, h, say("b"))
	cmd := exec.Command(os.Args[0], "local", dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	begun(t, dir, 0, pipe)
	if _, err := Local(t.Context(), dir, 1, nil); !errors.Is(err, durable.ErrLocked) || !strings.Contains(err.Error(), dir) {
		t.Errorf("two callers: %v", err)
	}
	if err := Work(t.Context(), dir, 0); !errors.Is(err, ErrBusy) {
		t.Errorf("two workers: %v", err)
	}
	cmd.Process.Kill()
	cmd.Wait()
	states(t, runLocal(t, dir, 2), Done, Done)
	if attempts(dir, 0) != 2 {
		t.Errorf("log %q", logOf(dir, 0))
	}
}

// TestOrphan: a job that outlives its worker keeps its lock, and a call waits for it instead of starting it twice.
func TestOrphan(t *testing.T) {
	h, pipe := hanging(t, "h", "deaf")
	dir := written(t, h)
	cmd := exec.Command(os.Args[0], "local", dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid, _ := begun(t, dir, 0, pipe)
	cmd.Process.Kill()
	cmd.Wait()
	if err := Forget(dir, 0); !errors.Is(err, ErrBusy) {
		t.Errorf("forget: %v", err)
	}
	os.Remove(statusPath(dir, 0)) // the lock has to do
	if err := Work(t.Context(), dir, 0); !errors.Is(err, ErrBusy) {
		t.Errorf("two workers: %v", err)
	}
	ended := make(chan Summary, 1)
	started := make(chan bool, 9)
	go func() {
		s, _ := Local(context.Background(), dir, 1, func(Counts) { started <- true })
		ended <- s
	}()
	<-started
	syscall.Kill(pid, syscall.SIGKILL)
	states(t, <-ended, Done)
	if attempts(dir, 0) != 2 {
		t.Errorf("log %q", logOf(dir, 0))
	}
}

// TestStopped: jobs that run give signs of life. When the caller stops, jobs get SIGTERM, those that do not hear it SIGKILL; the rest is not begun.
func TestStopped(t *testing.T) {
	defer func(g, b time.Duration) { grace, beat = g, b }(grace, beat)
	grace, beat = 300*time.Millisecond, 10*time.Millisecond
	a, pipeA := hanging(t, "a", "dies")
	b, pipeB := hanging(t, "b", "ends")
	c, pipeC := hanging(t, "c", "deaf")
	dir := written(t, a, b, c, say("d"))
	ctx, cancel := context.WithCancel(t.Context())
	type result struct {
		Summary
		error
	}
	ended := make(chan result, 1)
	go func() { s, err := Local(ctx, dir, 3, nil); ended <- result{s, err} }()
	for i, pipe := range []string{pipeA, pipeB, pipeC} {
		begun(t, dir, i, pipe)
	}
	for i, start := 0, time.Now(); i < 3; i++ { // signs of life
		os.Chtimes(statusPath(dir, i), time.Unix(0, 0), time.Unix(0, 0))
		for running := (Status{Host: "elsewhere"}); !running.lives(dir, i); runtime.Gosched() {
			if time.Since(start) > time.Minute {
				t.Fatalf("job %d gives no sign of life", i)
			}
		}
	}
	cancel()
	r := <-ended
	if r.error == nil || r.error.Error() != "context canceled" {
		t.Errorf("error %v", r.error)
	}
	states(t, r.Summary, Interrupted, Interrupted, Interrupted, Waiting)
	for i, want := range []string{"143 ended by signal: terminated", "9 saved, and stopped", "137 ended by signal: killed"} {
		if got := fmt.Sprint(r.Status[i].Code, " ", r.Status[i].Error); got != want {
			t.Errorf("job %d: %q, expected %q", i, got, want)
		}
	}
	states(t, runLocal(t, dir, 2), Done, Done, Done, Done)
}

// TestDamaged: jobs whose status is damaged or stale are run again, done ones are not, and one that is forgotten is.
func TestDamaged(t *testing.T) {
	dir := written(t, say("a"), say("b"), say("c"), say("d"))
	runLocal(t, dir, 4)
	host, _ := os.Hostname()
	os.WriteFile(statusPath(dir, 0), []byte(`{"state": "do`), 0o644)
	Status{State: Running, Host: host, PID: os.Getpid(), Born: "0"}.write(dir, 1)
	if err := Forget(dir, 2); err != nil {
		t.Error(err)
	}
	states(t, runLocal(t, dir, 4), Done, Done, Done, Done)
	for i, want := range []int{2, 2, 2, 1} {
		if n := attempts(dir, i); n != want {
			t.Errorf("job %d was started %d times, expected %d", i, n, want)
		}
	}
}

func TestWrongCalls(t *testing.T) {
	dir := written(t, say("a"))
	_, err := Local(t.Context(), dir, 0, nil)
	contains(t, err, "at least one process", "found 0")
	contains(t, Work(t.Context(), dir, 1), dir, "0 to 0, found 1")
	contains(t, Work(t.Context(), t.TempDir(), 0), "holds no plan")
	if err := Write(dir, Plan{Jobs: []Job{say("a")}, Executable: "sh"}); err != nil {
		t.Fatal(err)
	}
	plan, _ := Read(dir)
	plan.Executable = dir
	durable.WriteJSON(dir+"/"+planFile, plan)
	contains(t, Work(t.Context(), dir, 0), "job 0 (a) failed, code 127", "permission denied")
	os.Remove(logPath(dir, 0))
	os.Remove(dir + "/logs")
	_, err = Local(t.Context(), dir, 1, nil)
	contains(t, err, "job 0 (a)", "no such file")
}
