package jobs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/sliced-wasserstein/lab/internal/durable"
)

// Slurm says what one job of an array needs. An empty field leaves the cluster's default.
type Slurm struct {
	Partition, Account string
	Time               string   // limit in sbatch's format: 2:00:00, 1-0
	Memory             string   // per node, in sbatch's format: 8G
	CPUs, GPUs         int      // per job
	MaxParallel        int      // maximum number of concurrent jobs
	Extra              []string // further options of sbatch: --constraint=a100
	// Retries is how often a job that timed out or was killed is requeued.
	Retries int
	Env     []string // names of environment variables to pass on
}

const (
	scriptFile = "job.sh"
	arrayFile  = "slurm.json"
)

// array is the content of slurm.json.
type array struct {
	Job     string `json:"job"`
	Cluster string `json:"cluster,omitempty"`
	Jobs    int    `json:"jobs"`
}

// Submit submits the jobs as one job array and returns its number. Logs, script and record are
// written to dir, which is created. If the array of an earlier call is still queued, nothing is
// submitted and its number is returned. This program and dir must be on a file system that the
// nodes share.
//
// Slurm requeues a task when its node fails or it is preempted (--requeue). A task near its time
// limit is signalled a minute before, and then requeues itself. So does one whose job was killed.
// Both happen up to Retries times.
//
// It needs sbatch, squeue and scontrol, not sacct. It is an error if one of them is missing or
// fails (with its own message), if dir cannot be written, or if an option is not one word.
func (o Slurm) Submit(ctx context.Context, dir string, jobs []Job) (job string, err error) {
	if len(jobs) == 0 {
		return "", errors.New("expected at least one job, found none")
	}
	for _, name := range []string{"sbatch", "squeue", "scontrol"} {
		if _, err := exec.LookPath(name); err != nil {
			return "", fmt.Errorf("%s is not on the PATH: expected Slurm's client programs, as on a login node of a cluster; without Slurm, run the jobs locally", name)
		}
	}
	program, err := prepare(dir, jobs)
	if err != nil {
		return "", err
	}
	unlock, err := durable.Lock(dir)
	if err != nil {
		return "", fmt.Errorf("%s: %w", dir, err)
	}
	defer unlock()
	old, err := readArray(dir)
	if err != nil {
		return "", err
	}
	if old.Job != "" {
		if queued, err := old.queue(ctx); err != nil || queued.Waiting+queued.Running > 0 {
			return old.Job, err
		}
	}
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return "", err
	}
	script, err := o.script(program, here, dir, jobs)
	if err != nil {
		return "", err
	}
	if err := durable.Write(filepath.Join(dir, scriptFile), func(w io.Writer) error { _, err := io.WriteString(w, script); return err }); err != nil {
		return "", err
	}
	out, err := client(ctx, dir, "sbatch", "--parsable", scriptFile)
	if err != nil {
		return "", err
	}
	a := array{Jobs: len(jobs)}
	a.Job, a.Cluster, _ = strings.Cut(strings.TrimSpace(out), ";")
	if a.Job == "" || strings.Trim(a.Job, "0123456789") != "" {
		return "", fmt.Errorf("sbatch: expected the number of a job, found %q", out)
	}
	if err := durable.WriteJSON(filepath.Join(dir, arrayFile), a); err != nil {
		return "", fmt.Errorf("array %s was submitted and cannot be recorded, scancel %s ends it: %w", a.Job, a.Job, err)
	}
	return a.Job, nil
}

// script returns the batch script of an array over the jobs.
func (o Slurm) script(program, here, dir string, jobs []Job) (string, error) {
	options, err := o.options()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("#!/bin/sh")
	line("#SBATCH --job-name=swlab")
	limit := ""
	if o.MaxParallel > 0 {
		limit = fmt.Sprintf("%%%d", o.MaxParallel)
	}
	line("#SBATCH --array=0-%d%s", len(jobs)-1, limit)
	for _, option := range options {
		line("#SBATCH %s", option)
	}
	line("#SBATCH --requeue")
	line("#SBATCH --signal=B:USR1@60")
	line("#SBATCH --output=logs/slurm-%%a.txt") // sbatch is called in dir
	line("#SBATCH --open-mode=append")
	line("")
	line("# As many threads as processors were granted: Go's, and XLA's on the CPU.")
	line(`export GOMAXPROCS="${SLURM_CPUS_ON_NODE:-1}" NPROC="${SLURM_CPUS_ON_NODE:-1}"`)
	for _, name := range o.Env {
		if value, set := os.LookupEnv(name); set {
			line("export %s=%s", name, quote(value))
		}
	}
	line("cd %s || exit 1", quote(here))
	line(`case "$SLURM_ARRAY_TASK_ID" in`)
	for i, j := range jobs {
		words := make([]string, len(j.Args))
		for k, a := range j.Args {
			words[k] = quote(a)
		}
		line("%d) log=%s; set -- %s ;;", i, quote(filepath.Join(dir, "logs", logName(j.Name))), strings.Join(words, " "))
	}
	line("esac")
	line("")
	line("%s \"$@\" >>\"$log\" 2>&1 &", quote(program))
	line("job=$! again=")
	line("# A minute before the time limit the job saves what it has, and resumes after the next start. scancel ends it.")
	line("trap 'again=1; kill -TERM $job' USR1")
	line("trap 'again=no; kill -TERM $job' TERM")
	line("wait $job; code=$?")
	line(`while kill -0 $job 2>/dev/null; do wait $job; code=$?; done`)
	line(`if [ "$code" -gt 128 ] && [ -z "$again" ]; then again=1; fi`)
	line(`if [ "$again" = 1 ] && [ "$code" != 0 ] && [ "${SLURM_RESTART_COUNT:-0}" -lt %d ]; then`, o.Retries)
	line("\tscontrol requeue \"${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID\"")
	line("fi")
	line("exit $code")
	return b.String(), nil
}

// options returns the #SBATCH lines for o.
func (o Slurm) options() (lines []string, err error) {
	for _, f := range []struct{ option, name, value string }{
		{"partition", "Partition", o.Partition}, {"account", "Account", o.Account}, {"time", "Time", o.Time}, {"mem", "Memory", o.Memory},
	} {
		if strings.ContainsAny(f.value, " \t\r\n\"'\\#") {
			return nil, fmt.Errorf("options of Slurm: %s: expected one word, found %q", f.name, f.value)
		}
		if f.value != "" {
			lines = append(lines, "--"+f.option+"="+f.value)
		}
	}
	for _, f := range []struct {
		option, name string
		value        int
	}{{"cpus-per-task=", "CPUs", o.CPUs}, {"gres=gpu:", "GPUs", o.GPUs}, {"", "MaxParallel", o.MaxParallel}, {"", "Retries", o.Retries}} {
		if f.value < 0 {
			return nil, fmt.Errorf("options of Slurm: %s: expected 0 or more, found %d", f.name, f.value)
		}
		if f.value > 0 && f.option != "" {
			lines = append(lines, fmt.Sprintf("--%s%d", f.option, f.value))
		}
	}
	for _, extra := range o.Extra {
		if !strings.HasPrefix(extra, "-") || strings.ContainsAny(extra, "\r\n") {
			return nil, fmt.Errorf("options of Slurm: Extra: expected an option of sbatch such as --constraint=a100, found %q", extra)
		}
	}
	return append(lines, o.Extra...), nil
}

// quote quotes text as one word of a shell.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// pollEvery is the shortest interval between queries to Slurm; patience is how long squeue may
// fail.
var (
	pollEvery = time.Second
	patience  = 10 * time.Minute
)

// Wait returns when no task of the array submitted in dir is queued any more. The outcome of the
// jobs is in their results and logs. When ctx ends the array continues, and a later Wait can wait
// for it. progress, if not nil, is called when a count changes; ended jobs count as done.
func Wait(ctx context.Context, dir string, progress func(Counts)) error {
	a, err := readArray(dir)
	if err != nil || a.Job == "" {
		return err
	}
	var told Counts
	answered := time.Now()
	for pause := pollEvery; ; pause = min(pause*3/2, 15*pollEvery) {
		c, err := a.queue(ctx)
		switch {
		case ctx.Err() != nil:
		case err != nil && time.Since(answered) > patience:
			return err
		case err == nil:
			answered = time.Now()
			c.Done = max(0, a.Jobs-c.Waiting-c.Running)
			if progress != nil && c != told {
				progress(c)
			}
			if told = c; c.Waiting+c.Running == 0 {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("no longer waiting for array %s, which continues; the same call waits for it again, scancel %s ends it: %w", a.Job, a.Job, ctx.Err())
		case <-time.After(pause):
		}
	}
}

// readArray reads the newest submission, if there is one.
func readArray(dir string) (a array, err error) {
	path := filepath.Join(dir, arrayFile)
	_, err = durable.ReadJSON(path, &a)
	if errors.Is(err, os.ErrNotExist) {
		return array{}, nil
	}
	if err == nil && a.Job == "" {
		err = fmt.Errorf("%s: expected the number of an array, found none", path)
	}
	if err != nil {
		return array{}, fmt.Errorf("%w; if squeue lists no array of these jobs, remove the file", err)
	}
	return a, nil
}

// queue counts the array's tasks that are pending, and those running or ending.
func (a array) queue(ctx context.Context) (c Counts, err error) {
	args := []string{"-h", "-r", "-j", a.Job, "-o", "%i|%T|%r"}
	if a.Cluster != "" {
		args = append(args, "-M", a.Cluster)
	}
	out, err := client(ctx, "", "squeue", args...)
	if err != nil {
		if strings.Contains(err.Error(), "Invalid job id") { // ended, and forgotten by Slurm
			err = nil
		}
		return c, err
	}
	for line := range strings.Lines(out) {
		f := strings.SplitN(strings.TrimSpace(line), "|", 3)
		switch {
		case len(f) != 3 || !strings.HasPrefix(f[0], a.Job+"_"):
		case f[1] != "PENDING":
			c.Running++
		default:
			c.Waiting++
			if f[2] != "None" {
				c.Reason = f[2]
			}
		}
	}
	return c, nil
}

// client runs a Slurm program in dir. Its error message becomes part of the error.
func client(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", errors.Join(fmt.Errorf("%s: %w", name, err), errors.New(strings.TrimSpace(errs.String())))
	}
	return out.String(), nil
}
