// Package jobs runs independent calls of this program as processes, n at a time ([Local]).
//
// It keeps no record of what is done. A job must be idempotent and resumable: started again it
// continues where it was interrupted, and ends at once if its result exists. A store such as
// package runs has both properties, and locks every result, so a job that happens to run twice
// waits for the other. The caller asks the store which jobs are left and passes those.
//
//	DIR/logs/<name>.log  output of a job, all attempts
package jobs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/sliced-wasserstein/lab/internal/durable"
)

// Job is one call of this program.
type Job struct {
	Name string   // its own; also the name of its log, with slashes as hyphens
	Args []string // of the call
}

// Counts are numbers of jobs by state.
type Counts struct {
	Waiting, Running, Done, Failed int
}

// String formats the counts as a progress line.
func (c Counts) String() string {
	text := fmt.Sprintf("%d waiting, %d running, %d done", c.Waiting, c.Running, c.Done)
	if c.Failed > 0 {
		text += fmt.Sprintf(", %d failed", c.Failed)
	}
	return text
}

// grace is the time between SIGTERM and SIGKILL.
const grace = 20 * time.Second

// Local runs the jobs, n at a time, each as a process of this program with a log in dir, which is
// created. A failing job does not stop the others. The returned map says by name why jobs failed,
// with the last line each wrote and its log. When ctx ends, no further job is started, running jobs
// get SIGTERM (on Windows they are killed at once) and 20 s later SIGKILL, and err is that of ctx.
// progress, if not nil, is called whenever a count changes, never concurrently.
//
// The processes share the processors of this machine. GOMAXPROCS and NPROC, which sizes the thread
// pools of XLA on the CPU, are set to processors / n, at least 1, unless the environment sets them.
// XLA's plugin keeps at least four threads.
func Local(ctx context.Context, dir string, jobs []Job, n int, progress func(Counts)) (failed map[string]error, err error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(dir, "logs"), 0o755); err != nil {
		return nil, err
	}
	env := os.Environ()
	for _, name := range []string{"GOMAXPROCS", "NPROC"} {
		if _, set := os.LookupEnv(name); !set {
			env = append(env, fmt.Sprintf("%s=%d", name, max(1, runtime.NumCPU()/n)))
		}
	}
	var mu sync.Mutex
	failed = map[string]error{}
	counts := Counts{Waiting: len(jobs)}
	count := func(change func()) {
		mu.Lock()
		defer mu.Unlock()
		change()
		if progress != nil {
			progress(counts)
		}
	}
	count(func() {})
	next := make(chan Job)
	var workers sync.WaitGroup
	for range min(n, len(jobs)) {
		workers.Go(func() {
			for j := range next {
				count(func() { counts.Waiting--; counts.Running++ })
				err := run(ctx, program, dir, j, env)
				count(func() {
					if counts.Running--; err == nil {
						counts.Done++
						return
					}
					counts.Failed++
					failed[j.Name] = err
				})
			}
		})
	}
	for _, j := range jobs {
		select {
		case <-ctx.Done():
		case next <- j:
			continue
		}
		break
	}
	close(next)
	workers.Wait()
	return failed, ctx.Err()
}

func logName(name string) string { return strings.ReplaceAll(name, "/", "-") + ".log" }

// run runs one job to its end.
func run(ctx context.Context, program, dir string, j Job, env []string) error {
	path := filepath.Join(dir, "logs", logName(j.Name))
	if err := begin(path, j); err != nil {
		return err
	}
	log, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.CommandContext(ctx, program, j.Args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = env, log, log
	cmd.Cancel, cmd.WaitDelay = func() error { return terminate(cmd.Process) }, grace
	detach(cmd)
	runtime.LockOSThread() // Linux tells the job to stop when the thread that started it ends
	defer runtime.UnlockOSThread()
	if err := cmd.Run(); err != nil {
		return errors.Join(err, lastLine(dir, j.Name))
	}
	return nil
}

// begin writes the first line of an attempt. A job whose log cannot be written is not started: what
// it says would be lost.
func begin(log string, j Job) error {
	f, err := durable.Append(log, true)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "== %s: %q\n", time.Now().Format(time.DateTime), j.Args)
	return errors.Join(err, f.Close())
}

// lastLine returns an error with the last line that the job wrote and the name of its log; nil if
// it wrote nothing.
func lastLine(dir, name string) error {
	path := filepath.Join(dir, "logs", logName(name))
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	raw := make([]byte, 4096)
	size, err := f.Seek(0, 2)
	if err != nil {
		return nil
	}
	n, _ := f.ReadAt(raw, max(0, size-int64(len(raw)))) // show what could be read
	text := strings.TrimSpace(string(raw[:n]))
	line := strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
	if line == "" {
		return nil
	}
	return fmt.Errorf("%s (log: %s)", strings.ToValidUTF8(line, ""), path)
}
