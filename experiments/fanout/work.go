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
	"time"

	"github.com/sliced-wasserstein/lab/internal/durable"
)

// ErrBusy says that the job is being run by another process.
var ErrBusy = errors.New("the job is running already")

type busyError struct {
	i int
	s Status
}

func (e busyError) Error() string {
	return fmt.Sprintf("job %d is running already, as process %d of %s since %s", e.i, e.s.PID, e.s.Host, e.s.Started.Format(time.DateTime))
}

func (busyError) Is(target error) bool { return target == ErrBusy }

// grace is what a job has between SIGTERM and SIGKILL.
var grace = 20 * time.Second

// Work runs job i of the plan in dir and returns when it has ended: nil if it is done, now or before. Standard output and error
// go to its log. When ctx ends the job gets SIGTERM and, 20 s later, SIGKILL. The error is [ErrBusy] if another process runs the
// job; otherwise it names the job, its exit code, the last line it wrote and its log.
func Work(ctx context.Context, dir string, i int) error {
	plan, err := Read(dir)
	if err != nil {
		return err
	}
	if i < 0 || i >= len(plan.Jobs) {
		return fmt.Errorf("%s: expected the index of a job, 0 to %d, found %d", dir, len(plan.Jobs)-1, i)
	}
	if err := plan.work(ctx, dir, i, os.Environ(), slurmTask()); err != nil {
		return err
	}
	s := Summary{dir, plan.Jobs, make([]Status, len(plan.Jobs))}
	if s.Status[i] = readStatus(dir, i); s.Status[i].State != Done {
		return s.jobError(i)
	}
	return nil
}

// work is Work with the job's environment and the task of Slurm that it runs in, or "". The error is one of running it; what
// became of the job itself is in its status file.
func (p Plan) work(ctx context.Context, dir string, i int, env []string, slurm string) error {
	log, err := os.OpenFile(logPath(dir, i), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	if !durable.TryLock(log) { // a job inherits the log, so it holds the lock after its worker was killed
		return busyError{i, readStatus(dir, i)}
	}
	s := status(dir, i)
	if s.State == Running && (slurm == "" || s.Slurm != slurm) { // its own task was requeued: Slurm has ended the one before
		return busyError{i, s}
	}
	if s.State == Done {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	host, _ := os.Hostname()
	s = Status{State: Running, Host: host, Slurm: slurm, Started: time.Now()}
	fmt.Fprintf(log, "== %s on %s: %s %q\n", s.Started.Format(time.DateTime), host, p.Executable, p.Jobs[i].Args)
	begin, err := log.Seek(0, 2)
	if err != nil {
		return err
	}
	if err := p.run(ctx, dir, i, env, log, &s); err != nil {
		return err
	}
	s.Ended = time.Now()
	if s.State != Done && s.Error == "" {
		s.Error = lastLine(logPath(dir, i), begin)
	}
	return s.write(dir, i)
}

// run starts the process of job i, waits for it and says in s how it ended.
func (p Plan) run(ctx context.Context, dir string, i int, env []string, log *os.File, s *Status) error {
	cmd := exec.Command(p.Executable, p.Jobs[i].Args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = p.Dir, env, log, log, attributes()
	runtime.LockOSThread() // Linux tells the job to stop when the thread that started it ends
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		s.State, s.Code, s.Error = Failed, 127, err.Error()
		return nil
	}
	pid := cmd.Process.Pid
	ended := make(chan struct{})
	s.PID, s.Born = pid, born(pid)
	if err := s.write(dir, i); err != nil {
		kill(pid)
		cmd.Wait()
		return err
	}
	go func() { cmd.Wait(); close(ended) }()
	alive := time.NewTicker(beat)
	defer alive.Stop()
	told := ctx.Done()
	var end <-chan time.Time
	for going := true; going; {
		select {
		case <-ended:
			going = false
		case <-told:
			stop(pid)
			told, end = nil, time.After(grace)
		case <-end:
			kill(pid)
		case now := <-alive.C:
			os.Chtimes(statusPath(dir, i), now, now)
		}
	}
	s.Code = cmd.ProcessState.ExitCode()
	w, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
	switch {
	case s.Code == 0:
		s.State = Done
	case w.Signaled():
		s.State, s.Code, s.Error = Interrupted, 128+int(w.Signal()), "ended by signal: "+w.Signal().String()
	case ctx.Err() != nil:
		s.State = Interrupted
	default:
		s.State = Failed
	}
	return nil
}

// slurmTask is the array task that this process runs in, ARRAY_INDEX, or empty.
func slurmTask() string {
	job, task := os.Getenv("SLURM_ARRAY_JOB_ID"), os.Getenv("SLURM_ARRAY_TASK_ID")
	if job == "" || task == "" {
		return ""
	}
	return job + "_" + task
}

// lastLine is the last line with text after the offset, cut to 500 bytes.
func lastLine(path string, offset int64) string {
	const most = 500
	raw := make([]byte, 1<<14)
	f, err := os.Open(path)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	if size, err := f.Seek(0, 2); err == nil {
		offset = max(offset, size-int64(len(raw)))
	}
	n, _ := f.ReadAt(raw, offset)
	text := strings.TrimSpace(string(raw[:n]))
	line := strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
	return strings.ToValidUTF8(line[:min(len(line), most)], "")
}
