//go:build unix

package fanout

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// TestCluster: a real Slurm. It submits jobs, so it has to be asked for.
func TestCluster(t *testing.T) {
	if os.Getenv("SWLAB_TEST_SLURM") != "1" {
		t.Skip("needs a Slurm that may be used for tests: `make test-slurm` starts one and stops it")
	}
	begin := func(dir string, o SlurmOptions) chan Summary {
		ended := make(chan Summary, 1)
		go func() {
			s, err := Slurm(context.Background(), dir, o, func(c Counts) { t.Log(c) })
			if err != nil {
				t.Error(err)
			}
			ended <- s
		}()
		return ended
	}
	plan := func(t *testing.T) (dir, pipe string) {
		h, pipe := hanging(t, "h", "dies")
		return written(t, say("a"), h, say("c"), say("d")), pipe
	}
	control := func(t *testing.T, dir string, args ...string) {
		t.Helper()
		a, err := readArray(dir)
		if err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(args[0], append(args[1:], a.id(1))...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v: %s", args, err, out)
		}
	}
	all := func(t *testing.T, dir string, s Summary, rest string) {
		t.Helper()
		if s.Err() != nil || submitted(t, dir) != rest {
			t.Errorf("%v, the last array was %q, expected %q", s.Err(), submitted(t, dir), rest)
		}
		for i, want := range []int{1, 2, 1, 1} {
			if n := attempts(dir, i); n != want {
				t.Errorf("job %d was started %d times, expected %d: %s", i, n, want, logOf(dir, i))
			}
		}
		if t.Failed() {
			files, _ := filepath.Glob(dir + "/logs/slurm-*")
			for _, f := range files {
				raw, _ := os.ReadFile(f)
				t.Logf("%s: %s", f, raw)
			}
		}
	}

	t.Run("scancel", func(t *testing.T) {
		dir, pipe := plan(t)
		ended := begin(dir, SlurmOptions{CPUs: 1, Time: "10", MaxParallel: 2})
		begun(t, dir, 1, pipe)
		control(t, dir, "scancel")
		s := <-ended
		states(t, s, Done, Interrupted, Done, Done)
		t.Log(s.Err())
		all(t, dir, <-begin(dir, SlurmOptions{}), "1")
	})
	t.Run("kill -9, tried again by the same call", func(t *testing.T) {
		dir, pipe := plan(t)
		ended := begin(dir, SlurmOptions{Retries: 1})
		pid, worker := begun(t, dir, 1, pipe)
		syscall.Kill(worker, syscall.SIGKILL)
		syscall.Kill(pid, syscall.SIGKILL)
		all(t, dir, <-ended, "1")
	})
	t.Run("requeue", func(t *testing.T) {
		dir, pipe := plan(t)
		ended := begin(dir, SlurmOptions{})
		begun(t, dir, 1, pipe)
		control(t, dir, "scontrol", "requeue")
		all(t, dir, <-ended, "0-3")
	})
	t.Run("refused", func(t *testing.T) {
		_, err := Submit(t.Context(), written(t, say("a")), SlurmOptions{Partition: "nowhere"})
		contains(t, err, "sbatch: exit status 1", "invalid partition specified: nowhere")
	})
}
