//go:build unix

package jobs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/sliced-wasserstein/lab/internal/durable/durabletest"
)

// A small Slurm: sbatch runs every task of the array at once as a process, and again after scontrol
// requeue; squeue lists those that have not ended. $FAKE holds a file per queued task, and the
// calls of sbatch.
const (
	fakeSbatch = `#!/bin/sh
[ -e "$FAKE/refuse" ] && { cat "$FAKE/refuse" >&2; exit 1; }
echo "$*" >>"$FAKE/calls"
id=$(wc -l <"$FAKE/calls")
last=$(sed -n 's/^#SBATCH --array=0-\([0-9]*\).*/\1/p' job.sh)
for i in $(seq 0 "$last"); do echo PENDING >"$FAKE/${id}_$i"; done
for i in $(seq 0 "$last"); do
	(
		file="$FAKE/${id}_$i"
		export SLURM_ARRAY_JOB_ID=$id SLURM_ARRAY_TASK_ID=$i SLURM_CPUS_ON_NODE=3 SLURM_RESTART_COUNT=0
		while :; do
			echo RUNNING >"$file"
			sh job.sh >>"logs/slurm-$i.txt" 2>&1 &
			echo $! >"$FAKE/pid_$i"
			wait $!
			[ -e "$FAKE/again_${id}_$i" ] || break
			rm "$FAKE/again_${id}_$i"
			SLURM_RESTART_COUNT=$((SLURM_RESTART_COUNT + 1))
		done
		rm "$file"
	) </dev/null >/dev/null 2>&1 &
done
echo "$id${CLUSTER:+;$CLUSTER}"
`
	fakeSqueue = `#!/bin/sh
if [ -e "$FAKE/silent" ]; then rm "$FAKE/silent"; echo "Unable to contact slurm controller" >&2; exit 1; fi
found=
for file in "$FAKE/${4}"_*; do
	state=$(cat "$file" 2>/dev/null) && { echo "${file##*/}|$state|Resources"; found=1; }
done
[ "$found" ] || { echo "slurm_load_jobs error: Invalid job id specified" >&2; exit 1; }
`
	fakeScontrol = `#!/bin/sh
[ "$1" = requeue ] && : >"$FAKE/again_$2"
`
)

// fake puts the small Slurm on the PATH, with only what it needs, and returns its folder.
func fake(t *testing.T) string {
	t.Helper()
	bin, state := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{"sbatch": fakeSbatch, "squeue": fakeSqueue, "scontrol": fakeScontrol} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+":/usr/bin:/bin")
	t.Setenv("FAKE", state)
	return state
}

func submit(t *testing.T, dir string, o Slurm, list ...Job) string {
	t.Helper()
	job, err := o.Submit(t.Context(), dir, list)
	if err != nil {
		t.Fatal(err)
	}
	return job
}

// TestSlurm: options, values that a shell could misread, the variables of a job, a controller that
// is briefly unavailable.
func TestSlurm(t *testing.T) {
	state := fake(t)
	t.Setenv("JOBS_A", "it's $HOME\n\"two\"")
	dir := filepath.Join(t.TempDir(), "it's 100 %")
	o := Slurm{Partition: "main", Account: "me", Time: "2:00:00", Memory: "8G", CPUs: 4, GPUs: 1, MaxParallel: 1, Extra: []string{`--constraint="a b"`}, Env: []string{"JOBS_A", "JOBS_UNSET"}}
	if job := submit(t, dir, o, say("a", "$JOBS_A", "$GOMAXPROCS $NPROC"), Job{"b", []string{"job", "fail", "no luck"}}); job != "1" {
		t.Errorf("array %q", job)
	}
	if err := os.WriteFile(filepath.Join(state, "silent"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	var last Counts
	if err := Wait(t.Context(), dir, func(c Counts) { last = c }); err != nil || last != (Counts{Done: 2}) {
		t.Errorf("%v, at last %v", err, last)
	}
	raw, _ := os.ReadFile(filepath.Join(dir, scriptFile))
	for _, line := range []string{"--partition=main", "--account=me", "--time=2:00:00", "--mem=8G", "--cpus-per-task=4", "--gres=gpu:1", "--array=0-1%1",
		`--constraint="a b"`, "--requeue", "--signal=B:USR1@60", "--open-mode=append", "--output=logs/slurm-%a.txt"} {
		if !strings.Contains(string(raw), "\n#SBATCH "+line+"\n") {
			t.Errorf("no line %q in\n%s", line, raw)
		}
	}
	if strings.Contains(string(raw), "JOBS_UNSET") {
		t.Errorf("a variable that is not set:\n%s", raw)
	}
	if log := logOf(dir, "a"); log != "it's $HOME\n\"two\"\n3 3\na\n" {
		t.Errorf("log %q", log)
	}
	if err := LastLine(dir, "b"); err == nil || !strings.Contains(err.Error(), "no luck") {
		t.Errorf("%v", err)
	}
	// Nothing of the first is queued any more.
	if job := submit(t, dir, Slurm{}, say("b")); job != "2" {
		t.Errorf("array %q", job)
	}
	if err := Wait(t.Context(), dir, nil); err != nil {
		t.Error(err)
	}
}

// TestSlurmQueued: a second call while the array is queued submits nothing. Waiting for the first
// can be abandoned and resumed.
func TestSlurmQueued(t *testing.T) {
	fake(t)
	dir := t.TempDir()
	j, pipe := stopping(t, "slow")
	submit(t, dir, Slurm{}, j)
	pid := begun(t, pipe)
	if job := submit(t, dir, Slurm{}, j); job != "1" {
		t.Errorf("array %q was submitted beside the first", job)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var err error
	var ended sync.WaitGroup
	ended.Go(func() { err = Wait(ctx, dir, func(Counts) { cancel() }) })
	ended.Wait()
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "scancel 1 ends it") {
		t.Errorf("%v", err)
	}
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := Wait(t.Context(), dir, nil); err != nil {
		t.Error(err)
	}
}

// TestSlurmAgain: a job that was killed or timed out is requeued as often as allowed; a cancelled
// one is not.
func TestSlurmAgain(t *testing.T) {
	state := fake(t)
	signalled := func(t *testing.T, retries int, signal syscall.Signal) string {
		t.Helper()
		dir := t.TempDir()
		j, pipe := stopping(t, "slow")
		submit(t, dir, Slurm{Retries: retries}, j)
		begun(t, pipe)
		raw, err := os.ReadFile(filepath.Join(state, "pid_0"))
		if err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("kill", "-"+map[syscall.Signal]string{syscall.SIGUSR1: "USR1", syscall.SIGTERM: "TERM"}[signal], strings.TrimSpace(string(raw))).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if err := Wait(t.Context(), dir, nil); err != nil {
			t.Error(err)
		}
		return logOf(dir, "slow")
	}
	const stopped, again = "saved, and stopped\n", "saved, and stopped\ngone on with\n"
	if log := signalled(t, 1, syscall.SIGUSR1); log != again {
		t.Errorf("time limit: %q", log)
	}
	if log := signalled(t, 0, syscall.SIGUSR1); log != stopped {
		t.Errorf("time limit without retries: %q", log)
	}
	if log := signalled(t, 1, syscall.SIGTERM); log != stopped {
		t.Errorf("cancelled: %q", log)
	}
	dir, mark := t.TempDir(), filepath.Join(t.TempDir(), "mark")
	submit(t, dir, Slurm{Retries: 1}, Job{"killed", []string{"job", "once", mark}})
	if err := Wait(t.Context(), dir, nil); err != nil {
		t.Error(err)
	}
	raw, _ := os.ReadFile(filepath.Join(state, "calls"))
	if _, err := os.Stat(mark); err != nil || strings.Count(string(raw), "\n") != 4 {
		t.Errorf("%v, calls of sbatch: %s", err, raw)
	}
}

// TestSlurmErrors: Slurm's messages, options that no script can hold, a damaged record, a
// controller that stays unavailable.
func TestSlurmErrors(t *testing.T) {
	state := fake(t)
	contains := func(err error, parts ...string) {
		t.Helper()
		for _, p := range parts {
			if err == nil || !strings.Contains(err.Error(), p) {
				t.Errorf("%v, expected %q", err, p)
			}
		}
	}
	dir := t.TempDir()
	for o, want := range map[*Slurm]string{
		{Partition: "a b"}:           `Partition: expected one word, found "a b"`,
		{Time: "1\n#SBATCH"}:         "Time: expected one word",
		{CPUs: -1}:                   "CPUs: expected 0 or more, found -1",
		{Retries: -1}:                "Retries: expected 0 or more, found -1",
		{Extra: []string{"one two"}}: "Extra: expected an option of sbatch",
	} {
		_, err := o.Submit(t.Context(), dir, []Job{say("a")})
		contains(err, "options of Slurm: "+want)
	}
	_, err := Slurm{}.Submit(t.Context(), dir, nil)
	contains(err, "at least one job")
	if err := os.WriteFile(filepath.Join(state, "refuse"), []byte("invalid partition\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = Slurm{}.Submit(t.Context(), dir, []Job{say("a")})
	contains(err, "sbatch: exit status 1", "invalid partition")
	if _, err := os.Stat(filepath.Join(dir, arrayFile)); err == nil {
		t.Error("an array was recorded that was refused")
	}
	if err := os.WriteFile(filepath.Join(dir, arrayFile), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	contains(Wait(t.Context(), dir, nil), arrayFile, "expected the number of an array")
	if err := os.WriteFile(filepath.Join(dir, arrayFile), []byte(`{"job": "5"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	old := patience
	defer func() { patience = old }()
	patience = -time.Second
	if err := os.WriteFile(filepath.Join(state, "silent"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	contains(Wait(t.Context(), dir, nil), "Unable to contact")
	t.Setenv("PATH", "")
	_, err = Slurm{}.Submit(t.Context(), dir, []Job{say("a")})
	contains(err, "sbatch is not on the PATH", "run the jobs locally")
}

// TestSlurmFaults: if the batch script cannot be written, nothing is submitted; if the number of the
// array cannot be recorded, the error gives it and the command that ends it. The same call then
// works.
func TestSlurmFaults(t *testing.T) {
	state := fake(t)
	submissions := func() int {
		raw, _ := os.ReadFile(filepath.Join(state, "calls"))
		return strings.Count(string(raw), "\n")
	}
	var dir string
	before := 0
	work := func() error {
		dir, before = t.TempDir(), submissions()
		_, err := Slurm{}.Submit(t.Context(), dir, []Job{say("a")})
		return err
	}
	durabletest.Every(t, work, func(fault string, err error) {
		if !durabletest.Explained(err) {
			t.Errorf("%s: %v", fault, err)
		}
		if n := submissions() - before; n > 0 != strings.Contains(fmt.Sprint(err), "scancel") {
			t.Errorf("%s: %d arrays submitted: %v", fault, n, err)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
			t.Errorf("%s left %v", fault, left)
		}
		submit(t, dir, Slurm{}, say("a"))
		if err := Wait(t.Context(), dir, nil); err != nil || !strings.HasSuffix(logOf(dir, "a"), "a\n") {
			t.Errorf("%s, then the same call: %v, log %q", fault, err, logOf(dir, "a"))
		}
	})
}

// TestCluster: a real Slurm. It submits jobs, so it must be requested.
func TestCluster(t *testing.T) {
	if os.Getenv("SWLAB_TEST_SLURM") != "1" {
		t.Skip("needs a Slurm that may be used for tests: `make test-slurm` starts one and stops it")
	}
	control := func(t *testing.T, command ...string) {
		t.Helper()
		if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v: %s", command, err, out)
		}
	}
	run := func(t *testing.T, o Slurm, disturb func(task string, pid int)) string {
		t.Helper()
		dir := t.TempDir()
		j, pipe := stopping(t, "slow")
		job := submit(t, dir, o, say("a"), j, say("c"))
		disturb(job+"_1", begun(t, pipe))
		if err := Wait(t.Context(), dir, func(c Counts) { t.Log(c) }); err != nil {
			t.Error(err)
		}
		if logOf(dir, "a") != "a\n" || logOf(dir, "c") != "c\n" {
			t.Errorf("logs %q, %q", logOf(dir, "a"), logOf(dir, "c"))
		}
		if t.Failed() {
			raw, _ := os.ReadFile(filepath.Join(dir, "logs", "slurm-1.txt"))
			t.Logf("%s", raw)
		}
		return logOf(dir, "slow")
	}
	t.Run("scancel", func(t *testing.T) {
		if log := run(t, Slurm{CPUs: 1, Time: "10", MaxParallel: 2, Retries: 1}, func(task string, _ int) { control(t, "scancel", task) }); strings.Contains(log, "gone on") {
			t.Errorf("a cancelled job ran again: %q", log)
		}
	})
	t.Run("killed", func(t *testing.T) {
		if log := run(t, Slurm{Retries: 1}, func(_ string, pid int) { _ = syscall.Kill(pid, syscall.SIGKILL) }); log != "gone on with\n" {
			t.Errorf("%q", log)
		}
	})
	t.Run("time limit", func(t *testing.T) { // its signal, without waiting two minutes
		if log := run(t, Slurm{Retries: 1}, func(task string, _ int) { control(t, "scancel", "--batch", "--signal=USR1", task) }); log != "saved, and stopped\ngone on with\n" {
			t.Errorf("%q", log)
		}
	})
	t.Run("requeue", func(t *testing.T) {
		if log := run(t, Slurm{}, func(task string, _ int) { control(t, "scontrol", "requeue", task) }); !strings.HasSuffix(log, "gone on with\n") {
			t.Errorf("%q", log)
		}
	})
	t.Run("refused", func(t *testing.T) {
		if _, err := (Slurm{Partition: "nowhere"}).Submit(t.Context(), t.TempDir(), []Job{say("a")}); err == nil || !strings.Contains(err.Error(), "invalid partition specified: nowhere") {
			t.Errorf("%v", err)
		}
	})
}
