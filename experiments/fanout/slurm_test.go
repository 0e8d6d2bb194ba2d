//go:build unix

package fanout

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sliced-wasserstein/lab/internal/durable"
)

func TestCompress(t *testing.T) {
	for _, c := range []struct {
		indices []int
		want    string
	}{{nil, ""}, {[]int{0}, "0"}, {[]int{0, 1, 2, 3, 7}, "0-3,7"}, {[]int{2, 4, 5, 9, 10, 11}, "2,4-5,9-11"}} {
		if got := compress(c.indices); got != c.want {
			t.Errorf("%v: %q, expected %q", c.indices, got, c.want)
		}
	}
}

// TestScript: options, limits, and values that a shell could misread.
func TestScript(t *testing.T) {
	t.Setenv("FANOUT_A", "it's $HOME\n\"two\"")
	dir := filepath.Join(t.TempDir(), "it's 100 %")
	fakeDir := fake(t)
	if err := Write(dir, Plan{Jobs: []Job{say("a", "$FANOUT_A", "$GOMAXPROCS $NPROC"), say("b")}, Env: []string{"FANOUT_A", "FANOUT_UNSET"}}); err != nil {
		t.Fatal(err)
	}
	o := SlurmOptions{Partition: "main", Account: "me", Time: "2:00:00", Memory: "8G", CPUs: 4, GPUs: 1, MaxParallel: 1, Extra: []string{"--constraint=\"a b\""}}
	s, err := Slurm(t.Context(), dir, o, nil)
	if err != nil || s.Err() != nil {
		t.Fatal(err, s.Err())
	}
	raw, _ := os.ReadFile(filepath.Join(dir, scriptFile))
	for _, line := range []string{"--partition=main", "--account=me", "--time=2:00:00", "--mem=8G", "--cpus-per-task=4", "--gres=gpu:1", "--array=0-1%1",
		"--constraint=\"a b\"", "--requeue", "--signal=B:TERM@60", "--open-mode=append", "--output=logs/slurm-%a.txt"} {
		if !strings.Contains(string(raw), "\n#SBATCH "+line+"\n") {
			t.Errorf("no line %q in\n%s", line, raw)
		}
	}
	if strings.Contains(string(raw), "FANOUT_UNSET") {
		t.Errorf("a variable that is not set:\n%s", raw)
	}
	if log := logOf(dir, 0); !strings.HasSuffix(log, "\nit's $HOME\n\"two\"\n3 3\n") {
		t.Errorf("log %q", log)
	}
	if st := s.Status[1]; st.Slurm != "1_1" {
		t.Errorf("%+v", st)
	}
	if calls, _ := os.ReadFile(filepath.Join(fakeDir, "calls")); string(calls) != "--parsable job.sh\n" {
		t.Errorf("sbatch was called with %q", calls)
	}
}

// TestSlurm: one fails; a second call submits that one only; when nothing is left nothing is submitted.
func TestSlurm(t *testing.T) {
	dir := written(t, say("a"), say("b"), fail("c", "no luck"), say("d"))
	state := fake(t)
	os.WriteFile(filepath.Join(state, "silent"), nil, 0o644) // the controller may be away for a while
	var last Counts
	s, err := Slurm(t.Context(), dir, SlurmOptions{Retries: 2}, func(c Counts) { last = c })
	if err != nil {
		t.Fatal(err)
	}
	states(t, s, Done, Done, Failed, Done)
	contains(t, s.Err(), "job 2 (c) failed, code 3: no luck")
	if last != (Counts{Done: 3, Failed: 1}) || submitted(t, dir) != "0-3" {
		t.Errorf("told last %v, submitted %q", last, submitted(t, dir))
	}
	if _, err = Slurm(t.Context(), dir, SlurmOptions{}, nil); err != nil || submitted(t, dir) != "2" || attempts(dir, 2) != 2 || attempts(dir, 0) != 1 {
		t.Errorf("%v, submitted %q, log %q", err, submitted(t, dir), logOf(dir, 2))
	}
	Status{State: Done}.write(dir, 2)
	if job, err := Submit(t.Context(), dir, SlurmOptions{}); job != "" || err != nil {
		t.Errorf("nothing is left: array %q, %v", job, err)
	}
}

// TestSlurmKilled: a job killed in the middle, and a worker killed with its job, are interrupted; the next call goes on with
// them, or the same one if it may.
func TestSlurmKilled(t *testing.T) {
	for _, retries := range []int{0, 1} {
		a, pipeA := hanging(t, "a", "dies")
		b, pipeB := hanging(t, "b", "dies")
		dir := written(t, a, b, say("c"), fail("d", "no luck"))
		fake(t)
		ended := make(chan Summary, 1)
		go func() {
			s, err := Slurm(context.Background(), dir, SlurmOptions{Retries: retries}, nil)
			if err != nil {
				t.Error(err)
			}
			ended <- s
		}()
		pid, _ := begun(t, dir, 0, pipeA)
		syscall.Kill(pid, syscall.SIGKILL)
		pid, worker := begun(t, dir, 1, pipeB)
		syscall.Kill(worker, syscall.SIGKILL)
		syscall.Kill(pid, syscall.SIGKILL)
		s := <-ended
		if retries == 0 {
			states(t, s, Interrupted, Interrupted, Done, Failed)
			contains(t, s.Err(), "job 0 (a) interrupted, code 137", "job 1 (b) interrupted", "left the queue: killed, or its node failed")
			s, _ = Slurm(t.Context(), dir, SlurmOptions{}, nil)
			if submitted(t, dir) != "0-1,3" {
				t.Errorf("submitted %q", submitted(t, dir))
			}
		} else if submitted(t, dir) != "0-1" {
			t.Errorf("submitted %q", submitted(t, dir))
		}
		states(t, s, Done, Done, Done, Failed)
	}
}

// TestSlurmQueued: while an array is queued no call submits a second one: not a call that was broken off, nor one that does not
// wait.
func TestSlurmQueued(t *testing.T) {
	dir := written(t, say("a"), say("b"))
	state := fake(t)
	t.Setenv("CLUSTER", "east")
	hold := filepath.Join(state, "hold")
	if err := syscall.Mkfifo(hold, 0o600); err != nil {
		t.Fatal(err)
	}
	job, err := Submit(t.Context(), dir, SlurmOptions{})
	if job != "1" || err != nil {
		t.Fatalf("array %q, %v", job, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = Slurm(ctx, dir, SlurmOptions{}, func(c Counts) {
		if c != (Counts{Waiting: 2, Reason: "Resources"}) {
			t.Errorf("told %v", c)
		}
		if _, err := Slurm(t.Context(), dir, SlurmOptions{}, nil); !errors.Is(err, durable.ErrLocked) {
			t.Errorf("two callers: %v", err)
		}
		cancel()
	})
	contains(t, err, "array 1", "scancel 1", "context canceled")
	if job, err = Submit(t.Context(), dir, SlurmOptions{}); job != "1" || err != nil {
		t.Errorf("array %q, %v", job, err)
	}
	f, err := os.OpenFile(hold, os.O_RDWR, 0) // lets the tasks go
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	f.WriteString("go\ngo\n")
	s, err := Slurm(t.Context(), dir, SlurmOptions{}, nil)
	if err != nil || s.Err() != nil || s.Status[1].Slurm != "1_1" {
		t.Errorf("%v, %v", err, s.Err())
	}
	asked, _ := os.ReadFile(filepath.Join(state, "asked"))
	if !strings.HasPrefix(string(asked), "-h -r -j 1 -o %i|%T|%r -M east\n") {
		t.Errorf("squeue was called with %q", asked)
	}
}

// TestSlurmLost: tasks that end without having begun their jobs (cancelled, a worker that is not there) are told, not believed.
func TestSlurmLost(t *testing.T) {
	defer func(d time.Duration) { settle = d }(settle)
	settle = 50 * time.Millisecond
	dir := written(t, say("a"), fail("b", "long ago"), say("c"))
	runLocal(t, dir, 3)
	if err := Forget(dir, 0); err != nil {
		t.Fatal(err)
	}
	state := fake(t)
	lose := filepath.Join(state, "lose")
	os.WriteFile(lose, nil, 0o644)
	s, err := Slurm(t.Context(), dir, SlurmOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	states(t, s, Interrupted, Interrupted, Done)
	contains(t, s.Err(), "its task 1_1 left the queue before the job began")
	os.Remove(lose)
	s, err = Slurm(t.Context(), dir, SlurmOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	states(t, s, Done, Failed, Done)
}

// TestRequeued: a task that Slurm runs again takes over the job that its first run has left; the task of another does not.
func TestRequeued(t *testing.T) {
	dir := written(t, say("a"))
	Status{State: Running, Host: "elsewhere", Slurm: "5_0"}.write(dir, 0)
	t.Setenv("SLURM_ARRAY_JOB_ID", "6")
	t.Setenv("SLURM_ARRAY_TASK_ID", "0")
	if err := Work(t.Context(), dir, 0); !errors.Is(err, ErrBusy) {
		t.Errorf("another task: %v", err)
	}
	t.Setenv("SLURM_ARRAY_JOB_ID", "5")
	if err := Work(t.Context(), dir, 0); err != nil {
		t.Error(err)
	}
}

func TestWrongSlurm(t *testing.T) {
	dir := written(t, say("a"))
	state := fake(t)
	for _, c := range []struct {
		o    SlurmOptions
		want string
	}{
		{SlurmOptions{Partition: "a b"}, `Partition: expected one word, found "a b"`},
		{SlurmOptions{Memory: "1\n2"}, "Memory: expected one word"},
		{SlurmOptions{CPUs: -1}, "CPUs: expected 0 or more, found -1"},
		{SlurmOptions{Retries: -1}, "Retries: expected 0 or more, found -1"},
		{SlurmOptions{Extra: []string{"a100"}}, `Extra: expected an option of sbatch such as --constraint=a100, found "a100"`},
	} {
		_, err := Submit(t.Context(), dir, c.o)
		contains(t, err, c.want)
	}
	refuse := filepath.Join(state, "refuse")
	os.WriteFile(refuse, []byte("sbatch: error: invalid partition specified: main\n"), 0o644)
	_, err := Slurm(t.Context(), dir, SlurmOptions{}, nil)
	contains(t, err, "sbatch: exit status 1", "invalid partition specified: main")
	os.Remove(refuse)

	defer func(d time.Duration) { patience = d }(patience)
	patience = 0
	squeue, err := exec.LookPath("squeue")
	if err != nil {
		t.Fatal(err)
	}
	os.WriteFile(squeue, []byte("#!/bin/sh\necho 'Unable to contact slurm controller' >&2\nexit 1\n"), 0o755)
	_, err = Slurm(t.Context(), dir, SlurmOptions{}, nil)
	contains(t, err, "squeue: exit status 1", "Unable to contact slurm controller")
	os.WriteFile(filepath.Join(dir, arrayFile), []byte("{"), 0o644)
	_, err = Slurm(t.Context(), dir, SlurmOptions{}, nil)
	contains(t, err, arrayFile, "remove the file")
	os.Remove(squeue)
	t.Setenv("PATH", filepath.Dir(squeue))
	_, err = Submit(t.Context(), dir, SlurmOptions{})
	contains(t, err, "squeue is not on the PATH")
}
